"""`caspipe lexicon`: compile a terminology, see what a lexicon holds, try what it finds in a text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command import guarded

if TYPE_CHECKING:
    from rich.table import Table

    from ....annotators.lexicon import Entry, Lexicon

app = typer.Typer(
    help="Lexicons: lists and terminologies that annotators look words up in.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="LEXICON",
        help="A list of the pack, a path, or `path::format?option=value`; `caspipe lexicon info` lists names and formats.",
    ),
]


@app.command(
    epilog="Examples: `caspipe lexicon build MedAscii compiled/meddra` | "
    "`caspipe lexicon build 'META::umls?tuis=current' compiled/umls` | `caspipe lexicon build medical compiled/medical`; "
    "then `terms: {lexicon: compiled/meddra}`"
)
@guarded
def build(
    source: Name,
    folder: Annotated[Path, typer.Argument(help="Folder for the compiled lexicon; replaced where it holds one.")],
) -> None:
    """Compiles a terminology into a folder that opens at once and is shared between processes."""
    from ....annotators.lexicon import Lexicon
    from ....annotators.lexicon.cache import save
    from ....annotators.lexicon.compiled import META
    from ...errors import ResourceError

    if folder.exists() and not (folder / META).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise ResourceError(f"{folder}: expected a new or empty folder, or one that holds a compiled lexicon")
    start = time.perf_counter()
    lexicon = Lexicon.load(source)
    try:
        save(lexicon.compiled, folder)
    except OSError as error:
        raise ResourceError(f"{folder}: cannot be written ({error.strerror})") from None
    seconds = time.perf_counter() - start
    size = sum(file.stat().st_size for file in folder.iterdir())
    meta = lexicon.compiled.meta
    typer.echo(f"{folder}: {meta['terms']:,} terms under {meta['keys']:,} keys, {size / 1e6:.1f} MB, {seconds:.1f} s")
    if meta["skipped"]:
        typer.echo(f"  left out: {meta['skipped']:,} terms that are empty or longer than any phrase of a text")
    for group, count in sorted(meta["groups"].items()):
        typer.echo(f"  {group:20} {count:>10,}")


@app.command(
    epilog="Examples: `caspipe lexicon info` | `caspipe lexicon info surnames` | `caspipe lexicon info MedAscii::meddra`"
)
@guarded
def info(
    lexicon: Annotated[
        str | None, typer.Argument(metavar="LEXICON", help="A lexicon; without one, all names and formats.")
    ] = None,
) -> None:
    """Shows what a lexicon holds: source, licence, date, columns and counts; without a name, what there is to load."""
    from ....annotators.lexicon import Lexicon

    if lexicon is None:
        _print(_names_table())
        _print(_formats_table())
        return
    found = Lexicon.load(lexicon)
    meta = found.compiled.meta
    typer.echo(f"{lexicon}: {meta['terms']:,} terms under {meta['keys']:,} keys of {meta['words']:,} different words")
    for header in found.headers:
        typer.echo(f"{header['name']}: {header.get('title', '')}".rstrip(": "))
        for key in ("source", "licence", "date"):
            if header.get(key):
                typer.echo(f"  {key:8} {header[key]}")
        typer.echo(f"  {'terms':8} {header['terms']:,}")
        if header["columns"]:
            typer.echo(f"  {'columns':8} {', '.join(header['columns'])}")
    for group, count in sorted(meta["groups"].items()):
        typer.echo(f"  {group:20} {count:>10,}")


@app.command(
    epilog="Examples: `caspipe lexicon lookup surnames Smith` | `caspipe lexicon lookup medical --fuzzy "
    '"severe hedache, MI 2019"` | `echo "blood, urine cultures" | caspipe lexicon lookup medical --skip -`'
)
@guarded
def lookup(
    lexicon: Name,
    text: Annotated[str, typer.Argument(help="A term or a text; `-` reads standard input.")],
    fuzzy: Annotated[bool, typer.Option("--fuzzy", help="One word may be misspelt by one letter.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Tokens may stand between those of a term.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Also terms inside longer ones.")] = False,
) -> None:
    """Shows the entries of a term and every term found in a text. Exit code 1 where nothing is found."""
    from ....annotators.lexicon import Lexicon
    from ....annotators.lexicon.match import Matcher
    from ....typesystem.tokenize import token_spans

    given = sys.stdin.read() if text == "-" else text
    found = Lexicon.load(lexicon)
    matcher = Matcher(found, longest="none" if all_ else "group", skip=skip, near=_near if fuzzy else None)
    begins, ends = token_spans(given)
    hits = matcher.find([given[b:e] for b, e in zip(begins, ends, strict=True)])
    rows = [(given[begins[h.first] : ends[h.last - 1]], h.entry, h.confidence) for h in hits]
    shown = {_meaning(entry) for _, entry, _ in rows}
    rows += [(given.strip(), entry, 1.0) for entry in found.entries(given) if _meaning(entry) not in shown]
    if not rows:
        typer.echo("nothing found")
        raise typer.Exit(1)
    _print(_hits_table(rows))


def _near(lexicon: Lexicon) -> Callable[[str], tuple[str, ...]]:
    from ....annotators.lexicon.fuzzy import FuzzyIndex

    return FuzzyIndex(lexicon.compiled, "osa").near


def _meaning(entry: Entry) -> tuple[str, str, str, str]:
    return entry.list, entry.group, entry.concept, entry.preferred


def _names_table() -> Table:
    from ....annotators.lexicon.lexicon import COMBINED, pack_files
    from ....annotators.lexicon.loaders.pack import read_header

    table = _table("Lexicons of the pack", "name", "what", "licence")
    for name, file in pack_files().items():
        header, _ = read_header(file)
        table.add_row(name, header.get("title", ""), header.get("licence", ""))
    for name, parts in COMBINED.items():
        table.add_row(name, "together: " + ", ".join(parts), "")
    return table


def _formats_table() -> Table:
    from ....annotators.lexicon.term import formats

    table = _table("Formats of your own files", "format", "what", "options")
    for form in formats().values():
        table.add_row(form.name, form.title, "\n".join(f"{name}: {what}" for name, what in form.options.items()))
    return table


def _hits_table(rows: list[tuple[str, Entry, float]]) -> Table:
    from rich.text import Text

    table = _table("", "text", "group", "concept", "preferred name", "list", "sure", "columns")
    for text, entry, confidence in rows:
        columns = ", ".join(f"{name}={value}" for name, value in entry.columns.items() if value)
        cells = (text, entry.group, entry.concept, entry.preferred, entry.list, f"{confidence:.2f}", columns)
        table.add_row(*map(Text, cells))
    return table


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    Console(highlight=False).print(table)
