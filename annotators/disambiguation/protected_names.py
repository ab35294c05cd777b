"""ProtectedNames that must not fall for looking like a medical word: known ones, and words one letter from a known one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ...typesystem import FormTable
from ..lexicon import Entry, Lexicon
from ..lexicon.fuzzy import FuzzyIndex
from ..lexicon.match import Matcher
from ..lexicon.normalization import NORMAL


class ProtectedNames:
    """Lists of names of people, places and times, with how well known a name must be to outweigh a dictionary's very word.

    `share` is in percent of a population, `population` in people. Entries of lists without such a column always count.
    """

    def __init__(self, lists: Sequence[Lexicon], share: float, population: int) -> None:
        self._lists = lists
        self._share, self._population = share, population
        self._close: FormTable[bool] = FormTable(self._is_close)
        self._weights: FormTable[tuple[bool, bool, bool]] = FormTable(self._weigh)

    def resemble(self, form: str) -> bool:
        """Whether a word or phrase is a name of the lists, or one edit from one: then it is no misspelt medical word."""
        return self._close[form]

    def known(self, form: str) -> bool:
        """Whether it is a well-known name of a person or place: a share or a population says so."""
        return self._weights[form][0]

    def reach_over(self, forms: list[str], first: int, last: int) -> bool:
        """Whether an entry on a row of tokens has some of the tokens `first` to `last` (half-open) and others beside them, and is
        written with capitals at its ends."""
        return any(
            hit.first < last and first < hit.last and (hit.first < first or last < hit.last)
            for hit in self._matcher.find(forms)
            if forms[hit.first][:1].isupper() and forms[hit.last - 1][:1].isupper()
        )

    def listed(self, form: str) -> bool:
        """Whether it stands in any of the lists."""
        return self._weights[form][2]

    def fixed(self, form: str) -> bool:
        """Whether it stands in a list that counts nobody: months, weekdays, states, a list of one's own."""
        return self._weights[form][1]

    def _weigh(self, form: str) -> tuple[bool, bool, bool]:
        found = [entry for names in self._lists for entry in names.entries(form)]
        return any(map(self._is_known, found)), not all(map(_counted, found)), bool(found)

    def _is_known(self, entry: Entry) -> bool:
        return ("share" in entry.columns and entry.share >= self._share) or (
            "population" in entry.columns and entry.population >= self._population
        )

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(*self._lists, longest="none", plurals=False)

    @cached_property
    def _indexes(self) -> list[FuzzyIndex]:
        return [FuzzyIndex(names.compiled, "levenshtein") for names in self._lists]

    def _is_close(self, form: str) -> bool:
        if any(names.has(form) for names in self._lists):
            return True
        word = NORMAL[form]
        if not word.isalpha():
            return False
        near = (
            (names, other)
            for names, index in zip(self._lists, self._indexes, strict=True)
            for other in index.near(word)
        )
        return any(names.has(other) for names, other in near)


def _counted(entry: Entry) -> bool:
    return "share" in entry.columns or "population" in entry.columns
