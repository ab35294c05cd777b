"""Two readers of the same documents: their agreement, and an estimate of the leaks that both missed.

Sources: Cohen 1960, Educational and Psychological Measurement 20:37 (kappa); Cicchetti & Feinstein 1990, Journal of Clinical
Epidemiology 43:551 (specific agreement, since kappa is low where leaks are rare); Lincoln 1930, Petersen 1896, and Chapman 1951,
University of California Publications in Statistics 1:131 (capture and recapture); Seber 1970, Biometrics 26:13 (its variance).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ....typesystem import first_level
from .findings import Finding, Findings


@dataclass(frozen=True, slots=True)
class Recapture:
    """The numbers of finds of two readers, with capture-recapture estimates of the total."""

    first: int
    second: int
    both: int

    @property
    def total(self) -> int:
        return self.first + self.second - self.both

    @property
    def lincoln_petersen(self) -> float | None:
        """The estimate first * second / both; None without common finds."""
        return self.first * self.second / self.both if self.both else None

    @property
    def chapman(self) -> float:
        """The estimate (first + 1)(second + 1) / (both + 1) - 1: less biased, and also defined without common finds."""
        return (self.first + 1) * (self.second + 1) / (self.both + 1) - 1

    @property
    def missed(self) -> float:
        """The estimated number that neither reader found: Chapman's estimate minus the number found."""
        return max(0.0, self.chapman - self.total)

    def missed_at_most(self, confidence: float = 0.95) -> float:
        """Return an upper bound on the number that neither found, by a normal approximation with Seber's variance, which is rough
        for small numbers."""
        from scipy.special import ndtri

        a, b, m = self.first, self.second, self.both
        variance = (a + 1) * (b + 1) * (a - m) * (b - m) / ((m + 1) ** 2 * (m + 2))
        return self.missed + float(ndtri(confidence)) * math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class ReaderPair:
    """Two readers and the documents that both read."""

    names: tuple[str, str]
    documents: int
    both_clean: int
    leaking: Recapture
    """Documents with a leak."""
    leaks: Recapture
    """Individual leaks, matched by position if both readers marked positions, otherwise by counts of first-level kinds."""

    @property
    def agreement(self) -> float:
        """The share of documents that both readers classify in the same way, as clean or not."""
        return (self.both_clean + self.leaking.both) / self.documents

    @property
    def agreement_on_leaks(self) -> float | None:
        """The specific agreement 2 both / (first + second) on documents with a leak; None if neither reader found one."""
        r = self.leaking
        return 2 * r.both / (r.first + r.second) if r.first + r.second else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None if both readers put every document into the same class."""
        n, r = self.documents, self.leaking
        by_chance = (r.first * r.second + (n - r.first) * (n - r.second)) / (n * n)
        return None if by_chance == 1 else (self.agreement - by_chance) / (1 - by_chance)


def reader_pairs(findings: Findings) -> list[ReaderPair]:
    """Return the comparison of every two readers with documents in common."""
    return [
        compare_readers((a, b), first, second)
        for (a, first), (b, second) in combinations(sorted(findings.by_reader.items()), 2)
        if first.keys() & second.keys()
    ]


def compare_readers(names: tuple[str, str], first: Mapping[int, Finding], second: Mapping[int, Finding]) -> ReaderPair:
    """Compare two readers on the documents that both read."""
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
    return ReaderPair(names, len(common), sum(not a.leaks and not b.leaks for a, b in findings), leaking, leaks)


def _same(a: Finding, b: Finding) -> int:
    """Return the number of leaks of a document that both readers found."""
    if len(a.places) == a.leaks and len(b.places) == b.leaks:
        unmatched = list(b.places)
        for begin, end, _ in a.places:
            match = next((p for p in unmatched if p[0] < end and begin < p[1]), None)
            if match is not None:
                unmatched.remove(match)
        return len(b.places) - len(unmatched)
    return (_first_level(a) & _first_level(b)).total()


def _first_level(finding: Finding) -> Counter[str]:
    """Return the number of leaks of each first-level kind; leaks of unknown kind have the key `""`."""
    counts: Counter[str] = Counter()
    for kind, n in finding.kinds.items():
        counts[first_level(kind)] += n
    counts[""] += finding.leaks - counts.total()
    return counts
