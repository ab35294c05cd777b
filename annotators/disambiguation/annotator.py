"""The component `disambiguation`: what a medical dictionary or a drug-name stem explains is no person, place or date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Literal, cast

from ...pipeline.contract.component import AnalysisEngine, component
from ...typesystem import INITIAL_VIEW, Cas, PhiCandidate, PhiKind, Token, View
from ..lexicon import Lexicon
from ..resolving import VETOED
from .candidate_context import CandidateContext, context_of
from .dictionary import REACH, DictionaryMatch, MedicalDictionary
from .protected_names import ProtectedNames
from .stems import DrugStems

EXACT, FUZZY, STEM = "exact medical term", "fuzzy medical term", "drug stem"
_OWN = tuple(f"{VETOED}: {why}" for why in (EXACT, FUZZY, STEM))
_KINDS = "PERSON LOCATION DATE"
_BESIDE = """left right bilateral upper lower middle mid distal proximal anterior posterior lateral medial superior inferior
superficial deep of the and with in"""
_PROTECT = ["names", "places", "months", "weekdays", "holidays"]
_CUES = ["organization_cues", "street_words"]


@component("disambiguation", inputs=[PhiCandidate, Token], outputs=[PhiCandidate])
class Disambiguation(AnalysisEngine):
    """Marks people, places and dates of the named sources as vetoed where a medical dictionary or a drug-name stem explains
    every word of them; the resolver leaves those alone.

    Ordinary words may be one edit (Levenshtein distance below 2) from an entry, after the same first letter; abbreviations
    match exactly. They stay in the CAS with the reason. Known PHI is never vetoed, nor what a title stands beside, nor a date
    with a digit, nor names of `protect`. Source: "PHI Scrubber: A Deep Learning Approach" (2018), Medical terms disambiguation,
    where any near miss removes the label.
    """

    sources: list[str]
    """Whose candidates may be vetoed: ids of components or aggregates (`names`, `models/crf`)."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.of(name) for name in _KINDS.split()])
    """Kinds that may be vetoed, with those below them."""
    dictionary: Lexicon | list[Lexicon] = cast(Lexicon, "medical")  # a name until `open` loads it
    """Medical dictionaries: terms and drug names."""
    stems: Lexicon = cast(Lexicon, "drug_stems")
    """Drug-name stems with their measured precision."""
    metric: Literal["levenshtein", "osa"] = "levenshtein"
    """What one edit is: with `osa` two neighbours that changed places count as one, with `levenshtein` as two."""
    min_length: int = 3
    """Shorter entries explain nothing (code points): most are abbreviations that stand for other things too."""
    fuzzy_length: int = 5
    """Letters that a near miss has at least."""
    fuzzy_length_drugs: int = 7
    """Letters that a near miss of a medication has at least: short drug names are one letter from each other."""
    min_precision: float = 0.95
    """Stems of lower precision explain nothing: of the words and names of the shipped lists with that stem, fewer are drugs (0 to
    1; above 1 no stem explains anything)."""
    keep_above: float = 0.8
    """Candidates with more confidence stay; 1 lets none stay for that reason (0 to 1)."""
    protect: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], list(_PROTECT)))
    """ProtectedNames. One of them, or a word one edit from one, is never vetoed for a near miss or a stem. For an exact entry it is only
    where it is a common word as well, but no well-known name (`name_share`, `population`), and in no list without such figures
    (months, a list of your own)."""
    name_share: float = 0.002
    """From which share of people with it a name is well known (percent)."""
    population: int = 50_000
    """From how many people on a place is well known."""
    known: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], ["common_words"]))
    """Words in these lists are never near misses and have no stem: `heard` is not *heart*."""
    cues: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], list(_CUES)))
    """Words that make a name with the word before them where both have a capital: *Heart Hospital*, *Temple Street*."""
    beside: list[str] = field(default_factory=lambda: _BESIDE.split())
    """Words that need no entry of their own beside medical ones, in lower case."""
    titles: Lexicon = cast(Lexicon, "person_titles")
    """What stands before or after people, with its `side`."""

    def __post_init__(self) -> None:
        if not 0 <= self.keep_above <= 1:
            raise ValueError(f"keep_above: expected a number from 0 to 1, got {self.keep_above!r}")
        for name in ("min_length", "fuzzy_length", "fuzzy_length_drugs", "min_precision", "name_share", "population"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected a number of at least 0, got {getattr(self, name)!r}")
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
            if candidate.reason.startswith(_OWN):
                candidate.reason = ""
            if self._may_veto(candidate):
                why = self._why(view, candidate)
                if why:
                    candidate.reason = f"{VETOED}: {why}"
                    candidate.winner = None

    # -- what is made from the parameters ------------------------------------------------------------------------------

    @cached_property
    def _paths(self) -> list[list[str]]:
        return [source.split("/") for source in self.sources]

    @cached_property
    def _dictionary(self) -> MedicalDictionary:
        lexicons = self.dictionary if isinstance(self.dictionary, list) else [self.dictionary]
        return MedicalDictionary(lexicons, self.metric, self._is_known, self.fuzzy_length, self.fuzzy_length_drugs)

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

    # -- one candidate -------------------------------------------------------------------------------------------------

    def _may_veto(self, candidate: PhiCandidate) -> bool:
        if candidate.reason.startswith(VETOED) or (candidate.confidence > self.keep_above and self.keep_above < 1):
            return False
        path = candidate.source.split("/")
        if "known_phi" in path or not any(map(candidate.kind.is_a, self.kinds)):
            return False
        return any(path[i : i + len(p)] == p for p in self._paths for i in range(len(path) - len(p) + 1))

    def _why(self, view: View, candidate: PhiCandidate) -> str:
        """What explains the candidate, empty where nothing does."""
        begin, end = candidate.begin, candidate.end
        covered = view.text[begin:end]
        if candidate.kind.top is PhiKind.DATE and any(map(str.isdecimal, covered)):
            return ""
        if "@" in covered or "_" in covered or view.text[max(0, begin - 1) : begin] in ("@", "_"):  # of a user
            return ""
        stretch = context_of(view, begin, end, REACH)
        if stretch is None or self._has_title(stretch) or self._is_in_a_name(stretch):
            return ""
        found = [f for f in self._dictionary.on(stretch.forms) if self._counts(f, stretch)]
        whole = [f for f in found if f.first <= stretch.first and stretch.last <= f.last]
        if any(f.exact for f in whole):
            return EXACT
        return FUZZY if whole else self._word_by_word(stretch, found)

    def _word_by_word(self, stretch: CandidateContext, found: Sequence[DictionaryMatch]) -> str:
        inside = [f for f in found if f.first >= stretch.first and f.last <= stretch.last]
        exact = {at for f in inside if f.exact for at in range(f.first, f.last)}
        near = {at for f in inside for at in range(f.first, f.last)}
        why, medical = EXACT, False
        for at in range(stretch.first, stretch.last):
            form = stretch.forms[at]
            if at in near:
                medical = True
                why = FUZZY if why == EXACT and at not in exact else why
                continue
            if form.lower() in self._beside or not any(map(str.isalnum, form)) or form in ("'s", "’s"):
                continue
            stem = self._stem_of(form)
            if not stem:
                return ""
            why, medical = f"{STEM} {stem}", True
        return why if medical else ""

    def _stem_of(self, form: str) -> str:
        word = form.lower()
        if not word.isalpha() or not word.isascii() or self._is_known(word):
            return ""
        stem = self._stems.of(word)
        return "" if stem is None or self._names.resemble(form) else str(stem)

    def _counts(self, found: DictionaryMatch, stretch: CandidateContext) -> bool:
        """Whether an entry may speak: long enough, and no name that outweighs it."""
        phrase = stretch.text(found.first, found.last)
        if len(phrase) < self.min_length:
            return False
        if not found.exact:
            return not self._names.resemble(phrase)
        forms = dict.fromkeys((phrase, found.entry.form))  # `chins` is not `chin`
        if any(map(self._names.fixed, forms)):
            return False
        if found.entry.exact and not stretch.shouted:  # `ANA` is no Ana
            return True
        if stretch.cased and phrase.islower() and self._is_known(phrase):  # `burns` is no Burns
            return True
        if found.entry.ambiguous or any(map(self._names.known, forms)):
            return False
        return not any(self._names.listed(form) and not self._is_known(form.lower()) for form in forms)

    def _has_title(self, stretch: CandidateContext) -> bool:
        """Whether a title stands before the candidate, is its first word of several, or stands after it."""
        forms, first, last = stretch.forms, stretch.first, stretch.last
        before = first - 2 if first > 1 and forms[first - 1] == "." else first - 1
        after = last + 1 if last + 1 < len(forms) and forms[last] == "," else last
        return (
            (before >= 0 and self._is_title(forms[before], "before"))
            or (last - first > 1 and self._is_title(forms[first], "before"))
            or (after < len(forms) and self._is_title(forms[after], "after"))
        )

    def _is_in_a_name(self, stretch: CandidateContext) -> bool:
        """Whether a word after the candidate makes it a name, or it is a part of a longer one of the lists: *Isle of Palms*."""
        first, last, forms = stretch.first, stretch.last, stretch.forms
        after = forms[last] if last < len(forms) else ""
        if forms[last - 1][:1].isupper() and after[:1].isupper() and any(after in cues for cues in self.cues):
            return True
        return self._names.reach_over(forms, first, last)

    def _is_title(self, form: str, side: str) -> bool:
        return any(entry.columns.get("side") in (side, "both") for entry in self.titles.entries(form))
