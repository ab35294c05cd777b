"""Folds a text to lower case without diacritics, one code point for one, so that offsets in both are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_UNSEEN = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff]+")
_WIDTHS = ("<wide>", "<narrow>", "<font>")

_LETTERS = {
    "ß": "s", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "a", "œ": "o", "þ": "t", "ħ": "h",
    "‘": "'", "’": "'", "ʼ": "'", "´": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip

_EXPANDED = {
    "ß": "ss", "ø": "oe", "æ": "ae", "œ": "oe", "ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "þ": "th", "đ": "dj",
}  # fmt: skip


class _Folding(dict[int, str]):
    """Table for `str.translate`, filled as characters come up; bounded by the size of Unicode."""

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


_FOLDING = _Folding()


def fold(text: str) -> str:
    """The text in lower case, letters without diacritics, digits in ASCII, dashes and apostrophes unified, widths too.

    As long as `text`.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def seen(text: str) -> tuple[str, list[int]]:
    """The text without combining diacritics and invisible characters, and the offset in `text` of each code point of it.

    An empty list says that nothing was left out and the offsets are the same.
    """
    if text.isascii() or _UNSEEN.search(text) is None:
        return text, []
    parts, offsets, at = list[str](), list[int](), 0
    for left_out in _UNSEEN.finditer(text):
        parts.append(text[at : left_out.start()])
        offsets += range(at, left_out.start())
        at = left_out.end()
    parts.append(text[at:])
    offsets += range(at, len(text))
    return "".join(parts), offsets


def compose(value: str) -> str:
    """A value of the record with its diacritics in one code point each and without invisible characters."""
    return value if value.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFC", value))


def spelling_variants(word: str) -> list[str]:
    """The folded forms of a word: plain and, for umlauts and ligatures, written out: `Müller` -> `muller`, `mueller`."""
    plain = fold(word)
    if word.isascii():
        return [plain]
    written = fold("".join(_EXPANDED.get(c, c) for c in unicodedata.normalize("NFC", word.lower())))
    return [plain] if written == plain else [plain, written]


def whole_word_offsets(folded: str, word: str) -> Iterator[int]:
    """Offsets at which `word` stands as a whole word of a folded text: no letter or digit touches it."""
    size, limit = len(word), len(folded)
    at = folded.find(word)
    while at >= 0:
        end = at + size
        if not (at and folded[at - 1].isalnum()) and not (end < limit and folded[end].isalnum()):
            yield at
        at = folded.find(word, at + 1)
