"""Uncertainty of scores: bootstrap intervals over documents, Wilson and exact intervals of shares.

Documents are resampled, not spans: misses cluster in documents, and an interval over spans would be too narrow. With
`by="group"`, all documents of a patient are drawn together. All draws depend on the seed only.

Sources: Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 13 (percentile intervals); Wilson 1927, J Am Stat Assoc
22:209; Noreen 1989, Computer-Intensive Methods for Testing Hypotheses, and Yeh 2000, COLING (approximate randomization);
Berg-Kirkpatrick et al. 2012, EMNLP (paired bootstrap); Clopper & Pearson 1934, Biometrika 26:404; Hanley & Lippman-Hand 1983,
JAMA 249:1743 ("If nothing goes wrong, is everything all right?", the rule of three); Brown, Cai & DasGupta 2001, Statistical
Science 16:101 (Jeffreys); Korn & Graubard 1998, Survey Methodology 24:193 (exact intervals of clustered counts).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Literal

import numpy as np

from ...pipeline.errors import ConsumerError
from .counts import Array, Figure, figure, figures_of, rows_of
from .scores import Scores
from .table import Interval, Key

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
    center = (share + per / 2) / (1 + per)
    spread = z / (1 + per) * math.sqrt(share * (1 - share) / total + per / (4 * total))
    low, high = center - spread, center + spread
    return (0.0 if hits == 0 else low), (1.0 if hits == total else high)  # exact at the ends, where rounding would show


def exact(hits: float, total: float, level: float = 0.95) -> Interval | None:
    """Return Clopper and Pearson's interval of a share; None if `total` is 0.

    Without hits, or with nothing but hits, all of the error is on the open side: 0 of n is [0, about 3/n] at 95 % (the rule of
    three). `hits` and `total` need not be whole numbers (Korn and Graubard). Raises ConsumerError unless hits are between 0 and
    total.
    """
    from scipy.special import betaincinv

    check_level(level)
    if not 0 <= hits <= total:
        raise ConsumerError(f"expected hits from 0 to {total:g}, got {hits:g}")
    if total == 0:
        return None
    open_ended = hits in (0, total)
    tail = 1 - level if open_ended else (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, total - hits + 1, tail))
    high = 1.0 if hits == total else float(betaincinv(hits + 1, total - hits, 1 - tail))
    return low, high


def jeffreys(hits: float, total: float) -> float:
    """Return the mean of the posterior of a share after `hits` of `total`, with Jeffreys' prior: (hits + 1/2) / (total + 1).
    Never 0 or 1."""
    return (hits + 0.5) / (total + 1)


def around(value: float, ends: Interval | None) -> tuple[float | None, float | None]:
    """Return an interval made by drawing, widened to include the estimate if it is outside by chance."""
    return (None, None) if ends is None else (min(ends[0], value), max(ends[1], value))


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
