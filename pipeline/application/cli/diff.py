"""`caspipe diff`: compare the annotations of two runs, or of a run and its review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from ....consumers.evaluation.errors import CHANGES
from ....consumers.scoring.alignment import GROUPS, LEVELS
from ...errors import ConfigError, Fault
from ...storage.files import make_folder, write_atomic
from ..evaluation.difference import Difference, compare
from ..evaluation.documents import Collection, label_kinds
from . import console
from .command import EXIT_DIFFERENT, CommandApp, complain
from .options import Kinds, choices, kinds_faults, name_faults, reader_names

app = CommandApp()

LISTED = 20
"""Document ids that are listed for each reason."""
FAILING = {
    "new-leak": "text that the first covers and the second leaves bare",
    "change": "any change",
    "missing": "documents that only one side has",
}

Reader = Annotated[
    str, typer.Option(help="Reader of both: xmi, jsoncas, jsonl, i2b2, brat ...", autocompletion=reader_names)
]
Gold = Annotated[Path | None, typer.Option(metavar="PATH", help="Reference: count leaks only in what it marks as PHI.")]
FirstView = Annotated[str, typer.Option(metavar="VIEW", help="View of the first, if not the one chosen below.")]
SecondView = Annotated[str, typer.Option(metavar="VIEW", help="View of the second, likewise.")]
Level = Annotated[
    str,
    typer.Option(
        help="Kinds as they are (`kind`), at the first level (`top`), or not compared (`any`).",
        autocompletion=choices("kind", "top", "any"),
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="|".join(FAILING),
        autocompletion=choices(*FAILING),
        help="Exit with 1 if there is "
        + "; ".join(f"{text} ({name})" for name, text in FAILING.items())
        + ". Documents that cannot be compared count as well. Repeatable.",
    ),
]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with every change in its context.")]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything but the text.")]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="NAME.PARAM=VALUE", help="A parameter of the reader.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")]


@app.command(
    epilog="Examples: `caspipe diff run1/restricted/xmi run2/restricted/xmi --html changes.html` | "
    "`caspipe diff reviewed out/restricted/xmi --fail-on new-leak` (against reviewed gold) | "
    "`caspipe diff old new --gold reviewed --json changes.json` | "
    "`caspipe diff anna ben --first-view gold --second-view gold` (two reviewers) | "
    "`caspipe diff a.jsonl b.jsonl --reader jsonl`. "
    "Exit codes: 0 nothing to fail on, 1 there is, 2 wrong usage, 4 a document could not be read."
)
def diff(
    first: Annotated[Path, typer.Argument(help="The earlier run, or a review: folder, archive or file.")],
    second: Annotated[Path, typer.Argument(help="The run to compare with it.")],
    reader: Reader = "xmi",
    gold: Gold = None,
    first_view: FirstView = "",
    second_view: SecondView = "",
    level: Level = "kind",
    fail_on: FailOn = None,
    html: Html = None,
    json_file: JsonFile = None,
    kinds: Kinds = None,
    set_: Set = None,
    quiet: Quiet = False,
) -> None:
    """Compare two annotated collections of the same documents, span by span.

    If documents have several views (XMI), the view `gold` is compared if only one side has it (reviewed against found),
    else the system's annotations.
    """
    faults = _faults(level, fail_on or [], kinds or [])
    if faults:
        raise ConfigError(faults)

    def collection(path: Path, view: str = "") -> Collection:
        return Collection(path, reader, label_kinds(kinds or []), set_ or [], view, keep_overlaps=True)

    with console.progress(quiet) as progress:
        difference = compare(
            collection(first, first_view),
            collection(second, second_view),
            None if gold is None else collection(gold),
            level=level,  # type: ignore[arg-type]  # checked above
            callback=console.stepper(progress, "diff"),
        )
    page = difference.page.html("Changes", f"{first} and {second}")
    for path, data in ((html, page), (json_file, difference.to_json())):
        if path is not None:
            make_folder(path.parent)
            write_atomic(path, data, private=True)
    if not quiet:
        _print(difference, gold is not None)
    failed: list[Any] = [name for name in fail_on or [] if difference.fails(name)]  # type: ignore[arg-type]  # checked above
    for name in failed:
        complain(f"--fail-on {name}: {_reasons(difference, name)}")
    raise typer.Exit(EXIT_DIFFERENT if failed else 0)


def _faults(level: str, fail_on: list[str], kinds: list[str]) -> list[Fault]:
    levels = name_faults("--level", "no level", [level], (*LEVELS, "any"))
    return [*kinds_faults(kinds), *levels, *name_faults("--fail-on", "nothing", fail_on, FAILING)]


def _reasons(difference: Difference, name: str) -> str:
    parts = []
    if name == "new-leak" and difference.leaks:
        parts.append(_count(difference.leaks, "new leak"))
    if name == "change" and difference.counts:
        parts.append(_count(difference.counts.total(), "change"))
    lists = {"only in the first": difference.only_first, "with another text": difference.other_text}
    if name == "missing":
        lists["only in the second"] = difference.only_second
    parts += [f"{_count(len(ids), 'document')} {reason}" for reason, ids in lists.items() if ids]
    return ", ".join(parts)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


def _print(difference: Difference, with_reference: bool) -> None:
    out = console.out()
    views = {"gold": "reference", "_InitialView": "found"}
    sides = " against ".join(views.get(v, v) for v in difference.views)
    changed = sum(bool(d.changes) for d in difference.changed)
    out.print(
        f"[bold]{difference.documents:,}[/] documents compared ({escape(sides)}), {changed:,} changed; "
        f"{difference.spans:,} spans in the first, {difference.counts.total():,} changes"
    )
    kinds = sorted({kind for kind, _ in difference.counts})
    if kinds:
        names = [CHANGES.labels[g].lower() for g in GROUPS]
        rows: list[list[str | Text]] = []
        for kind in kinds:
            counts = [f"{difference.counts[kind, group]:,}" for group in GROUPS]
            rows.append([Text(kind, style=console.color(kind)), *counts])
        out.print(console.table(("kind", *names), rows, right=range(1, 1 + len(names))))
    style = "bold red" if difference.leaks else "green"
    of_reference = " of the reference" if with_reference else ""
    out.print(f"[{style}]{difference.leaks:,} new leaks[/]{of_reference}, {difference.cured:,} cured")
    if difference.ignored_references:
        complain(
            "warning: both sides have reference annotations, but the system's annotations are compared; "
            "--first-view gold --second-view gold compares the references"
        )
    lists = {
        "only in the first": difference.only_first,
        "only in the second": difference.only_second,
        "with another text": difference.other_text,
    }
    for reason, ids in lists.items():
        if ids:
            more = f" and {len(ids) - LISTED:,} more" if len(ids) > LISTED else ""
            out.print(f"[yellow]{len(ids):,} documents {reason}:[/] {escape(', '.join(ids[:LISTED]))}{more}")
