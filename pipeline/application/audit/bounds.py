"""How many documents can hold a leak, given the number read and the number found: exact upper bounds, one-sided.

Sources: Clopper & Pearson 1934, Biometrika 26:404 (share of an unlimited population); Buonaccorsi 1987, The American
Statistician 41:215, and Wright 1991, Exact confidence bounds when sampling from small finite universes (hypergeometric);
Hanley & Lippman-Hand 1983, JAMA 249:1743 (the rule of three); Hoeffding 1956, Annals of Mathematical Statistics 27:713, and
Vatutin & Mikhailov 1982, Theory of Probability and its Applications 27:734 (strata); Fay & Feuer 1997, Statistics in
Medicine 16:791 (sums of Poisson counts with weights, here leaks that come in bunches).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from ....consumers.scoring.bootstrap import exact
from ...errors import ReaderError

LOWEST, HIGHEST = 0.8, 0.9999
"""Confidences that may be asked for."""
WORST = 5
"""Largest number of leaks in a document, unless a document with more was read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the release from which documents were drawn by chance: all of it, or one stratum."""

    population: int
    read: int
    found: int
    """Documents, of those read, that hold what is counted."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Estimates for the release from the documents that were read."""

    found: int
    share: float
    """Estimate of the share of all documents; of strata, each weighs as much as it has documents."""
    rate: float
    """At most this share of an unlimited population that such documents come from (of strata: of the release)."""
    documents: int
    """Upper bound on the documents of the release, including those found."""
    population: int

    @property
    def of_release(self) -> float:
        """At most this share of the documents of the release."""
        return self.documents / self.population


def check_confidence(confidence: float) -> None:
    """Raise ReaderError for a confidence out of range."""
    if not LOWEST <= confidence <= HIGHEST:
        raise ReaderError(f"--confidence: expected a number from {LOWEST:g} to {HIGHEST:g}, got {confidence:g}")


def bound(parts: Sequence[Part], confidence: float = 0.95) -> Bound:
    """Return the upper bound from a simple random sample (one part) or a stratified one. Raises ReaderError."""
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    population = sum(p.population for p in parts)
    if not read:
        raise ReaderError("no document was read: the others cannot be estimated")
    if len(parts) == 1:
        rate = clopper_pearson(found, read, confidence)
        return Bound(found, found / read, rate, hypergeometric(found, read, population, confidence), population)
    estimate = sum(p.found / p.read * p.population for p in parts if p.read) / population
    documents = stratified(parts, confidence)
    return Bound(found, estimate, documents / population, documents, population)


def clopper_pearson(found: int, read: int, confidence: float = 0.95) -> float:
    """Return the largest share at which `found` or fewer of `read` would still turn up with the probability 1 - confidence.

    0 of n: 1 - (1 - confidence)^(1/n), about 3/n at 95 %.
    """
    ends = exact(found, read, confidence if found in (0, read) else 2 * confidence - 1)
    if ends is None:
        raise ReaderError("no document was read: the others cannot be estimated")
    return ends[1]


def hypergeometric(found: int, read: int, population: int, confidence: float = 0.95) -> int:
    """Return the largest number of documents with a leak among `population` at which `found` or fewer of the `read` ones, drawn
    without replacement, would still turn up with the probability 1 - confidence. `found` where all were read."""
    more = range(found + 1, population - read + found + 1)
    return found + bisect_left(more, True, key=lambda n: at_most(found, read, n, population) < 1 - confidence)


def at_most(found: int, read: int, leaking: int, population: int) -> float:
    """Probability to find `found` or fewer of `leaking` documents when `read` of `population` are drawn without replacement."""
    first = max(0, read - (population - leaking))
    logs = [
        _log_choose(leaking, i) + _log_choose(population - leaking, read - i) - _log_choose(population, read)
        for i in range(first, min(found, read, leaking) + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))


def stratified(parts: Sequence[Part], confidence: float = 0.95) -> int:
    """Return the largest number of documents with a leak for any distribution over the strata.

    A hypergeometric count is a sum of independent trials (Vatutin & Mikhailov), so is the number found in all strata, and of
    all such sums with the same mean the binomial one has the heaviest lower tail (Hoeffding). So if the finds are not to be
    less likely than 1 - confidence, their expected number, the sum of sampling fraction times documents with a leak, must stay
    below the bound that n times Clopper and Pearson's share gives. As many documents as that allows are assumed to be in the
    stratum of which the smallest share was read. Of proportional strata the outcome is Clopper and Pearson's.
    """
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    left = max(read * clopper_pearson(found, read, confidence), found + 1.0)
    left -= sum(p.found * p.read / p.population for p in parts if p.population)
    most = found
    for part in sorted(parts, key=lambda p: p.read / p.population if p.population else 0.0):
        room = part.population - part.read
        share = part.read / part.population if part.population else 0.0
        more = room if share == 0 else min(room, math.floor(max(0.0, left) / share + 1e-9))
        most += more
        left -= more * share
    return most


def to_read(found: int, target: float, population: int | None, confidence: float = 0.95) -> int | None:
    """Return the smallest number of documents to read, exactly `found` with a leak among them, for a bound of `target`.

    For the release of `population` documents; None for an unlimited population. Without a find the latter is the exact
    form of the rule of three, log(1 - confidence) / log(1 - target). None if no number is enough.
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


def leaks_per_document(
    leaks: Sequence[Sequence[int]], parts: Sequence[Part], confidence: float = 0.95, worst: int = WORST
) -> float | None:
    """Upper bound on the mean number of leaks in a document (Fay and Feuer's gamma bound). `leaks`: numbers of leaks of the
    documents with any, by stratum. None if of a stratum nothing was read.

    Leaks come in bunches: a letter in an odd layout leaks everything at once, so the number of leaks is not a Poisson count and
    Garwood's exact bound would be too low. But the number of documents with one leak, with two ... each is one, rare as they
    are; their sum weighted with 1, 2 ... is what Fay and Feuer bound. (A bootstrap over documents says 0 if nothing was
    found.) Unseen bunches cannot be estimated: no document is assumed to hold more leaks than the worst one read, or
    than `worst`.
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
