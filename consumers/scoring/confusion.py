"""Confusion between kinds: a matrix of gold kinds by system kinds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .alignment import Compared, align, kind_at
from .document import Pair
from .table import align_columns, csv_text

MISSED = "(missed)"
"""Column of gold spans that no system span matches."""
SPURIOUS = "(spurious)"
"""Row of system spans that match no gold span."""


@dataclass(slots=True)
class Confusion:
    """Counts by (gold kind, system kind). A row sums to the gold spans of its kind, a column to the system's."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, pair: Pair, level: Compared = "top") -> None:
        """Count one document: spans are paired by `align`, independent of their kinds."""
        alignment = align(pair.gold, pair.system, level)
        for g, s in alignment.matched:
            self.counts[kind_at(g.kind, level), kind_at(s.kind, level)] += 1
        for g in alignment.missed:
            self.counts[kind_at(g.kind, level), MISSED] += 1
        for s in alignment.spurious:
            self.counts[SPURIOUS, kind_at(s.kind, level)] += 1

    @property
    def kinds(self) -> list[str]:
        """Every kind of either side, by name."""
        return sorted({kind for cell in self.counts for kind in cell} - {MISSED, SPURIOUS})

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """Rows of columns: kinds by name, `(missed)` the last column, `(spurious)` the last row; other pairs are 0."""
        kinds = self.kinds
        return {row: {column: self.counts[row, column] for column in [*kinds, MISSED]} for row in [*kinds, SPURIOUS]}

    @property
    def mixed_up(self) -> list[tuple[str, str, int]]:
        """(gold kind, system kind, count) of spans found as another kind, most frequent first."""
        wrong = [(g, s, n) for (g, s), n in self.counts.items() if n and g != s and g != SPURIOUS and s != MISSED]
        return sorted(wrong, key=lambda row: (-row[2], row[0], row[1]))

    def to_csv(self) -> str:
        """Return a row for each gold kind; the first column contains its name."""
        return csv_text(
            [["gold", *self.kinds, MISSED], *([row, *cells.values()] for row, cells in self.matrix.items())]
        )

    def to_json(self) -> str:
        return json.dumps(self.matrix, indent=2) + "\n"

    def __str__(self) -> str:
        matrix = self.matrix
        rows = [["gold \\ system", *self.kinds, MISSED]]
        rows += [[row, *(f"{n:,}" if n else "." for n in cells.values())] for row, cells in matrix.items()]
        return f"{align_columns(rows)}\n"


def confusion_of(pairs: Iterable[Pair], level: Compared = "top") -> Confusion:
    """Return the confusion between kinds over some documents."""
    result = Confusion()
    for pair in pairs:
        result.add(pair, level)
    return result
