"""Scores as a plain text table, for files and logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .figures import FIGURES, Figure
from .row import Interval, Key, Row

COUNTS = ("gold", "system", "tp", "fp", "fn")


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
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def line(parts: list[str]) -> str:
        left = [p.ljust(w) for p, w in zip(parts[:2], widths[:2], strict=True)]
        right = [p.rjust(w) for p, w in zip(parts[2:], widths[2:], strict=True)]
        return "  ".join(left + right).rstrip()

    return "\n".join(map(line, lines)) + "\n"
