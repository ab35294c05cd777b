"""What of a masked text can be read: without the replacements, in plain letters, with the way back to its offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ..known_phi.searchable_text import SearchableText

BLANK = "|"
"""Stands for each code point of a replacement: no letter, no blank, and nothing a pattern is made of."""

_HYPHEN = re.compile(r"-[ \t]*\r?\n[ \t]*")
"""A hyphen at the end of a line, and the indent of the next one."""


class _Plain(dict[int, str]):
    """Table for `str.translate`, filled as characters come up: compatibility forms (NFKC) of letters, decimal digits,
    punctuation and blanks; combining marks and invisible characters are left out. Superscripts and `\u00ba` stay."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        normal = unicodedata.normalize("NFKC", char)
        if category in ("Mn", "Me", "Cf"):
            plain = ""
        elif category == "No" or char in "\u00aa\u00ba":
            plain = char
        else:
            plain = normal if normal.isalpha() or len(normal) == 1 else char
        self[code] = plain
        return plain


_PLAIN = _Plain()


def _is_plain(text: str) -> bool:
    return text.isascii() or all(_PLAIN[ord(c)] == c for c in set(text))


def plain(text: str) -> str:
    """The text in plain letters: `\\ufb01` as `fi`, full-width letters as usual ones, no soft hyphens, no combining marks."""
    return text if _is_plain(text) else unicodedata.normalize("NFC", text).translate(_PLAIN)


class TextVariant:
    """One reading of the text: a document for matchers, and where its code points stand in the masked text.

    `offsets` makes, when a hit asks for it, the offset of each code point of the document; None: they are the same.
    """

    def __init__(self, document: SearchableText, text: str, offsets: Callable[[], list[int]] | None = None) -> None:
        self.document = document
        self._text = text
        self._make = offsets

    @cached_property
    def offsets(self) -> Sequence[int]:
        return range(len(self._text)) if self._make is None else self._make()

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Begin and end in the masked text, with what is left out behind the last letter."""
        if self._make is None:
            return begin, end
        stop = self.offsets[end - 1] + 1
        while stop < len(self._text) and not _PLAIN[ord(self._text[stop])]:
            stop += 1
        return self.offsets[begin], stop


class VisibleText:
    """A masked text with its replacements, sorted and disjoint, blanked."""

    def __init__(self, text: str, begins: Sequence[int], ends: Sequence[int]) -> None:
        pieces, at = list[str](), 0
        for begin, end in zip(begins, ends, strict=True):
            pieces.append(text[at:begin])
            pieces.append(BLANK * (end - begin))
            at = end
        pieces.append(text[at:])
        self.text = "".join(pieces)
        """As long as the masked text."""

    def variants(self) -> Iterator[TextVariant]:
        """The text in plain letters, and once more with divided words put together where lines end in hyphens."""
        text = self.text
        if _is_plain(text):
            first = TextVariant(SearchableText(text), text)
        else:
            first = TextVariant(
                SearchableText(text.translate(_PLAIN)),
                text,
                lambda: [i for i, c in enumerate(text) for _ in _PLAIN[ord(c)]],
            )
        yield first
        cuts = [m.span() for m in _HYPHEN.finditer(first.document.text)] if "\n" in text else []
        cuts = [(b, e) for b, e in cuts if _divides(first.document.text, b, e)]
        if cuts:
            begins, ends = [0, *(e for _, e in cuts)], [*(b for b, _ in cuts), len(first.document.text)]
            pieces = list(zip(begins, ends, strict=True))
            joined = "".join(first.document.text[b:e] for b, e in pieces)
            yield TextVariant(
                SearchableText(joined), text, lambda: [first.offsets[i] for b, e in pieces for i in range(b, e)]
            )

    def letters(self, begin: int, end: int) -> int:
        """Letters and digits of a span outside the replacements."""
        return sum(c.isalnum() for c in self.text[begin:end])


def _divides(text: str, begin: int, end: int) -> bool:
    """Whether letters stand on both sides, as in a word divided at the end of a line."""
    return text[begin - 1 : begin].isalpha() and text[end : end + 1].isalpha()
