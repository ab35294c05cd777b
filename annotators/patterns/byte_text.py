"""Text as google-re2 reads it: typographic characters as ASCII, and characters and words in UTF-8 bytes."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex

_TYPOGRAPHIC = lazy_regex(
    "[\u00a0\u00ad\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u2015\u2018\u2019\u201c\u201d\u2028\u2029\u202f\u205f\u2060"
    "\u2212\u3000\ufe58\ufe63\ufeff\uff01-\uff5e]"
)
_ASCII = {
    **dict.fromkeys((0xA0, *range(0x2000, 0x2010), 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF), " "),
    **dict.fromkeys((0xAD, *range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-"),
    **dict.fromkeys((0x2018, 0x2019), "'"),
    **dict.fromkeys((0x201C, 0x201D), '"'),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **{start + i: str(i) for start in (0x660, 0x6F0, 0x966) for i in range(10)},
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},
}


def plain(text: str) -> str:
    """Return the text with typographic spaces, dashes, quotes, full-width characters and other digits as ASCII, one for one."""
    return text if text.isascii() or not _TYPOGRAPHIC.search(text) else text.translate(_ASCII)


class Offsets:
    """Converts byte offsets, queried in ascending order, to code points."""

    def __init__(self, data: bytes, ascii_only: bool) -> None:
        self._data, self._ascii, self._byte, self._point = data, ascii_only, 0, 0

    def code_point(self, offset: int, *, advance: bool = True) -> int:
        """Return the code point at a byte offset; without `advance`, the next offset may be lower than this one."""
        if self._ascii:
            return offset
        point = self._point + len(self._data[self._byte : offset].decode("utf-8", "surrogatepass"))
        if advance:
            self._byte, self._point = offset, point
        return point


def character(data: bytes, offset: int) -> int:
    """Return the first byte of the character at `offset`; the length of the text for any offset beyond it."""
    if offset >= len(data):
        return len(data)
    while offset > 0 and data[offset] & 0xC0 == 0x80:
        offset -= 1
    return offset


_ALNUM = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset(b"0123456789")
_JOINERS = frozenset(b"-_.")


def _alnum(data: bytes, offset: int) -> bool:
    """Return True if the character that contains the byte at `offset` is a letter or digit."""
    if not 0 <= offset < len(data):
        return False
    if data[offset] < 0x80:
        return data[offset] in _ALNUM
    start = character(data, offset)
    return data[start : start + 4].decode("utf-8", "ignore")[:1].isalnum()


def free_before(data: bytes, begin: int, boundary: str) -> bool:
    """Return True if a span may begin there: not inside a run of letters and digits; `joined`: nor inside `12-34.56`."""
    if boundary == "none" or begin == 0:
        return True
    if _alnum(data, begin) and _alnum(data, begin - 1):
        return False
    joined = boundary == "joined" and begin > 1 and data[begin] in _DIGITS and data[begin - 1] in _JOINERS
    return not (joined and data[begin - 2] in _DIGITS)


def free_after(data: bytes, end: int, boundary: str) -> bool:
    """Return True if a span may end there, by the same rules."""
    if boundary == "none" or end >= len(data):
        return True
    if _alnum(data, end - 1) and _alnum(data, end):
        return False
    joined = boundary == "joined" and end + 1 < len(data) and data[end - 1] in _DIGITS and data[end] in _JOINERS
    return not (joined and data[end + 1] in _DIGITS)


_RUN = re.compile(rb"[0-9A-Za-z\x80-\xff]+")


def end_of_run(data: bytes, offset: int, high: int) -> int:
    """Return the end of the run of letters and digits at `offset`, at least one byte further."""
    run = _RUN.match(data, offset, high)
    return character(data, run.end()) if run and run.end() < len(data) else run.end() if run else offset + 1
