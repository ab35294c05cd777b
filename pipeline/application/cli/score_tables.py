"""Scores and comparisons as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.table import Table
from rich.text import Text

from ....consumers.scoring import Comparison, Scores
from ....consumers.scoring.grouped import Groups
from ....consumers.scoring.report import Report, digits
from ....consumers.scoring.risk_report import text
from ....consumers.scoring.table import Interval, Key, cells, columns
from . import console

_WIDTH = 240
"""Columns in files and pipes, so that names are not cut."""


def print_report(report: Report, notes: Mapping[str, str]) -> None:
    """Print a table for each scheme with its note, then those of groups, the comparisons and the risk."""
    out = console.out()
    if not out.is_terminal:
        out.width = _WIDTH
    for scheme, scores in report.scores.items():
        out.print(_scores(scheme, scores, report.intervals.get(scheme, {}), report.documents))
        if summary := _summary(scores):
            out.print(summary)
        if scheme in notes:
            out.print(Text(notes[scheme], "dim"))
    for scheme, groups in report.groups.items():
        out.print(_groups(scheme, groups))
    for scheme, comparisons in report.comparisons.items():
        out.print(_comparisons(scheme, comparisons))
    if report.risk is not None:
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
        style = "bold" if row.kind == "micro" else console.color(row.kind) if row.kind != "macro" else ""
        values = cells(row, counts, figures, intervals, digits(scheme))
        table.add_row(first, Text(row.kind, style), *map(Text, values), style="" if row.kind != "micro" else "bold")
    return table


def _summary(scores: Scores) -> str:
    """Return what is left readable in one line, as far as it was scored; empty for none of it."""
    rows = {row.criterion: row for row in scores.table if row.kind == "micro"}
    parts = []
    for criterion, what in (("documents", "documents with PHI are clean"), ("covered", "spans are covered")):
        if (row := rows.get(criterion)) is not None and row.gold:
            parts.append(f"{row.tp:,} of {row.gold:,} {what} ({(row.tp or 0) / row.gold:.1%})")
    if (row := rows.get("false-spans")) is not None and row.score is not None:
        parts.append(f"{row.score:.1f} false spans per 1,000 words")
    return "; ".join(parts)


def _groups(scheme: str, groups: Groups) -> Table:
    heading, *rows = groups.rows()
    table = Table(
        title=f"{scheme or 'criteria'} by {groups.by}: all kinds",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for number, name in enumerate(heading):
        table.add_column(name, justify="right" if number else "left", no_wrap=number == 0)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _comparisons(scheme: str, comparisons: list[Comparison]) -> Table:
    title = f"{scheme or 'criteria'}: second system less the first, with its 95 % interval (paired bootstrap)"
    names = ("criterion", "kind", "figure", "first", "second", "difference", "interval", "p", "p (bootstrap)")
    table = _table(title, *names)
    for c in comparisons:
        values = (_number(c.first), _number(c.second), _number(c.difference, "+"))
        interval = "" if c.low is None or c.high is None else f"[{c.low:+.3f}, {c.high:+.3f}]"
        ps = ["" if p is None else f"{p:.4f}" for p in (c.p, c.p_bootstrap)]
        table.add_row(*map(Text, (c.criterion, c.kind, c.figure, *values, interval, *ps)))
    return table


def _number(value: float | None, sign: str = "-") -> str:
    return "undefined" if value is None else f"{value:{sign}.3f}"
