"""Offsets in the unit a client counts in: code points, UTF-16 code units, or bytes of UTF-8."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate

from ....typesystem.text import Utf16

_BEYOND_ASCII = re.compile("[^\x00-\x7f]")


class Utf8:
    """Converts code points to bytes of UTF-8 of one text. Costs memory only for characters beyond ASCII."""

    __slots__ = ("_at", "_more")

    def __init__(self, text: str) -> None:
        found = [] if text.isascii() else [(m.start(), m.group()) for m in _BEYOND_ASCII.finditer(text)]
        self._at = [position for position, _ in found]
        self._more = [0, *accumulate(_bytes(c) - 1 for _, c in found)]

    def to_utf8(self, offset: int) -> int:
        """Return number of bytes before a code point. A lone surrogate counts as U+FFFD, which is written in its place."""
        return offset + self._more[bisect_left(self._at, offset)]


def _bytes(character: str) -> int:
    return 2 if character < "\u0800" else 3 if character < "\U00010000" else 4


def converter(text: str, unit: str) -> Callable[[int], int]:
    """From code points of a text to `codepoint`, `utf16` or `utf8`."""
    if unit == "utf16":
        return Utf16(text).to_utf16
    if unit == "utf8":
        return Utf8(text).to_utf8
    return int
