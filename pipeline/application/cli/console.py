"""Terminal output that several commands share: progress, tables, and the summary of a run."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from signal import Signals

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ....typesystem import first_level
from ...contract.component import CasConsumer
from ...contract.report import RunReport
from ...pipeline import Pipeline
from ...running.observers import Progress
from ...running.observing.progress import shown

COLORS = {
    "DATE": "cyan",
    "AGE": "blue",
    "PERSON": "magenta",
    "LOCATION": "green",
    "ORGANIZATION": "green",
    "ID": "red",
    **dict.fromkeys(("PROFESSION", "PHONE", "FAX", "EMAIL", "URL", "IP"), "yellow"),
}
Rows = Iterable[Sequence[str | Text]]
_WIDTH_IN_FILES = 10_000

progress = shown
"""Show a bar with rate, remaining time, failures and memory on a terminal, else a plain line every ten seconds."""


def color(kind: str) -> str:
    return COLORS.get(first_level(kind), "white")


def out() -> Console:
    return Console(highlight=False, soft_wrap=True)


def table(
    columns: Sequence[str], rows: Rows, *, title: str | None = None, right: Sequence[int] = (), bold: bool = False
) -> Table:
    """Return a table without borders. `right`: numbers of the columns that are aligned to the right; `bold`: of the title."""
    heading = title and escape(title)
    rich_table = Table(*columns, title=heading, title_justify="left", box=None, pad_edge=False)
    if bold:
        rich_table.title_style = "bold"
    for number in right:
        rich_table.columns[number].justify = "right"
    return _filled(rich_table, rows)


def boxed_table(columns: Sequence[str], rows: Rows, *, title: str | None = None) -> Table:
    """Return a table whose long cells are wrapped."""
    rich_table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for column in columns:
        rich_table.add_column(column, overflow="fold")
    return _filled(rich_table, rows)


def _filled(rich_table: Table, rows: Rows) -> Table:
    """Add rows of plain text: brackets are not read as markup."""
    for row in rows:
        rich_table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return rich_table


def stepper(display: Progress | None, name: str) -> Callable[[int | None], None] | None:
    """Return a function to call for each document outside a run, with the total if it is known; it advances the display."""
    if display is None:
        return None
    report = RunReport(name=name, started="", versions={}, config={})

    def step(total: int | None) -> None:
        report.documents.read += 1
        display(report, total)

    return step


def run(pipeline: Pipeline, quiet: bool) -> RunReport:
    """Run a pipeline with a progress display."""
    with progress(quiet) as display:
        return pipeline.run(display)


@contextlib.contextmanager
def readers_may_leave() -> Iterator[None]:
    """End the output, but not the command, if the terminal or the reader of the pipe is gone: the exit code must stay."""
    try:
        yield
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            os.dup2(null, descriptor)
        os.close(null)


def print_report(report: RunReport, pipeline: Pipeline, done: str = "released") -> None:
    """Print the end of a run: documents, kinds, outputs. `done` is the word for documents that did not fail."""
    console = out()
    d = report.documents
    rate = d.read / report.seconds if report.seconds else 0.0
    line = f"{d.read:,} documents read, {d.released:,} {done}, {d.quarantined:,} quarantined, {d.skipped:,} skipped"
    console.print(f"[bold]{escape(report.name)}[/]: {line} in {report.seconds:.1f} s ({rate:,.0f}/s)")
    if report.kinds:
        kinds = sorted(report.kinds.items(), key=lambda kv: (-kv[1], kv[0]))
        rows = ((Text(kind, style=color(kind)), f"{n:,}") for kind, n in kinds)
        console.print(table(("kind", "found"), rows, right=[1]))
    if report.repaired or report.reasons.get("leak"):
        console.print(f"Leak gate: {repairs(report)}", markup=False)
    if report.scan.state != "nothing in release/" or report.scan.not_checked:
        console.print(f"Release scanner: {scanned(report)}", markup=False)
    for warning in report.warnings:
        console.print(f"[yellow]warning:[/] {escape(warning)}")
    print_failures(report, pipeline)
    outputs = [f"  {c.id}: {path}" for c in pipeline.consumers if (path := _output_path(c))]
    if outputs:
        console.print("Outputs:")
        for line in outputs:
            console.print(line, markup=False)


def repairs(report: RunReport) -> str:
    """Describe what the leak gate did: `12 spans added in 5 documents, 1 document refused`."""
    counts = (
        (report.repaired, "span"),
        (report.repaired_documents, "document"),
        (report.reasons.get("leak", 0), "document"),
    )
    spans, documents, refused = (f"{n:,} {word}{'s' * (n != 1)}" for n, word in counts)
    return f"{spans} added in {documents}, {refused} refused"


def scanned(report: RunReport) -> str:
    """Describe what the release scanner did: `12 files searched for 40 forms of masked values, 1 document withdrawn`."""
    scan = report.scan
    not_checked = f"; not checked: {'; '.join(scan.not_checked)}" if scan.not_checked else ""
    if scan.state != "done":
        return f"the release was not searched: {scan.state}{not_checked}"
    moved = f", {scan.moved:,} file{'s' * (scan.moved != 1)} moved to restricted/withdrawn" if scan.moved else ""
    searched = f"{scan.files:,} file{'s' * (scan.files != 1)} searched for {scan.forms:,} forms of masked values"
    found = f"{scan.withdrawn:,} document{'s' * (scan.withdrawn != 1)} withdrawn{moved}"
    return f"{searched}, {found}{not_checked}"


def print_failures(report: RunReport, pipeline: Pipeline) -> None:
    """Print the first ten failures, the quarantine folder, and why the run ended early."""
    console = out()
    for f in report.failures[:10]:
        console.print(f"document {f.number}: {f.message}", style="red", markup=False)
    if len(report.failures) > 10:
        console.print(f"... and {len(report.failures) - 10:,} more", style="red")
    if report.documents.quarantined:
        folder = pipeline.options.output / "restricted" / "quarantine"
        console.print(f"Quarantined documents and their reasons: {folder}", markup=False)
    if report.stopped and report.stopped != "limit":
        by = f" by {Signals(report.signal).name}; --resume continues it" if report.signal else ""
        console.print(f"The run ended early: {report.stopped}{by}", style="red", markup=False)


def _output_path(consumer: CasConsumer) -> str:
    parameters = vars(consumer)
    path = parameters.get("folder") or parameters.get("file")
    return str(consumer.output / path) if path else ""


def print_table(rich_table: Table) -> None:
    """Print a boxed table, without folding any cell if it goes to a file or a pipe."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_IN_FILES
    console.print(rich_table)
