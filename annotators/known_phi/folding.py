"""Folds a text to lower case without diacritics, code point by code point, so that offsets stay the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_INVISIBLE = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff]+")
_WIDTHS = ("<wide>", "<narrow>", "<font>")

_LETTERS = {
    "ß": "s", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "a", "œ": "o", "þ": "t", "ħ": "h",
    "‘": "'", "’": "'", "ʼ": "'", "´": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip

_EXPANDED = {
    "ß": "ss", "ø": "oe", "æ": "ae", "œ": "oe", "ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "þ": "th", "đ": "dj",
}  # fmt: skip


class _FoldTable(dict[int, str]):
    """A table for `str.translate`, filled on demand."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        low = char.lower()
        if char.isdecimal():
            folded = str(unicodedata.decimal(char))
        elif unicodedata.decomposition(low[:1]).startswith(_WIDTHS):  # `\uff2d`, the full-width M
            folded = unicodedata.normalize("NFKD", low)[:1]
        else:
            folded = _LETTERS[low] if low in _LETTERS else unicodedata.normalize("NFD", low)[:1] or char
        self[code] = folded
        return folded


_FOLD_TABLE = _FoldTable()


def fold(text: str) -> str:
    """Return the text in lower case, letters without diacritics, digits in ASCII, dashes, apostrophes and widths unified.

    The result has the same length.
    """
    return text.lower() if text.isascii() else text.translate(_FOLD_TABLE)


def without_invisible(text: str) -> tuple[str, list[int]]:
    """Return the text without combining diacritics and invisible characters, and the offset in `text` of each code point.

    The list is empty if no character was left out, so that the offsets are the same.
    """
    if text.isascii() or _INVISIBLE.search(text) is None:
        return text, []
    parts, offsets, begin = list[str](), list[int](), 0
    for low, high in (*(m.span() for m in _INVISIBLE.finditer(text)), (len(text), len(text))):
        parts.append(text[begin:low])
        offsets += range(begin, low)
        begin = high
    return "".join(parts), offsets


def compose(value: str) -> str:
    """Return a value with each letter and its diacritics in one code point, without invisible characters."""
    return value if value.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFC", value))


def spelling_variants(word: str) -> list[str]:
    """Return the folded forms of a word, plain and with umlauts and ligatures written out: `Müller` -> `muller`, `mueller`."""
    plain = fold(word)
    if word.isascii():
        return [plain]
    written = fold("".join(_EXPANDED.get(c, c) for c in unicodedata.normalize("NFC", word.lower())))
    return [plain] if written == plain else [plain, written]


def whole_word_offsets(folded: str, word: str) -> Iterator[int]:
    """Yield the offsets of `word` in a folded text, if no letter or digit touches it."""
    size, limit = len(word), len(folded)
    begin = folded.find(word)
    while begin >= 0:
        end = begin + size
        if not (begin and folded[begin - 1].isalnum()) and not (end < limit and folded[end].isalnum()):
            yield begin
        begin = folded.find(word, begin + 1)
