"""Uncertainty of scores: bootstrap intervals over documents, Wilson intervals of shares, and tests between two systems.

Documents are resampled, not spans: misses cluster in documents, and an interval over spans would be too narrow. With
`by="group"`, all documents of a patient are drawn together. All draws depend on the seed only.

Sources: Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 13 (percentile intervals); Wilson 1927, J Am Stat Assoc
22:209; Noreen 1989, Computer-Intensive Methods for Testing Hypotheses, and Yeh 2000, COLING (approximate randomisation);
Berg-Kirkpatrick et al. 2012, EMNLP (paired bootstrap).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Literal

import numpy as np

from ...pipeline.errors import ConsumerError
from .figures import Array, Figure, figure, figures_of, rows_of
from .row import Interval, Key
from .scores import Scores

By = Literal["document", "group"]
_BATCH = 64


def wilson(hits: int, total: int, level: float = 0.95) -> Interval | None:
    """Return Wilson's score interval of a share; None if `total` is 0. Raises ConsumerError unless 0 <= hits <= total."""
    check_level(level)
    if not 0 <= hits <= total:
        raise ConsumerError(f"expected hits from 0 to {total}, got {hits}")
    if total == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, per = hits / total, z * z / total
    centre = (share + per / 2) / (1 + per)
    spread = z / (1 + per) * math.sqrt(share * (1 - share) / total + per / (4 * total))
    low, high = centre - spread, centre + spread
    return (0.0 if hits == 0 else low), (1.0 if hits == total else high)  # exact at the ends, where rounding would show


def wilson_intervals(scores: Scores, level: float = 0.95) -> dict[Key, Interval]:
    """Return Wilson's interval of every precision, recall and share of the table that is a quotient of counts.

    They assume independent spans, so they are too narrow if misses cluster; but at 0 and 1, where every resample is the same,
    they still depend on the number of spans. Means, rates and F1 have none.
    """
    result: dict[Key, Interval] = {}
    for row in scores.table:
        right = None if row.system is None or row.fp is None else row.system - row.fp
        shares: tuple[tuple[Figure, int | None, int | None], ...] = (
            ("precision", right, row.system),
            ("recall", row.tp, row.gold),
            ("score", row.tp, row.gold),
        )
        for name, hits, total in shares:
            if name in row.applies and hits is not None and total is not None:
                interval = wilson(hits, total, level)
                if interval is not None:
                    result[row.criterion, row.kind, name] = interval
    return result


def bootstrap_intervals(
    scores: Scores, draws: int = 1000, seed: int = 0, level: float = 0.95, by: By = "document"
) -> dict[Key, Interval]:
    """Return the bootstrap interval of every defined figure of the table.

    A figure that is undefined in more than half of the draws has none. Raises ConsumerError for `draws` below 1 or a level that
    is not between 0 and 1.
    """
    check(draws, level)
    result: dict[Key, Interval] = {}
    for criterion in scores.criteria:
        measure = scores.measure(criterion)
        kinds, counts = units_of(scores, criterion, by)
        sums = resampled(counts, draws, seed)
        for kind in rows_of(measure, kinds):
            for name in figures_of(measure, kind):
                values = figure(sums, measure, kinds, kind, name)
                interval = percentiles(values, level) if scores.value(criterion, kind, name) is not None else None
                if interval is not None:
                    result[criterion, kind, name] = interval
    return result


def bootstrap_interval(
    scores: Scores,
    criterion: str,
    kind: str = "micro",
    name: Figure = "f1",
    *,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    by: By = "document",
) -> Interval | None:
    """Return the bootstrap interval of one figure; None if the figure is undefined. Raises like `bootstrap_intervals` and
    `Scores.value`."""
    check(draws, level)
    if scores.value(criterion, kind, name) is None:
        return None
    kinds, counts = units_of(scores, criterion, by)
    return percentiles(figure(resampled(counts, draws, seed), scores.measure(criterion), kinds, kind, name), level)


def units_of(scores: Scores, criterion: str, by: By) -> tuple[list[str], Array]:
    """Return kinds and counts by unit of resampling: documents, or groups of them; a document without group is a unit of its
    own."""
    kinds, counts = scores.counts(criterion)
    if by == "document":
        return kinds, counts
    units: dict[tuple[str, int], int] = {}
    numbers = [units.setdefault((g, -1) if g else ("", n), len(units)) for n, g in enumerate(scores.groups)]
    result = np.zeros((len(units), *counts.shape[1:]))
    np.add.at(result, numbers, counts)
    return kinds, result


def weights(units: int, draws: int, seed: int) -> Iterator[Array]:
    """Yield how often each unit was drawn, in batches of shape (draws, units); the same for every criterion and system."""
    random = np.random.default_rng(seed)
    for first in range(0, draws, _BATCH):
        size = min(_BATCH, draws - first)
        drawn = random.integers(0, units, (size, units)) + np.arange(size)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def resampled(counts: Array, draws: int, seed: int) -> Array:
    """Return sums over resampled units: (draws, kinds, 4)."""
    units = len(counts)
    if not units:
        return np.zeros((draws, *counts.shape[1:]))
    flat = counts.reshape(units, -1)
    return np.concatenate([w @ flat for w in weights(units, draws, seed)]).reshape(draws, *counts.shape[1:])


def percentiles(values: Array, level: float) -> Interval | None:
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < len(values) or not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def check(draws: int, level: float) -> None:
    if draws < 1:
        raise ConsumerError(f"draws: expected 1 or more, got {draws}")
    check_level(level)


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ConsumerError(f"level: expected a number between 0 and 1, got {level}")
