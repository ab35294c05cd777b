"""Takes false candidates away before the resolver: what lies on a medical term or an eponym is no person and no place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import cast

from ...pipeline.contract.component import AnalysisEngine, component
from ...typesystem import INITIAL_VIEW, Cas, MedicalTerm, PhiCandidate, PhiKind, View
from ..lexicon import Lexicon
from ..resolving import VETOED

_TITLE = re.compile(r"\b(?:Dr|Drs|Mr|Mrs|Ms|Miss|Prof|Professor|Doctor|dr|mr|mrs|ms|prof)\b\.?\s{0,2}$")
_AFTER_EPONYM = re.compile(
    r"""(?:'s|’s|')?\s+(?:diseases?|syndromes?|disorder|palsy|signs?|tests?|phenomenon|reaction|lymphoma|sarcoma
        |tumou?r|procedure|operation|man(?:o?e)uver|criteria|scor(?:e|es|ing)|scale|classification|stain|nod(?:e|ule)s?|cells?
        |bod(?:y|ies)|tube|catheter|fracture|contracture|thyroiditis|encephalopathy|dystrophy|an(?:a)?emia|o?esophagus|cyst
        |(?:coma|outcome|prognostic)\s+(?:scale|score)|proteins?|proteinuria|albumin(?:uria)?
        |gland|hernia|murmur|virus|fever|chorea|ataxia|angina|purpura|arteritis|reflex|vaccin(?:e|ation))\b""",
    re.VERBOSE | re.IGNORECASE,
)
_SIZE = re.compile(r"\d\s?(?:F|Fr|FR|French|french)\.?\s$")
"""The French size of a catheter before an eponym."""
_UNIT = re.compile(r"(?:F|Fr|FR|French)\.?\s")
_OWN = tuple(
    f"{VETOED}: {why}"
    for why in ("medical term", "medical terms", "eponym", "punctuation", "bare number", "common word")
)
_NAMED = (PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION)
_FIGURE = re.compile(r"\d[\d\s.,:/+-]*[^\W\d_]?")
"""Digits, with one letter at most after them."""
_NEAR = 40
"""How far from a number, in code points, a place with letters may stand for the number to be its house or post code."""
_COMMON_TIER = 20
_ALL_KINDS = "PERSON LOCATION ORGANIZATION DATE"


@component("veto", inputs=[PhiCandidate, MedicalTerm], outputs=[PhiCandidate])
class Veto(AnalysisEngine):
    """Marks candidates of the named sources as vetoed where a medical term covers them; the resolver leaves those alone.

    So are those without a letter or digit, and bare numbers with no place beside. They stay in the CAS with the reason. Known
    PHI is never vetoed, nor what a title stands before. After the disambiguation step of "PHI Scrubber: A Deep Learning
    Approach" (2018), where a hit in a medical dictionary removes the label.
    """

    sources: list[str]
    """Whose candidates may be vetoed: ids of components or aggregates (`names`, `models/crf`)."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(name) for name in _ALL_KINDS.split()])
    """Kinds that may be vetoed, with those below them."""
    keep_above: float = 0.8
    """Candidates with more confidence stay; 1 lets none stay for that reason (0 to 1)."""
    term_confidence: float = 0.8
    """Terms with less confidence, found by a fuzzy look-up, veto nothing (0 to 1)."""
    min_length: int = 3
    """Shorter terms veto nothing (code points): most are abbreviations that stand for other things too."""
    eponyms: Lexicon = cast(Lexicon, "eponyms")  # a name until `open` loads it
    """ProtectedNames that veto a candidate where a word such as `disease`, `sign` or `catheter` follows them."""
    common: Lexicon = cast(Lexicon, "common_words")
    """Everyday words with their `tier`, for `common_below`."""
    common_below: float = 0.0
    """People of one word, a very common one (tier 20 or less) at the beginning of a sentence, need this confidence: `Price was
    high.` 0: none (0 to 1)."""

    def __post_init__(self) -> None:
        for name in ("keep_above", "term_confidence", "common_below"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
        if not self.sources:
            raise ValueError("sources: expected at least one component or aggregate whose candidates may be vetoed")
        if any("known_phi" in source.split("/") for source in self.sources):
            raise ValueError("sources: known_phi is never vetoed, what the record says about a person stays PHI")

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for source in self.sources:
            yield "sources", source

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        for candidate in view.select(PhiCandidate):
            if candidate.reason in _OWN:
                candidate.reason = ""
            if self._may_veto(candidate):
                why = self._why(view, candidate)
                if why:
                    candidate.reason = f"{VETOED}: {why}"
                    candidate.winner = None

    @cached_property
    def _paths(self) -> list[list[str]]:
        return [source.split("/") for source in self.sources]

    def _may_veto(self, candidate: PhiCandidate) -> bool:
        if candidate.confidence > self.keep_above and self.keep_above < 1:
            return False
        if not any(map(candidate.kind.is_a, self.kinds)):
            return False
        path = candidate.source.split("/")
        return any(path[i : i + len(p)] == p for p in self._paths for i in range(len(path) - len(p) + 1))

    def _why(self, view: View, candidate: PhiCandidate) -> str:
        begin, end = candidate.begin, candidate.end
        if _TITLE.search(view.text, max(0, begin - 14), begin):
            return ""
        if not any(c.isalnum() for c in view.text[begin:end]):
            return "punctuation"
        if candidate.kind.top in _NAMED and self._is_bare_number(view, candidate):
            return "bare number"
        if candidate.confidence < self.common_below and self._is_common(view.text, candidate):
            return "common word"
        if any(map(self._counts, view.select(MedicalTerm, covering=(begin, end)))):
            return "medical term"
        if self._is_covered(view, begin, end):
            return "medical terms"
        if self.eponyms.has(view.text[begin:end]) and _AFTER_EPONYM.match(view.text, end):
            return "eponym"
        unit = _UNIT.match(view.text, begin, end)  # the candidate may begin with it: `F Foley`
        bare = unit.end() if unit else begin
        if _SIZE.search(view.text, max(0, bare - 12), bare) and self.eponyms.has(view.text[bare:end]):
            return "eponym"
        return ""

    def _is_bare_number(self, view: View, candidate: PhiCandidate) -> bool:
        """Whether it is a figure for somebody or some place, with no place beside: `at 188`, `at 512M` in the line of a log."""
        text, begin, end = view.text, candidate.begin, candidate.end
        if not _FIGURE.fullmatch(text, begin, end):
            return False
        near = view.select(PhiCandidate, overlapping=(max(0, begin - _NEAR), min(len(text), end + _NEAR)))
        return not any(c.kind.top is PhiKind.LOCATION and not _FIGURE.fullmatch(text, c.begin, c.end) for c in near)

    def _is_common(self, text: str, candidate: PhiCandidate) -> bool:
        """Whether it is one common word for a person, with a capital that says nothing."""
        word = text[candidate.begin : candidate.end]
        if candidate.kind.top is not PhiKind.PERSON or not word.isalpha():
            return False
        before = text[max(0, candidate.begin - 20) : candidate.begin].rstrip(" \t\"'(“‘")
        starts = not before or before[-1] in ".!?\n\r•*"
        return starts and any(entry.tier <= _COMMON_TIER for entry in self.common.entries(word))

    def _counts(self, term: MedicalTerm) -> bool:
        return term.confidence >= self.term_confidence and term.end - term.begin >= self.min_length

    def _is_covered(self, view: View, begin: int, end: int) -> bool:
        """Whether several terms together cover every word: `Tylenol Motrin` taken for a name."""
        at = begin
        for low, high in self._terms(view, begin, end):
            if view.text[at:low].strip(" \t\n,-/&"):
                return False
            at = max(at, high)
        return at >= end

    def _terms(self, view: View, begin: int, end: int) -> Iterator[tuple[int, int]]:
        for term in view.select(MedicalTerm, overlapping=(begin, end)):
            if self._counts(term):
                yield term.begin, term.end
