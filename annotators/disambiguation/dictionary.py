"""The medical dictionary around a candidate: which entries lie on its words, letter for letter or one edit away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from ..lexicon import Entry, Lexicon
from ..lexicon.fuzzy import FuzzyIndex
from ..lexicon.match import LexiconMatch, Matcher
from ..lexicon.normalization import is_abbreviation

REACH = 4
"""Tokens beside a candidate, on each side, that an entry around it may begin or end with."""


class DictionaryMatch(NamedTuple):
    """An entry at the tokens `first` to `last` (half-open) of the row that was asked about."""

    first: int
    last: int
    entry: Entry
    exact: bool


class MedicalDictionary:
    """Entries of one or more lexicons on a row of tokens: exact ones, and single words and phrases with one word an edit off.

    `known` says of a word in normal form that it is a word of its own and no misspelling. Words of fewer letters than `length`
    (`drug_length` for medications) are never taken for misspellings, nor are abbreviations.
    """

    def __init__(
        self,
        lexicons: Sequence[Lexicon],
        metric: Literal["levenshtein", "osa"],
        known: Callable[[str], bool],
        length: int,
        drug_length: int,
    ) -> None:
        def near(lexicon: Lexicon) -> Callable[[str], tuple[str, ...]]:
            index = FuzzyIndex(lexicon.compiled, metric)
            return lambda word: index.near(word) if len(word) >= length and word.isalpha() and not known(word) else ()

        self._matcher = Matcher(
            *lexicons,
            longest="none",
            near=near,
            near_length=lambda entry: drug_length if entry.group == "MEDICATION" else length,
        )

    def on(self, forms: list[str]) -> list[DictionaryMatch]:
        """Every entry on a row of tokens, by first token, longer ones first.

        A near miss counts only where the word is no abbreviation and the entry is no name of a person or place as well.
        """
        found = []
        for hit in self._matcher.find(forms):
            exact = hit.confidence == 1.0
            if exact or not (hit.entry.ambiguous or _abbreviated(hit, forms)):
                found.append(DictionaryMatch(hit.first, hit.last, hit.entry, exact))
        return found


def _abbreviated(hit: LexiconMatch, forms: list[str]) -> bool:
    return any(is_abbreviation(form) for form in forms[hit.first : hit.last])
