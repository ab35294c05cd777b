"""The text of a view (`Sofa`), how offsets move when text is replaced (`OffsetMap`), and UTF-16 offsets (`Utf16`)."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

MANY = 10_000
"""From this number of annotations or replacements on, less memory matters more than a few microseconds."""


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
        old_begin, old_end = array("q"), array("q")
        new_begin, new_end = array("q"), array("q")
        shift = 0
        last = 0
        for begin, end, length in spans:
            if begin < last or end < begin:
                raise ValueError(f"replacements must be sorted and disjoint: {begin}:{end} follows an end at {last}")
            old_begin.append(begin)
            old_end.append(end)
            new_begin.append(begin + shift)
            new_end.append(begin + shift + length)
            shift += length - (end - begin)
            last = end
        self._old_begin, self._old_end = _column(old_begin), _column(old_end)
        self._new_begin, self._new_end = _column(new_begin), _column(new_end)

    def to_new(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span in the new text that covers old `begin:end`."""
        return _move(begin, end, self._old_begin, self._old_end, self._new_begin, self._new_end)

    def to_old(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span in the old text that corresponds to new `begin:end`."""
        return _move(begin, end, self._new_begin, self._new_end, self._old_begin, self._old_end)

    def segments(self) -> list[tuple[int, int, int, int]]:
        """Return (old begin, old end, new begin, new end) of each replacement, in order."""
        return list(self)

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the segments one by one, which takes no memory."""
        return zip(self._old_begin, self._old_end, self._new_begin, self._new_end, strict=True)

    def columns(self) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]:
        """Return old begins, old ends, new begins and new ends. Do not change them."""
        return self._old_begin, self._old_end, self._new_begin, self._new_end

    def __repr__(self) -> str:
        return f"<OffsetMap of {len(self._old_begin)} replacements>"


def _column(offsets: array[int]) -> Sequence[int]:
    """Return offsets in the form that is read faster if they are few, else in the one that takes less memory."""
    return offsets if len(offsets) > MANY else offsets.tolist()


def _move(
    begin: int,
    end: int,
    from_begin: Sequence[int],
    from_end: Sequence[int],
    to_begin: Sequence[int],
    to_end: Sequence[int],
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
    parts: list[str] = []
    offsets = OffsetMap(_written(text, replacements, parts))
    return "".join(parts), offsets


def _written(text: str, replacements: Iterable[Replacement], parts: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the spans of an offset map, and append the new text in parts of many replacements: single ones take more memory."""
    pieces: list[str] = []
    last, remaining = 0, iter(replacements)
    while some := list(islice(remaining, MANY)):
        for r in some:
            pieces += text[last : r.begin], r.text
            last = r.end
            yield r.begin, last, len(r.text)
        parts.append("".join(pieces))
        pieces.clear()
    parts.append(text[last:])


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
