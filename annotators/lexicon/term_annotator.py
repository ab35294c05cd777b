"""Marks medical terms of terminologies: exact matches and, on request, matches with gaps or misspellings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from itertools import accumulate
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import Chunk, FeatureStructure, MedicalTerm, Sentence, TermGroup, Token, View
from . import Lexicon
from .fuzzy import Metric, corrector
from .match import LexiconMatch, Longest, Matcher
from .windows import Window, chunk_windows, sentence_windows

_Key = tuple[int, int, str]  # begin, end, group
_GROUPS = {group.value: group for group in TermGroup}
_NEEDED: dict[str, tuple[type[FeatureStructure], ...]] = {"document": (), "sentence": (Sentence,), "chunk": (Chunk,)}
"""Types that a window needs beyond tokens."""


@component("terms", inputs=[Token], outputs=[MedicalTerm])
class TermAnnotator(Annotator):
    """Marks the terms of one or more terminologies, each with its group, concept and preferred name.

    Abbreviations (`MI`, `B12`, or as marked in the source) match only in their own case and are never taken for
    misspellings. The method is that of cTAKES' fast dictionary look-up, with a trie instead of rare words.
    """

    lexicon: Lexicon | list[Lexicon] = cast(Lexicon, "medical")  # a name until `open` loads it
    """Terminologies; for the same span and group, the entry of the first one is kept."""
    groups: list[TermGroup] = field(default_factory=lambda: list(TermGroup))
    """Groups to mark."""
    longest: Longest = "group"
    """Drop a term inside a longer one: of its `group`, of `all` groups, or `none`."""
    min_length: int = 2
    """Shorter terms are never marked (code points)."""
    plurals: bool = True
    """An English plural also matches its singular: `headaches`."""
    skip: bool = False
    """Allow up to two tokens in a row, four in total, between those of a term, within a sentence; slower."""
    fuzzy: bool = False
    """One word of a term may be misspelt by one letter, unless it is a known word; the confidence is then below 1."""
    metric: Metric = "levenshtein"
    """How edits are counted: two swapped neighbors are one edit with `osa`, two with `levenshtein`."""
    fuzzy_length: int = 5
    """Minimum number of letters of a misspelt word."""
    fuzzy_length_drugs: int = 7
    """Minimum number of letters of a misspelt word of a medication: short drug names are one letter from each other."""
    known: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], ["common_words", "names"]))
    """Words in these lists are never taken for misspellings."""
    ambiguous: Literal["keep", "lower", "drop"] = "lower"
    """Entries marked as names of people or places too: mark them always, only in lower case, or never."""
    cleanup: bool = False
    """Drop a sign equal to or inside a disease, and a sign or disease equal to an anatomical site, as cTAKES does."""
    window: Literal["document", "sentence", "chunk"] = "document"
    """The text within which a term must lie: the document, one sentence, or one phrase of the `chunker`. Noun phrases that follow
    each other or that a preposition connects count as one phrase."""
    chunks: list[str] = field(default_factory=lambda: ["NP", "VP"])
    """Tags of the phrases in which `window: chunk` searches; `NP` alone is the look-up window of cTAKES."""

    def __post_init__(self) -> None:
        if not self.chunks:
            raise ValueError("chunks: expected at least one tag, such as NP")

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return tokens, and sentences or chunks if they are the window."""
        return (*self.inputs, *_NEEDED[self.window])

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        return f"window: {self.window}" if need in _NEEDED[self.window] else ""

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(
            *(self.lexicon if isinstance(self.lexicon, list) else [self.lexicon]),
            groups=[g.value for g in self.groups],
            longest=self.longest,
            plurals=self.plurals,
            skip=self.skip,
            near=(lambda lexicon: corrector(lexicon, self.metric, self.fuzzy_length, self._is_known))
            if self.fuzzy
            else None,
            near_length=lambda e: self.fuzzy_length_drugs if e.group == "MEDICATION" else self.fuzzy_length,
        )

    def _is_known(self, word: str) -> bool:
        return any(word in known for known in self.known)

    def annotate(self, view: View) -> Iterable[MedicalTerm]:
        tokens, text = view.tokens, view.text
        begins, ends, forms = tokens.begins, tokens.ends, tokens.forms
        drop, lower_only = self.ambiguous == "drop", self.ambiguous == "lower"
        terms: dict[_Key, MedicalTerm] = {}
        for first, last, entry, confidence in self._find(view):
            begin, end = begins[first], ends[last - 1]
            if end - begin < self.min_length:
                continue
            if last - first > 1 and text.find("\n\n", begin, end) >= 0:
                continue  # a term does not continue in the next paragraph
            if entry.ambiguous and (drop or (lower_only and forms[first][:1].isupper())):
                continue
            terms[begin, end, entry.group] = MedicalTerm(
                begin,
                end,
                group=_GROUPS[entry.group],
                concept_id=entry.concept,
                terminology=entry.list,
                preferred_name=entry.preferred,
                confidence=confidence,
            )
        if self.cleanup:
            _drop_less_specific(terms)
        return terms.values()

    def _find(self, view: View) -> Iterable[LexiconMatch]:
        """Return the matches in the document or in each window, in text order."""
        forms = view.tokens.forms
        breaks = frozenset(map(view.tokens.at, view.spans(Sentence)[0])) if self.skip else frozenset[int]()
        if self.window == "document":
            return self._matcher.find(forms, breaks)
        windows = sentence_windows(view) if self.window == "sentence" else chunk_windows(view, self.chunks)
        return self._find_within(forms, windows, breaks)

    def _find_within(
        self, forms: list[str], windows: Iterable[Window], breaks: frozenset[int]
    ) -> Iterator[LexiconMatch]:
        for low, high in windows:
            inner = [i - low for i in range(low, high) if i in breaks] if breaks else ()
            for first, last, entry, confidence in self._matcher.find(forms[low:high], inner):
                yield LexiconMatch(low + first, low + last, entry, confidence)


def _drop_less_specific(terms: dict[_Key, MedicalTerm]) -> None:
    """Drop terms like cTAKES' SemanticCleanupTermConsumer: on one span anatomy wins over disease, disease over sign; signs within
    a disease are dropped."""
    sites = {(b, e) for b, e, group in terms if group == "ANATOMICAL_SITE"}
    diseases = sorted((b, e) for b, e, group in terms if group == "DISEASE_DISORDER")
    begins = [b for b, _ in diseases]
    reach = list(accumulate((e for _, e in diseases), max))  # greatest end of the diseases up to each one
    for begin, end, group in list(terms):
        before = bisect_right(begins, begin)
        within = group == "SIGN_SYMPTOM" and before > 0 and reach[before - 1] >= end
        if within or (group in ("SIGN_SYMPTOM", "DISEASE_DISORDER") and (begin, end) in sites):
            del terms[begin, end, group]
