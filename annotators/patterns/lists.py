"""Deny and allow lists of strings, matched regardless of case, white space and dashes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from ...pipeline.storage.lazy_regex import lazy_regex

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_PIECE = lazy_regex(rf"(?:[^\W\d_][\u0300-\u036f{_INVISIBLE}]*)+|\d+")
_UNSEEN = dict.fromkeys(map(ord, _INVISIBLE))
_GAP = lazy_regex(r"[\s\-‐-―−_'’.,&/()#+:]{0,4}\Z")
_END: Any = None


def pieces(text: str) -> tuple[str, ...]:
    """Return the runs of letters and of digits, case-folded: `AB-123`, `ab 123` and `AB123` give the same."""
    return tuple(map(folded, _PIECE.findall(text)))


def folded(piece: str) -> str:
    """Return a run of letters or digits for comparison: without invisible characters, NFKC, case-folded."""
    if piece.isascii():
        return piece.casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece.translate(_UNSEEN)).casefold())


def piece_spans(text: str) -> list[tuple[int, int, str]]:
    """Return (begin, end, folded) of each run of letters or digits."""
    return [(m.start(), m.end(), folded(m[0])) for m in _PIECE.finditer(text)]


def joins(text: str, end: int, begin: int) -> bool:
    """Return whether the text between two pieces may stand inside one string: white space, dashes, a few other signs."""
    return _GAP.match(text[end : min(begin, end + 5)]) is not None


class StringList:
    """A set of strings to find in a text: longest first, whole words only, in linear time."""

    def __init__(self, strings: Iterable[tuple[str, int]]) -> None:
        """`strings` are (string, number returned for a match). Strings without letters and digits are ignored."""
        self._root: dict[Any, Any] = {}
        self._whole: dict[tuple[str, ...], int] = {}
        for string, number in strings:
            key = pieces(string)
            if not key:
                continue
            self._whole.setdefault(key, number)
            node = self._root
            for piece in key:
                node = node.setdefault(piece, {})
            node.setdefault(_END, number)

    def __bool__(self) -> bool:
        return bool(self._root)

    def __len__(self) -> int:
        return len(self._whole)

    def __contains__(self, text: str) -> bool:
        """Return True if the whole text is one of the strings."""
        return pieces(text) in self._whole

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (begin, end, number) of every match, in text order, disjoint."""
        if not self._root:
            return
        spans = piece_spans(text)
        i = 0
        while i < len(spans):
            node: dict[Any, Any] | None = self._root.get(spans[i][2])
            best: tuple[int, int] | None = None
            j = i
            while node is not None:
                if _END in node and not inside_word(text, spans[i][0], spans[j][1]):
                    best = j, node[_END]
                j += 1
                if j >= len(spans) or not joins(text, spans[j - 1][1], spans[j][0]):
                    break
                node = node.get(spans[j][2])
            if best is None:
                i += 1
                continue
            yield spans[i][0], spans[best[0]][1], best[1]
            i = best[0] + 1


def inside_word(text: str, begin: int, end: int) -> bool:
    """Return True if the span begins or ends inside a run of letters and digits."""
    return (begin > 0 and text[begin - 1].isalnum()) or (end < len(text) and text[end].isalnum())
