"""Scores and comparisons as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ....consumers.scoring.report import Report, digits
from ....consumers.scoring.text_table import cells, columns
from . import console

if TYPE_CHECKING:
    from ....consumers.scoring import Comparison, Scores
    from ....consumers.scoring.scores import Interval, Key

_WIDE = 240


def print_report(report: Report, notes: Mapping[str, str]) -> None:
    """All tables: one for each scheme, with its note below, then the comparisons."""
    out = console.out()
    if not out.is_terminal:
        out.width = _WIDE  # nobody's window: names are not to be cut in a file or a pipe
    for scheme, scores in report.scores.items():
        out.print(_scores(scheme, scores, report.intervals.get(scheme, {}), report.documents))
        if scheme in notes:
            out.print(Text(notes[scheme], "dim"))
    for scheme, found in report.comparisons.items():
        out.print(_comparisons(scheme, found))
    if report.risk is not None:
        from ....consumers.scoring.risk_text import text

        out.print(Text(text(report.risk)))


def _table(title: str, *names: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(names):
        table.add_column(name, justify="right" if number > 1 else "left", no_wrap=number > 1, overflow="fold")
    return table


def _scores(scheme: str, scores: Scores, intervals: Mapping[Key, Interval], documents: int) -> Table:
    counts, figures = columns(scores.table)
    table = _table(f"{scheme or 'criteria'}, {documents:,} documents", "criterion", "kind", *counts, *figures)
    before = ""
    for row in scores.table:
        if before and row.criterion != before:
            table.add_section()
        first = row.criterion if row.criterion != before else ""
        before = row.criterion
        style = "bold" if row.kind == "micro" else console.colour(row.kind) if row.kind != "macro" else ""
        shown = cells(row, counts, figures, intervals, digits(scheme))
        table.add_row(first, Text(row.kind, style), *map(Text, shown), style="" if row.kind != "micro" else "bold")
    return table


def _comparisons(scheme: str, found: list[Comparison]) -> Table:
    title = f"{scheme or 'criteria'}: second system less the first, with its 95 % interval (paired bootstrap)"
    table = _table(
        title, "criterion", "kind", "figure", "first", "second", "difference", "interval", "p", "p (bootstrap)"
    )
    for c in found:
        one, other, difference = (_shown(v) for v in (c.first, c.second, c.difference))
        ends = "" if c.low is None or c.high is None else f"[{c.low:+.3f}, {c.high:+.3f}]"
        ps = ["" if p is None else f"{p:.4f}" for p in (c.p, c.p_bootstrap)]
        signed = difference if c.difference is None else f"{c.difference:+.3f}"
        table.add_row(*map(Text, (c.criterion, c.kind, c.figure, one, other, signed, ends, *ps)))
    return table


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
