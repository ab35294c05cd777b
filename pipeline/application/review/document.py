"""A document under review: its text, the spans that the pipeline found or removed, and the replacements by the masker."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ....consumers.pages.tally import winning_candidate
from ....typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, View, first_level
from ....typesystem.text import Utf16
from .state import OPEN, SUGGESTED, ReviewError, Span


class Replacement(NamedTuple):
    """The replacement of the code points `begin:end` of the original by `text`."""

    begin: int
    end: int
    text: str


class Candidate(NamedTuple):
    """A candidate with its source and its outcome."""

    begin: int
    end: int
    kind: str
    source: str
    rule: str
    confidence: float
    reason: str
    won: bool


class Refusal(NamedTuple):
    """A place of the original text that was readable in the masked text, for which the leak gate refused the document."""

    begin: int
    end: int
    kind: str
    check: str
    """The check that found it: values, known_phi, rules."""


@dataclass(frozen=True, slots=True)
class ReviewedSpan:
    """A span from the reviewed document, with its provenance."""

    span: Span
    source: str = ""
    rule: str = ""
    confidence: float = 1.0
    value: str = ""
    reason: str = ""
    operator: str = ""
    fallback: str = ""
    replacements: tuple[Replacement, ...] | None = None
    """Replacements by the masker inside the span; empty if the masker left it readable, None if no masker ran."""
    disputed: bool = False
    """True if overlapping candidates have another first-level kind or other bounds."""


@dataclass(slots=True, eq=False, repr=False)
class Document:
    """The content of one document under review. Offsets are code points."""

    id: str
    text: str
    items: dict[str, ReviewedSpan]
    candidates: list[Candidate]
    """All candidates, sorted by begin."""
    other_masks: list[Replacement]
    """Replacements by the masker outside of final spans."""
    known: list[tuple[str, str]]
    """(kind, value) of the PHI known from the record."""
    masked: bool
    """True if a masker ran."""
    quarantined: str = ""
    """Why the run did not release the document, without text of it."""
    refusals: tuple[Refusal, ...] = ()
    digest: str = field(init=False)
    units: Utf16 = field(init=False)
    _begins: list[int] = field(init=False)
    _longest: int = field(init=False)

    def __post_init__(self) -> None:
        self.digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        self.units = Utf16(self.text)
        self._begins = [v.begin for v in self.candidates]
        self._longest = max((v.end - v.begin for v in self.candidates), default=0)

    @property
    def base(self) -> dict[str, Span]:
        """The spans of the document before any decision."""
        return {sid: item.span for sid, item in self.items.items()}

    def candidates_over(self, begin: int, end: int) -> list[Candidate]:
        """Return the candidates that overlap `begin:end`."""
        first = bisect_left(self._begins, begin - self._longest)
        return [v for v in self.candidates[first : bisect_left(self._begins, end)] if v.end > begin]


def document_of(cas: Cas, view: str = INITIAL_VIEW) -> Document:
    """Return the document under review for a CAS. `view`: the view with the spans to review. Raises ReviewError without it."""
    if not cas.has_view(view):
        names = ", ".join(v.name for v in cas.views) or "none"
        raise ReviewError(f"document {cas.id}: expected a view {view}, found {names}")
    source = cas.view(view)
    masker = cas.view(DEIDENTIFIED_VIEW) if view == INITIAL_VIEW and cas.has_view(DEIDENTIFIED_VIEW) else None
    written = _replacements(masker) if masker is not None else []
    finals = [p for p in source.select(Phi) if p.begin < p.end]
    live, overlapping = _split_overlapping(finals)
    supporting: dict[int, list[PhiCandidate]] = {}
    candidates = source.select(PhiCandidate)
    for c in candidates:
        if c.winner is not None:
            supporting.setdefault(id(c.winner), []).append(c)
    proposals = sorted(_candidate(c) for c in candidates)
    document = Document(
        cas.id, source.text, {}, proposals, [], [(k.kind.name, k.value) for k in cas.known_phi], masker is not None
    )
    ends = [m.original_end for m, _ in written]
    used: set[int] = set()
    for phi in live:
        inside = []
        for m, piece in _inside(written, ends, phi):
            if id(m) not in used:
                used.add(id(m))
                inside.append((m, piece))
        document.items[_sid("p", phi)] = _item(phi, supporting.get(id(phi), []), inside, document)
    document.other_masks = [piece for m, piece in written if id(m) not in used]
    for phi in overlapping:
        span = Span(phi.begin, phi.end, phi.kind.name, SUGGESTED)
        item = ReviewedSpan(span, phi.source, "", phi.confidence, phi.value, "overlaps another final span")
        document.items.setdefault(_sid("o", phi), item)
    _add_vetoed(document, candidates)
    return document


Written = tuple[MaskedSpan, Replacement]


def _replacements(view: View) -> list[Written]:
    """Return the masker's replacements in the order of the original text."""
    spans = sorted(view.select(MaskedSpan), key=lambda m: (m.original_begin, m.original_end))
    return [(m, Replacement(m.original_begin, m.original_end, m.covered_text)) for m in spans]


