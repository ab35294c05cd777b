"""The probability that a document leaks, from the leak probability of each kind and the number of its identifiers.

If a reference gives the number of identifiers of a document, each leaks with the probability of its kind, independently: the
number of leaks is a sum of binomials. If only the spans that a system found are known, the missed ones are added. The number of
identifiers of a kind in a document is then modeled as Gamma-Poisson, fitted to the spans found by their mean and variance; each
is protected, found in part, or unseen. Given the spans found, the number of unseen ones is negative binomial, so that a document
in which nothing was found can contain one too. If the spans are spread evenly, the Gamma becomes a point and the number of
unseen ones Poisson.

Both reduce to one power series: the logarithm of the probability generating function of the number of leaks is linear in the
counts. For `at_least` k its first k coefficients are enough, for all documents and draws by k matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .counts import Array


@dataclass(frozen=True, slots=True)
class LeakProbabilities:
    """Outcome probabilities of an identifier of each kind: arrays of shape (kinds, draws)."""

    leak: Array
    """It leaks, in whole or in part."""
    unseen: Array
    """No mention of it is found; at most `leak`."""
    noticed: Array
    """Shape (kinds, 1): a leaked one is recognized among surrogates."""


@dataclass(frozen=True, slots=True)
class ReferenceCounts:
    """Documents with known identifiers: counts of shape (documents, kinds)."""

    values: Array

    def series(self, chances: LeakProbabilities, degree: int) -> list[Array]:
        """Return coefficients 0 to `degree` of the logarithm of the generating function: each of shape (documents, draws)."""
        return [self.values @ term for term in _binomial(chances.leak * chances.noticed, degree)]


@dataclass(frozen=True, slots=True)
class FoundCounts:
    """Documents of which only the spans found are known: counts of shape (documents, kinds)."""

    values: Array

    def series(self, chances: LeakProbabilities, degree: int) -> list[Array]:
        """See `ReferenceCounts.series`."""
        seen = 1 - chances.unseen
        partly = _binomial((chances.leak - chances.unseen) / seen * chances.noticed, degree)
        result = [self.values @ term for term in partly]
        mean = self.values.mean(axis=0)
        over = self.values.var(axis=0, ddof=1) - mean if len(self.values) > 1 else np.zeros_like(mean)
        even = (over <= 0) & (mean > 0)
        if even.any():
            rate = mean[even, None] * chances.unseen[even] / seen[even] * chances.noticed[even]
            result[0] = result[0] - rate.sum(axis=0)
            if degree:
                result[1] = result[1] + rate.sum(axis=0)
        uneven = (over > 0) & (mean > 0)
        if uneven.any():
            # finds have variance m + m²/a; given f finds, the unseen are negative binomial of shape a + f
            shape = mean[uneven] ** 2 / over[uneven]
            scale = shape[:, None] * seen[uneven] / mean[uneven, None]
            more = chances.unseen[uneven] / (scale + 1)
            noticed = chances.noticed[uneven]
            more = more * noticed / (1 - more * (1 - noticed))
            counts = self.values[:, uneven] + shape
            for power, term in enumerate(_negative_binomial(more, degree)):
                result[power] = result[power] + counts @ term
        return result


@dataclass(frozen=True, slots=True)
class AssumedCounts:
    """Documents in which each kind is assumed to occur as elsewhere, independent of what was found: arrays of shape (kinds,)."""

    mean: Array
    """Identifiers per document there."""
    variance: Array
    documents: int

    def series(self, chances: LeakProbabilities, degree: int) -> list[Array]:
        """See `ReferenceCounts.series`; the same for every document."""
        recognized = chances.leak * chances.noticed
        over = self.variance - self.mean
        even = over <= 0
        rate = (self.mean[even, None] * recognized[even]).sum(axis=0)
        result = [-rate, rate, *[np.zeros_like(rate)] * (degree - 1)][: degree + 1]
        shape = self.mean[~even] ** 2 / over[~even]
        more = recognized[~even] / ((shape / self.mean[~even])[:, None] + recognized[~even])
        terms = _negative_binomial(more, degree)
        return [np.tile(a + shape @ b, (self.documents, 1)) for a, b in zip(result, terms, strict=True)]


def at_least(series: list[Array], certain: Array | None = None) -> Array:
    """Return the probability of as many leaks as `series` has terms, or more: shape (documents, draws).

    `certain`: shape (documents,), leaks in addition to those of the series.
    """
    terms = [np.exp(series[0])]
    for n in range(1, len(series)):  # the exponential of a power series
        term = np.zeros_like(series[0])
        for j in range(1, n + 1):
            term += j * series[j] * terms[n - j]
        terms.append(term / n)
    fewer = np.zeros_like(series[0])
    left = np.zeros(len(fewer)) if certain is None else certain
    for n, term in enumerate(terms):
        fewer += np.where((left + n < len(series))[:, None], term, 0.0)
    return np.clip(1 - fewer, 0.0, 1.0)


def _binomial(p: Array, degree: int) -> list[Array]:
    """Return the coefficients of log(1 - p + pz). p = 1 would give -infinity and is kept just below."""
    p = np.minimum(p, 1 - 1e-12)
    odds = p / (1 - p)
    return [np.log1p(-p), *(-((-odds) ** j) / j for j in range(1, degree + 1))]


def _negative_binomial(q: Array, degree: int) -> list[Array]:
    """Return the coefficients of log((1 - q) / (1 - qz))."""
    return [np.log1p(-q), *(q**j / j for j in range(1, degree + 1))]
