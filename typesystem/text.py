"""The text of a view (`Sofa`), and how offsets move when text is replaced (`OffsetMap`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sofa:
    """Subject of analysis: one view's immutable text. Other data is at `uri` or in `array` (a feature structure)."""

    name: str
    text: str | None = None
    mime: str = "text/plain"
    uri: str | None = None
    array: object | None = None

    def __repr__(self) -> str:
        return f"<Sofa {shown(self.name)}: {len(self.text or '')} code points>"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A replacement of the code points `begin:end` by `text`."""

    begin: int
    end: int
    text: str

    def __repr__(self) -> str:
        return f"<Replacement {self.begin}:{self.end}>"


class OffsetMap:
    """Maps offsets of an old text to the new text after disjoint replacements, and back.

    Outside replacements the map is exact in both directions. Within a replaced span, `begin` and `end` snap to its borders, so
    that a mapped annotation always covers the whole replacement. Memory is proportional to the number of replacements.
    """

    __slots__ = ("_new_begin", "_new_end", "_old_begin", "_old_end")

    def __init__(self, spans: Iterable[tuple[int, int, int]]) -> None:
        """`spans`: (old begin, old end, length of the replacement), sorted and disjoint. Raises ValueError otherwise."""
        self._old_begin: list[int] = []
        self._old_end: list[int] = []
        self._new_begin: list[int] = []
        self._new_end: list[int] = []
        shift = 0
        last = 0
        for begin, end, length in spans:
            if begin < last or end < begin:
                raise ValueError(f"replacements must be sorted and disjoint: {begin}:{end} follows an end at {last}")
            self._old_begin.append(begin)
            self._old_end.append(end)
            self._new_begin.append(begin + shift)
            self._new_end.append(begin + shift + length)
            shift += length - (end - begin)
            last = end

    def to_new(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span in the new text that covers old `begin:end`."""
        return _move(begin, end, self._old_begin, self._old_end, self._new_begin, self._new_end)

    def to_old(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span in the old text that corresponds to new `begin:end`."""
        return _move(begin, end, self._new_begin, self._new_end, self._old_begin, self._old_end)

    def segments(self) -> list[tuple[int, int, int, int]]:
        """Return (old begin, old end, new begin, new end) of each replacement, in order."""
        return list(zip(self._old_begin, self._old_end, self._new_begin, self._new_end, strict=True))

    def __repr__(self) -> str:
        return f"<OffsetMap of {len(self._old_begin)} replacements>"


def _move(
    begin: int, end: int, from_begin: list[int], from_end: list[int], to_begin: list[int], to_end: list[int]
) -> tuple[int, int]:
    i = bisect_right(from_begin, begin) - 1
    if i < 0:
        new_begin = begin
    elif begin < from_end[i]:
        new_begin = to_begin[i]
    else:  # an annotation that begins at an empty replaced span comes after it
        new_begin = to_end[i] + begin - from_end[i]
    j = bisect_left(from_begin, end) - 1
    if j < 0:
        new_end = end
    elif end < from_end[j]:
        new_end = to_end[j]
    else:
        new_end = to_end[j] + end - from_end[j]
    return min(new_begin, new_end), max(new_begin, new_end)


def replace_spans(text: str, replacements: Iterable[Replacement]) -> tuple[str, OffsetMap]:
    """Replace sorted, disjoint spans of a text; return the new text and the offset map. Raises ValueError."""
    pieces: list[str] = []
    spans: list[tuple[int, int, int]] = []
    last = 0
    for r in replacements:
        spans.append((r.begin, r.end, len(r.text)))
        pieces.append(text[last : r.begin])
        pieces.append(r.text)
        last = r.end
    offsets = OffsetMap(spans)
    pieces.append(text[last:])
    return "".join(pieces), offsets


def shown(view: str) -> str:
    """Return the name of a view as messages may show it: a long name, or one with spaces, could be text of the document."""
    return (
        view if len(view) <= 40 and all(c.isalnum() or c in "_-./:" for c in view) else "(a name with other characters)"
    )
