"""Metrics in OpenMetrics text format: counts and times by route, status and PHI kind; never text, ids or paths."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.openmetrics.exposition import generate_latest

from .jobs import Facts

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = frozenset(("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"))

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Counters of one service. All methods are called from one thread, that of the event loop."""

    def __init__(self) -> None:
        self.in_flight = 0
        self._registry = CollectorRegistry()
        self._requests = self._counter("caspipe_requests", "Requests answered.", "route", "method", "status")
        self._rejected = self._counter("caspipe_rejected", "Requests rejected before any work was done.", "reason")
        self._documents = self._counter("caspipe_documents", "Documents done.", "outcome")
        self._characters = self._counter("caspipe_characters", "Code points in documents done.")
        self._phi = self._counter("caspipe_phi", "Final spans found.", "kind")
        self._skipped = self._counter("caspipe_suggestions_skipped", "Suggestions not made.", "reason")
        self._trainings = self._counter("caspipe_trainings", "Trainings of recommenders.", "outcome")
        self._in_flight = Gauge("caspipe_in_flight", "Requests that are not answered yet.", registry=self._registry)
        self._ready = Gauge("caspipe_ready", "1 if a worker is ready.", registry=self._registry)
        self._latency = Histogram(
            "caspipe_request_seconds",
            "Time from the head of a request to the end of its answer.",
            ["route"],
            unit="seconds",
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def _counter(self, name: str, help_: str, *labels: str) -> Counter:
        return Counter(name, help_, labels, registry=self._registry)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered. `route`: the template, not the requested path."""
        self._requests.labels(route, method if method in _METHODS else "other", str(status)).inc()
        self._latency.labels(route).observe(seconds)

    def document(self, outcome: str, facts: Facts) -> None:
        """Count a document: `ok`, or the code of its problem."""
        self._documents.labels(outcome).inc()
        self._characters.inc(facts.characters)
        for kind, count in facts.kinds.items():
            self._phi.labels(kind).inc(count)
        for reason, count in facts.skipped.items():
            self._skipped.labels(reason).inc(count)

    def rejected(self, reason: str) -> None:
        """Count a request that was rejected before any work was done."""
        self._rejected.labels(reason).inc()

    def training(self, outcome: str) -> None:
        """Count an event of a recommender's training: `started`, `done`, `failed` ..."""
        self._trainings.labels(outcome).inc()

    def text(self, ready: bool) -> str:
        """Return all metrics in text format."""
        self._in_flight.set(self.in_flight)
        self._ready.set(int(ready))
        return bytes(generate_latest(self._registry)).decode()  # type: ignore[no-untyped-call]
