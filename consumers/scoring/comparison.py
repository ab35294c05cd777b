"""Comparison of two systems on the same documents: difference, interval, p-value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...pipeline.errors import ConsumerError
from .bootstrap import By, check, percentiles, resampled, units_of
from .counts import Array, Figure, figure
from .scores import Scores


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of one figure between two systems: the second minus the first."""

    criterion: str
    kind: str
    figure: Figure
    first: float | None
    second: float | None
    difference: float | None
    """None if one of the two is undefined; the values below are None too then."""
    low: float | None
    high: float | None
    """Ends of the paired bootstrap interval: both systems on the same resampled documents."""
    p: float | None
    """Two-sided, by approximate randomization: how often a difference this large arises if the systems swap their results on
    documents at random. Never 0: (1 + as large) / (1 + draws)."""
    p_bootstrap: float | None
    """Two-sided, by the paired bootstrap: twice the share of resamples on the other side of 0, at most 1."""


def compare(
    first: Scores,
    second: Scores,
    criterion: str,
    kind: str = "micro",
    name: Figure = "f1",
    *,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    by: By = "document",
) -> Comparison:
    """Compare two systems that were scored on the same documents, in any order.

    Raises ConsumerError if the documents differ, and like `bootstrap_intervals`.
    """
    check(draws, level)
    a, b = first.value(criterion, kind, name), second.value(criterion, kind, name)
    if a is None or b is None:
        return Comparison(criterion, kind, name, a, b, None, None, None, None, None)
    kinds, left, right = _aligned(first, second, criterion, by)
    measure = first.measure(criterion)

    def differences(one: Array, other: Array) -> Array:
        return figure(other, measure, kinds, kind, name) - figure(one, measure, kinds, kind, name)

    observed = b - a
    drawn = differences(resampled(left, draws, seed), resampled(right, draws, seed))
    low, high = percentiles(drawn, level) or (None, None)
    defined = drawn[~np.isnan(drawn)]
    tail = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    swapped = differences(*_swapped(left, right, draws, seed))
    as_large = int((np.abs(swapped) >= abs(observed) - 1e-12).sum())
    return Comparison(
        criterion,
        kind,
        name,
        a,
        b,
        observed,
        low,
        high,
        (1 + as_large) / (1 + draws),
        min(1.0, 2 * (1 + tail) / (1 + len(defined))),
    )


def _aligned(first: Scores, second: Scores, criterion: str, by: By) -> tuple[list[str], Array, Array]:
    """Return the counts of both by the same units and the same kinds."""
    if by == "group" and first.documents != second.documents:
        raise ConsumerError("systems compared by group must have been scored on the same documents in the same order")
    places = {document: n for n, document in enumerate(second.documents)}
    missing = [d for d in first.documents if d not in places]
    if missing or len(places) != len(first.documents):
        problem = f"{len(missing)} of {len(first.documents)} are missing in the second, which has {len(places)}"
        raise ConsumerError(f"two systems can be compared on the same documents only: {problem}")
    mine, left = units_of(first, criterion, by)
    theirs, right = units_of(second, criterion, by)
    if by == "document":
        right = right[[places[d] for d in first.documents]]
    kinds = list(dict.fromkeys([*mine, *theirs]))
    result = []
    for own, counts in ((mine, left), (theirs, right)):
        wide = np.zeros((len(counts), len(kinds), 4))
        wide[:, [kinds.index(k) for k in own]] = counts
        result.append(wide)
    return kinds, result[0], result[1]


def _swapped(left: Array, right: Array, draws: int, seed: int) -> tuple[Array, Array]:
    """Return the sums of both after they swap their results on each unit with a probability of one half."""
    random = np.random.default_rng(seed + 1)
    flat = (left - right).reshape(len(left), -1)
    moved = np.empty((draws, flat.shape[1]))
    for first in range(0, draws, 64):
        size = min(64, draws - first)
        moved[first : first + size] = random.integers(0, 2, (size, len(left))).astype(np.float64) @ flat
    shape = (draws, *left.shape[1:])
    return left.sum(axis=0) - moved.reshape(shape), right.sum(axis=0) + moved.reshape(shape)
