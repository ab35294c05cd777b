"""Metrics in OpenMetrics text format: counts and times by route, status and PHI kind; never text, ids or paths."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from .jobs import Facts

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = frozenset(("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"))
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters of one service. All methods are called from one thread, the event loop's."""

    def __init__(self) -> None:
        self.in_flight = 0
        self._requests: dict[Labels, int] = defaultdict(int)
        self._rejected: dict[Labels, int] = defaultdict(int)
        self._documents: dict[Labels, int] = defaultdict(int)
        self._phi: dict[Labels, int] = defaultdict(int)
        self._skipped: dict[Labels, int] = defaultdict(int)
        self._trainings: dict[Labels, int] = defaultdict(int)
        self._characters = 0
        self._latency: dict[Labels, _Histogram] = defaultdict(_Histogram)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request that is answered. `route` is the template, not what the client asked for."""
        method = method if method in _METHODS else "other"
        self._requests[("route", route), ("method", method), ("status", str(status))] += 1
        self._latency[(("route", route),)].add(seconds)

    def document(self, outcome: str, facts: Facts) -> None:
        """A document that is done: `ok`, or the code of what went wrong."""
        self._documents[(("outcome", outcome),)] += 1
        self._characters += facts.characters
        for kind, count in facts.kinds.items():
            self._phi[(("kind", kind),)] += count
        for reason, count in facts.skipped.items():
            self._skipped[(("reason", reason),)] += count

    def rejected(self, reason: str) -> None:
        """A request that was refused before any work was done."""
        self._rejected[(("reason", reason),)] += 1

    def training(self, outcome: str) -> None:
        """A training of a recommender: `started`, `done`, `failed` ..."""
        self._trainings[(("outcome", outcome),)] += 1

    def text(self, ready: bool) -> str:
        """The exposition."""
        lines = [
            *_counter("caspipe_requests", "Requests answered.", self._requests),
            *_counter("caspipe_rejected", "Requests refused before any work was done.", self._rejected),
            *_counter("caspipe_documents", "Documents done.", self._documents),
            *_counter("caspipe_characters", "Code points in documents done.", {(): self._characters}),
            *_counter("caspipe_phi", "Final spans found.", self._phi),
            *_counter("caspipe_suggestions_skipped", "Suggestions not made.", self._skipped),
            *_counter("caspipe_trainings", "Trainings of recommenders.", self._trainings),
            *_gauge("caspipe_in_flight", "Requests that are not answered yet.", self.in_flight),
            *_gauge("caspipe_ready", "1 where a worker is there.", int(ready)),
            "# TYPE caspipe_request_seconds histogram",
            "# UNIT caspipe_request_seconds seconds",
            "# HELP caspipe_request_seconds Time from a request's head to the end of its answer.",
        ]
        for labels, histogram in sorted(self._latency.items()):
            lines += histogram.lines("caspipe_request_seconds", labels)
        return "\n".join([*lines, "# EOF", ""])


class _Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(_BUCKETS) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(_BUCKETS, value)] += 1
        self.sum += value

    def lines(self, name: str, labels: Labels) -> Iterator[str]:
        total = 0
        for limit, count in zip((*map(str, _BUCKETS), "+Inf"), self.counts, strict=True):
            total += count
            yield f"{name}_bucket{_shown((*labels, ('le', limit)))} {total}"
        yield f"{name}_count{_shown(labels)} {total}"
        yield f"{name}_sum{_shown(labels)} {self.sum:.6f}"


def _counter(name: str, help_: str, values: dict[Labels, int]) -> Iterator[str]:
    yield f"# TYPE {name} counter"
    yield f"# HELP {name} {help_}"
    for labels, value in sorted(values.items()):
        yield f"{name}_total{_shown(labels)} {value}"


def _gauge(name: str, help_: str, value: int) -> Iterator[str]:
    yield f"# TYPE {name} gauge"
    yield f"# HELP {name} {help_}"
    yield f"{name} {value}"


def _shown(labels: Labels) -> str:
    return "{" + ",".join(f'{k}="{_escaped(v)}"' for k, v in labels) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
