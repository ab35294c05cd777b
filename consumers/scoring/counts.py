"""The counts behind every score of one document under one criterion, and precision, recall and F1 from their sums, for one set of
documents or for many resamples at once.

Precision without system units and recall without reference units are undefined: NaN here, None in every table, never 0 or 1. F1,
their mean, is undefined if one of them is. The script of a shared task prints 0 instead if only one of them is undefined; so
do the measures of its scheme (`zero_f1`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    zero_f1: bool = False
    """True if F1 is 0 where just one of precision and recall is undefined, as in the scripts of shared tasks."""


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


Array = NDArray[np.float64]

Figure = Literal["precision", "recall", "f1", "score"]
FIGURES: tuple[Figure, ...] = ("precision", "recall", "f1", "score")
_OF_SHAPE: dict[Shape, tuple[Figure, ...]] = {
    "spans": ("precision", "recall", "f1"),
    "means": ("precision", "recall", "f1"),
    "recall": ("recall",),
    "precision": ("precision",),
    "score": ("score",),
    "rate": ("score",),
}


def shape_of(measure: Measure, kind: str) -> Shape:
    """Return the shape of the row of a kind."""
    if kind == MACRO and measure.macro != "none":
        return "means"
    return measure.shapes.get(kind, measure.shape)


def figures_of(measure: Measure, kind: str) -> tuple[Figure, ...]:
    """Return the figures that are meaningful for the row of a kind."""
    return _OF_SHAPE[shape_of(measure, kind)]


def rows_of(measure: Measure, kinds: list[str]) -> list[str]:
    """Return the rows of a measure: its kinds by name, then the totals."""
    totals = [k for k in kinds if k in (MICRO, MACRO)]
    if measure.totals:
        totals.append(MICRO)
    if measure.macro != "none":
        totals.append(MACRO)
    return sorted(k for k in kinds if k not in (MICRO, MACRO)) + sorted(totals, key=[MICRO, MACRO].index)


def figure(sums: Array, measure: Measure, kinds: list[str], kind: str, name: Figure) -> Array:
    """Return one figure from sums of shape (..., kinds, 4): shape (...), NaN if undefined."""
    if kind == MACRO and measure.macro != "none":
        return _mean_over_kinds(sums, measure, name)
    if kind == MICRO and measure.totals:
        return _plain(sums.sum(axis=-2), measure, name)
    if kind not in kinds:
        return np.full(sums.shape[:-2], np.nan)
    return _plain(sums[..., kinds.index(kind), :], measure, name)


def _mean_over_kinds(sums: Array, measure: Measure, name: Figure) -> Array:
    each = _plain(sums, measure, name)
    there = sums.any(axis=-1)  # kinds that are not in a resample do not count
    each = np.where(there & np.isnan(each), 0.0, each) if measure.macro == "zero" else each
    return _ratio(np.nansum(each, axis=-1), (~np.isnan(each)).sum(axis=-1).astype(np.float64))


def _plain(counts: Array, measure: Measure, name: Figure) -> Array:
    """Return a figure from counts of shape (..., 4)."""
    gold, found, system, right = (counts[..., i] for i in range(4))
    precision, recall = _ratio(right, system), _ratio(found, gold)
    if name == "precision":
        return precision
    if name in ("recall", "score"):
        return recall
    p, r = np.nan_to_num(precision), np.nan_to_num(recall)
    f1 = 2 * p * r / np.where(p + r > 0, p + r, 1.0)
    both = np.isnan(precision) & np.isnan(recall)
    return np.where(both if measure.zero_f1 else np.isnan(precision) | np.isnan(recall), np.nan, f1)


def _ratio(above: Array, below: Array) -> Array:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)
