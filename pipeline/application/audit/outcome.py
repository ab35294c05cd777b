"""The findings of an audit turned into bounds: documents with a leak, by class and kind, leaks, and how much is left to read."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import ReaderError
from .bounds import WORST, Bound, Part, bound, check_confidence, leaks_per_document, to_read
from .findings import Finding, Findings
from .sampling import Sample
from .two_readers import TwoReaders, pairs

TARGETS = (0.01, 0.005, 0.001)
ANY = "any leak"
POINTS = 240
"""Points of a curve."""
_CLASSES: tuple[tuple[str, Callable[[Finding], bool]], ...] = (
    (ANY, lambda f: f.leaks > 0),
    ("direct identifier", lambda f: f.direct > 0),
    ("quasi-identifier", lambda f: f.quasi > 0),
    ("1 direct or 2 quasi", lambda f: f.direct > 0 or f.quasi > 1),
)


@dataclass(frozen=True, slots=True)
class Point:
    """The bound after a number of documents. `rate`: of the documents of the release."""

    read: int
    found: int
    rate: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """The reading needed to reduce the bound on documents with any leak to `target` if no further leak is found."""

    target: float
    more: int | None
    """Documents to read beside those read; None if no number is enough for this release."""
    unlimited: int
    """The same for an unlimited population."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that the findings say."""

    sample: Sample
    confidence: float
    readers: tuple[str, ...]
    read: int
    in_order: bool
    """True if the documents read are the first of those drawn, so that no selection was made."""
    bounds: dict[str, Bound]
    """By what is counted: any leak, classes of identifiers, first-level kinds."""
    leaks: int
    leaks_most: int
    """Leaks in the worst document."""
    leaks_per_document: float
    """Found, in the documents read."""
    worst: int
    """Leaks that a document is taken to hold at most, in the bound on their mean."""
    leaks_at_most: float | None
    """Upper bound on the mean of all documents; None if of a stratum nothing was read."""
    wanted: tuple[Wanted, ...]
    pairs: tuple[TwoReaders, ...]
    missed: int
    """Estimate of documents with a leak, among those read, that two readers missed both; 0 with one reader."""
    with_missed: Bound | None
    """The bound on any leak with those added."""
    curve: tuple[Point, ...]
    forecast: tuple[Point, ...]
    """If no further leak is found."""

    @property
    def unread(self) -> int:
        return len(self.sample.numbers) - self.read

    @property
    def any(self) -> Bound:
        return self.bounds[ANY]

    def as_json(self) -> dict[str, Any]:
        """Plain data: numbers, kinds, and readers by their initials."""
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
            "bounds": {name: {**asdict(b), "of_release": b.of_release} for name, b in self.bounds.items()},
            "leaks": {
                "found": self.leaks,
                "most_in_one": self.leaks_most,
                "per_document": self.leaks_per_document,
                "worst_assumed": self.worst,
                "per_document_at_most": self.leaks_at_most,
            },
            "to_read": [asdict(w) for w in self.wanted],
            "pairs": [_pair(p, self.confidence) for p in self.pairs],
            "missed": self.missed,
            "with_missed": self.with_missed and {**asdict(self.with_missed), "of_release": self.with_missed.of_release},
        }


METHODS = {
    "none": "simple random sample; one-sided hypergeometric bound for the release, Clopper-Pearson for an unlimited population",
    "kind": "sample stratified by the rarest kind masked; one-sided bound by Hoeffding's inequality, worst spread over strata",
}


