"""The report of a run: documents, failures, counts and timings, without text of documents."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ...typesystem import Cas, Phi
from ..storage.files import write_atomic
from .leaks import REPAIRED


@dataclass(slots=True)
class Documents:
    """Number of documents by outcome. `read = released + quarantined + skipped` always holds."""

    read: int = 0
    released: int = 0
    quarantined: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """One document that was not released. `number` counts from 1 in reading order."""

    number: int
    document: str
    component: str
    cause: str
    message: str
    reason: str = "error"
    """Code: error, undeclared, leak, scan, time, memory, crash, unreadable, unreviewed, duplicate, patient, output."""


class Timings:
    """Durations of one component in bounded memory: a histogram over logarithmic buckets 5 % wide."""

    __slots__ = ("_buckets", "count", "longest", "total")

    def __init__(self) -> None:
        self._buckets: dict[int, int] = {}
        self.count = 0
        self.total = 0.0
        self.longest = 0.0

    def add(self, seconds: float) -> None:
        bucket = math.floor(math.log(max(seconds, 1e-9)) / 0.05)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1
        self.count += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)

    def merge(self, other: Timings) -> None:
        """Add the durations that another process measured."""
        for bucket, n in other._buckets.items():
            self._buckets[bucket] = self._buckets.get(bucket, 0) + n
        self.count += other.count
        self.total += other.total
        self.longest = max(self.longest, other.longest)

    def distribution(self) -> list[tuple[float, int]]:
        """Return (seconds, count) for each bucket, with the middle of the bucket as its duration."""
        return [(math.exp((bucket + 0.5) * 0.05), n) for bucket, n in sorted(self._buckets.items())]

    def quantile(self, q: float) -> float:
        """Return the quantile `q` in seconds, with an error of up to 5 %."""
        left = q * self.count
        for bucket in sorted(self._buckets):
            left -= self._buckets[bucket]
            if left <= 0:
                return min(math.exp((bucket + 0.5) * 0.05), self.longest)
        return self.longest


@dataclass(slots=True)
class ComponentStats:
    """Statistics of one component: documents, annotations, total seconds and seconds per document (p50, p95, max), errors."""

    id: str
    kind: str
    documents: int = 0
    annotations: int = 0
    seconds: float = 0.0
    p50: float = 0.0
    p95: float = 0.0
    max: float = 0.0
    errors: int = 0
    timings: Timings = field(default_factory=Timings, repr=False)

    def add(self, seconds: float, annotations: int = 0) -> None:
        self.documents += 1
        self.annotations += annotations
        self.timings.add(seconds)

    def merge(self, other: ComponentStats) -> None:
        """Add the statistics of another process."""
        self.documents += other.documents
        self.annotations += other.annotations
        self.errors += other.errors
        self.timings.merge(other.timings)

    def settle(self) -> None:
        """Compute the quantiles from the timings."""
        t = self.timings
        self.seconds, self.p50, self.p95, self.max = t.total, t.quantile(0.5), t.quantile(0.95), t.longest


PATIENT_STATE = "carrier_patient"
"""Name of the metadata that tells why no patient is known: a key of `ODD`."""
NO_PATIENT = "no patient"
SEVERAL_PATIENTS = "several patients"
ODD = {
    "empty": "no text",
    "controls": "control characters",
    "surrogates": "lone surrogates, which no file can hold as they are",
    "long": "a line of more than a million characters",
    "named": "an id, written in clear, that shows what was masked in them",
    NO_PATIENT: "no patient: their shifts and pseudonyms agree with no other document",
    SEVERAL_PATIENTS: "several medical record numbers: their shifts and pseudonyms agree with no other document",
}
"""Unusual properties of a document that is released nevertheless."""

_CONTROLS = bytes({*range(32), 127} - {9, 10, 12, 13})
_LONG = 1_000_000


def oddities(text: str) -> list[str]:
    """Return the unusual properties of a text: keys of `ODD`."""
    found = []
    if not text or text.isspace():
        found.append("empty")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogatepass")
        found.append("surrogates")
    if len(data.translate(None, _CONTROLS)) != len(data):
        found.append("controls")
    if len(text) > _LONG and max(map(len, text.splitlines()), default=0) > _LONG:
        found.append("long")
    return found


@dataclass(slots=True)
class Found:
    """Counts of a released document for the report."""

    characters: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    """Unusual properties of the document: keys of `ODD`."""
    repaired: int = 0
    """Spans that the leak gate added."""
    values: list[Any] | None = None
    """Hashes of the masked values, for the release scanner; None if it is off."""

    def to_plain(self) -> list[Any]:
        """Return plain data, from which `Found(*plain)` restores the object."""
        return [self.characters, self.kinds, self.sources, self.odd, self.repaired, self.values]

    @classmethod
    def of(cls, cas: Cas) -> Found:
        """Count what a document contains."""
        view = cas.views[0] if cas.views else None
        found = cls()
        if view is not None:
            found.characters = len(view.text)
            found.odd = oddities(view.text)
            if state := cas.metadata.get(PATIENT_STATE):
                found.odd.append(state)
            for phi in view.select(Phi):
                found.kinds[phi.kind.name] = found.kinds.get(phi.kind.name, 0) + 1
                by = found.sources.setdefault(phi.source or "(none)", {})
                by[phi.kind.name] = by.get(phi.kind.name, 0) + 1
                found.repaired += phi.reason.startswith(REPAIRED)
        return found


@dataclass(slots=True)
class ScanReport:
    """Work of the release scanner."""

    state: str = "off"
    """`done`, `off`, or why it was not done."""
    files: int = 0
    size: int = 0
    """Bytes of these files."""
    forms: int = 0
    """Forms of values that were searched for."""
    withdrawn: int = 0
    """Documents that were withdrawn."""
    moved: int = 0
    """Files of no single document that were moved to `restricted/withdrawn`."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Places that were found, by kind of the value."""
    not_searched: dict[str, int] = field(default_factory=dict)
    """Values that were not searched for, by reason."""
    not_checked: list[str] = field(default_factory=list)
    """Things that were not checked, for people. Contains no paths of the input."""


