"""The report of an experiment as one HTML file and as Markdown: the size of the run, figures, tables, and its command."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from ....consumers.pages.rendering import render_page
from ...contract import params
from .experiment import experiment_of
from .plan import Plan, Settings
from .result import Cell, Result, Table, shown
from .runner import ExperimentRunner

QUOTES = (
    "The features on this page are named after words of the training documents: it is as confidential as they are, "
    "and its files can be read by their owner only."
)


def report_page(
    runner: ExperimentRunner, result: Result, drawn: Mapping[str, str], missing: str, versions: Mapping[str, str]
) -> bytes:
    """Return the page. `drawn`: figures as SVG by name; `missing`: the reason if there are none, else empty."""
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
        [c.name, len(c.documents), c.total, len(set(c.groups)), *c.counts()] for c in runner.corpora.values()
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


SMALLER = ("repetitions", "limit", "folds", "epochs", "max_iterations")
"""Parameters that shorten a run; the command of the full run does not contain them."""


def shortfalls(runner: ExperimentRunner) -> list[str]:
    """`3 of 100 repetitions`, `40 of 500 documents of meddocan`: the limits of the run; empty for a full run."""
    experiment, settings = experiment_of(runner.plan), runner.settings
    numbers = [p for p in params.parameters(type(experiment)) if p.name in experiment.full]
    found = [
        f"{getattr(experiment, p.name)} of {p.default} {p.name}"
        for p in numbers
        if getattr(experiment, p.name) < p.default
    ]
    full = next(p.default for p in params.parameters(Settings) if p.name == "folds")
    if runner.folded and settings.folds < full:
        found.append(f"{settings.folds} of {full} folds")
    return found + [
        f"{len(c.documents):,} of {c.total:,} documents of {c.name}"
        for c in runner.corpora.values()
        if len(c.documents) < c.total
    ]


def first_line(runner: ExperimentRunner) -> str:
    """Return one sentence on the size of the run."""
    short = shortfalls(runner)
    if short:
        return f"A short run: {', '.join(short)}."
    documents = ", ".join(f"{c.total:,} documents of {c.name}" for c in runner.corpora.values())
    experiment = experiment_of(runner.plan)
    numbers = [f"{getattr(experiment, name)} {name}" for name in experiment.full]
    numbers += [f"{runner.settings.folds} folds"] if runner.folded else []
    return f"A full run: {', '.join([documents, *numbers])}."


def command(plan: Plan, full: bool = False) -> str:
    """Return the command that creates the report; `full`: without the parameters that shortened the run."""
    kept = [o for o in plan.overrides if not (full and o.partition("=")[0].rpartition(".")[2] in SMALLER)]
    sets = "".join(f" --set {shlex.quote(o)}" for o in kept)
    return f"caspipe experiment {shlex.quote(plan.given or plan.file)}{sets}"


_STYLE = re.compile(r'\sstyle="([^"]*)"')
_SHEET = re.compile(r"<style.*?</style>", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_REFERENCES = re.compile(r'(\bid="|xlink:href="#|\bhref="#|url\(#)')


def inline(svg: str, name: str, label: str) -> str:
    """Return an SVG file as an element of a page. `name` is the prefix of every id in it, `label` the text for screen readers.

    Style attributes become presentation attributes, which mean the same (SVG 1.1, §6.4) and need no permission.
    """
    drawing = svg[svg.index("<svg") :].strip()
    drawing = _METADATA.sub("", _SHEET.sub("", drawing))
    drawing = _STYLE.sub(lambda m: _attributes(m[1]), drawing)
    drawing = _REFERENCES.sub(lambda m: f"{m[1]}{name}-", drawing)
    frame = f'<svg role="img" aria-label="{html.escape(label)}" stroke-linejoin="round" stroke-linecap="butt" '
    return frame + drawing.removeprefix("<svg").lstrip()


def _attributes(style: str) -> str:
    found = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            found[name.strip()] = value.strip()
    return "".join(f' {name}="{value}"' for name, value in found.items())


def report_markdown(runner: ExperimentRunner, result: Result, missing: str, versions: Mapping[str, str]) -> str:
    """Return the report as Markdown. The first line below the heading is the size of the run."""
    settings, plan = runner.settings, runner.plan
    lines = [f"# {settings.title or plan.name}", "", first_line(runner)]
    if shortfalls(runner):
        lines[-1] += f" The full run: `{command(plan, full=True)}`"
    lines += ["", settings.note] if settings.note else []
    lines += ["", QUOTES] if result.quotes else []
    lines += ["", f"After {settings.source}."] if settings.source else []
    lines += ["", *(f"- {finding}" for finding in result.findings)] if result.findings else []
    lines += ["", "```sh", command(plan), "```", ""]
    lines += [missing, ""] if missing and result.figures else []
    for figure in result.figures if not missing else []:
        if not figure.group:
            lines += [f"![{figure.caption}](figures/{figure.name}.svg)", ""]
    for table in result.tables:
        lines += [f"## {table.title}", "", *markdown_table(table), ""]
        lines += [table.note, ""] if table.note else []
    for corpus in runner.corpora.values():
        tokens, spans = corpus.counts()
        used = f"{len(corpus.documents):,} of {corpus.total:,} documents in {len(set(corpus.groups)):,} groups"
        lines.append(f"Corpus {corpus.name}: {used}, {tokens:,} tokens, {spans:,} gold spans.")
    lines += ["", f"{len(runner.failures):,} jobs failed: {runner.failures[0]}"] if runner.failures else []
    lines += ["", "Versions: " + ", ".join(f"{name} {v}" for name, v in sorted(versions.items())) + "."]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: Table) -> list[str]:
    """Return the lines of a table. Group headings precede the headings of their columns."""
    heads = [c.replace("|", " ") for c in table.columns]
    rule = ["---", *["---:"] * (len(heads) - 1)]
    rows = [[_escaped(shown(cell)) for cell in row] for row in table.rows]
    return ["| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows)]


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")
