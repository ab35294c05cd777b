"""`caspipe lexicon`: compile a terminology, show the contents of a lexicon, look up terms in a text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ....annotators.lexicon import Entry, Lexicon
from ....annotators.lexicon.compiled import META, save
from ....annotators.lexicon.fuzzy import FuzzyIndex
from ....annotators.lexicon.lexicon import COMBINED, pack_files
from ....annotators.lexicon.loaders.pack import read_header
from ....annotators.lexicon.match import Matcher
from ....annotators.lexicon.term import formats
from ....typesystem.tokenize import token_spans
from ...errors import ResourceError
from .command import CommandApp, folder_size
from .console import boxed_table, print_table

app = CommandApp(
    name="lexicon", help="Lexicons: lists and terminologies that annotators look words up in.", no_args_is_help=True
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="LEXICON",
        help="A shipped list, a path, or `path::format?option=value`; `caspipe lexicon info` lists names and formats.",
    ),
]


@app.command(
    epilog="Examples: `caspipe lexicon build MedAscii compiled/meddra` | "
    "`caspipe lexicon build 'META::umls?tuis=current' compiled/umls` | `caspipe lexicon build medical compiled/medical`; "
    "then `terms: {lexicon: compiled/meddra}`"
)
def build(
    source: Name,
    folder: Annotated[Path, typer.Argument(help="Folder for the compiled lexicon; an existing one is replaced.")],
) -> None:
    """Compile a terminology into a folder that opens at once and is shared between processes."""
    if folder.exists() and not (folder / META).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise ResourceError(f"{folder}: expected a new or empty folder, or one that holds a compiled lexicon")
    start = time.perf_counter()
    lexicon = Lexicon.load(source)
    try:
        save(lexicon.compiled, folder)
    except OSError as error:
        raise ResourceError(f"{folder}: cannot be written ({error.strerror})") from None
    seconds = time.perf_counter() - start
    meta = lexicon.compiled.meta
    megabytes = folder_size(folder) / 1e6
    typer.echo(f"{folder}: {meta['terms']:,} terms under {meta['keys']:,} keys, {megabytes:.1f} MB, {seconds:.1f} s")
    if meta["skipped"]:
        typer.echo(f"  left out: {meta['skipped']:,} terms that are empty or longer than any phrase of a text")
    _print_groups(meta["groups"])


@app.command(
    epilog="Examples: `caspipe lexicon info` | `caspipe lexicon info surnames` | `caspipe lexicon info MedAscii::meddra`"
)
def info(
    lexicon: Annotated[
        str | None, typer.Argument(metavar="LEXICON", help="A lexicon; without one, all names and formats.")
    ] = None,
) -> None:
    """Show a lexicon's source, licence, date, columns and counts; without a name, list the lexicons and formats."""
    if lexicon is None:
        print_table(_names_table())
        print_table(_formats_table())
        return
    loaded = Lexicon.load(lexicon)
    meta = loaded.compiled.meta
    typer.echo(f"{lexicon}: {meta['terms']:,} terms under {meta['keys']:,} keys of {meta['words']:,} different words")
    for header in loaded.headers:
        typer.echo(f"{header['name']}: {header.get('title', '')}".rstrip(": "))
        for key in ("source", "licence", "date"):
            if header.get(key):
                typer.echo(f"  {key:8} {header[key]}")
        typer.echo(f"  {'terms':8} {header['terms']:,}")
        if header["columns"]:
            typer.echo(f"  {'columns':8} {', '.join(header['columns'])}")
    _print_groups(meta["groups"])


@app.command(
    epilog="Examples: `caspipe lexicon lookup surnames Smith` | `caspipe lexicon lookup medical --fuzzy "
    '"severe hedache, MI 2019"` | `echo "blood, urine cultures" | caspipe lexicon lookup medical --skip -`'
)
def lookup(
    lexicon: Name,
    text: Annotated[str, typer.Argument(help="A term or a text; `-` reads standard input.")],
    fuzzy: Annotated[bool, typer.Option("--fuzzy", help="One word may be misspelt by one letter.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Allow other tokens between those of a term.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Also terms inside longer ones.")] = False,
) -> None:
    """Show the entries of a term and every term found in a text. The exit code is 1 if nothing is found."""
    content = sys.stdin.read() if text == "-" else text
    loaded = Lexicon.load(lexicon)
    matcher = Matcher(loaded, longest="none" if all_ else "group", skip=skip, near=_near if fuzzy else None)
    begins, ends = token_spans(content)
    hits = matcher.find([content[b:e] for b, e in zip(begins, ends, strict=True)])
    rows = [(content[begins[h.first] : ends[h.last - 1]], h.entry, h.confidence) for h in hits]
    shown = {_meaning(entry) for _, entry, _ in rows}
    rows += [(content.strip(), entry, 1.0) for entry in loaded.entries(content) if _meaning(entry) not in shown]
    if not rows:
        typer.echo("nothing found")
        raise typer.Exit(1)
    print_table(_hits_table(rows))


def _near(lexicon: Lexicon) -> Callable[[str], tuple[str, ...]]:
    return FuzzyIndex(lexicon.compiled, "osa").near


def _meaning(entry: Entry) -> tuple[str, str, str, str]:
    return entry.list, entry.group, entry.concept, entry.preferred


def _print_groups(groups: dict[str, int]) -> None:
    for group, count in sorted(groups.items()):
        typer.echo(f"  {group:20} {count:>10,}")


def _names_table() -> Table:
    headers = {name: read_header(file)[0] for name, file in pack_files().items()}
    rows = [(name, header.get("title", ""), header.get("licence", "")) for name, header in headers.items()]
    rows += [(name, "together: " + ", ".join(parts), "") for name, parts in COMBINED.items()]
    return boxed_table(("name", "content", "licence"), rows, title="Shipped lexicons")


def _formats_table() -> Table:
    rows = (
        (form.name, form.title, "\n".join(f"{name}: {what}" for name, what in form.options.items()))
        for form in formats().values()
    )
    return boxed_table(("format", "content", "options"), rows, title="Formats of your own files")


def _hits_table(hits: list[tuple[str, Entry, float]]) -> Table:
    rows = []
    for text, entry, confidence in hits:
        columns = ", ".join(f"{name}={value}" for name, value in entry.columns.items() if value)
        rows.append((text, entry.group, entry.concept, entry.preferred, entry.list, f"{confidence:.2f}", columns))
    return boxed_table(("text", "group", "concept", "preferred name", "list", "confidence", "columns"), rows)