FAILURES_SHOWN = 10_000
"""Limit of failures listed in the report. Further failures are only counted, so that memory stays constant."""


@dataclass(slots=True)
class RunReport:
    """The report of one run."""

    name: str = ""
    started: str | None = None
    seconds: float = 0.0
    documents: Documents = field(default_factory=Documents)
    failures: list[Failure] = field(default_factory=list)
    components: list[ComponentStats] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    odd: dict[str, int] = field(default_factory=dict)
    """Unusual texts that were released: key of `ODD` -> documents."""
    repaired: int = 0
    """Spans of released documents that the leak gate added."""
    repaired_documents: int = 0
    """Released documents in which the leak gate added spans."""
    warnings: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    characters: int = 0
    slowest: list[tuple[float, int]] = field(default_factory=list)
    """(seconds, number in reading order) of the slowest documents, slowest first."""
    stopped: str = ""
    """Why the run ended early; empty if it did not."""
    signal: int = 0
    """Number of the signal that interrupted the run; 0: none."""
    workers: int = 0
    """Worker processes; 0 if the process of the run did the work."""
    attempts: int = 0
    """Attempts after the first, over all documents."""
    reused: int = 0
    """Documents whose outputs were adopted from an earlier run."""
    withheld: int = 0
    """Lines that components printed and that were withheld."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Number of documents that were not released, by reason code."""
    resident: dict[str, int] = field(default_factory=dict)
    """Peak resident memory of each process in bytes: `run`, `worker 1` ..."""
    pace: list[int] = field(default_factory=list)
    """Documents processed in each slice of time."""
    pace_seconds: float = 0.0
    """Length of a slice in seconds."""
    shard: str = ""
    """The shard that this run processed: `3/64`; empty: all documents."""
    fingerprint: str = ""
    """Hash of everything that determines the output: components, parameters, models, lexicons, code."""
    scan: ScanReport = field(default_factory=ScanReport)
    """Work of the release scanner."""

    def add(self, other: Found) -> None:
        """Count a released document."""
        self.documents.released += 1
        self.characters += other.characters
        self.repaired += other.repaired
        self.repaired_documents += other.repaired > 0
        for what in other.odd:
            self.odd[what] = self.odd.get(what, 0) + 1
        for kind, n in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + n
        for source, kinds in other.sources.items():
            by = self.sources.setdefault(source, {})
            for kind, n in kinds.items():
                by[kind] = by.get(kind, 0) + n

    def withdraw(self, other: Found) -> None:
        """Take back a released document."""
        self.documents.released -= 1
        self.characters -= other.characters
        self.repaired -= other.repaired
        self.repaired_documents -= other.repaired > 0
        _subtract(self.odd, dict.fromkeys(other.odd, 1))
        _subtract(self.kinds, other.kinds)
        for source, kinds in other.sources.items():
            _subtract(self.sources[source], kinds)
            if not self.sources[source]:
                del self.sources[source]

    def failed(self, failure: Failure, status: str) -> None:
        """Record a document that was quarantined or skipped."""
        if len(self.failures) < FAILURES_SHOWN:
            self.failures.append(failure)
        self.reasons[failure.reason] = self.reasons.get(failure.reason, 0) + 1
        if status == "skipped":
            self.documents.skipped += 1
        else:
            self.documents.quarantined += 1

    @property
    def exit_code(self) -> int:
        """0 all released; 3 some documents or files were not released; 4 stopped by errors; 130 interrupted by Ctrl-C, 143 by
        SIGTERM, 129 by SIGHUP: 128 and the number of the signal."""
        if self.stopped == "interrupted":
            return 128 + (self.signal or 2)
        if self.stopped and self.stopped != "limit":
            return 4
        return 3 if self.documents.quarantined or self.documents.skipped or self.scan.moved else 0

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without the raw timings."""
        data = asdict(self)
        for component in data["components"]:
            component.pop("timings")
        return data

    def save(self, path: Path) -> None:
        """Write the report as JSON."""
        write_atomic(path, (json.dumps(self.to_json(), indent=1) + "\n").encode())


def _subtract(counts: dict[str, int], other: dict[str, int]) -> None:
    for name, n in other.items():
        counts[name] -= n
        if not counts[name]:
            del counts[name]


def versions() -> dict[str, str]:
    """Return the versions of caspipe, Python and the libraries that determine results."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in ("caspipe", "google-re2", "phonenumbers", "python-stdnum", "marisa-trie", "rapidfuzz", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def now() -> str:
    """Return the current time in UTC, for reports."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