def outcome(findings: Findings, confidence: float = 0.95, worst: int = WORST) -> Outcome:
    """Return the bounds. `worst`: largest number of leaks in a document unless more were seen. Raises ReaderError if nothing was
    read or the confidence is out of range."""
    check_confidence(confidence)
    sample, found = findings.sample, findings.together()
    if not found:
        raise ReaderError("no document was read: every row lacks a number of leaks (0 if none was found)")
    order = [n for n in sample.numbers if n in found]
    tops = sorted({kind.partition("_")[0] for f in found.values() for kind in f.kinds})
    counted = [*_CLASSES, *((kind, _holds(kind)) for kind in tops)]
    bounds = {name: bound(_parts(sample, found.values(), test), confidence) for name, test in counted}
    of_any = bounds[ANY]
    two = pairs(findings)
    missed = math.ceil(max((p.leaking.missed * len(found) / p.documents for p in two), default=0) - 1e-9)
    missed = min(missed, len(found) - of_any.found)
    again = None
    if two and sample.by == "none":
        again = bound([Part(sample.population, len(found), of_any.found + missed)], confidence)
    leaking = [f for f in found.values() if f.leaks]
    strata = list(sample.strata) or [""]
    numbers = [[f.leaks for f in leaking if sample.stratum.get(f.document, "") == s] for s in strata]
    parts = _parts(sample, found.values(), _CLASSES[0][1])
    wanted = tuple(_wanted(parts, target, confidence) for target in TARGETS)
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
        leaks_at_most=leaks_per_document(numbers, parts, confidence, worst),
        wanted=wanted,
        pairs=tuple(two),
        missed=missed,
        with_missed=again,
        curve=tuple(_curve(sample, [found[n] for n in order], confidence)),
        forecast=tuple(_forecast(parts, of_any, wanted, confidence)),
    )


def _holds(kind: str) -> Callable[[Finding], bool]:
    return lambda f: any(k.partition("_")[0] == kind and n for k, n in f.kinds.items())


def _parts(sample: Sample, read: Iterable[Finding], test: Callable[[Finding], bool]) -> list[Part]:
    listed = list(read)
    if not sample.strata:
        return [Part(sample.population, len(listed), sum(map(test, listed)))]
    parts = []
    for name, population in sample.strata.items():
        inside = [f for f in listed if sample.stratum[f.document] == name]
        parts.append(Part(population, len(inside), sum(map(test, inside))))
    return parts


def _wanted(parts: list[Part], target: float, confidence: float) -> Wanted:
    read, found = sum(p.read for p in parts), sum(p.found for p in parts)
    unlimited = to_read(found, target, None, confidence)
    assert unlimited is not None
    if len(parts) == 1:
        enough = to_read(found, target, parts[0].population, confidence)
        more = None if enough is None else max(0, enough - read)
    else:
        more = _more(parts, target, confidence)
    return Wanted(target, more, max(0, unlimited - read))


def _more(parts: list[Part], target: float, confidence: float) -> int | None:
    """Return the same for strata, by bisection: what is read on is spread over what was not read."""
    numbers = range(sum(p.population - p.read for p in parts) + 1)
    more = bisect_left(numbers, True, key=lambda n: bound(_further(parts, n), confidence).of_release <= target)
    return more if more < len(numbers) else None


def _further(parts: list[Part], more: int) -> list[Part]:
    """Return the parts if `more` documents were read without a find, of each part in proportion to what is unread."""
    further, left = [], sum(p.population - p.read for p in parts)
    for part in parts:
        unread = part.population - part.read
        extra = round(more * unread / left) if left else 0
        further.append(Part(part.population, part.read + extra, part.found))
        more, left = more - extra, left - unread
    return further


def _curve(sample: Sample, read: list[Finding], confidence: float) -> Iterable[Point]:
    """Yield the bound after each document in the order of drawing; of many, after each find and some between."""
    step = max(1, len(read) // POINTS)
    found = 0
    for n, finding in enumerate(read, 1):
        hit = finding.leaks > 0
        found += hit
        if hit or n % step == 0 or n in (1, len(read)):
            yield Point(n, found, bound(_parts(sample, read[:n], _CLASSES[0][1]), confidence).of_release)


def _forecast(parts: list[Part], now: Bound, wanted: Sequence[Wanted], confidence: float) -> Iterable[Point]:
    """From here on without a find, until the next target that can be reached, at most to five times as many documents."""
    read, unread = sum(p.read for p in parts), sum(p.population - p.read for p in parts)
    goal = next((w.more for w in wanted if w.more), None) or 0
    further = min(unread, max(math.ceil(0.3 * read), min(4 * read, math.ceil(1.15 * goal))))
    for more in sorted({round(further * i / 60) for i in range(61)}):
        yield Point(read + more, now.found, bound(_further(parts, more), confidence).of_release)


def _pair(pair: TwoReaders, confidence: float) -> dict[str, Any]:
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
