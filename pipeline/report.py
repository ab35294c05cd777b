"""What a run did: documents, failures, counts and timings, without a word of any document."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Documents:
    """How many documents went where. `read = released + quarantined + skipped` always holds."""

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

    def quantile(self, q: float) -> float:
        """Seconds below which a share `q` of the durations lies, to 5 %."""
        left = q * self.count
        for bucket in sorted(self._buckets):
            left -= self._buckets[bucket]
            if left <= 0:
                return min(math.exp((bucket + 0.5) * 0.05), self.longest)
        return self.longest


@dataclass(slots=True)
class ComponentStats:
    """Work of one component: documents, annotations made, seconds in all and per document (p50, p95, max), errors."""

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

    def settle(self) -> None:
        """Computes the figures from the timings."""
        t = self.timings
        self.seconds, self.p50, self.p95, self.max = t.total, t.quantile(0.5), t.quantile(0.95), t.longest


@dataclass(slots=True)
class RunReport:
    """The account of one run."""

    name: str = ""
    started: str | None = None
    seconds: float = 0.0
    documents: Documents = field(default_factory=Documents)
    failures: list[Failure] = field(default_factory=list)
    components: list[ComponentStats] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    characters: int = 0
    slowest: list[tuple[float, int]] = field(default_factory=list)
    """(seconds, number in reading order) of the slowest documents, slowest first."""
    stopped: str = ""
    """Why the run ended early; empty where it did not."""

    @property
    def exit_code(self) -> int:
        """0 all released; 3 some quarantined or skipped; 4 stopped by errors; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        if self.stopped and self.stopped != "limit":
            return 4
        return 3 if self.documents.quarantined or self.documents.skipped else 0

    def to_json(self) -> dict[str, Any]:
        """Plain data, without the raw timings."""
        data = asdict(self)
        for component in data["components"]:
            component.pop("timings")
        return data

    def save(self, path: Path) -> None:
        from .files import write_atomic

        write_atomic(path, (json.dumps(self.to_json(), indent=1) + "\n").encode())


def versions() -> dict[str, str]:
    """Versions of caspipe, Python and the libraries that results depend on."""
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
    """The time of day, in UTC, for reports."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
