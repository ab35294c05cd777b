"""The result of an audit: upper bounds on documents with a leak by class and kind, on leaks, and the reading still required."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ....typesystem import first_level
from ...errors import ReaderError
from .bounds import (
    MAX_LEAKS_PER_DOCUMENT,
    Bound,
    Stratum,
    check_confidence,
    mean_leaks_bound,
    required_reading,
    upper_bound,
)
from .findings import Finding, Findings
from .sampling import Sample
from .two_readers import ReaderPair, reader_pairs

TARGETS = (0.01, 0.005, 0.001)
ANY = "any leak"
POINTS = 240
"""Approximate largest number of points of a curve."""
_CLASSES: tuple[tuple[str, Callable[[Finding], bool]], ...] = (
    (ANY, lambda f: f.leaks > 0),
    ("direct identifier", lambda f: f.direct > 0),
    ("quasi-identifier", lambda f: f.quasi > 0),
    ("1 direct or 2 quasi", lambda f: f.direct > 0 or f.quasi > 1),
)


@dataclass(frozen=True, slots=True)
class BoundPoint:
    """The upper bound after a number of documents; `rate` is the share of the documents of the release."""

    read: int
    found: int
    rate: float


@dataclass(frozen=True, slots=True)
class ReadingGoal:
    """The reading required to reduce the bound on documents with any leak to `target` if no further leak is found."""

    target: float
    more: int | None
    """Number of further documents to read; None if no number is enough for this release."""
    unlimited: int
    """The same for an unlimited population."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an audit."""

    sample: Sample
    confidence: float
    readers: tuple[str, ...]
    read: int
    in_order: bool
    """True if the documents read are the first ones drawn, so that the reader made no selection."""
    bounds: dict[str, Bound]
    """Upper bounds for any leak, each class of identifiers and each first-level kind."""
    leaks: int
    leaks_most: int
    """Number of leaks in the worst document."""
    leaks_per_document: float
    """Mean number of leaks found in the documents read."""
    worst: int
    """Assumed largest number of leaks in a document, used for the bound on the mean."""
    leaks_at_most: float | None
    """Upper bound on the mean number of leaks in all documents; None if no document of some stratum was read."""
    goals: tuple[ReadingGoal, ...]
    pairs: tuple[ReaderPair, ...]
    missed: int
    """Estimated number of read documents with a leak that both of two readers missed; 0 with one reader."""
    with_missed: Bound | None
    """The upper bound for any leak including the estimated missed documents."""
    curve: tuple[BoundPoint, ...]
    forecast: tuple[BoundPoint, ...]
    """The continuation of the curve if no further leak is found."""

    @property
    def unread(self) -> int:
        return len(self.sample.numbers) - self.read

    @property
    def any(self) -> Bound:
        return self.bounds[ANY]

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain data: numbers, kinds, and the initials of readers."""
        return {
            "sample": self.sample.id,
            "release": self.sample.release,
            "population": self.sample.population,
            "drawn": len(self.sample.numbers),
            "by": self.sample.by,
            "seed": self.sample.seed,
            "read": self.read,
            "unread": self.unread,
            "in_order": self.in_order,
            "confidence": self.confidence,
            "readers": list(self.readers),
            "method": METHODS[self.sample.by],
            "bounds": {name: bound.as_json() for name, bound in self.bounds.items()},
            "leaks": {
                "found": self.leaks,
                "most_in_one": self.leaks_most,
                "per_document": self.leaks_per_document,
                "worst_assumed": self.worst,
                "per_document_at_most": self.leaks_at_most,
            },
            "to_read": [asdict(w) for w in self.goals],
            "pairs": [_pair(p, self.confidence) for p in self.pairs],
            "missed": self.missed,
            "with_missed": self.with_missed and self.with_missed.as_json(),
        }


METHODS = {
    "none": "simple random sample; one-sided hypergeometric bound for the release, Clopper-Pearson for an unlimited population",
    "kind": "sample stratified by the rarest kind masked; one-sided bound by Hoeffding's inequality, worst spread over strata",
}


def compute_outcome(findings: Findings, confidence: float = 0.95, worst: int = MAX_LEAKS_PER_DOCUMENT) -> Outcome:
    """Return the result of an audit. `worst`: assumed largest number of leaks in a document, unless more were found in one.

    Raises ReaderError if nothing was read or the confidence is out of range.
    """
    check_confidence(confidence)
    sample, found = findings.sample, findings.merged()
    if not found:
        raise ReaderError("no document was read: every row lacks a number of leaks (0 if none was found)")
    order = [n for n in sample.numbers if n in found]
    tops = sorted({first_level(kind) for f in found.values() for kind in f.kinds})
    counted = [*_CLASSES, *((kind, _holds(kind)) for kind in tops)]
    bounds = {name: upper_bound(_parts(sample, found.values(), test), confidence) for name, test in counted}
    of_any = bounds[ANY]
    two = reader_pairs(findings)
    missed = math.ceil(max((p.leaking.missed * len(found) / p.documents for p in two), default=0) - 1e-9)
    missed = min(missed, len(found) - of_any.found)
    with_missed = None
    if two and sample.by == "none":
        with_missed = upper_bound([Stratum(sample.population, len(found), of_any.found + missed)], confidence)
    leaking = [f for f in found.values() if f.leaks]
    strata = list(sample.strata) or [""]
    counts = [[f.leaks for f in leaking if sample.stratum.get(f.document, "") == s] for s in strata]
    parts = _parts(sample, found.values(), _CLASSES[0][1])
    goals = tuple(_goal(parts, target, confidence) for target in TARGETS)
    return Outcome(
        sample=sample,
        confidence=confidence,
        readers=tuple(sorted(findings.by_reader)),
        read=len(found),
        in_order=order == list(sample.numbers[: len(order)]),
        bounds=bounds,
        leaks=sum(f.leaks for f in leaking),
        leaks_most=max((f.leaks for f in leaking), default=0),
        leaks_per_document=sum(f.leaks for f in leaking) / len(found),
        worst=max([worst, *(f.leaks for f in leaking)]),
        leaks_at_most=mean_leaks_bound(counts, parts, confidence, worst),
        goals=goals,
        pairs=tuple(two),
        missed=missed,
        with_missed=with_missed,
        curve=tuple(_curve(sample, [found[n] for n in order], confidence)),
        forecast=tuple(_forecast(parts, of_any, goals, confidence)),
    )


def _holds(kind: str) -> Callable[[Finding], bool]:
    return lambda f: any(first_level(k) == kind and n for k, n in f.kinds.items())


def _parts(sample: Sample, read: Iterable[Finding], test: Callable[[Finding], bool]) -> list[Stratum]:
    """Return the strata of the sample, where `found` counts the findings that pass the test."""
    by_stratum: dict[str, list[Finding]] = {name: [] for name in sample.strata or [""]}
    for finding in read:
        by_stratum[sample.stratum[finding.document] if sample.strata else ""].append(finding)
    return [
        Stratum(sample.strata.get(name, sample.population), len(findings), sum(map(test, findings)))
        for name, findings in by_stratum.items()
    ]


def _goal(parts: list[Stratum], target: float, confidence: float) -> ReadingGoal:
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    unlimited = required_reading(found, target, None, confidence)
    assert unlimited is not None
    if len(parts) == 1:
        required = required_reading(found, target, parts[0].population, confidence)
        more = None if required is None else max(0, required - read)
    else:
        numbers = range(sum(p.population - p.read for p in parts) + 1)
        more = bisect_left(
            numbers, True, key=lambda n: upper_bound(_extended(parts, n), confidence).of_release <= target
        )
        more = more if more < len(numbers) else None
    return ReadingGoal(target, more, max(0, unlimited - read))


def _extended(parts: list[Stratum], more: int) -> list[Stratum]:
    """Return the strata after `more` documents were read without a find, distributed in proportion to the unread documents."""
    extended, remaining = [], sum(p.population - p.read for p in parts)
    for part in parts:
        unread = part.population - part.read
        added = round(more * unread / remaining) if remaining else 0
        extended.append(Stratum(part.population, part.read + added, part.found))
        more, remaining = more - added, remaining - unread
    return extended


def _curve(sample: Sample, read: list[Finding], confidence: float) -> Iterable[BoundPoint]:
    """Yield the bound after each document in drawing order; for many documents, after each find and at regular steps."""
    step = max(1, len(read) // POINTS)
    found = 0
    for n, finding in enumerate(read, 1):
        hit = finding.leaks > 0
        found += hit
        if hit or n % step == 0 or n in (1, len(read)):
            yield BoundPoint(n, found, upper_bound(_parts(sample, read[:n], _CLASSES[0][1]), confidence).of_release)


def _forecast(
    parts: list[Stratum], now: Bound, goals: Sequence[ReadingGoal], confidence: float
) -> Iterable[BoundPoint]:
    """Yield the bound for further reading without a find, up to the next target in reach and at most five times the number of
    documents read."""
    read, unread = sum(p.read for p in parts), sum(p.population - p.read for p in parts)
    goal = next((g.more for g in goals if g.more), 0)
    further = min(unread, max(math.ceil(0.3 * read), min(4 * read, math.ceil(1.15 * goal))))
    for more in sorted({round(further * i / 60) for i in range(61)}):
        yield BoundPoint(read + more, now.found, upper_bound(_extended(parts, more), confidence).of_release)


def _pair(pair: ReaderPair, confidence: float) -> dict[str, Any]:
    data: dict[str, Any] = {
        "readers": list(pair.names),
        "documents": pair.documents,
        "agreement": pair.agreement,
        "agreement_on_leaks": pair.agreement_on_leaks,
        "kappa": pair.kappa,
    }
    for name, r in (("leaking", pair.leaking), ("leaks", pair.leaks)):
        data[name] = {
            **asdict(r),
            "lincoln_petersen": r.lincoln_petersen,
            "chapman": r.chapman,
            "missed": r.missed,
            "missed_at_most": r.missed_at_most(confidence),
        }
    return data
