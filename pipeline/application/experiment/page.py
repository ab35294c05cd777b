"""The report of an experiment as one HTML file: figures, tables, and the command that made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from ....consumers.pages.rendering import render_page
from .result import Cell, Result, Table, shown
from .run_size import command, first_line, shortfalls
from .runner import ExperimentRunner
from .svg import inline

QUOTES = (
    "The features on this page are named after words of the training documents: it is as confidential as they are, "
    "and its files can be read by their owner only."
)


def report_page(
    runner: ExperimentRunner, result: Result, drawn: Mapping[str, str], missing: str, versions: Mapping[str, str]
) -> bytes:
    """Return the page. `drawn`: figures as SVG by name; `missing`: why there are none, else empty."""
    settings, plan = runner.settings, runner.plan
    title = settings.title or plan.name
    figures = [
        (
            group,
            [
                {"caption": f.caption, "drawing": "" if missing else Markup(inline(drawn[f.name], f.name, f.caption))}
                for f in members
            ],
        )
        for group, members in _by_group(result.figures)
    ]
    return render_page(
        "experiment.html.j2",
        package=__package__,
        title=f"{title}: experiment",
        styles=["experiment.css"],
        inline_images=True,  # the cells of heat maps
        kind=plan.experiment.name,
        heading=title,
        size=first_line(runner),
        note=settings.note,
        source=settings.source,
        quotes=result.quotes,
        confidential=QUOTES,
        findings=result.findings,
        command=command(plan),
        full_command=command(plan, full=True) if shortfalls(runner) else "",
        missing=missing,
        figures=figures,
        tables=[(group, [table_data(t) for t in members]) for group, members in _by_group(result.tables)],
        corpora=table_data(_corpora(runner)),
        failures=runner.failures,
        warnings=runner.warnings,
        name=plan.name,
        configuration=plan.text,
        versions=", ".join(f"{n} {v}" for n, v in sorted(versions.items())),
    )


def _by_group(items: Sequence[Any]) -> Iterable[tuple[str, list[Any]]]:
    for group, members in groupby(sorted(items, key=lambda item: str(item.group)), key=lambda item: str(item.group)):
        yield group, list(members)


def _corpora(runner: ExperimentRunner) -> Table:
    rows: list[list[Cell]] = [
        [c.name, len(c.documents), c.whole, len(set(c.groups)), *c.counted()] for c in runner.corpora.values()
    ]
    return Table("", ["corpus", "documents used", "documents", "groups", "tokens", "gold spans"], rows)


def table_data(table: Table) -> dict[str, Any]:
    """Return a table for the template."""
    numeric = {i for i in range(1, len(table.columns)) if all(_is_number(row[i]) for row in table.rows)}
    return {
        "title": table.title,
        "note": table.note,
        "label": table.title or table.columns[0],
        "width": len(table.columns),
        "head": _head(table, numeric),
        "rows": [_row(row, table, numeric) for row in table.rows],
    }


def _is_number(cell: Cell) -> bool:
    """Return whether a cell is a number, with or without a spread."""
    return not isinstance(cell, str) or " ± " in cell or cell[:1] in "+-0123456789" or cell == "undefined"


def _head(table: Table, numeric: set[int]) -> list[list[dict[str, Any]]]:
    """Return one row of headings, or two if columns have a common heading (`strict|P`)."""
    if not any("|" in c for c in table.columns):
        return [[_heading(c, i in numeric) for i, c in enumerate(table.columns)]]
    above: list[dict[str, Any]] = []
    below: list[dict[str, Any]] = []
    for group, members in groupby(enumerate(table.columns), key=lambda item: item[1].rpartition("|")[0]):
        columns = list(members)
        if group:
            above.append({"scope": "colgroup", "css": "group", "colspan": len(columns), "text": group})
            below += [_heading(c.rpartition("|")[2], True, start=n == 0) for n, (_, c) in enumerate(columns)]
        else:
            above += [_heading(c, i in numeric) | {"rowspan": 2} for i, c in columns]
    return [above, below]


def _heading(text: str, number: bool, start: bool = False) -> dict[str, Any]:
    return {"scope": "col", "css": _css(n=number, start=start), "text": text}


def _row(row: Sequence[Cell], table: Table, numeric: set[int]) -> dict[str, Any]:
    numbers = [c for c in row[1:] if isinstance(c, float)]
    top = max(numbers) if table.highest and len(numbers) > 1 and max(numbers) > 0 else None
    groups = [column.rpartition("|")[0] for column in table.columns]
    cells = []
    for i, value in enumerate(row[1:], 1):
        text = shown(value)
        css = _css(
            n=i in numeric,
            top=top is not None and isinstance(value, float) and value == top,
            start=bool(groups[i]) and groups[i] != groups[i - 1],
            undefined=text == "undefined",
        )
        cells.append({"css": css, "text": text})
    return {"overall": row[0] == "OVERALL", "name": shown(row[0]), "cells": cells}


def _css(**classes: bool) -> str:
    return " ".join(name for name, on in classes.items() if on)
