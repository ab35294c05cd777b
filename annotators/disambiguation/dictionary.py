"""The medical dictionary: entries that match the words of a candidate exactly or with one edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..lexicon import Entry, Lexicon
from ..lexicon.fuzzy import Metric, corrector
from ..lexicon.match import Matcher
from ..lexicon.normalization import is_abbreviation

REACH = 4
"""Number of tokens before and after a candidate that an entry around it may include."""


class DictionaryMatch(NamedTuple):
    """An entry that matches the tokens `first` to `last` (half-open)."""

    first: int
    last: int
    entry: Entry
    exact: bool


class MedicalDictionary:
    """Finds entries of one or more lexicons in tokens, exactly or with one word one edit away.

    `known` returns whether a word in normal form is a correct word. Words of fewer letters than `length` (`drug_length` for
    medications) are never taken for misspellings, nor are abbreviations.
    """

    def __init__(
        self,
        lexicons: Sequence[Lexicon],
        metric: Metric,
        known: Callable[[str], bool],
        length: int,
        drug_length: int,
    ) -> None:
        self._matcher = Matcher(
            *lexicons,
            longest="none",
            near=lambda lexicon: corrector(lexicon, metric, length, known),
            near_length=lambda entry: drug_length if entry.group == "MEDICATION" else length,
        )

    def matches(self, forms: list[str]) -> list[DictionaryMatch]:
        """Return every match in a sequence of tokens, by first token, longer ones first.

        A near miss of an abbreviation does not count, nor one of an entry that is also the name of a person or place.
        """
        matches = []
        for m in self._matcher.find(forms):
            exact = m.confidence == 1.0
            if exact or not (m.entry.ambiguous or any(map(is_abbreviation, forms[m.first : m.last]))):
                matches.append(DictionaryMatch(m.first, m.last, m.entry, exact))
        return matches
