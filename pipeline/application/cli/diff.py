"""`caspipe diff`: what two runs, or a run and its review, say differently of the same documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, Fault, nearest
from .command import choices, complain, guarded, reader_names

if TYPE_CHECKING:
    from ..evaluation.difference import Difference, Failing

EXIT_DIFFERENT = 1
SHOWN = 20
"""Document ids that are listed of each sort."""
FAILING = {
    "new-leak": "text that the first covers and the second leaves bare",
    "change": "any change",
    "missing": "documents that only one side has",
}

EPILOG = (
    "Examples: `caspipe diff run1/restricted/xmi run2/restricted/xmi --html changes.html` | "
    "`caspipe diff reviewed out/restricted/xmi --fail-on new-leak` (against reviewed gold) | "
    "`caspipe diff old new --gold reviewed --json changes.json` | "
    "`caspipe diff anna ben --first-view gold --second-view gold` (what two reviewers say) | "
    "`caspipe diff a.jsonl b.jsonl --reader jsonl`. "
    "Exit codes: 0 nothing to fail on, 1 there is, 2 wrong usage, 4 a document could not be read."
)


@guarded
def diff(
    first: Annotated[Path, typer.Argument(help="The run before, or what reviewers say: folder, archive or file.")],
    second: Annotated[Path, typer.Argument(help="The run to look at.")],
    reader: Annotated[
        str, typer.Option(help="Reader of both: xmi, jsoncas, jsonl, i2b2, brat ...", autocompletion=reader_names)
    ] = "xmi",
    gold: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Reference: leaks are counted where it says PHI only.")
    ] = None,
    first_view: Annotated[
        str, typer.Option(metavar="VIEW", help="View to compare, where it is another than chosen below.")
    ] = "",
    second_view: Annotated[str, typer.Option(metavar="VIEW", help="Likewise.")] = "",
    level: Annotated[
        str,
        typer.Option(
            help="Kinds as they are (`kind`), at the first level (`top`), or not compared (`any`).",
            autocompletion=choices("kind", "top", "any"),
        ),
    ] = "kind",
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="|".join(FAILING),
            autocompletion=choices(*FAILING),
            help="Exit with 1 where there is "
            + "; ".join(f"{told} ({name})" for name, told in FAILING.items())
            + ". What cannot be compared counts as well. May be given again.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with every change in its context.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything but the text.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL=KIND", help="What a label of the files means; may be given again."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME.PARAM=VALUE", help="A parameter of the reader.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")] = False,
) -> None:
    """Compares two annotated collections of the same documents, span by span.

    Of documents with views of their own (XMI) the reference view `gold` is taken where only one side has it (reviewed
    against found), else what was found.
    """
    from ..evaluation.difference import compare
    from ..evaluation.documents import Collection
    from . import console

    faults = _faults(level, fail_on or [], kinds or [])
    if faults:
        raise ConfigError(faults)
    meaning = {label: kind or None for label, _, kind in (k.rpartition("=") for k in kinds or [])}

    def collection(path: Path, view: str = "") -> Collection:
        return Collection(path, reader, meaning, set_ or [], view, keep_overlaps=True)

    with console.progress(quiet) as progress:
        found = compare(
            collection(first, first_view),
            collection(second, second_view),
            None if gold is None else collection(gold),
            level=level,  # type: ignore[arg-type]  # checked above
            step=console.stepper(progress, "diff"),
        )
    _write(found, html, json_file, f"{first} and {second}")
    if not quiet:
        _print(found, gold is not None)
    failed = [name for name in fail_on or [] if found.fails(_failing(name))]
    for name in failed:
        complain(f"--fail-on {name}: {_why(found, name)}")
    raise typer.Exit(EXIT_DIFFERENT if failed else 0)


def _faults(level: str, fail_on: list[str], kinds: list[str]) -> list[Fault]:
    from ....consumers.scoring.kinds import LEVELS

    levels = (*LEVELS, "any")
    faults = [Fault(f"--kinds {k}", "expected LABEL=KIND") for k in kinds if "=" not in k or k.startswith("=")]
    if level not in levels:
        hint = nearest(level, levels) or f"; expected one of {', '.join(levels)}"
        faults.append(Fault("--level", f"no level called {level!r}{hint}"))
    for name in fail_on:
        if name not in FAILING:
            hint = nearest(name, list(FAILING)) or f"; expected one of {', '.join(FAILING)}"
            faults.append(Fault("--fail-on", f"nothing called {name!r}{hint}"))
    return faults


def _failing(name: str) -> Failing:
    return name  # type: ignore[return-value]  # one of FAILING, checked


def _why(found: Difference, name: str) -> str:
    parts = []
    if name == "new-leak" and found.leaks:
        parts.append(f"{found.leaks:,} new leak{'s' * (found.leaks != 1)}")
    if name == "change" and found.counts:
        parts.append(f"{found.counts.total():,} change{'s' * (found.counts.total() != 1)}")
    lists = {"only in the first": found.only_first, "with another text": found.other_text}
    if name == "missing":
        lists["only in the second"] = found.only_second
    parts += [f"{len(ids):,} document{'s' * (len(ids) != 1)} {told}" for told, ids in lists.items() if ids]
    return ", ".join(parts)


def _write(found: Difference, html: Path | None, json_file: Path | None, note: str) -> None:
    from ...storage.files import make_folder, write_atomic

    for path, data in ((html, found.page.html("Changes", note)), (json_file, found.to_json())):
        if path is not None:
            make_folder(path.parent)
            write_atomic(path, data, private=True)


def _print(found: Difference, with_reference: bool) -> None:
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from ....consumers.evaluation.error_page import CHANGES
    from ....consumers.scoring.mistakes import GROUPS
    from . import console

    out = console.out()
    views = {"gold": "reference", "_InitialView": "found"}
    sides = " against ".join(views.get(v, v) for v in found.views)
    changed = sum(bool(d.changes) for d in found.changed)
    out.print(
        f"[bold]{found.documents:,}[/] documents compared ({escape(sides)}), {changed:,} changed; "
        f"{found.spans:,} spans in the first, {found.counts.total():,} changes"
    )
    kinds = sorted({kind for kind, _ in found.counts})
    if kinds:
        table: Any = Table("kind", *(CHANGES.labels[g].lower() for g in GROUPS), box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for kind in kinds:
            table.add_row(Text(kind, style=console.colour(kind)), *(f"{found.counts[kind, g]:,}" for g in GROUPS))
        out.print(table)
    where = " of the reference" if with_reference else ""
    style = "bold red" if found.leaks else "green"
    out.print(f"[{style}]{found.leaks:,} new leaks[/]{where}, {found.cured:,} cured")
    if found.passed_over:
        complain(
            "warning: both sides have reference annotations, what was found is compared; "
            "--first-view gold --second-view gold compares the references"
        )
    lists = {
        "only in the first": found.only_first,
        "only in the second": found.only_second,
        "with another text": found.other_text,
    }
    for told, ids in lists.items():
        if ids:
            more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
            out.print(f"[yellow]{len(ids):,} documents {told}:[/] {escape(', '.join(ids[:SHOWN]))}{more}")


def mount(app: typer.Typer) -> None:
    app.command("diff", epilog=EPILOG)(diff)
