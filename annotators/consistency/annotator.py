"""Label consistency: what was found once in a document is marked wherever else it stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import FormTable, MedicalTerm, PhiCandidate, PhiKind, Token, View
from ..lexicon import Lexicon
from ..resolving import VETOED
from .repetition import INITIALS, Case, Origin, Repeat, Repetition, uncovered

_COMMON = "common_words stop_words months weekdays medical person_titles countries us_states"
_NAMES = "given_names surnames"
_WHOLE = (PhiKind.PERSON_USERNAME, PhiKind.PERSON_INITIALS)
"""Kinds of people that have no parts."""
_CHARACTERS = frozenset(["ID", "PHONE", "FAX", "EMAIL", "URL", "IP"])
"""First-level kinds that are found again character by character."""
_RARE_TIER = 20
_JOINTS = tuple("@._/\\")
_INSIDE = frozenset("-'’")
_ENDS = frozenset(".!?:;\n\r•*")


@component("consistency", inputs=[Token, PhiCandidate], outputs=[PhiCandidate])
class ConsistencyAnnotator(Annotator):
    """Marks the other places of what finders before it are sure of: names whole and in part, numbers and codes.

    A word alone is taken for a name only where it has a capital, stands in no list of common words, and is nowhere written
    small in the document: `Rose`, `Will` and `May` stay where they are. Places that a candidate of the same first-level kind
    covers are left to it. The second pass of Aramaki et al. 2006 (i2b2 de-identification challenge).
    """

    sources: list[str] = field(default_factory=list)
    """Whose candidates are looked for: ids of components or aggregates (`names`, `models/crf`). Empty: those of all."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.ID])
    """Kinds to look for, with those below them."""
    threshold: float = 0.8
    """Candidates with less confidence are not looked for (0 to 1)."""
    factor: float = 0.9
    """The confidence in another place is that of the candidate times this (0 to 1)."""
    parts: bool = True
    """Look for the words of a name alone too: `Smith` where John Smith was found."""
    initials: bool = False
    """Look for the initials of a name of several words too: `J.S.`, `JS`."""
    case: Case = "capitals"
    """`same`: as found; `capitals`: also in capitals, or with one where it was found in capitals; `any`: in small letters too,
    for texts without capitals."""
    shortest: int = 3
    """Shorter words are no names alone (letters)."""
    shortest_id: int = 4
    """Shorter numbers and codes are not looked for (characters)."""
    common: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], _COMMON.split()))
    """Lists of words that are no names alone: names of the lexicon pack, or files of your own for another language."""
    names: list[Lexicon] = field(default_factory=lambda: cast(list[Lexicon], _NAMES.split()))
    """Lists of names with their `share`, for `name_share`."""
    name_share: float = 0.3
    """A rarer common word (`tier` 20 or more, as `smith`) that at least this share of people is called is a name after all,
    except where a sentence or line begins (percent). 0: every word of that tier, for more recall."""

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
        word = _Word(self, view)
        search = Repetition(view.text, tokens, self.case, word.spreads)
        word.at = search.at
        for repeat in uncovered(self._repeats(search, origins), word.is_taken):
            yield PhiCandidate(
                tokens.begins[repeat.first],
                tokens.ends[repeat.last - 1],
                kind=PhiKind.PERSON_INITIALS if repeat.how == INITIALS else repeat.origin.kind,
                confidence=round(repeat.origin.confidence * self.factor, 4),
                rule=repeat.how,
            )

    def _repeats(self, search: Repetition, origins: list[Origin]) -> Iterator[Repeat]:
        people = []
        for origin in origins:
            if origin.kind.top.name in _CHARACTERS:
                yield from search.exactly(origin)
                continue
            yield from search.whole(origin)
            if origin.kind.top is PhiKind.PERSON and origin.kind not in _WHOLE:
                people.append(origin)
                if self.initials:
                    yield from search.initials(origin)
        if self.parts:
            yield from search.parts(people)

    def _origins(self, view: View) -> list[Origin]:
        """What to look for, the surest first; of equal words the first."""
        tokens, found = view.tokens, dict[tuple[str, ...], Origin]()
        own, looked_for, counts = self.id, self._looked_for, self._counts
        for c in view.select(PhiCandidate):
            if c.confidence < self.threshold or not looked_for[c.kind] or not counts[c.source] or c.source == own:
                continue
            if c.reason.startswith(VETOED):
                continue
            first, last = bisect_left(tokens.begins, c.begin), bisect_right(tokens.ends, c.end)
            exact = first < last and tokens.begins[first] == c.begin and tokens.ends[last - 1] == c.end
            if c.kind.top.name in _CHARACTERS and (not exact or c.end - c.begin < self.shortest_id):
                continue
            if first < last:
                key = (c.kind.top.name, *tokens.lowers[first:last])
                origin = Origin(first, last, c.kind, c.confidence)
                if key not in found or found[key].confidence < c.confidence:
                    found[key] = origin
        return sorted(found.values(), key=lambda o: (-o.confidence, o.first, o.last, o.kind.name))

    @cached_property
    def _counts(self) -> FormTable[bool]:
        """Whether the candidates of a component are looked for."""
        return FormTable(self._is_source)

    def _is_source(self, source: str) -> bool:
        path = source.split("/")
        wanted = [s.split("/") for s in self.sources]
        return not wanted or any(path[i : i + len(w)] == w for w in wanted for i in range(len(path) - len(w) + 1))

    @cached_property
    def _looked_for(self) -> _Kinds:
        return _Kinds(self.kinds)

    @cached_property
    def commonness(self) -> FormTable[int]:
        """How common a word is: 0 not, 1 a rarer word and a frequent name, 2 a common word, whatever its case."""
        return FormTable(self._commonness)

    def _commonness(self, form: str) -> int:
        found = [entry for lexicon in self.common for entry in lexicon.entries(form)]
        if not found:
            return 0
        share = max((entry.share for lexicon in self.names for entry in lexicon.entries(form)), default=0.0)
        return 1 if share >= self.name_share and all(entry.tier >= _RARE_TIER for entry in found) else 2


