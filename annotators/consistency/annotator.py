"""Label consistency: marks the other occurrences of what a finder found once in a document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import FormTable, MedicalTerm, PhiCandidate, PhiKind, Token, View
from ..lexicon import Lexicon
from ..resolving.candidates import VETOED, SourceSet
from .repetition import INITIALS, Case, Origin, Repeat, RepetitionSearch, index_words, without_contained

_COMMON = "common_words stop_words months weekdays medical person_titles countries us_states"
_NAMES = "given_names surnames"
_WITHOUT_PARTS = (PhiKind.PERSON_USERNAME, PhiKind.PERSON_INITIALS)
_CHARACTERS = frozenset(["ID", "PHONE", "FAX", "EMAIL", "URL", "IP"])
"""First-level kinds that are searched for character by character."""
_RARE_TIER = 20
_LONGEST = 20
"""Maximum number of tokens of a span whose repetitions are searched: a longer one is not a name."""
_JOINTS = tuple("@._/\\")
_INSIDE = frozenset("-'’")
_SENTENCE_ENDS = frozenset(".!?:;\n\r•*")


@component("consistency", inputs=[Token, PhiCandidate], outputs=[PhiCandidate])
class ConsistencyAnnotator(Annotator):
    """Marks the other occurrences of what earlier finders are confident about: names in full and in part, numbers and codes.

    A word alone is taken for a name only if it has a capital, is in no list of common words, and does not occur in small
    letters in the document: `Rose`, `Will` and `May` are not marked. Occurrences that a candidate of the same first-level kind
    covers are skipped. The second pass of Aramaki et al. 2006 (i2b2 de-identification challenge).
    """

    sources: list[str] = field(default_factory=list)
    """Ids of the components or aggregates whose candidates are searched for (`names`, `models/crf`). Empty: all."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.ID])
    """Kinds to search for, with those below them."""
    threshold: float = 0.8
    """Candidates with less confidence are not searched for (0 to 1)."""
    factor: float = 0.9
    """The confidence of an occurrence is that of the candidate times this (0 to 1)."""
    parts: bool = True
    """Search for the words of a name alone too: `Smith` for John Smith."""
    initials: bool = False
    """Search for the initials of a name of several words too: `J.S.`, `JS`."""
    case: Case = "capitals"
    """`same`: as found; `capitals`: also in capitals, or with one capital if found in capitals; `any`: in small letters too,
    for texts without capitals."""
    shortest: int = 3
    """Shorter words are not names on their own (letters)."""
    shortest_id: int = 4
    """Shorter numbers and codes are not searched for (characters)."""
    common: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], _COMMON.split()))
    """Lists of words that are not names on their own: names of the lexicon pack, or files of your own for another language."""
    names: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], _NAMES.split()))
    """Lists of names with their `share`, for `name_share`."""
    name_share: float = 0.3
    """A rarer common word (`tier` 20 or more, such as `smith`) is a name after all if at least this share of people has it,
    except at the beginning of a sentence or line (percent). 0: every word of that tier, for more recall."""

    def __post_init__(self) -> None:
        for name in ("threshold", "factor"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {getattr(self, name)!r}")
        for name in ("shortest", "shortest_id"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected 1 or more, got {getattr(self, name)}")

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for source in self.sources:
            yield "sources", source

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        origins = self._origins(view)
        if not origins:
            return
        tokens = view.tokens
        occurrences = index_words(tokens)
        checks = _WordChecks(self, view, occurrences)
        search = RepetitionSearch(view.text, tokens, occurrences, self.case, checks.may_be_name)
        for repeat in without_contained(self._repeats(search, origins), checks.is_covered):
            yield PhiCandidate(
                tokens.begins[repeat.first],
                tokens.ends[repeat.last - 1],
                kind=PhiKind.PERSON_INITIALS if repeat.rule == INITIALS else repeat.origin.kind,
                confidence=round(repeat.origin.confidence * self.factor, 4),
                rule=repeat.rule,
            )

    def _repeats(self, search: RepetitionSearch, origins: list[Origin]) -> Iterator[Repeat]:
        people = []
        for origin in origins:
            if origin.kind.top.name in _CHARACTERS:
                yield from search.same_characters(origin)
                continue
            yield from search.same_words(origin)
            if origin.kind.top is PhiKind.PERSON and origin.kind not in _WITHOUT_PARTS:
                people.append(origin)
                if self.initials:
                    yield from search.initials(origin)
        if self.parts:
            yield from search.parts(people)

    def _origins(self, view: View) -> list[Origin]:
        """Return what to search for, the most confident first; of equal words the first."""
        tokens, origins = view.tokens, dict[tuple[str, ...], Origin]()
        kinds, sources, own = frozenset(self.kinds), self._source_set, self.id
        for c in view.select(PhiCandidate):
            if c.confidence < self.threshold or not (c.kind in kinds or c.kind.parent in kinds):
                continue
            if c.source == own or (self.sources and c.source not in sources) or c.reason.startswith(VETOED):
                continue
            first, last = bisect_left(tokens.begins, c.begin), bisect_right(tokens.ends, c.end)
            exact = first < last and tokens.begins[first] == c.begin and tokens.ends[last - 1] == c.end
            if c.kind.top.name in _CHARACTERS and (not exact or c.end - c.begin < self.shortest_id):
                continue
            if 0 < last - first <= _LONGEST:
                key = (c.kind.top.name, *tokens.lowers[first:last])
                if key not in origins or origins[key].confidence < c.confidence:
                    origins[key] = Origin(first, last, c.kind, c.confidence)
        return sorted(origins.values(), key=lambda o: (-o.confidence, o.first, o.last, o.kind.name))

    @cached_property
    def _source_set(self) -> SourceSet:
        return SourceSet(self.sources)

    @cached_property
    def commonness(self) -> FormTable[int]:
        """How common a word is: 0 not, 1 a rarer word and a frequent name, 2 a common word, in any case."""
        return FormTable(self._commonness)

    def _commonness(self, form: str) -> int:
        entries = [entry for lexicon in self.common for entry in lexicon.entries(form)]
        if not entries:
            return 0
        share = max((entry.share for lexicon in self.names for entry in lexicon.entries(form)), default=0.0)
        return 1 if share >= self.name_share and all(entry.tier >= _RARE_TIER for entry in entries) else 2


class _WordChecks:
    """Checks of single words of one document."""

    def __init__(self, annotator: ConsistencyAnnotator, view: View, occurrences: Mapping[str, Sequence[int]]) -> None:
        self.annotator = annotator
        self.view = view
        self.tokens = view.tokens
        self.occurrences = occurrences
        self.no_capitals = annotator.case == "any" or view.text == view.text.lower()
        self._lower_case: dict[str, bool] = {}

    def may_be_name(self, i: int) -> bool:
        """Return whether token i on its own may be a name that is mentioned elsewhere."""
        form = self.tokens.forms[i]
        if len(form) < self.annotator.shortest or not all(c.isalpha() or c in _INSIDE for c in form):
            return False
        cased = form.lower() != form.upper()
        if cased and not self.no_capitals and not form[:1].isupper():
            return False
        common = self.annotator.commonness[form]
        if common > 1 or (common and self._begins_sentence(i)):
            return False
        if cased and not self.no_capitals and self._occurs_in_lower_case(self.tokens.lowers[i]):
            return False
        return not self.view.select(MedicalTerm, covering=(self.tokens.begins[i], self.tokens.ends[i]))

    def _begins_sentence(self, i: int) -> bool:
        """Return whether a sentence or line begins with token i, so that it has a capital in any case."""
        before = self.view.text[max(0, self.tokens.begins[i] - 20) : self.tokens.begins[i]].rstrip(" \t\"'(“‘")
        return not before or before[-1] in _SENTENCE_ENDS

    def _occurs_in_lower_case(self, lower: str) -> bool:
        """Return whether the document has the word in small letters, other than in an address or inside a candidate."""
        if lower not in self._lower_case:
            self._lower_case[lower] = any(map(self._is_free_and_lower, self.occurrences[lower]))
        return self._lower_case[lower]

    def _is_free_and_lower(self, i: int) -> bool:
        tokens, text = self.tokens, self.view.text
        begin, end = tokens.begins[i], tokens.ends[i]
        after = text[end : end + 2]
        joined = text[begin - 1 : begin] in _JOINTS or (after[:1] in _JOINTS and after[1:].isalnum())
        if tokens.forms[i] != tokens.lowers[i] or joined:
            return False
        return not self.view.select(PhiCandidate, covering=(begin, end))

    def is_covered(self, repeat: Repeat) -> bool:
        """Return whether another component's candidate of the same first-level kind covers the occurrence."""
        begin, end = self.tokens.begins[repeat.first], self.tokens.ends[repeat.last - 1]
        own, top = self.annotator.id, repeat.origin.kind.top
        return any(c.kind.top is top and c.source != own for c in self.view.select(PhiCandidate, covering=(begin, end)))
