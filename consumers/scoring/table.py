"""Rows of scores, and tables as plain text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .counts import FIGURES, Figure

UNDEFINED = "undefined"
Interval = tuple[float, float]
Key = tuple[str, str, Figure]
"""Criterion, kind, figure."""
COUNTS = ("gold", "system", "tp", "fp", "fn")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. None is undefined or, if the figure is not in `applies`, not available."""

    criterion: str
    kind: str
    gold: int | None
    system: int | None
    tp: int | None
    """Reference units that were found."""
    fp: int | None
    """System units that match nothing."""
    fn: int | None
    """Reference units that were missed."""
    precision: float | None
    recall: float | None
    f1: float | None
    score: float | None
    """The figure of rows that have neither precision nor recall: a share or a rate."""
    applies: tuple[Figure, ...] = FIGURES

    def shown(self, name: Figure, digits: int = 3) -> str:
        """Return a figure for people: `0.917`, `undefined`, or nothing if it does not apply."""
        value: float | None = getattr(self, name)
        if name not in self.applies:
            return ""
        return format_share(value, digits)


def columns(rows: Sequence[Row]) -> tuple[list[str], list[Figure]]:
    """Return the counts and figures that some row has."""
    counts = [c for c in COUNTS if any(getattr(row, c) is not None for row in rows)]
    return counts, [f for f in FIGURES if any(f in row.applies for row in rows)]


def cells(
    row: Row,
    counts: Sequence[str],
    figures: Sequence[Figure],
    intervals: Mapping[Key, Interval] | None,
    digits: int = 3,
) -> list[str]:
    """Return the cells of a row, figures with this number of digits."""
    result = ["" if (n := getattr(row, c)) is None else f"{n:,}" for c in counts]
    for name in figures:
        interval = (intervals or {}).get((row.criterion, row.kind, name))
        ends = f" [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]" if interval else ""
        result.append(row.shown(name, digits) + ends)
    return result


def text_table(rows: Sequence[Row], intervals: Mapping[Key, Interval] | None = None, digits: int = 3) -> str:
    """Return one table for all criteria."""
    counts, figures = columns(rows)
    lines = [["criterion", "kind", *counts, *figures]]
    lines += [[row.criterion, row.kind, *cells(row, counts, figures, intervals, digits)] for row in rows]
    return align_columns(lines, left=(0, 1)) + "\n"


def align_columns(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return rows of equal length as lines, with two spaces between columns; the columns `left` are aligned to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            c.ljust(w) if n in left else c.rjust(w) for n, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, each line ended by LF."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return mappings with the same keys as CSV with a header; nothing without rows."""
    return csv_text([list(rows[0]), *(list(row.values()) for row in rows)]) if rows else ""


def format_share(share: float | None, digits: int = 4) -> str:
    """Return a share with this number of digits; `undefined` for None."""
    return UNDEFINED if share is None else f"{share:.{digits}f}"
