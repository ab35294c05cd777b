"""The text form of metrics: OpenMetrics 1.0 (IETF draft-richih-opsawg-openmetrics), in the part that older readers take too.

The types `info`, `stateset` and `unknown` are left out: Prometheus' older text format, which the textfile collector of
node_exporter reads, knows none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Labels = Mapping[str, str]
_ESCAPED = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Exposition:
    """Families of samples, written one after the other."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def counter(self, name: str, told: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """Numbers that only grow. `name` is without `_total`."""
        self._family(name, "counter", told)
        for labels, value in samples:
            self._sample(f"{name}_total", labels, value)

    def gauge(self, name: str, told: str, samples: Iterable[tuple[Labels, float]]) -> None:
        """Numbers that go up and down."""
        self._family(name, "gauge", told)
        for labels, value in samples:
            self._sample(name, labels, value)

    def histogram(self, name: str, told: str, samples: Iterable[tuple[Labels, list[tuple[float, int]], float]]) -> None:
        """Distributions: labels, (upper edge, number up to it) from the lowest edge to infinity, and the sum."""
        self._family(name, "histogram", told)
        for labels, buckets, total in samples:
            for edge, count in buckets:
                self._sample(f"{name}_bucket", {**labels, "le": number(edge)}, count)
            self._sample(f"{name}_count", labels, buckets[-1][1])
            self._sample(f"{name}_sum", labels, total)

    def _family(self, name: str, kind: str, told: str) -> None:
        self._lines.append(f"# TYPE {name} {kind}")
        self._lines.append(f"# HELP {name} {told.translate(_ESCAPED)}")

    def _sample(self, name: str, labels: Labels, value: float) -> None:
        inside = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        self._lines.append(f"{name}{{{inside}}} {number(value)}" if inside else f"{name} {number(value)}")

    def __bytes__(self) -> bytes:
        return "\n".join([*self._lines, "# EOF\n"]).encode()


def escaped(value: str) -> str:
    """A label's value between its quotes. Lone surrogates, which UTF-8 cannot hold, become U+FFFD."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_ESCAPED)


def number(value: float) -> str:
    """A number as OpenMetrics has it: whole ones without a point unless they are floats, infinity as `+Inf`."""
    if value == float("inf"):
        return "+Inf"
    return repr(value)
