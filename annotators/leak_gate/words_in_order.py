"""Finds all words of a masked name side by side, in any case."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cached_property

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..known_phi.searchable_text import PhiMatch, SearchableText, fold
from ..names.words import Words
from .visible_text import plain

_RUN = lazy_regex(r"[^\W_]+")
_BETWEEN = lazy_regex(r"[\s>]{1,12}|,[\s>]{0,12}")
"""Between the words of a name: blanks, at most one comma, an indented or quoted next line."""


class WordsInOrder:
    """Finds names in one document. `large`: an index of pairs of words keeps the time proportional to the text."""

    def __init__(self, document: SearchableText, words: Words, shortest: int, large: bool) -> None:
        self.document = document
        self.words = words
        self.shortest = shortest
        self.large = large

    def find(self, words: tuple[str, ...], kind: PhiKind) -> Iterator[PhiMatch]:
        """Yield all words of a name side by side, in any case, also with the last one first: `rose brown`, `XI NG`.

        Not if one of them is a function word (`may`, `will`), or if all are short and the text is in small letters.
        """
        forms = [fold(plain(word)) for word in words]
        if len(forms) < 2 or sum(map(len, forms)) < self.shortest or any(self.words.level(f) > 2 for f in forms):
            return
        if not self.large and not all(form in self.document.folded for form in forms):
            return
        short = max(map(len, forms)) < self.shortest
        for order in dict.fromkeys(((*forms,), (*forms[1:], forms[0]), (forms[-1], *forms[:-1]))):
            for begin in self._begins_of(order[0], order[1]):
                end = self._end_of(order[1:], begin + len(order[0]))
                if end and not (short and self.document.text[begin].islower()):
                    yield PhiMatch(begin, end, kind, 0.9, "known full name")

    def _begins_of(self, first: str, second: str) -> Iterable[int]:
        """Return the offsets of a word that another one may follow."""
        return self._pairs.get((first, second), ()) if self.large else self.document.word_offsets(first)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], list[int]]:
        """The offsets of every two words side by side."""
        pairs: dict[tuple[str, str], list[int]] = {}
        for one, other in itertools.pairwise(_RUN.finditer(self.document.folded)):
            if other.start() - one.end() < 26:
                pairs.setdefault((one.group(), other.group()), []).append(one.start())
        return pairs

    def _end_of(self, words: Iterable[str], offset: int) -> int:
        """Return the end of words that follow from an offset on, or 0."""
        folded = self.document.folded
        for word in words:
            gap = _BETWEEN.match(folded, offset)
            if gap is None or not folded.startswith(word, gap.end()):
                return 0
            offset = gap.end() + len(word)
            if folded[offset : offset + 1].isalnum():
                return 0
        return offset
