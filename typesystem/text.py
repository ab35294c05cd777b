"""Text of a view and how offsets move when text is replaced: `Sofa` and `OffsetMap`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sofa:
    """Subject of analysis: one view's immutable text. `uri` or `array` (a feature structure) stand for other data."""

    name: str
    text: str | None = None
    mime: str = "text/plain"
    uri: str | None = None
    array: object | None = None

    def __repr__(self) -> str:
        return f"<Sofa {shown(self.name)}: {len(self.text or '')} code points>"


@dataclass(frozen=True, slots=True)
class Replacement:
    """Code points `begin:end` of the old text became `text`."""

    begin: int
    end: int
    text: str

    def __repr__(self) -> str:
        return f"<Replacement {self.begin}:{self.end}>"


class OffsetMap:
    """Where each code point of an old text lies in the new text after disjoint replacements, and back.

    Outside replacements the map is exact in both directions. Inside a replaced span there is no finer truth than the whole
    span: `begin` and `end` snap to its borders, so that a mapped annotation always covers the whole replacement.
    Arrays are kept per replacement, not per character.
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
        """The span in the new text that covers old `begin:end`."""
        return _move(begin, end, self._old_begin, self._old_end, self._new_begin, self._new_end)

    def to_old(self, begin: int, end: int) -> tuple[int, int]:
        """The span in the old text that new `begin:end` came from."""
        return _move(begin, end, self._new_begin, self._new_end, self._old_begin, self._old_end)

    def segments(self) -> list[tuple[int, int, int, int]]:
        """(old begin, old end, new begin, new end) of each replacement, in order."""
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
    else:  # also at an empty replaced span: what begins here lies behind it
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
    """The text with each span replaced, and the offset map. `replacements` must be sorted and disjoint (ValueError)."""
    pieces: list[str] = []
    spans: list[tuple[int, int, int]] = []
    at = 0
    for r in replacements:
        spans.append((r.begin, r.end, len(r.text)))
        pieces.append(text[at : r.begin])
        pieces.append(r.text)
        at = r.end
    offsets = OffsetMap(spans)
    pieces.append(text[at:])
    return "".join(pieces), offsets


def shown(view: str) -> str:
    """The name of a view as it may be shown: one with blanks, or a long one, could be text of the document."""
    return (
        view if len(view) <= 40 and all(c.isalnum() or c in "_-./:" for c in view) else "(a name with other characters)"
    )
