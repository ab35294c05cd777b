"""Names that must not be vetoed although they look like medical words: listed names, and words one letter from one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ...typesystem import FormTable
from ..lexicon import Entry, Lexicon
from ..lexicon.fuzzy import FuzzyIndex
from ..lexicon.match import Matcher
from ..lexicon.normalization import NORMAL


class ProtectedNames:
    """Lists of names of people, places and times.

    A name is well known from a `share` (percent of a population) or a `population` (people). Entries of lists without such a
    column always count.
    """

    def __init__(self, lists: Sequence[Lexicon], share: float, population: int) -> None:
        self._lists = lists
        self._share, self._population = share, population
        self._close: FormTable[bool] = FormTable(self._is_close)
        self._weights: FormTable[tuple[bool, bool, bool]] = FormTable(self._weigh)

    def resemble(self, form: str) -> bool:
        """Return whether a word or phrase is a listed name, or one edit from one, and so not a misspelt medical word."""
        return self._close[form]

    def is_well_known(self, form: str) -> bool:
        """Return whether its share or population makes it a well-known name of a person or place."""
        return self._weights[form][0]

    def any_extends_beyond(self, forms: list[str], first: int, last: int) -> bool:
        """Return whether a name with capitals at its ends overlaps the tokens `first` to `last` (half-open) and others."""
        return any(
            hit.first < last and first < hit.last and (hit.first < first or last < hit.last)
            for hit in self._matcher.find(forms)
            if forms[hit.first][:1].isupper() and forms[hit.last - 1][:1].isupper()
        )

    def is_listed(self, form: str) -> bool:
        return self._weights[form][2]

    def is_in_uncounted_list(self, form: str) -> bool:
        """Return whether it is in a list without shares and populations: months, weekdays, states, a list of your own."""
        return self._weights[form][1]

    def _weigh(self, form: str) -> tuple[bool, bool, bool]:
        entries = [entry for names in self._lists for entry in names.entries(form)]
        return (
            any(map(self._is_known, entries)),
            not all({"share", "population"} & e.columns.keys() for e in entries),
            bool(entries),
        )

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
