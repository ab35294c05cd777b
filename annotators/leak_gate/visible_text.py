"""The readable part of a masked text: without the replacements, in plain letters, with a map to its offsets."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem.text import MANY
from ..known_phi.searchable_text import SearchableText

FILLER = "|"
"""Replaces each code point of a replacement: not a letter, not white space, and not a part of any pattern."""

_HYPHEN = lazy_regex(r"-[ \t]*\r?\n[ \t]*")
"""A hyphen at the end of a line, and the indent of the next line."""


_FILLERS = frozenset((0x115F, 0x1160, 0x3164, 0xFFA0))
"""Letters without a glyph, which have the category of letters: the fillers of Hangul."""


class _PlainTable(dict[int, str]):
    """A table for `str.translate`, filled on demand: compatibility forms (NFKC) of letters, decimal digits, punctuation and
    spaces; combining marks and invisible characters are removed. Superscripts and `\u00ba` are kept."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        normal = unicodedata.normalize("NFKC", char)
        if category in ("Mn", "Me", "Cf") or code in _FILLERS:
            plain = ""
        elif category == "No" or char in "\u00aa\u00ba":
            plain = char
        else:
            plain = normal if normal.isalpha() or len(normal) == 1 else char
        self[code] = plain
        return plain


_PLAIN = _PlainTable()


def _is_plain(text: str) -> bool:
    return text.isascii() or all(_PLAIN[ord(c)] == c for c in set(text))


def plain(text: str) -> str:
    """Return the text in plain letters: `\\ufb01` as `fi`, no full-width letters, soft hyphens or combining marks."""
    return text if _is_plain(text) else unicodedata.normalize("NFC", text).translate(_PLAIN)


class TextVariant:
    """A variant of the masked text, and the offset in the masked text of each of its code points.

    `offsets` computes the offsets when they are first needed; None: they are the same.
    """

    def __init__(self, document: SearchableText, text: str, offsets: Callable[[], list[int]] | None = None) -> None:
        self.document = document
        self._text = text
        self._compute_offsets = offsets

    @cached_property
    def offsets(self) -> Sequence[int]:
        return range(len(self._text)) if self._compute_offsets is None else self._compute_offsets()

    def original_span(self, begin: int, end: int) -> tuple[int, int]:
        """Return the span in the masked text, including the characters that were removed after its last letter."""
        if self._compute_offsets is None:
            return begin, end
        stop = self.offsets[end - 1] + 1
        while stop < len(self._text) and not _PLAIN[ord(self._text[stop])]:
            stop += 1
        return self.offsets[begin], stop


class VisibleText:
    """A masked text with its sorted, disjoint replacements hidden."""

    def __init__(self, text: str, begins: Sequence[int], ends: Sequence[int]) -> None:
        parts, offset = list[str](), 0
        for first in range(
            0, len(begins), MANY
        ):  # single pieces of a long text would take several times as much memory
            pieces = list[str]()
            for begin, end in zip(begins[first : first + MANY], ends[first : first + MANY], strict=True):
                pieces += (text[offset:begin], FILLER * (end - begin))
                offset = end
            parts.append("".join(pieces))
        self.text = "".join([*parts, text[offset:]])
        """Has the length of the masked text."""

    def variants(self) -> Iterator[TextVariant]:
        """Yield the text in plain letters, and once more with words joined that a hyphen divides at the end of a line."""
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
        plain_text = first.document.text
        cuts = [m.span() for m in _HYPHEN.finditer(plain_text)] if "\n" in text else []
        cuts = [(b, e) for b, e in cuts if plain_text[b - 1 : b].isalpha() and plain_text[e : e + 1].isalpha()]
        if cuts:
            begins, ends = [0, *(e for _, e in cuts)], [*(b for b, _ in cuts), len(plain_text)]
            pieces = list(zip(begins, ends, strict=True))
            joined = "".join(plain_text[b:e] for b, e in pieces)
            yield TextVariant(
                SearchableText(joined), text, lambda: [first.offsets[i] for b, e in pieces for i in range(b, e)]
            )

    def count_letters(self, begin: int, end: int) -> int:
        """Return the number of letters and digits of a span outside the replacements."""
        return sum(c.isalnum() for c in self.text[begin:end])
