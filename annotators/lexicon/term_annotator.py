"""Marks medical terms by looking them up in terminologies: exactly, and on request with gaps or misspellings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import cached_property
from itertools import accumulate
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import MedicalTerm, Sentence, TermGroup, Token, View
from . import Lexicon
from .fuzzy import FuzzyIndex
from .match import Longest, Matcher

_Place = tuple[int, int, str]  # begin, end, group
_GROUPS = {group.value: group for group in TermGroup}


@component("terms", inputs=[Token], outputs=[MedicalTerm])
class TermAnnotator(Annotator):
    """Marks the terms of one or more terminologies, each with its group, concept and preferred name.

    Abbreviations (`MI`, `B12`, what the source says is one) match in their own case only and are never taken for
    misspellings. The method is that of cTAKES' fast dictionary look-up, over a trie instead of rare words.
    """

    lexicon: Lexicon | list[Lexicon] = cast(Lexicon, "medical")  # a name until `open` loads it
    """Terminologies to look in; of the same span and group, the first one's entry is kept."""
    groups: list[TermGroup] = field(default_factory=lambda: list(TermGroup))
    """Groups to mark."""
    longest: Longest = "group"
    """Drop a term inside a longer one: of its `group`, of `all` groups, or `none`."""
    min_length: int = 2
    """Shorter terms are never marked (code points)."""
    plurals: bool = True
    """An English plural also matches its singular: `headaches`."""
    skip: bool = False
    """Terms may have up to two tokens in a row, four in all, between theirs, within a sentence; slower."""
    fuzzy: bool = False
    """One word of a term may be misspelt by one letter, where it is no known word; the confidence is then below 1."""
    metric: Literal["levenshtein", "osa"] = "levenshtein"
    """What one edit is: with `osa` two neighbours that changed places count as one, with `levenshtein` as two."""
    fuzzy_length: int = 5
    """Letters that a misspelt word has at least."""
    fuzzy_length_drugs: int = 7
    """Letters that a misspelt word of a medication has at least: short drug names are one letter from each other."""
    known: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], ["common_words", "names"]))
    """Words in these lists are never taken for misspellings."""
    ambiguous: Literal["keep", "lower", "drop"] = "lower"
    """Entries flagged as names of people or places too: mark them always, only in lower case, or never."""
    cleanup: bool = False
    """Drop a sign equal to or inside a disease, and a sign or disease equal to an anatomical site, as cTAKES does."""

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(
            *(self.lexicon if isinstance(self.lexicon, list) else [self.lexicon]),
            groups=[g.value for g in self.groups],
            longest=self.longest,
            plurals=self.plurals,
            skip=self.skip,
            near=self._near if self.fuzzy else None,
            near_length=lambda e: self.fuzzy_length_drugs if e.group == "MEDICATION" else self.fuzzy_length,
        )

    def _near(self, lexicon: Lexicon) -> Callable[[str], tuple[str, ...]]:
        index = FuzzyIndex(lexicon.compiled, self.metric)

        def near(word: str) -> tuple[str, ...]:
            if len(word) < self.fuzzy_length or not word.isalpha() or any(word in known for known in self.known):
                return ()
            return index.near(word)

        return near

    def annotate(self, view: View) -> Iterable[MedicalTerm]:
        tokens, text = view.tokens, view.text
        begins, ends, forms = tokens.begins, tokens.ends, tokens.forms
        breaks = frozenset(map(tokens.at, view.spans(Sentence)[0])) if self.skip else ()
        least, doubted = self.min_length, self.ambiguous != "keep"
        found: dict[_Place, MedicalTerm] = {}
        for first, last, entry, confidence in self._matcher.find(forms, breaks):
            begin, end = begins[first], ends[last - 1]
            if end - begin < least:
                continue
            if last - first > 1 and text.find("\n\n", begin, end) >= 0:  # no term goes on in the next paragraph
                continue
            if doubted and entry.ambiguous and self._is_name(forms[first]):
                continue
            found[begin, end, entry.group] = MedicalTerm(
                begin,
                end,
                group=_GROUPS[entry.group],
                concept_id=entry.concept,
                terminology=entry.list,
                preferred_name=entry.preferred,
                confidence=confidence,
            )
        if self.cleanup:
            _drop_less_specific(found)
        return found.values()

    def _is_name(self, first: str) -> bool:
        return self.ambiguous == "drop" or first[:1].isupper()


def _drop_less_specific(found: dict[_Place, MedicalTerm]) -> None:
    """cTAKES' SemanticCleanupTermConsumer: anatomy before disease before sign on one span; no sign within a disease."""
    sites = {(b, e) for b, e, group in found if group == "ANATOMICAL_SITE"}
    diseases = sorted((b, e) for b, e, group in found if group == "DISEASE_DISORDER")
    begins = [b for b, _ in diseases]
    reach = list(accumulate((e for _, e in diseases), max))  # how far the diseases up to each one reach
    for begin, end, group in list(found):
        before = bisect_right(begins, begin)
        within = group == "SIGN_SYMPTOM" and before > 0 and reach[before - 1] >= end
        if within or (group in ("SIGN_SYMPTOM", "DISEASE_DISORDER") and (begin, end) in sites):
            del found[begin, end, group]
