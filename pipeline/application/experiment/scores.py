"""Counts of what was to be found and what was found, what is computed from them, and their statistics over folds and repetitions.

An undefined value (precision if nothing was found) is None, never 1 or 0, and left out of averages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .plan import Measure

OVERALL = "OVERALL"
"""Row of all kinds together: counts added up (micro average)."""

MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
SHORT = {"precision": "P", "recall": "R", "f1": "F1"}
LONG = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
DRAWN: tuple[Measure, ...] = ("f1", "recall", "precision")
"""The order of figures: the source's."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Four sums of one kind under one criterion. The two sides are counted each on their own, as `consumers/scoring` does."""

    gold: int = 0
    """Reference spans."""
    found: int = 0
    """Those that the system hits."""
    system: int = 0
    """System spans."""
    right: int = 0
    """Those that hit the reference."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.gold + other.gold, self.found + other.found, self.system + other.system, self.right + other.right
        )

    def value(self, measure: str) -> float | None:
        """Precision, recall or F1 (eq. 33, 34, 36 of the VigiBase thesis); None if it is not defined.

        F1 is 0, not undefined, where only one of the two is defined: there was something to find or something wrong.
        """
        precision = self.right / self.system if self.system else None
        recall = self.found / self.gold if self.gold else None
        if measure == "precision":
            return precision
        if measure == "recall":
            return recall
        if precision is None and recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


@dataclass(slots=True)
class Scores:
    """Counts by criterion and kind of one test."""

    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)

    @property
    def kinds(self) -> list[str]:
        """The kinds that occur, by name, without the row of all together."""
        return sorted({kind for _, kind in self.counts if kind != OVERALL})

    def value(self, criterion: str, kind: str, measure: str) -> float | None:
        return self.counts.get((criterion, kind), Counts()).value(measure)

    def to_json(self) -> list[list[Any]]:
        return [[*key, c.gold, c.found, c.system, c.right] for key, c in sorted(self.counts.items())]

    @classmethod
    def from_json(cls, rows: Iterable[Sequence[Any]]) -> Scores:
        return cls({(r[0], r[1]): Counts(*r[2:6]) for r in rows})


def kinds_of(many: Iterable[Scores]) -> list[str]:
    """OVERALL, then every kind that occurs in any of them."""
    return [OVERALL, *sorted({kind for scores in many for kind in scores.kinds})]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is defined."""
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known) if known else None


def deviation(values: Iterable[float | None]) -> float | None:
    """Standard deviation (n - 1) of what is defined; None for fewer than two values."""
    known = [v for v in values if v is not None]
    if len(known) < 2:
        return None
    middle = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((v - middle) ** 2 for v in known) / (len(known) - 1))


def quantile(values: Iterable[float | None], q: float) -> float | None:
    """Return the quantile `q` (0 to 1) of what is defined, interpolated linearly between neighbors."""
    known = sorted(v for v in values if v is not None)
    if not known:
        return None
    place = q * (len(known) - 1)
    low = math.floor(place)
    high = min(low + 1, len(known) - 1)
    return known[low] + (place - low) * (known[high] - known[low])


def averaged(many: Sequence[Scores], criterion: str, kind: str, measure: str) -> float | None:
    """Return the mean over folds or repetitions: the source's way of scoring a cross-validation (§5.2)."""
    return mean(scores.value(criterion, kind, measure) for scores in many)


def spread(many: Sequence[Scores], criterion: str, kind: str, measure: str) -> float | None:
    """Return the standard deviation over folds or repetitions."""
    return deviation(scores.value(criterion, kind, measure) for scores in many)


def best(values: Mapping[Any, float | None]) -> Any:
    """Return the key of the highest defined value, the first of equal ones; None if nothing is defined."""
    known = [(key, value) for key, value in values.items() if value is not None]
    return max(known, key=lambda item: item[1])[0] if known else None
