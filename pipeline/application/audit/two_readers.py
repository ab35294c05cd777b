"""Two readers of the same documents: how far they agree, and an estimate of what both missed.

Sources: Cohen 1960, Educational and Psychological Measurement 20:37 (kappa); Cicchetti & Feinstein 1990, Journal of Clinical
Epidemiology 43:551 (specific agreement, since kappa is low where leaks are rare); Lincoln 1930, Petersen 1896, and Chapman 1951,
University of California Publications in Statistics 1:131 (capture and recapture); Seber 1970, Biometrics 26:13 (its variance);
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from .findings import Finding, Findings


@dataclass(frozen=True, slots=True)
class Recapture:
    """The findings of two readers, and an estimate of the total."""

    first: int
    second: int
    both: int

    @property
    def total(self) -> int:
        return self.first + self.second - self.both

    @property
    def lincoln_petersen(self) -> float | None:
        """first * second / both; None if they found nothing in common."""
        return self.first * self.second / self.both if self.both else None

    @property
    def chapman(self) -> float:
        """(first + 1)(second + 1) / (both + 1) - 1: less biased, and defined even without common findings."""
        return (self.first + 1) * (self.second + 1) / (self.both + 1) - 1

    @property
    def missed(self) -> float:
        """Estimate of what neither found: Chapman's number less what was found."""
        return max(0.0, self.chapman - self.total)

    def missed_at_most(self, confidence: float = 0.95) -> float:
        """Upper bound on what neither found, with Seber's variance and the normal distribution: rough for small numbers."""
        from scipy.special import ndtri

        a, b, m = self.first, self.second, self.both
        variance = (a + 1) * (b + 1) * (a - m) * (b - m) / ((m + 1) ** 2 * (m + 2))
        return self.missed + float(ndtri(confidence)) * math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class TwoReaders:
    """Two readers and the documents that both read."""

    names: tuple[str, str]
    documents: int
    both_clean: int
    leaking: Recapture
    """Documents with a leak."""
    leaks: Recapture
    """Single leaks: the same place where both marked places, else as many of a first-level kind as both counted."""

    @property
    def agreement(self) -> float:
        """Share of documents of which both say the same: clean or not."""
        return (self.both_clean + self.leaking.both) / self.documents

    @property
    def agreement_on_leaks(self) -> float | None:
        """Specific agreement: 2 both / (first + second); None if neither found any."""
        r = self.leaking
        return 2 * r.both / (r.first + r.second) if r.first + r.second else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None if both say the same of every document."""
        n, r = self.documents, self.leaking
        by_chance = (r.first * r.second + (n - r.first) * (n - r.second)) / (n * n)
        return None if by_chance == 1 else (self.agreement - by_chance) / (1 - by_chance)


def pairs(findings: Findings) -> list[TwoReaders]:
    """Return every two readers who read documents in common."""
    compared_pairs = []
    for one, other in combinations(sorted(findings.by_reader), 2):
        first, second = findings.by_reader[one], findings.by_reader[other]
        if first.keys() & second.keys():
            compared_pairs.append(compared((one, other), first, second))
    return compared_pairs


def compared(names: tuple[str, str], first: Mapping[int, Finding], second: Mapping[int, Finding]) -> TwoReaders:
    """Two readers on the documents that both read."""
    common = sorted(first.keys() & second.keys())
    findings = [(first[n], second[n]) for n in common]
    leaking = Recapture(
        sum(a.leaks > 0 for a, _ in findings),
        sum(b.leaks > 0 for _, b in findings),
        sum(a.leaks > 0 and b.leaks > 0 for a, b in findings),
    )
    leaks = Recapture(
        sum(a.leaks for a, _ in findings), sum(b.leaks for _, b in findings), sum(_same(a, b) for a, b in findings)
    )
    return TwoReaders(names, len(common), sum(not a.leaks and not b.leaks for a, b in findings), leaking, leaks)


def _same(a: Finding, b: Finding) -> int:
    """Return how many leaks of a document both found."""
    if len(a.places) == a.leaks and len(b.places) == b.leaks:
        left, same = list(b.places), 0
        for begin, end, _ in a.places:
            hit = next((p for p in left if p[0] < end and begin < p[1]), None)
            if hit is not None:
                left.remove(hit)
                same += 1
        return same
    mine, theirs = _tops(a), _tops(b)
    return sum(min(n, theirs[kind]) for kind, n in mine.items())


def _tops(finding: Finding) -> Counter[str]:
    """Leaks by first-level kind; those of unknown kind are under the empty name."""
    counts: Counter[str] = Counter()
    for kind, n in finding.kinds.items():
        counts[kind.partition("_")[0]] += n
    counts[""] += finding.leaks - counts.total()
    return counts
