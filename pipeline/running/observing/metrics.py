"""The state of a run as metrics in a file, for the textfile collector of node_exporter or any reader of OpenMetrics."""

from __future__ import annotations

import bisect
import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from ....typesystem.errors import CaspipeWarning
from ...contract.report import RunReport, Timings
from ...errors import ConsumerError
from ...storage.files import make_folder, write_atomic
from ..runners.events import DocumentEvent, Observer, WorkerEvent
from .memory import Memory

Labels = Mapping[str, str]


class Exposition:
    """Families of samples in the order in which they were added."""

    def __init__(self) -> None:
        self._families: list[Any] = []

    def counter(self, name: str, text: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """Add numbers that only increase. `name` is without `_total`."""
        self._add(name, text, "counter", ((f"{name}_total", labels, value) for labels, value in samples))

    def gauge(self, name: str, text: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """Add numbers that increase and decrease."""
        self._add(name, text, "gauge", ((name, labels, value) for labels, value in samples))

    def histogram(self, name: str, text: str, samples: Iterable[tuple[Labels, list[tuple[float, int]], float]]) -> None:
        """Add distributions: labels, (upper edge, count up to it) from the lowest edge to infinity, and the sum."""

        def series() -> Iterator[tuple[str, Labels, float]]:
            for labels, buckets, total in samples:
                for edge, count in buckets:
                    yield f"{name}_bucket", {**labels, "le": "+Inf" if edge == float("inf") else repr(edge)}, count
                yield f"{name}_count", labels, buckets[-1][1]
                yield f"{name}_sum", labels, total

        self._add(name, text, "histogram", series())

    def _add(self, name: str, text: str, kind: str, samples: Iterable[tuple[str, Labels, float]]) -> None:
        from prometheus_client.metrics_core import Metric

        family = Metric(name, text, kind)
        for sample, labels, value in samples:
            family.add_sample(sample, {key: encodable(label) for key, label in labels.items()}, value)
        self._families.append(family)

    def collect(self) -> list[Any]:
        """Return the families; called by `prometheus_client`."""
        return self._families

    def __bytes__(self) -> bytes:
        from prometheus_client.openmetrics.exposition import generate_latest

        return bytes(generate_latest(self))  # type: ignore[no-untyped-call]


def encodable(value: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by U+FFFD."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


EVERY = 5.0
"""Seconds between two updates of the file."""
EDGES = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Upper edges of the buckets of durations, in seconds."""


class Metrics(Observer):
    """Writes the metrics of a run to a file atomically, at most every five seconds and at the end.

    Labels never contain ids of documents. `queue` returns how many documents wait for a worker. Raises ConsumerError if the first
    update fails; later failures are skipped, with one warning.
    """

    def __init__(self, path: Path, *, memory: Memory | None = None, queue: Callable[[], int] | None = None) -> None:
        self.path = Path(path)
        self.queue = queue
        self._memory = memory or Memory()
        self._own_memory = memory is None
        self._failures: Counter[tuple[str, str]] = Counter()
        self._alive: set[int] = set()
        self._ends: Counter[str] = Counter()
        self._written = 0.0
        self._began = 0.0
        self._start = 0.0
        self._total: int | None = None
        self._warned = False

    def started(self, report: RunReport, total: int | None) -> None:
        self._began, self._start, self._total = time.monotonic(), time.time(), total
        if self._own_memory:
            self._memory.started(report, total)
        make_folder(self.path.parent)
        self._write(report, running=True)

    def document(self, event: DocumentEvent) -> None:
        if event.reason:
            self._failures[event.reason, event.component] += 1

    def worker(self, event: WorkerEvent) -> None:
        if self._own_memory:
            self._memory.worker(event)
        if event.what == "started":
            self._alive.add(event.worker)
        else:
            self._alive.discard(event.worker)
            self._ends[event.what] += 1

    def tick(self, report: RunReport, total: int | None) -> None:
        if time.monotonic() - self._written >= EVERY:
            self._total = total
            self._try(report, running=True)

    def ended(self, report: RunReport) -> None:
        self._try(report, running=False)

    def _try(self, report: RunReport, *, running: bool) -> None:
        self._memory.look()
        try:
            self._write(report, running=running)
        except ConsumerError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(f"{error}; the run continues without these metrics", CaspipeWarning, stacklevel=3)

    def _write(self, report: RunReport, *, running: bool) -> None:
        self._written = time.monotonic()
        write_atomic(self.path, self.render(report, running=running), durable=False)

    def render(self, report: RunReport, *, running: bool) -> bytes:
        """Return the metrics as OpenMetrics text."""
        d, out = report.documents, Exposition()
        about = {"name": report.name, "code": report.versions.get("caspipe", ""), "fingerprint": report.fingerprint}
        out.gauge("caspipe_run_info", "What runs.", [({**about, "shard": report.shard}, 1)])
        out.gauge("caspipe_run_active", "1 during the run, 0 after its end.", [({}, int(running))])
        out.gauge("caspipe_run_start_time_seconds", "Start of the run in Unix time.", [({}, self._start)])
        seconds = time.monotonic() - self._began if running else report.seconds
        out.gauge("caspipe_run_seconds", "Duration of the run so far.", [({}, float(seconds))])
        status = {"released": d.released, "quarantined": d.quarantined, "skipped": d.skipped}
        text = "Processed documents by outcome."
        out.counter("caspipe_documents", text, [({"status": s}, n) for s, n in status.items()])
        if self._total is not None:
            out.gauge("caspipe_documents_expected", "Documents in the input.", [({}, self._total)])
        text = "Documents that were not released, by reason and component."
        failures = [({"reason": r, "component": c}, n) for (r, c), n in sorted(self._failures.items())]
        out.counter("caspipe_failures", text, failures)
        out.counter("caspipe_retries", "Attempts after the first.", [({}, report.attempts)])
        out.counter("caspipe_reused", "Documents adopted from an earlier run.", [({}, report.reused)])
        out.counter("caspipe_characters", "Code points of released documents.", [({}, report.characters)])
        out.counter("caspipe_repaired_spans", "Spans that the leak gate added.", [({}, report.repaired)])
        text = "Released documents in which the leak gate added spans."
        out.counter("caspipe_repaired_documents", text, [({}, report.repaired_documents)])
        out.counter("caspipe_warnings", "Distinct warnings.", [({}, len(report.warnings))])
        self._components(out, report)
        out.gauge("caspipe_workers", "Running worker processes.", [({}, len(self._alive))])
        text = "Worker processes that ended, by reason."
        out.counter("caspipe_worker_ends", text, [({"what": what}, n) for what, n in sorted(self._ends.items())])
        if self.queue is not None:
            out.gauge("caspipe_queue_documents", "Documents that wait for a worker.", [({}, self.queue())])
        for name, text, held in (
            ("caspipe_resident_bytes", "Resident memory of a process.", self._memory.now),
            ("caspipe_resident_peak_bytes", "Peak resident memory of a process.", self._memory.most),
        ):
            out.gauge(name, text, [({"process": process}, n) for process, n in held.items()])
        return bytes(out)

    def _components(self, out: Exposition, report: RunReport) -> None:
        parts = [({"component": c.id, "role": c.kind}, c) for c in report.components]
        text = "Processing time of a component for one document, with an error of at most 5 percent."
        out.histogram(
            "caspipe_component_seconds",
            text,
            [(labels, buckets(c.timings), float(c.timings.total)) for labels, c in parts],
        )
        text = "Longest processing time of a component for one document."
        out.gauge(
            "caspipe_component_longest_seconds", text, [(labels, float(c.timings.longest)) for labels, c in parts]
        )
        out.counter(
            "caspipe_component_errors",
            "Documents on which a component failed.",
            [(labels, c.errors) for labels, c in parts],
        )


def buckets(timings: Timings) -> list[tuple[float, int]]:
    """Return (upper edge, number of durations up to it) for `EDGES` and infinity. Durations have an error of up to 5 %, so those
    near an edge may be counted on its other side."""
    counts = [0] * (len(EDGES) + 1)
    for seconds, count in timings.distribution():
        counts[bisect.bisect_left(EDGES, seconds)] += count
    return list(zip((*EDGES, math.inf), accumulate(counts), strict=True))