class _Kinds(dict[PhiKind, bool]):
    """Whether a kind is one of some, or below one."""

    def __init__(self, kinds: list[PhiKind]) -> None:
        super().__init__()
        self._wanted = kinds

    def __missing__(self, kind: PhiKind) -> bool:
        self[kind] = found = any(map(kind.is_a, self._wanted))
        return found


class _Word:
    """What is asked about single words of one document."""

    def __init__(self, annotator: ConsistencyAnnotator, view: View) -> None:
        self.annotator = annotator
        self.view = view
        self.tokens = view.tokens
        self.no_capitals = annotator.case == "any" or view.text == view.text.lower()
        self._small: dict[str, bool] = {}
        self.at: Mapping[str, Sequence[int]] = {}
        """The tokens of every word, by its lower case."""

    def spreads(self, i: int) -> bool:
        """Whether token i on its own may be taken for a name that stands elsewhere."""
        form = self.tokens.forms[i]
        if len(form) < self.annotator.shortest or not all(c.isalpha() or c in _INSIDE for c in form):
            return False
        cased = form.lower() != form.upper()
        if cased and not self.no_capitals and not form[:1].isupper():
            return False
        common = self.annotator.commonness[form]
        if common > 1 or (common and self._starts(i)):
            return False
        if cased and not self.no_capitals and self._is_written_small(self.tokens.lowers[i]):
            return False
        return not self.view.select(MedicalTerm, covering=(self.tokens.begins[i], self.tokens.ends[i]))

    def _starts(self, i: int) -> bool:
        """Whether a sentence or line begins with token i: its capital says nothing."""
        before = self.view.text[max(0, self.tokens.begins[i] - 20) : self.tokens.begins[i]].rstrip(" \t\"'(“‘")
        return not before or before[-1] in _ENDS

    def _is_written_small(self, low: str) -> bool:
        """Whether the document has the word in small letters, other than in an address or inside what somebody found."""
        found = self._small.get(low)
        if found is None:
            found = self._small[low] = any(map(self._is_free_and_small, self.at[low]))
        return found

    def _is_free_and_small(self, i: int) -> bool:
        tokens = self.tokens
        begin, end = tokens.begins[i], tokens.ends[i]
        small = tokens.forms[i] == tokens.lowers[i] and self._is_free(begin, end)
        return small and not self.view.select(PhiCandidate, covering=(begin, end))

    def _is_free(self, begin: int, end: int) -> bool:
        text = self.view.text
        after = text[end : end + 2]
        return text[begin - 1 : begin] not in _JOINTS and not (after[:1] in _JOINTS and after[1:].isalnum())

    def is_taken(self, repeat: Repeat) -> bool:
        """Whether somebody's candidate of the same first-level kind covers the place."""
        begin, end = self.tokens.begins[repeat.first], self.tokens.ends[repeat.last - 1]
        own, top = self.annotator.id, repeat.origin.kind.top
        return any(c.kind.top is top and c.source != own for c in self.view.select(PhiCandidate, covering=(begin, end)))
