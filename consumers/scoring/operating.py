"""The operating point: of several settings of a system, the most precise one whose recall reaches a target.

A setting selected on some documents looks better on them than it is (the largest of several measurements is too large on
average). So it is measured on other documents (`pipeline/application/experiment/studies/operating_point.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...pipeline.errors import ConsumerError
from .bootstrap import check, check_level, percentiles, resampled, wilson
from .counts import Array
from .table import Interval

GOLD, FOUND, MARKED, RIGHT = range(4)
"""Positions in the last axis of counts, as in `Counts`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The selected setting, by its number, and whether its recall reaches the target on the documents that it was selected on."""

    setting: int
    reached: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A share with its intervals. None if undefined."""

    value: float | None
    wilson: Interval | None
    """Assumes independent counts: too narrow if misses cluster in documents."""
    bootstrap: Interval | None
    """Over documents; None at 0 and 1, where every resample is the same."""


def choose(counts: Array, target: float, *, level: float = 0.0, draws: int = 1000, seed: int = 0) -> Choice | None:
    """Return the setting with the highest precision among those whose recall is at least `target` (0 to 1).

    `counts` has shape (settings, units, 4). With a `level` above 0, the lower end of recall's interval of that level must reach
    the target, the lower of Wilson's and the bootstrap's. Of equally precise settings, the one with the higher recall, then the
    first. If none reaches the target: the one with the highest recall, then the most precise. None if there is nothing to find.
    Raises ConsumerError for a target or level out of range.
    """
    if not 0 < target <= 1:
        raise ConsumerError(f"target recall: expected a share above 0 and up to 1, got {target:g}")
    if level:
        check_level(level)
    ranked = []
    for number, units in enumerate(counts):
        precision, recall = _share(units, RIGHT, MARKED), _share(units, FOUND, GOLD)
        if recall is None:
            return None
        reliable = recall
        if level and recall >= target:
            share = measured(units, "recall", level=level, draws=draws, seed=seed)
            reliable = min(end[0] for end in (share.wilson, share.bootstrap) if end is not None)
        reached = reliable >= target
        first, second = (precision or 0.0, recall) if reached else (recall, precision or 0.0)
        ranked.append((reached, first, second, -number))
    if not ranked:
        return None
    best = max(ranked)
    return Choice(-best[3], best[0])


def measured(units: Array, name: str, *, level: float = 0.95, draws: int = 1000, seed: int = 0) -> Measured:
    """Return `precision` or `recall` of counts of shape (units, 4), with intervals of a level. Raises ConsumerError like
    `wilson`."""
    check(draws, level)
    hits, of = (RIGHT, MARKED) if name == "precision" else (FOUND, GOLD)
    value = _share(units, hits, of)
    if value is None:
        return Measured(None, None, None)
    sums = units.sum(axis=0)
    drawn = resampled(units, draws, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = drawn[:, hits] / drawn[:, of]
    clustered = percentiles(shares, level) if 0 < value < 1 else None
    return Measured(value, wilson(round(sums[hits]), round(sums[of]), level), clustered)


def _share(units: Array, hits: int, of: int) -> float | None:
    sums = units.sum(axis=0)
    return float(sums[hits] / sums[of]) if sums[of] else None
