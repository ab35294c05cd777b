"""The component `veto`: vetoes candidates that are medical terms, eponyms, bare numbers or punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from typing import ClassVar, cast

from ...pipeline.contract.component import component
from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import MedicalTerm, PhiCandidate, PhiKind, View
from ..lexicon import Lexicon
from .candidate_veto import CandidateVeto

_TITLE = lazy_regex(r"\b(?:Dr|Drs|Mr|Mrs|Ms|Miss|Prof|Professor|Doctor|dr|mr|mrs|ms|prof)\b\.?\s{0,2}$")
_AFTER_EPONYM = lazy_regex(
    r"""(?:'s|’s|')?\s+(?:diseases?|syndromes?|disorder|palsy|signs?|tests?|phenomenon|reaction|lymphoma|sarcoma
        |tumou?r|procedure|operation|man(?:o?e)uver|criteria|scor(?:e|es|ing)|scale|classification|stain|nod(?:e|ule)s?|cells?
        |bod(?:y|ies)|tube|catheter|fracture|contracture|thyroiditis|encephalopathy|dystrophy|an(?:a)?emia|o?esophagus|cyst
        |(?:coma|outcome|prognostic)\s+(?:scale|score)|proteins?|proteinuria|albumin(?:uria)?
        |gland|hernia|murmur|virus|fever|chorea|ataxia|angina|purpura|arteritis|reflex|vaccin(?:e|ation))\b""",
    re.VERBOSE | re.IGNORECASE,
)
_SIZE = lazy_regex(r"\d\s?(?:F|Fr|FR|French|french)\.?\s$")
"""The French size of a catheter before an eponym."""
_UNIT = lazy_regex(r"(?:F|Fr|FR|French)\.?\s")
_MEASURE = lazy_regex(r"[mkµ]?(?:s|g|l|L|m)|cm|min|h|hrs?|sec|bpm|[kMG]B|px|rpm|psi|mcg|mEq|IU|mmol")
_AMOUNT = lazy_regex(r"\d[ ]?\Z")
_NAMED = (PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION)
_NUMBER = lazy_regex(r"\d[\d\s.,:/+-]*[^\W\d_]?")
"""Digits, with at most one letter after them."""
_PLACEHOLDER = lazy_regex(rf"\[(?:{'|'.join(kind.name for kind in PhiKind if kind.parent is None)})(?: > 89)?\]")
"""A placeholder of the masker in a text that was masked before."""
_NEAR = 40
"""Greatest distance from a number, in code points, of a place with letters whose house number or post code it may be."""
_COMMON_TIER = 20
_ALL_KINDS = "PERSON LOCATION ORGANIZATION DATE"


@component("veto", inputs=[PhiCandidate, MedicalTerm], outputs=[PhiCandidate])
class Veto(CandidateVeto):
    """Marks candidates of the named sources as vetoed if a medical term covers them; the resolver ignores those.

    Candidates without a letter or digit are vetoed too, bare numbers without a place beside them, and units after a number. They
    stay in the CAS with the reason. Known PHI is never vetoed, nor is a candidate after a title. After the disambiguation step of
    "PHI Scrubber: A Deep Learning Approach" (2018), in which a match in a medical dictionary removes the label.
    """

    reasons: ClassVar = (
        "medical term",
        "eponym",
        "product",
        "placeholder",
        "punctuation",
        "bare number",
        "unit",
        "common word",
    )

    sources: list[str]
    """Ids of the components or aggregates whose candidates may be vetoed (`names`, `models/crf`)."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(name) for name in _ALL_KINDS.split()])
    """Kinds that may be vetoed, with those below them."""
    keep_above: float = 0.8
    """Candidates with more confidence are never vetoed; 1 disables this limit (0 to 1)."""
    term_confidence: float = 0.8
    """Terms with less confidence, found by a fuzzy look-up, veto nothing (0 to 1)."""
    min_length: int = 3
    """Shorter terms veto nothing (code points): most are abbreviations with other meanings."""
    eponyms: Lexicon = cast(Lexicon, "eponyms")  # a name until `open` loads it
    """Names that veto a candidate if a word such as `disease`, `sign` or `catheter` follows them."""
    products: Lexicon = cast(Lexicon, "products")
    """Sutures, dressings, instruments, implants and brands that veto people, places and organizations of this name, unless it is
    also a name of a person."""
    names: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], ["given_names", "surnames"]))
    """Lists of names of people, for `products`."""
    common: Lexicon = cast(Lexicon, "common_words")
    """Everyday words with their `tier`, for `common_below`."""
    common_below: float = 0.0
    """Confidence that people of one word, a very common one (tier 20 or less) at the beginning of a sentence, need: `Price was
    high.` 0: none (0 to 1)."""

    def __post_init__(self) -> None:
        for name in ("keep_above", "term_confidence", "common_below"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
        super().__post_init__()

    def find_reason(self, view: View, candidate: PhiCandidate) -> str:
        begin, end = candidate.begin, candidate.end
        if _TITLE.search(view.text, max(0, begin - 14), begin):
            return ""
        if not any(c.isalnum() for c in view.text[begin:end]):
            return "punctuation"
        if _is_placeholder(view.text, begin, end):
            return "placeholder"
        if candidate.kind.top in _NAMED and self._is_bare_number(view, candidate):
            return "bare number"
        if candidate.kind.top in _NAMED and _is_unit(view.text, begin, end):
            return "unit"
        if candidate.confidence < self.common_below and self._is_common(view.text, candidate):
            return "common word"
        terms = list(filter(self._counts, view.select(MedicalTerm, overlapping=(begin, end))))
        if any(term.begin <= begin and end <= term.end for term in terms):
            return "medical term"
        if terms and _are_covered(view.text, begin, end, terms):
            return "medical terms"
        if candidate.kind.top in _NAMED and self._is_product(view.text[begin:end]):
            return "product"
        if _AFTER_EPONYM.match(view.text, end) and self.eponyms.has(view.text[begin:end]):
            return "eponym"
        unit = _UNIT.match(view.text, begin, end)  # the candidate may begin with it: `F Foley`
        bare = unit.end() if unit else begin
        if _SIZE.search(view.text, max(0, bare - 12), bare) and self.eponyms.has(view.text[bare:end]):
            return "eponym"
        return ""

    def _is_bare_number(self, view: View, candidate: PhiCandidate) -> bool:
        """Return whether it is a number without a place beside it: `at 188`, `at 512M` in the line of a log."""
        text, begin, end = view.text, candidate.begin, candidate.end
        if not _NUMBER.fullmatch(text, begin, end):
            return False
        near = view.select(PhiCandidate, overlapping=(max(0, begin - _NEAR), min(len(text), end + _NEAR)))
        return not any(c.kind.top is PhiKind.LOCATION and not _NUMBER.fullmatch(text, c.begin, c.end) for c in near)

    def _is_product(self, text: str) -> bool:
        return self.products.has(text) and not any(names.has(text) for names in self.names)

    def _is_common(self, text: str, candidate: PhiCandidate) -> bool:
        """Return whether it is a person of one common word whose capital only begins a sentence."""
        word = text[candidate.begin : candidate.end]
        if candidate.kind.top is not PhiKind.PERSON or not word.isalpha():
            return False
        before = text[max(0, candidate.begin - 20) : candidate.begin].rstrip(" \t\"'(“‘")
        starts = not before or before[-1] in ".!?\n\r•*"
        return starts and any(entry.tier <= _COMMON_TIER for entry in self.common.entries(word))

    def _counts(self, term: MedicalTerm) -> bool:
        return term.confidence >= self.term_confidence and term.end - term.begin >= self.min_length


def _are_covered(text: str, begin: int, end: int, terms: Iterable[MedicalTerm]) -> bool:
    """Return whether several terms together cover every word: `Tylenol Motrin` taken for a name."""
    covered = begin
    for term in terms:
        if text[covered : term.begin].strip(" \t\n,-/&"):
            return False
        covered = max(covered, term.end)
    return covered >= end


def _is_unit(text: str, begin: int, end: int) -> bool:
    """Return whether a span is the unit of a number: `took 1024 ms`."""
    return bool(_MEASURE.fullmatch(text, begin, end) and _AMOUNT.search(text[max(0, begin - 2) : begin]))


def _is_placeholder(text: str, begin: int, end: int) -> bool:
    """Return whether a span is a placeholder or a part of one: `PERSON` in `[PERSON]`."""
    bracket = text.rfind("[", max(0, begin - 20), begin + 1)
    found = _PLACEHOLDER.match(text, bracket) if bracket >= 0 else None
    return found is not None and end <= found.end()
