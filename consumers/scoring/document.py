"""One document to be scored: reference and system spans over the same text, its tokens, and its entities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from ...pipeline.errors import ConsumerError
from ...typesystem import (
    GOLD_VIEW,
    INITIAL_VIEW,
    Cas,
    Phi,
    PhiCandidate,
    Sentence,
    Token,
    View,
    counts_for_hipaa,
    optional_spans,
)
from ...typesystem.tokenize import token_spans
from .spans import Spans

T = TypeVar("T")
GROUPS = ("group", "patient")
"""Metadata with the group of documents that a document belongs to."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One reference or system span. Offsets are code points, half-open."""

    begin: int
    end: int
    kind: str
    """Name of a PHI kind, or a label of a scheme after mapping."""
    source: str = ""
    """The component that found it."""
    confidence: float = 1.0
    renamed_from: str = field(default="", compare=False)
    """Its kind before it was changed to a level; empty if it was not."""

    @property
    def hipaa(self) -> bool:
        """True if its kind, before any change to a level, counts in measures of HIPAA's identifiers."""
        return counts_for_hipaa(self.renamed_from or self.kind)


@dataclass(frozen=True, slots=True)
class Entity:
    """All mentions of one person or thing, by one annotator: to protect it, all of them must be masked."""

    kind: str
    direct: bool
    """True if it identifies one person on its own; else it is a quasi-identifier."""
    mentions: tuple[tuple[int, int, bool], ...]
    """Begin, end, and whether this mention must be masked."""
    annotator: str = ""


@dataclass(slots=True)
class Pair:
    """One document: reference and system over the same text.

    Optional reference spans are neither missed nor false: system spans and candidates that overlap only such spans are dropped.
    """

    id: str
    text: str = field(repr=False)
    gold: list[Mark]
    system: list[Mark]
    tokens: tuple[list[int], list[int]] = field(repr=False)
    """Begins and ends of the tokens, sorted and disjoint."""
    candidates: list[Mark] = field(default_factory=list)
    """Spans that the components proposed, for the credit of each component."""
    group: str = ""
    """The same for all documents of a patient; empty if unknown."""
    sentences: int | None = None
    """Number of sentences, if known: MEDDOCAN's leak score is misses per sentence."""
    entities: list[Entity] | None = field(default=None, repr=False)
    """Reference entities, if mentions are linked (TAB)."""
    labels: tuple[list[str], list[str]] | None = field(default=None, repr=False)
    """Reference and system label of every token, if the input consists of labels (CoNLL)."""
    optional: list[Mark] = field(default_factory=list)
    """Reference spans that need not be found."""
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Metadata of the document, by which scores can be grouped."""
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.optional:
            self.system, self.candidates = (
                [m for m in marks if not self.only_optional(m.begin, m.end)] for marks in (self.system, self.candidates)
            )

    def only_optional(self, begin: int, end: int) -> bool:
        """Return whether a span shares a code point with an optional reference span and with no other reference span."""
        if not self.optional:
            return False
        optional = self.once("optional", lambda: Spans(_sorted(self.optional)))
        return optional.overlap((begin, end)) and not self.once("gold", lambda: Spans(_sorted(self.gold))).overlap(
            (begin, end)
        )

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` returns; it is called once for each name, for values that several measures need."""
        if name not in self._made:
            self._made[name] = make()
        return cast(T, self._made[name])

    def check(self) -> None:
        """Raise ConsumerError for spans that are empty or outside the text, and for confidences that are not between 0 and 1."""
        sides = (
            ("gold", self.gold),
            ("optional", self.optional),
            ("system", self.system),
            ("candidate", self.candidates),
        )
        for side, marks in sides:
            for number, m in enumerate(marks, 1):
                if not 0 <= m.begin < m.end <= len(self.text):
                    problem = f"{m.begin}:{m.end} is not a span of the text (0:{len(self.text)})"
                    raise ConsumerError(f"document {self.id}: {side} span {number}: {problem}")
                if math.isnan(m.confidence) or not 0 <= m.confidence <= 1:
                    problem = f"expected a confidence from 0 to 1, got {m.confidence}"
                    raise ConsumerError(f"document {self.id}: {side} span {number}: {problem}")
        for number, entity in enumerate(self.entities or (), 1):
            if any(not 0 <= begin < end <= len(self.text) for begin, end, _ in entity.mentions):
                raise ConsumerError(
                    f"document {self.id}: entity {number}: a mention is outside the text (0:{len(self.text)})"
                )


def pair_of(cas: Cas, gold: str = GOLD_VIEW, system: str = INITIAL_VIEW) -> Pair:
    """Return the document of one CAS: Phi of the view `gold` against Phi of the view `system`.

    Raises CasError for a missing view, ConsumerError if the two views differ in text or `Pair.check` fails.
    """
    return pair_of_two(cas, cas, gold, system)


def pair_of_two(
    reference: Cas, found: Cas, gold: str = GOLD_VIEW, system: str = GOLD_VIEW, *, optional: bool = True
) -> Pair:
    """Return the same from two CASes: `gold` is a view of `reference`, `system` one of `found`.

    Tokens and sentences are those of the system's view, else of the initial view over the same text; without any, tokens are
    made by the segmenter's tokenizer and the number of sentences is unknown. `optional`: False to treat optional spans of the
    reference as others. Raises like `pair_of`.
    """
    right, left = reference.view(gold), found.view(system)
    if right.text != left.text:
        raise ConsumerError(f"document {reference.id}: {_difference(right, left)}")
    segmented = next((v for v in _views(left, found, reference) if v.count(Token)), None)
    begins, ends = token_spans(left.text) if segmented is None else segmented.spans(Token)
    split = next((v for v in _views(left, found, reference) if v.count(Sentence)), None)
    flagged = optional_spans(right) if optional else set()
    pair = Pair(
        reference.id,
        left.text,
        _marks(p for p in right.select(Phi) if id(p) not in flagged),
        _marks(left.select(Phi)),
        (list(begins), list(ends)),
        _marks(left.select(PhiCandidate)),
        next((reference.metadata[name] for name in GROUPS if reference.metadata.get(name)), ""),
        None if split is None else split.count(Sentence),
        optional=_marks(p for p in right.select(Phi) if id(p) in flagged),
        metadata=dict(reference.metadata),
    )
    pair.check()
    return pair


def _sorted(marks: Iterable[Mark]) -> list[tuple[int, int]]:
    return sorted((m.begin, m.end) for m in marks)


def _views(view: View, *cases: Cas) -> list[View]:
    """Return the views to search for tokens."""
    initial = [cas.view() for cas in cases if cas.has_view(INITIAL_VIEW)]
    return [view, *(v for v in initial if v is not view and v.text == view.text)]


def _marks(items: Iterable[Phi] | Iterable[PhiCandidate]) -> list[Mark]:
    return [Mark(p.begin, p.end, p.kind.name, p.source, p.confidence) for p in items]


def _difference(right: View, left: View) -> str:
    """Describe where two texts differ; offsets and lengths only."""
    if right.text.replace("\r\n", "\n") == left.text.replace("\r\n", "\n"):
        return f"views {right.name} and {left.name} differ in their line ends: one has CR LF, the other LF"
    first = next((i for i, (a, b) in enumerate(zip(right.text, left.text, strict=False)) if a != b), None)
    offset = min(len(right.text), len(left.text)) if first is None else first
    return (
        f"views {right.name} and {left.name} differ in text from offset {offset} on "
        f"({len(right.text)} and {len(left.text)} code points): spans can be compared over the same text only"
    )
