"""Exact one-sided upper bounds on the number of documents with a leak, from a random sample that was read.

Sources: Clopper & Pearson 1934, Biometrika 26:404 (share of an unlimited population); Buonaccorsi 1987, The American
Statistician 41:215, and Wright 1991, Exact confidence bounds when sampling from small finite universes (hypergeometric);
Hanley & Lippman-Hand 1983, JAMA 249:1743 (the rule of three); Hoeffding 1956, Annals of Mathematical Statistics 27:713, and
Vatutin & Mikhailov 1982, Theory of Probability and its Applications 27:734 (strata); Fay & Feuer 1997, Statistics in
Medicine 16:791 (weighted sums of Poisson counts, here leaks that occur in clusters).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....consumers.scoring.bootstrap import exact
from ...errors import ReaderError

MIN_CONFIDENCE, MAX_CONFIDENCE = 0.8, 0.9999
MAX_LEAKS_PER_DOCUMENT = 5
"""Assumed largest number of leaks in a document, unless a document with more was read."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the release from which documents were drawn at random. A simple random sample has one stratum."""

    population: int
    read: int
    found: int
    """Number of read documents with a leak of the class or kind that is counted."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Estimates for the release from the documents that were read."""

    found: int
    share: float
    """Estimated share of all documents, weighted by the number of documents of each stratum."""
    rate: float
    """Upper bound on the share in an unlimited population of such documents; with strata, in the release."""
    documents: int
    """Upper bound on the number of documents in the release, including those found."""
    population: int

    @property
    def of_release(self) -> float:
        """Upper bound on the share of the documents of the release."""
        return self.documents / self.population

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "of_release": self.of_release}


def check_confidence(confidence: float) -> None:
    """Raise ReaderError for a confidence out of range."""
    if not MIN_CONFIDENCE <= confidence <= MAX_CONFIDENCE:
        raise ReaderError(
            f"--confidence: expected a number from {MIN_CONFIDENCE:g} to {MAX_CONFIDENCE:g}, got {confidence:g}"
        )


def upper_bound(parts: Sequence[Stratum], confidence: float = 0.95) -> Bound:
    """Return the upper bound from a simple random sample (one stratum) or a stratified one. Raises ReaderError."""
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    population = sum(p.population for p in parts)
    if len(parts) == 1 or not read:
        rate = clopper_pearson(found, read, confidence)
        return Bound(found, found / read, rate, hypergeometric(found, read, population, confidence), population)
    estimate = sum(p.found / p.read * p.population for p in parts if p.read) / population
    documents = stratified(parts, confidence)
    return Bound(found, estimate, documents / population, documents, population)


def clopper_pearson(found: int, read: int, confidence: float = 0.95) -> float:
    """Return the largest share for which `found` or fewer in `read` documents have at least the probability 1 - confidence.

    For 0 of n this is 1 - (1 - confidence)^(1/n), about 3/n at 95 %. Raises ReaderError if no document was read.
    """
    ends = exact(found, read, confidence if found in (0, read) else 2 * confidence - 1)
    if ends is None:
        raise ReaderError("no document was read: the others cannot be estimated")
    return ends[1]


def hypergeometric(found: int, read: int, population: int, confidence: float = 0.95) -> int:
    """Return the largest number of documents with a leak among `population` for which `found` or fewer in `read` documents,
    drawn without replacement, have at least the probability 1 - confidence. Returns `found` if all documents were read."""
    larger = range(found + 1, population - read + found + 1)
    return found + bisect_left(
        larger, True, key=lambda n: probability_at_most(found, read, n, population) < 1 - confidence
    )


def probability_at_most(found: int, read: int, leaking: int, population: int) -> float:
    """Return the probability of at most `found` leaking documents when `read` of `population` documents, `leaking` of them with
    a leak, are drawn without replacement."""
    first = max(0, read - (population - leaking))
    logs = [
        _log_choose(leaking, i) + _log_choose(population - leaking, read - i) - _log_choose(population, read)
        for i in range(first, min(found, read, leaking) + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))


def stratified(parts: Sequence[Stratum], confidence: float = 0.95) -> int:
    """Return the largest number of documents with a leak for any distribution over the strata.

    A hypergeometric count has the distribution of a sum of independent trials (Vatutin & Mikhailov), and so has the number found
    in all strata. Of all such sums with the same mean, the binomial one has the heaviest lower tail (Hoeffding). Therefore the
    expected number of finds, the sum of sampling fraction times documents with a leak, is at most n times the bound of Clopper
    and Pearson. The worst case puts as many of these documents as possible into the stratum with the smallest sampling
    fraction. For proportional strata the result is the bound of Clopper and Pearson.
    """
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    expected = max(read * clopper_pearson(found, read, confidence), found + 1.0)
    expected -= sum(p.found * p.read / p.population for p in parts if p.population)
    leaking = found
    for fraction, unread in sorted((p.read / p.population, p.population - p.read) for p in parts if p.population):
        added = unread if fraction == 0 else min(unread, math.floor(max(0.0, expected) / fraction + 1e-9))
        leaking += added
        expected -= added * fraction
    return leaking


def required_reading(found: int, target: float, population: int | None, confidence: float = 0.95) -> int | None:
    """Return the smallest number of documents to read, exactly `found` of them with a leak, for an upper bound of `target`.

    `population`: documents of the release; None for an unlimited population, where the result for no find is the exact form of
    the rule of three, log(1 - confidence) / log(1 - target). Returns None if no number is enough.
    """
    least = max(found, 1)
    if population is not None:
        if found > target * population:
            return None
        sizes, most = range(least, population), target * population
        return least + bisect_left(sizes, True, key=lambda n: hypergeometric(found, n, population, confidence) <= most)
    limit = least
    while clopper_pearson(found, limit, confidence) > target:
        limit *= 2
    sizes = range(least, limit)
    return least + bisect_left(sizes, True, key=lambda n: clopper_pearson(found, n, confidence) <= target)


def mean_leaks_bound(
    leaks: Sequence[Sequence[int]],
    parts: Sequence[Stratum],
    confidence: float = 0.95,
    worst: int = MAX_LEAKS_PER_DOCUMENT,
) -> float | None:
    """Return an upper bound on the mean number of leaks in a document (the gamma bound of Fay and Feuer). `leaks`: the numbers of
    leaks of the documents with at least one, by stratum. Returns None if no document of some stratum was read.

    Leaks occur in clusters: a letter with an unusual layout leaks everything at once. The number of leaks is therefore not a
    Poisson count, and the exact bound of Garwood would be too low. The numbers of documents with one leak, with two and so on
    are approximately Poisson counts because such documents are rare; Fay and Feuer bound their sum with the weights 1, 2 ...
    (A bootstrap over documents gives 0 if no leak was found.) Larger clusters than those read cannot be estimated: the bound
    assumes that no document holds more leaks than the worst one read or, if larger, than `worst`.
    """
    if any(p.population and not p.read for p in parts):
        return None
    from scipy.special import gammaincinv

    population = sum(p.population for p in parts)
    share = [p.population / (p.read * population) if p.read else 0.0 for p in parts]
    weights = [share[h] * n for h, numbers in enumerate(leaks) for n in numbers]
    largest = max(share) * max([worst, *(n for numbers in leaks for n in numbers)])
    mean = math.fsum(weights) + largest
    variance = math.fsum(w * w for w in weights) + largest * largest
    return float(variance / mean * gammaincinv(mean * mean / variance, confidence))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
