"""Spans of one side of a document, and fast answers to whether one of them covers, overlaps or is inside a given span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

Span = tuple[int, int]


class Spans:
    """Sorted spans; finds in logarithmic time whether one of them covers, overlaps or is inside a given one."""

    __slots__ = ("_begins", "_furthest", "_nearest")

    def __init__(self, spans: Sequence[Span]) -> None:
        self._begins = [b for b, _ in spans]
        self._furthest = list(accumulate((e for _, e in spans), max))
        """For each span the furthest end up to it."""
        self._nearest = list(accumulate((e for _, e in reversed(spans)), min))[::-1]
        """For each span the nearest end from it on."""

    def cover(self, span: Span) -> bool:
        """Return whether one span contains all of `span`."""
        before = bisect_right(self._begins, span[0])
        return before > 0 and self._furthest[before - 1] >= span[1]

    def overlap(self, span: Span) -> bool:
        """Return whether one span shares a code point with `span`."""
        before = bisect_left(self._begins, span[1])
        return before > 0 and self._furthest[before - 1] > span[0]

    def inside(self, span: Span) -> bool:
        """Return whether one span is inside `span`."""
        after = bisect_left(self._begins, span[0])
        return after < len(self._begins) and self._nearest[after] <= span[1]
