"""Tables of figures side by side, one column for each program: as plain text and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .documents import CORPORA
from .figures import ALL, Counts, Figures

DIMENSIONS = {
    ALL: "all documents",
    "set": "parts",
    "kind": "kind",
    "case": "letter case of names",
    "part": "part",
    "genre": "genre",
}
_BY_SPAN = ("kind", "case")
UNDEFINED = "-"
_NUMBER = re.compile(r"[\d,.]+|-")


@dataclass(frozen=True)
class Column:
    """One figure of a program by group."""

    run: str
    figure: str
    values: tuple[float | None, ...]

    @property
    def title(self) -> str:
        """Return the heading."""
        return f"{self.figure}, {self.run}"


@dataclass(frozen=True)
class Table:
    """The groups of one dimension of a corpus."""

    corpus: str
    dimension: str
    groups: tuple[str, ...]
    sizes: tuple[tuple[str, tuple[int, ...]], ...]
    """Heading and numbers: reference spans, documents."""
    columns: tuple[Column, ...]

    @property
    def title(self) -> str:
        """Return the corpus and the dimension."""
        return f"{CORPORA[self.corpus].title}: {DIMENSIONS[self.dimension]}"

    def heads(self) -> list[str]:
        """Return the headings."""
        return [DIMENSIONS[self.dimension], *(name for name, _ in self.sizes), *(c.title for c in self.columns)]

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each group as text."""
        for n, group in enumerate(self.groups):
            sizes = [f"{numbers[n]:,}" for _, numbers in self.sizes]
            yield [group, *sizes, *(shown(c.figure, c.values[n]) for c in self.columns)]


def shown(figure: str, value: float | None) -> str:
    """Return a figure as text: a rate with two digits, a share with three."""
    if value is None:
        return UNDEFINED
    return f"{value:.2f}" if figure == "false" else f"{value:.3f}"


def tables(runs: Sequence[Figures]) -> Iterator[Table]:
    """Yield the tables of all corpora and dimensions that a program has figures for."""
    for corpus in CORPORA:
        for dimension in DIMENSIONS:
            groups = list(
                dict.fromkeys(g for run in runs for g in sorted(run.groups.get(corpus, {}).get(dimension, {})))
            )
            if groups:
                yield _table(runs, corpus, dimension, sorted(groups))


def _table(runs: Sequence[Figures], corpus: str, dimension: str, groups: list[str]) -> Table:
    counts = {}
    for run in runs:
        if dimension in (by := run.groups.get(corpus, {})):
            words = by[ALL][ALL].words if dimension in _BY_SPAN else 0  # a group without spans has no false ones
            counts[run.name] = [by[dimension].get(g, Counts(words=words)) for g in groups]
    sizes = [max((c[n] for c in counts.values()), key=lambda c: c.spans) for n in range(len(groups))]
    marked = any(size.spans for size in sizes)
    columns = []
    for figure, attribute in (("covered", "recall"), ("clean", "cleanness"), ("false", "alarms")):
        if (figure != "false" and not marked) or (figure == "clean" and dimension in _BY_SPAN):
            continue
        columns += [Column(name, figure, tuple(getattr(c, attribute) for c in each)) for name, each in counts.items()]
    told: list[tuple[str, tuple[int, ...]]] = []
    if marked:
        told.append(("spans", tuple(size.spans for size in sizes)))
        if dimension not in _BY_SPAN:
            told.append(("documents", tuple(size.documents for size in sizes)))
    return Table(corpus, dimension, tuple(groups), tuple(told), tuple(columns))


FATE = ("documents", "refused", "repaired", "added", "failed", "ms")
"""Columns of the table of refused and repaired documents."""
FATE_HEADS = ["corpus", "program", "documents", "refused", "repaired", "spans added", "failed", "ms per note"]


def fates(runs: Sequence[Figures]) -> Iterator[list[str]]:
    """Yield the rows of the table of refused and repaired documents."""
    for corpus in CORPORA:
        for run in runs:
            if corpus in run.fates:
                fate = run.fates[corpus]
                numbers = [f"{getattr(fate, name):,}" for name in FATE[:-1]]
                yield [CORPORA[corpus].title, run.name, *numbers, f"{fate.ms:.1f}"]


def as_text(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with aligned columns."""
    widths = [max(len(row[n]) for row in (heads, *rows)) for n in range(len(heads))]
    lines = []
    for row in (heads, *rows):
        cells = [
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as Markdown; columns of numbers are aligned to the right."""
    numeric = [n > 0 and all(_NUMBER.fullmatch(row[n]) for row in rows) for n in range(len(heads))]
    rule = ["---:" if right else "---" for right in numeric]
    lines = [heads, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def text_report(runs: Sequence[Figures]) -> str:
    """Return all tables as plain text."""
    parts = [f"{table.title}\n{as_text(table.heads(), list(table.rows()))}" for table in tables(runs)]
    return "\n\n".join([*parts, as_text(FATE_HEADS, list(fates(runs)))]) + "\n"


def markdown_report(runs: Sequence[Figures], dimensions: Sequence[str] = tuple(DIMENSIONS)) -> str:
    """Return the tables of some dimensions as Markdown."""
    parts = []
    for table in tables(runs):
        if table.dimension in dimensions:
            parts += [f"**{table.title}**", as_markdown(table.heads(), list(table.rows()))]
    return "\n\n".join([*parts, "**Refused and repaired documents, time**", as_markdown(FATE_HEADS, list(fates(runs)))])
