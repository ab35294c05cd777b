"""Counts of reference and system spans, metrics computed from them, and statistics over folds and repetitions.

Undefined values (such as the precision of a system without spans) are None and are excluded from averages; F1: see `values_of`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .plan import Measure

OVERALL = "OVERALL"
"""The row for all kinds together, with summed counts (micro average)."""

MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
SHORT = {"precision": "P", "recall": "R", "f1": "F1"}
LONG = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
DRAWN: tuple[Measure, ...] = ("f1", "recall", "precision")
"""Measures in the order of the figures of the source."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one kind under one criterion. Hits are counted separately for both sides, as in `consumers/scoring`."""

    gold: int = 0
    """Reference spans."""
    gold_hits: int = 0
    """Reference spans that match a system span."""
    system: int = 0
    """System spans."""
    system_hits: int = 0
    """System spans that match a reference span."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.gold + other.gold,
            self.gold_hits + other.gold_hits,
            self.system + other.system,
            self.system_hits + other.system_hits,
        )

    def value(self, measure: str) -> float | None:
        """Return precision, recall or F1 (eq. 33, 34, 36 of the VigiBase thesis); None if it is undefined.

        F1 is undefined if precision or recall is.
        """
        precision = self.system_hits / self.system if self.system else None
        recall = self.gold_hits / self.gold if self.gold else None
        if measure == "precision":
            return precision
        if measure == "recall":
            return recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


@dataclass(slots=True)
class Scores:
    """Counts of a test by criterion and kind."""

    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)

    @property
    def kinds(self) -> list[str]:
        """The kinds that occur, sorted, without `OVERALL`."""
        return sorted({kind for _, kind in self.counts if kind != OVERALL})

    def value(self, criterion: str, kind: str, measure: str) -> float | None:
        return self.counts.get((criterion, kind), Counts()).value(measure)

    def to_json(self) -> list[list[Any]]:
        return [[*key, c.gold, c.gold_hits, c.system, c.system_hits] for key, c in sorted(self.counts.items())]

    @classmethod
    def from_json(cls, rows: Iterable[Sequence[Any]]) -> Scores:
        return cls({(r[0], r[1]): Counts(*r[2:6]) for r in rows})


def kinds_of(many: Iterable[Scores]) -> list[str]:
    """Return `OVERALL` and all kinds that occur, sorted."""
    return [OVERALL, *sorted({kind for scores in many for kind in scores.kinds})]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values; None without any."""
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known) if known else None


def deviation(values: Iterable[float | None]) -> float | None:
    """Return the sample standard deviation (n - 1) of the defined values; None for fewer than two."""
    known = [v for v in values if v is not None]
    if len(known) < 2:
        return None
    average = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((v - average) ** 2 for v in known) / (len(known) - 1))


def quantile(values: Iterable[float | None], q: float) -> float | None:
    """Return the quantile `q` (0 to 1) of the defined values, with linear interpolation; None without any."""
    known = sorted(v for v in values if v is not None)
    if not known:
        return None
    position = q * (len(known) - 1)
    low = math.floor(position)
    high = min(low + 1, len(known) - 1)
    return known[low] + (position - low) * (known[high] - known[low])


def counted_f1(values: Iterable[tuple[float | None, int]]) -> list[float | None]:
    """Return F1 values for an average, from pairs of F1 and the number of reference spans.

    If F1 is defined in some folds, it counts 0 in those in which there was something to find and nothing was found: otherwise a
    system would gain by finding nothing in a fold. If it is undefined in all, so is the average.
    """
    pairs = list(values)
    if all(value is None for value, _ in pairs):
        return [None for _ in pairs]
    return [0.0 if value is None and gold else value for value, gold in pairs]


def values_of(many: Sequence[Scores], criterion: str, kind: str, measure: str) -> list[float | None]:
    """Return the values of folds or repetitions, for averages (`counted_f1`)."""
    counts = [scores.counts.get((criterion, kind), Counts()) for scores in many]
    if measure == "f1":
        return counted_f1((c.value(measure), c.gold) for c in counts)
    return [c.value(measure) for c in counts]


def averaged(many: Sequence[Scores], criterion: str, kind: str, measure: str) -> float | None:
    """Return the mean over folds or repetitions, as the source scores a cross-validation (§5.2)."""
    return mean(values_of(many, criterion, kind, measure))


def spread(many: Sequence[Scores], criterion: str, kind: str, measure: str) -> float | None:
    """Return the standard deviation over folds or repetitions."""
    return deviation(values_of(many, criterion, kind, measure))


def best(values: Mapping[Any, float | None]) -> Any:
    """Return the first key with the highest value; None if no value is defined."""
    known = [(key, value) for key, value in values.items() if value is not None]
    return max(known, key=lambda item: item[1])[0] if known else None
