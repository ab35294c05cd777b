"""The counts behind every score of one document, under one criterion."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .document import Pair

MICRO, MACRO = "micro", "macro"
Shape = Literal["spans", "means", "recall", "precision", "score", "rate"]
"""Figures of a row. `spans`: counts, precision, recall, F1. `means`: the same without counts, since they are means over
documents. `recall`, `precision`: only that one. `score`: one share that is neither. `rate`: a ratio of different units."""
Macro = Literal["none", "defined", "zero"]
"""Mean over kinds: none; over the kinds whose figure is defined; over all kinds, with 0 for an undefined figure."""


class Counts(NamedTuple):
    """Four sums: precision is right/system, recall found/gold. `found` and `right` differ if hits are not one to one."""

    gold: float = 0
    """Reference units."""
    found: float = 0
    """Those that the system hits."""
    system: float = 0
    """System units."""
    right: float = 0
    """Those that hit the reference."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One criterion: how to count a document, by kind, and which figures follow from the sums."""

    name: str
    count: Callable[[Pair], Mapping[str, Counts]]
    """Document -> kind -> counts. A kind may be named `micro` or `macro` if `totals` is off."""
    shape: Shape = "spans"
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """Shapes of single kinds that differ from `shape`."""
    totals: bool = True
    """True if a row `micro` sums up the kinds."""
    macro: Macro = "defined"
    always: tuple[str, ...] = ()
    """Kinds that have a row even if nothing was counted."""


class Tally:
    """Counts of many documents under some measures: a few numbers for each document, never its text or spans."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        self.measures = tuple(measures)
        self.documents: list[str] = []
        self.groups: list[str] = []
        self._kinds = [{kind: n for n, kind in enumerate(measure.always)} for measure in self.measures]
        self._cells: list[array[float]] = [array("d") for _ in self.measures]
        self._before: list[int] = []

    def add(self, pair: Pair) -> None:
        """Count a document. If `Pair.check` raises ConsumerError, nothing is counted."""
        pair.check()
        counted = [measure.count(pair) for measure in self.measures]
        number = float(len(self.documents))
        self._before = [len(cells) for cells in self._cells]
        for by_kind, kinds, cells in zip(counted, self._kinds, self._cells, strict=True):
            for kind, counts in by_kind.items():
                if any(counts):
                    cells.extend((number, kinds.setdefault(kind, len(kinds)), *counts))
        self.documents.append(pair.id)
        self.groups.append(pair.group)

    def rollback(self) -> None:
        """Remove the last document. Does nothing if that was done already."""
        if self._before and self.documents:
            for cells, length in zip(self._cells, self._before, strict=True):
                del cells[length:]
            self.documents.pop()
            self.groups.pop()
            self._before = []

    def kinds(self, number: int) -> list[str]:
        """Return the kinds counted under a measure, in order of first occurrence."""
        return list(self._kinds[number])

    def cells(self, number: int) -> array[float]:
        """Return six numbers for each document and kind under a measure: document, kind, then the counts."""
        return self._cells[number]
