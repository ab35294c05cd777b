"""Uncertainty of shares that were counted on few cases: exact intervals, the rule of three, and the effect of clustering.

Sources: Clopper & Pearson 1934, Biometrika 26:404; Hanley & Lippman-Hand 1983, JAMA 249:1743 ("If nothing goes wrong, is
everything all right?", the rule of three); Brown, Cai & DasGupta 2001, Statistical Science 16:101 (Jeffreys); Kish 1965, Survey
Sampling (design effect); Korn & Graubard 1998, Survey Methodology 24:193 (exact intervals of clustered counts).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...pipeline.errors import ConsumerError
from .bootstrap import check_level
from .risk_profile import Profile
from .row import Interval


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


def design_effect(profiles: Sequence[Profile]) -> float:
    """Return how many times more the number of leaks varies between documents than if identifiers leaked independently.

    1 if leaks do not cluster, or nothing leaked; never below 1. All kinds together: a document in an unusual layout leaks
    several kinds at once.
    """
    sums: dict[str, list[int]] = {}
    for profile in profiles:
        for kind, found in profile.kinds.items():
            both = sums.setdefault(kind, [0, 0])
            both[0] += found.values
            both[1] += found.leaked
    share = {kind: leaked / values for kind, (values, leaked) in sums.items() if values}
    alone = sum(values * share[kind] * (1 - share[kind]) for kind, (values, _) in sums.items() if values)
    documents = len(profiles)
    if documents < 2 or alone <= 0:
        return 1.0
    off = [sum(f.leaked - f.values * share.get(k, 0.0) for k, f in p.kinds.items()) for p in profiles]
    return max(1.0, sum(e * e for e in off) * documents / (documents - 1) / alone)


def around(value: float, ends: Interval | None) -> tuple[float | None, float | None]:
    """Return an interval made by drawing, widened to include the estimate if it is outside by chance."""
    return (None, None) if ends is None else (min(ends[0], value), max(ends[1], value))
