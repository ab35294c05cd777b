"""The component `disambiguation`: vetoes candidates that a medical dictionary or a drug-name stem explains."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, cast

from ...pipeline.contract.component import component
from ...typesystem import PhiCandidate, PhiKind, Token, View
from ..lexicon import Lexicon
from ..lexicon.fuzzy import Metric, corrector
from ..lexicon.match import LexiconMatch, Matcher
from ..lexicon.normalization import is_abbreviation
from ..resolving.candidates import VETOED
from .candidate_veto import CandidateVeto
from .protected_names import ProtectedNames
from .stems import DrugStems

NEAR = 100
"""Number of code points on each side, within the line, that decide about its case."""


@dataclass(frozen=True, slots=True)
class CandidateContext:
    """Tokens around a candidate; those of the candidate are `first` to `last` (half-open)."""

    forms: list[str]
    begins: list[int]
    """Begin of each token, in code points from the beginning of `whole`."""
    first: int
    last: int
    whole: str
    has_capitals: bool
    """The line has capitals, so a word in small letters is not a name."""
    all_capitals: bool
    """The line has no small letters outside the candidate, so a word in capitals is not an abbreviation."""

    def text(self, first: int, last: int) -> str:
        """Return the text of the tokens `first` to `last` (half-open)."""
        return self.whole[self.begins[first] : self.begins[last - 1] + len(self.forms[last - 1])]


def context_of(view: View, begin: int, end: int, reach: int) -> CandidateContext | None:
    """Return the context of `begin:end`, `reach` tokens to each side but not across an empty line; None if it has no token.

    A token that the candidate covers in part belongs to it.
    """
    tokens, text = view.tokens, view.text
    first, last = bisect_left(tokens.ends, begin + 1), bisect_left(tokens.begins, end)
    if first >= last:
        return None
    low, high = max(0, first - reach), min(len(tokens.begins), last + reach)
    top = text.rfind("\n\n", tokens.begins[low], begin) + 1
    bottom = text.find("\n\n", end, tokens.ends[high - 1])
    low = bisect_left(tokens.begins, top, low, first)
    high = high if bottom < 0 else bisect_left(tokens.begins, bottom, last, high)
    begins, ends = tokens.begins[low:high], tokens.ends[low:high]
    forms = [text[b:e] for b, e in zip(begins, ends, strict=True)]
    start = max(begin - NEAR, text.rfind("\n", 0, begin) + 1)
    stop = text.find("\n", end)
    around = text[start:begin] + text[end : min(end + NEAR, stop if stop >= 0 else len(text))]
    return CandidateContext(
        forms,
        [b - begins[0] for b in begins],
        first - low,
        last - low,
        text[begins[0] : ends[-1]],
        any(map(str.isupper, around)),
        not any(map(str.islower, around)),
    )


EXACT, FUZZY, STEM = "exact medical term", "fuzzy medical term", "drug stem"
_KINDS = "PERSON LOCATION DATE"
_BESIDE = """left right bilateral upper lower middle mid distal proximal anterior posterior lateral medial superior inferior
superficial deep of the and with in"""
_PROTECT = ["names", "places", "months", "weekdays", "holidays"]
_CUES = ["organization_cues", "street_words"]
_REACH = 4
"""Number of tokens before and after a candidate that an entry around it may include."""


@component("disambiguation", inputs=[PhiCandidate, Token], outputs=[PhiCandidate])
class Disambiguation(CandidateVeto):
    """Marks people, places and dates of the named sources as vetoed if a medical dictionary or a drug-name stem explains every
    word of them; the resolver ignores those.

    Ordinary words may be one edit (Levenshtein distance below 2) from an entry, after the same first letter; abbreviations
    match exactly. They stay in the CAS with the reason. Known PHI is never vetoed, nor is a candidate with a title beside it, a
    date with a digit, or a name of `protect`. Source: "PHI Scrubber: A Deep Learning Approach" (2018), Medical terms
    disambiguation, in which any near miss removes the label.
    """

    reasons: ClassVar = (EXACT, FUZZY, STEM)

    sources: list[str]
    """Ids of the components or aggregates whose candidates may be vetoed (`names`, `models/crf`)."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(name) for name in _KINDS.split()])
    """Kinds that may be vetoed, with those below them."""
    dictionary: Lexicon | list[Lexicon] = cast(Lexicon, "medical")  # a name until `open` loads it
    """Medical dictionaries: terms and drug names."""
    stems: Lexicon = cast(Lexicon, "drug_stems")
    """Drug-name stems with their measured precision."""
    metric: Metric = "levenshtein"
    """How edits are counted: two swapped neighbors are one edit with `osa`, two with `levenshtein`."""
    min_length: int = 3
    """Shorter entries explain nothing (code points): most are abbreviations with other meanings."""
    fuzzy_length: int = 5
    """Minimum number of letters of a near miss."""
    fuzzy_length_drugs: int = 7
    """Minimum number of letters of a near miss of a medication: short drug names are one letter from each other."""
    min_precision: float = 0.95
    """Stems of lower precision explain nothing: of the words and names of the shipped lists with that stem, fewer are drugs (0 to
    1; above 1 no stem explains anything)."""
    keep_above: float = 0.8
    """Candidates with more confidence are never vetoed; 1 disables this limit (0 to 1)."""
    protect: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], list(_PROTECT)))
    """Lists of names. A name, or a word one edit from one, is never vetoed for a near miss or a stem. For an exact entry it is
    vetoed only if it is also a common word, is not a well-known name (`name_share`, `population`), and is not in a list without
    such numbers (months, a list of your own)."""
    name_share: float = 0.002
    """Share of people from which a name is well known (percent)."""
    population: int = 50_000
    """Population from which a place is well known."""
    known: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], ["common_words"]))
    """Lists of words that are never near misses and have no stem: `heard` is not *heart*."""
    cues: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], list(_CUES)))
    """Words that form a name with the word before them if both have a capital: *Heart Hospital*, *Temple Street*."""
    beside: list[str] = field(default_factory=lambda: _BESIDE.split())
    """Words that need no entry of their own beside medical ones, in lower case."""
    titles: Lexicon = cast(Lexicon, "person_titles")
    """Titles of people, with their `side`: before or after the name."""

    def __post_init__(self) -> None:
        if not 0 <= self.keep_above <= 1:
            raise ValueError(f"keep_above: expected a number from 0 to 1, got {self.keep_above!r}")
        for name in ("min_length", "fuzzy_length", "fuzzy_length_drugs", "min_precision", "name_share", "population"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected a number of at least 0, got {getattr(self, name)!r}")
        super().__post_init__()

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(
            *(self.dictionary if isinstance(self.dictionary, list) else [self.dictionary]),
            longest="none",
            near=lambda lexicon: corrector(lexicon, self.metric, self.fuzzy_length, self._is_known),
            near_length=lambda e: self.fuzzy_length_drugs if e.group == "MEDICATION" else self.fuzzy_length,
        )

    @cached_property
    def _stems(self) -> DrugStems:
        return DrugStems(self.stems, self.min_precision)

    @cached_property
    def _names(self) -> ProtectedNames:
        return ProtectedNames(self.protect, self.name_share, self.population)

    @cached_property
    def _beside(self) -> frozenset[str]:
        return frozenset(self.beside)

    def _is_known(self, word: str) -> bool:
        return any(word in lexicon for lexicon in self.known)

    def may_veto(self, candidate: PhiCandidate) -> bool:
        return not candidate.reason.startswith(VETOED) and super().may_veto(candidate)

    def find_reason(self, view: View, candidate: PhiCandidate) -> str:
        begin, end = candidate.begin, candidate.end
        covered = view.text[begin:end]
        if candidate.kind.top is PhiKind.DATE and any(map(str.isdecimal, covered)):
            return ""
        if "@" in covered or "_" in covered or view.text[max(0, begin - 1) : begin] in ("@", "_"):  # of a user
            return ""
        context = context_of(view, begin, end, _REACH)
        if context is None or self._has_title(context) or self._is_in_a_name(context):
            return ""
        matches = [m for m in self._matcher.find(context.forms) if self._counts(m, context)]
        whole = [m for m in matches if m.first <= context.first and context.last <= m.last]
        if any(map(_is_exact, whole)):
            return EXACT
        return FUZZY if whole else self._explain_words(context, matches)

    def _explain_words(self, context: CandidateContext, matches: Sequence[LexiconMatch]) -> str:
        """Return the reason if an entry or a stem explains every word of the candidate, else an empty string."""
        inside = [m for m in matches if m.first >= context.first and m.last <= context.last]
        exact = {i for m in inside if _is_exact(m) for i in range(m.first, m.last)}
        near = {i for m in inside for i in range(m.first, m.last)}
        reason, medical = EXACT, False
        for i in range(context.first, context.last):
            form = context.forms[i]
            if i in near:
                medical = True
                reason = FUZZY if reason == EXACT and i not in exact else reason
                continue
            if form.lower() in self._beside or not any(map(str.isalnum, form)) or form in ("'s", "’s"):
                continue
            stem = self._stem_of(form)
            if not stem:
                return ""
            reason, medical = f"{STEM} {stem}", True
        return reason if medical else ""

    def _stem_of(self, form: str) -> str:
        word = form.lower()
        if not word.isalpha() or not word.isascii() or self._is_known(word):
            return ""
        stem = self._stems.of(word)
        return "" if stem is None or self._names.resemble(form) else str(stem)

    def _counts(self, match: LexiconMatch, context: CandidateContext) -> bool:
        """Return whether an entry can explain the candidate: it is long enough and does not resemble a name.

        A near miss of an abbreviation does not count, nor one of an entry that is also the name of a person or place.
        """
        phrase = context.text(match.first, match.last)
        if len(phrase) < self.min_length:
            return False
        if not _is_exact(match):
            abbreviated = any(map(is_abbreviation, context.forms[match.first : match.last]))
            return not (match.entry.ambiguous or abbreviated or self._names.resemble(phrase))
        forms = dict.fromkeys((phrase, match.entry.form))  # `chins` is not `chin`
        if any(map(self._names.is_in_uncounted_list, forms)):
            return False
        if match.entry.exact and not context.all_capitals:  # `ANA` is not Ana
            return True
        if context.has_capitals and phrase.islower() and self._is_known(phrase):  # `burns` is not Burns
            return True
        if match.entry.ambiguous or any(map(self._names.is_well_known, forms)):
            return False
        return not any(self._names.is_listed(form) and not self._is_known(form.lower()) for form in forms)

    def _has_title(self, context: CandidateContext) -> bool:
        """Return whether a title is before the candidate, is its first word of several, or is after it."""
        forms, first, last = context.forms, context.first, context.last
        before = first - 2 if first > 1 and forms[first - 1] == "." else first - 1
        after = last + 1 if last + 1 < len(forms) and forms[last] == "," else last
        return (
            (before >= 0 and self._is_title(forms[before], "before"))
            or (last - first > 1 and self._is_title(forms[first], "before"))
            or (after < len(forms) and self._is_title(forms[after], "after"))
        )

    def _is_in_a_name(self, context: CandidateContext) -> bool:
        """Return whether a word after the candidate makes it a name, or it is a part of a longer name: *Isle of Palms*."""
        first, last, forms = context.first, context.last, context.forms
        after = forms[last] if last < len(forms) else ""
        if forms[last - 1][:1].isupper() and after[:1].isupper() and any(after in cues for cues in self.cues):
            return True
        return self._names.any_extends_beyond(forms, first, last)

    def _is_title(self, form: str, side: str) -> bool:
        return any(entry.columns.get("side") in (side, "both") for entry in self.titles.entries(form))


def _is_exact(match: LexiconMatch) -> bool:
    return match.confidence == 1.0