def _inside(written: list[Written], ends: list[int], phi: Phi) -> Iterator[Written]:
    """Yield the replacements that overlap a final span. `ends`: the ends of the replacements."""
    at = bisect_right(ends, phi.begin)
    while at < len(written) and written[at][1].begin < phi.end:
        yield written[at]
        at += 1


def _split_overlapping(finals: Iterable[Phi]) -> tuple[list[Phi], list[Phi]]:
    """Return disjoint spans, chosen from left to right with the longest at each begin, and the remaining spans."""
    disjoint: list[Phi] = []
    overlapping: list[Phi] = []
    for phi in sorted(finals, key=lambda p: (p.begin, -p.end)):
        (overlapping if disjoint and phi.begin < disjoint[-1].end else disjoint).append(phi)
    return disjoint, overlapping


def _sid(letter: str, phi: Phi | PhiCandidate) -> str:
    return f"{letter}{phi.begin}-{phi.end}-{phi.kind.name}"


def _item(phi: Phi, supporting: list[PhiCandidate], inside: list[Written], document: Document) -> ReviewedSpan:
    winner = winning_candidate(phi, supporting)
    around = document.candidates_over(phi.begin, phi.end)
    top = phi.kind.top.name
    disputed = any((v.begin, v.end) != (phi.begin, phi.end) or first_level(v.kind) != top for v in around)
    masks = [m for m, _ in inside]
    return ReviewedSpan(
        Span(phi.begin, phi.end, phi.kind.name, OPEN),
        phi.source,
        winner.rule if winner is not None else "",
        phi.confidence,
        phi.value,
        phi.reason,
        ", ".join(dict.fromkeys(m.operator for m in masks)),
        ", ".join(dict.fromkeys(m.fallback for m in masks if m.fallback)),
        tuple(piece for _, piece in inside) if document.masked else None,
        disputed,
    )


def _add_vetoed(document: Document, candidates: list[PhiCandidate]) -> None:
    """Add the best candidate of each group of overlapping vetoed candidates that overlaps no final span."""
    final = sorted((i.span.begin, i.span.end) for i in document.items.values() if i.span.status == OPEN)
    groups: list[list[PhiCandidate]] = []
    end = -1
    for c in sorted((c for c in candidates if c.winner is None and c.begin < c.end), key=lambda c: (c.begin, c.end)):
        at = bisect_left(final, (c.end, -1))
        if at and final[at - 1][1] > c.begin:
            continue
        if c.begin >= end:
            groups.append([])
        groups[-1].append(c)
        end = max(end, c.end)
    for group in groups:
        best = max(group, key=lambda c: (c.confidence, c.end - c.begin, -c.begin, c.kind.name))
        span = Span(best.begin, best.end, best.kind.name, SUGGESTED)
        document.items[_sid("v", best)] = ReviewedSpan(
            span, best.source, best.rule, best.confidence, best.value, best.reason
        )


def _candidate(c: PhiCandidate) -> Candidate:
    return Candidate(c.begin, c.end, c.kind.name, c.source, c.rule, c.confidence, c.reason, c.winner is not None)
