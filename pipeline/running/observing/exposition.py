"""OpenMetrics text from samples, written by `prometheus_client`.

Only counters, gauges and histograms are used: the older text format of Prometheus, which the textfile collector of node_exporter
reads, does not know the other types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
