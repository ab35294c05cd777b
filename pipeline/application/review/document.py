"""A document under review: its text, what the pipeline found and took out and why, and what the masker wrote."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ....consumers.pages.tally import winning_candidate
from ....typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, View
from ....typesystem.text import Utf16
from .state import OPEN, SUGGESTED, ReviewError, Span


class Piece(NamedTuple):
    """Code points `begin:end` of the original are written as `text`."""

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


@dataclass(frozen=True, slots=True)
class Item:
    """A span that the document brought."""

    span: Span
    source: str = ""
    rule: str = ""
    confidence: float = 1.0
    value: str = ""
    reason: str = ""
    operator: str = ""
    fallback: str = ""
    pieces: tuple[Piece, ...] | None = None
    """Replacements by the masker inside it; none if it left the text readable, None if no masker ran."""
    disputed: bool = False
    """True if candidates that overlap it have another first-level kind or other bounds."""


@dataclass(slots=True, eq=False, repr=False)
class Document:
    """The content of one document under review. Offsets are code points."""

    id: str
    text: str
    items: dict[str, Item]
    candidates: list[Candidate]
    """Every candidate, by begin."""
    other_masks: list[Piece]
    """Replacements by the masker outside any final span."""
    known: list[tuple[str, str]]
    """(kind, value) of what the record says about the person."""
    masked: bool
    """True if a masker ran."""
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
        """The spans as the document brought them."""
        return {sid: item.span for sid, item in self.items.items()}

    def candidates_over(self, begin: int, end: int) -> list[Candidate]:
        """Return the candidates that share a code point with `begin:end`."""
        first = bisect_left(self._begins, begin - self._longest)
        return [v for v in self.candidates[first : bisect_left(self._begins, end)] if v.end > begin]


def document_of(cas: Cas, view: str = INITIAL_VIEW) -> Document:
    """Return a CAS as the review sees it; `view` holds the spans to be reviewed. Raises ReviewError if it has no such view."""
    if not cas.has_view(view):
        there = ", ".join(v.name for v in cas.views) or "none"
        raise ReviewError(f"document {cas.id}: expected a view {view}, found {there}")
    source = cas.view(view)
    masker = cas.view(DEIDENTIFIED_VIEW) if view == INITIAL_VIEW and cas.has_view(DEIDENTIFIED_VIEW) else None
    written = _pieces(masker) if masker is not None else []
    finals = [p for p in source.select(Phi) if p.begin < p.end]
    live, beaten = _apart(finals)
    spoken: dict[int, list[PhiCandidate]] = {}
    candidates = source.select(PhiCandidate)
    for c in candidates:
        if c.winner is not None:
            spoken.setdefault(id(c.winner), []).append(c)
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
        document.items[_sid("p", phi)] = _item(phi, spoken.get(id(phi), []), inside, document)
    document.other_masks = [piece for m, piece in written if id(m) not in used]
    for phi in beaten:
        document.items.setdefault(_sid("o", phi), _beaten(phi))
    _add_vetoed(document, candidates)
    return document


Written = tuple[MaskedSpan, Piece]


def _pieces(view: View) -> list[Written]:
    """Return the masker's replacements in the order of the original text."""
    spans = sorted(view.select(MaskedSpan), key=lambda m: (m.original_begin, m.original_end))
    return [(m, Piece(m.original_begin, m.original_end, m.covered_text)) for m in spans]


def _inside(written: list[Written], ends: list[int], phi: Phi) -> Iterator[Written]:
    """Yield the replacements that share a code point with a final span; `ends` are theirs."""
    at = bisect_right(ends, phi.begin)
    while at < len(written) and written[at][1].begin < phi.end:
        yield written[at]
        at += 1


def _apart(finals: Iterable[Phi]) -> tuple[list[Phi], list[Phi]]:
    """Spans that overlap none before them, longest first at each begin, and the rest."""
    kept: list[Phi] = []
    beaten: list[Phi] = []
    for phi in sorted(finals, key=lambda p: (p.begin, -p.end)):
        (beaten if kept and phi.begin < kept[-1].end else kept).append(phi)
    return kept, beaten


def _sid(letter: str, phi: Phi | PhiCandidate) -> str:
    return f"{letter}{phi.begin}-{phi.end}-{phi.kind.name}"


def _item(phi: Phi, spoken: list[PhiCandidate], inside: list[tuple[MaskedSpan, Piece]], document: Document) -> Item:
    winner = winning_candidate(phi, spoken)
    around = document.candidates_over(phi.begin, phi.end)
    top = phi.kind.top.name
    disputed = any((v.begin, v.end) != (phi.begin, phi.end) or v.kind.partition("_")[0] != top for v in around)
    masks = [m for m, _ in inside]
    return Item(
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


def _beaten(phi: Phi) -> Item:
    reason = "overlaps another final span, and those may not"
    span = Span(phi.begin, phi.end, phi.kind.name, SUGGESTED)
    return Item(span, phi.source, "", phi.confidence, phi.value, reason)


def _add_vetoed(document: Document, candidates: list[PhiCandidate]) -> None:
    """Add the best of the vetoed candidates in each stretch of text without a final span."""
    taken = sorted((i.span.begin, i.span.end) for i in document.items.values() if i.span.status == OPEN)
    places: list[list[PhiCandidate]] = []
    end = -1
    for c in sorted((c for c in candidates if c.winner is None and c.begin < c.end), key=lambda c: (c.begin, c.end)):
        at = bisect_left(taken, (c.end, -1))
        if at and taken[at - 1][1] > c.begin:
            continue
        if c.begin >= end:
            places.append([])
        places[-1].append(c)
        end = max(end, c.end)
    for place in places:
        best = max(place, key=lambda c: (c.confidence, c.end - c.begin, -c.begin, c.kind.name))
        span = Span(best.begin, best.end, best.kind.name, SUGGESTED)
        document.items[_sid("v", best)] = Item(span, best.source, best.rule, best.confidence, best.value, best.reason)


def _candidate(c: PhiCandidate) -> Candidate:
    return Candidate(c.begin, c.end, c.kind.name, c.source, c.rule, c.confidence, c.reason, c.winner is not None)
