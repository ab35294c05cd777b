"""Convert UTF-16 offsets, as in XMI, from and to code points, by a sparse list of the characters that need two units."""

from __future__ import annotations

import re
from bisect import bisect_left

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
