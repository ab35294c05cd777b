"""The text of a view (`Sofa`), how offsets move when text is replaced (`OffsetMap`), and UTF-16 offsets (`Utf16`)."""

from __future__ import annotations

import re
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


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16:
    """Converts the offsets of one text. It needs memory only for characters beyond U+FFFF.

    `length` is the text's length in UTF-16 code units. A lone surrogate counts as one unit.
    """

    __slots__ = ("_astral", "_units", "length")

    def __init__(self, text: str) -> None:
        self._astral: list[int] = []
        if text and not text.isascii() and max(text) > "\uffff":
            self._astral = [m.start() for m in _ASTRAL.finditer(text)]
        self._units = [position + i for i, position in enumerate(self._astral)]
        self.length = len(text) + len(self._astral)

    def __bool__(self) -> bool:
        """Return whether the two kinds of offsets differ for this text."""
        return bool(self._astral)

    def to_utf16(self, offset: int) -> int:
        """Return the UTF-16 offset of a code point."""
        return offset + bisect_left(self._astral, offset)

    def from_utf16(self, offset: int, *, up: bool = False) -> int:
        """Return the code point at a UTF-16 offset; within a surrogate pair, the begin of the pair, or its end if `up`."""
        before = bisect_left(self._units, offset)
        if before and offset == self._units[before - 1] + 1:  # between the two halves
            return self._astral[before - 1] + up
        return offset - before

    def splits_pair(self, offset: int) -> bool:
        """Return whether a UTF-16 offset is between the two halves of a surrogate pair."""
        before = bisect_left(self._units, offset)
        return before > 0 and offset == self._units[before - 1] + 1

    def __repr__(self) -> str:
        return f"<Utf16 with {len(self._astral)} pairs>"
