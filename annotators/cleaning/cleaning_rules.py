"""Finds what is replaced in a text that is cleaned: runs of white space, single characters as words, character references."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Literal

from ...typesystem import Replacement

LineBreaks = Literal["space", "paragraph", "line"]

_WHITE_REFERENCE = r"&nbsp;|&\#0*(?:9|10|13|32|160);|&\#x0*(?:9|a|d|20|a0);"
_REFERENCE = r"&(?:amp|lt|gt|quot|apos|\#\d{2,7}|\#x[0-9a-f]{2,6});"
_PAGE_BREAKS = "\f\u2029"


class CleaningRules:
    """Finds the replacements. `words` maps characters to words."""

    def __init__(self, words: Mapping[str, str], line_breaks: LineBreaks) -> None:
        self._words = dict(words)
        self._line_breaks = line_breaks
        longest_first = sorted(self._words, key=lambda w: (-len(w), w))
        word = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._pattern = re.compile(
            rf"(?i:(?P<space>(?:\s|{_WHITE_REFERENCE})+)|(?P<reference>{_REFERENCE}))|(?P<word>{word})"
        )

    def replacements(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements in order; no two are empty or overlap. Linear in the length of the text."""
        end, last = 0, " "  # the end of the piece before, and the last character of its replacement
        for piece in self._pattern.finditer(text):
            found = piece.group()
            if piece["space"]:
                new = self._white_space(found)
            else:
                character = html.unescape(found) if piece["reference"] else found
                word = self._words.get(character)
                before = text[piece.start() - 1] if piece.start() > end else last
                new = (character or found) if word is None else self._apart(word, before, text, piece.end())
            if new != found:
                yield Replacement(piece.start(), piece.end(), new)
            end, last = piece.end(), new[-1]

    def _apart(self, word: str, before: str, text: str, end: int) -> str:
        """Return a word with a space between it and each neighbor. A replacement that follows directly adds its own."""
        touches = end < len(text) and self._pattern.match(text, end) is None
        return f"{'' if before.isspace() else ' '}{word}{' ' if touches else ''}"

    def _white_space(self, run: str) -> str:
        """Return the replacement of a run of white space."""
        if self._line_breaks == "space" or run == " ":
            return " "
        run = html.unescape(run)
        breaks = len(f"{run}.".splitlines()) - 1 + sum(map(run.count, _PAGE_BREAKS))
        if breaks > 1:
            return "\n\n"
        return "\n" if breaks and self._line_breaks == "line" else " "
