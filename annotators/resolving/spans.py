"""Disjoint spans from ranked candidates: each candidate receives the text that higher-ranked ones do not cover."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...typesystem import PhiCandidate, PhiKind
from .candidates import CandidateSpan, has_content, source_name, trim

Remainder = Literal["auto", "extend", "keep"]
REMAINDER_OF = "rest of"
"""Prefix of the reason of a Phi that only a losing candidate covers."""
_UNCONTESTED = "no other candidate here"


@dataclass(slots=True, eq=False)
class ResolvedSpan:
    """A span and the candidate that won it. Disjoint from every other resolved span."""

    begin: int
    end: int
    kind: PhiKind
    winner: PhiCandidate
    rank: int
    """Rank of the winner in its group of candidates; lower is better."""
    reason: str
    merged_into: ResolvedSpan | None = None
    """The neighboring span that includes this one after merging."""
    confidence: float = field(init=False)

    def __post_init__(self) -> None:
        self.confidence = self.winner.confidence

    def note(self, text: str) -> None:
        if text not in self.reason:
            self.reason += f"; {text}"


@dataclass(slots=True, eq=False)
class Resolution:
    """The outcome for a group of overlapping candidates."""

    spans: list[ResolvedSpan]
    """Disjoint spans in text order."""
    decisions: list[tuple[CandidateSpan, ResolvedSpan, str | None]] = field(default_factory=list)
    """For each candidate, its span and the reason; None: the final reason of the span."""
    rejected: list[tuple[CandidateSpan, ResolvedSpan | None, str]] = field(default_factory=list)
    """Candidates that a vote rejected, the span that overlaps them, and the reason, which begins with `REJECTED_BY_VOTE`. Text
    that only they cover is not masked, so this requires a strategy with `may_reject`."""


class DisjointSpans:
    """Disjoint resolved spans in text order."""

    __slots__ = ("_begins", "spans")

    def __init__(self) -> None:
        self.spans: list[ResolvedSpan] = []
        self._begins: list[int] = []

    def add(self, span: ResolvedSpan) -> ResolvedSpan:
        index = bisect_left(self._begins, span.begin)
        self.spans.insert(index, span)
        self._begins.insert(index, span.begin)
        return span

    def overlapping(self, begin: int, end: int) -> list[ResolvedSpan]:
        """Return the spans that share a code point with `begin:end`."""
        first = bisect_right(self._begins, begin) - 1
        if first < 0 or self.spans[first].end <= begin:
            first += 1
        return self.spans[first : bisect_left(self._begins, end, first)]

    def extend(self, span: ResolvedSpan, begin: int, end: int) -> None:
        """Extend a span over uncovered text."""
        index = bisect_left(self._begins, span.begin)
        span.begin, span.end = min(span.begin, begin), max(span.end, end)
        self._begins[index] = span.begin


@dataclass(frozen=True, slots=True)
class Gap:
    """Uncovered text, and the spans that touch it."""

    begin: int
    end: int
    left: ResolvedSpan | None
    right: ResolvedSpan | None

    @property
    def touching(self) -> list[ResolvedSpan]:
        return [span for span in (self.left, self.right) if span]


def find_gaps(begin: int, end: int, spans: Sequence[ResolvedSpan]) -> Iterator[Gap]:
    """Yield the parts of `begin:end` that sorted spans do not cover."""
    left: ResolvedSpan | None = None
    for span in spans:
        if begin < span.begin:
            yield Gap(begin, span.begin, left, span)
        begin, left = max(begin, span.end), span
    if begin < end:
        yield Gap(begin, end, left, None)


Compare = Callable[[PhiCandidate, PhiCandidate], tuple[str, str]]
"""Returns the reasons for the winner and for the loser."""


def resolve_ranked(ranked: Sequence[CandidateSpan], text: str, remainder: Remainder, compare: Compare) -> Resolution:
    """Assign the text to the candidates in order. Text that a later one covers beyond earlier spans (remainder) stays covered.

    `remainder`: `extend` extends the span that touches the remainder, `keep` creates a span of the loser's kind, `auto` extends
    if both have the same first-level kind and the remainder is a single word at the loser's edge.
    """
    disjoint = DisjointSpans()
    decisions: list[tuple[CandidateSpan, ResolvedSpan, str | None]] = []
    for rank, item in enumerate(ranked):
        candidate = item.candidate
        rivals = disjoint.overlapping(item.begin, item.end)
        if not rivals:
            span = ResolvedSpan(item.begin, item.end, item.kind, candidate, rank, f"won: {_UNCONTESTED}")
            decisions.append((item, disjoint.add(span), None))
            continue
        best = min(rivals, key=lambda span: span.rank)
        for gap in list(find_gaps(item.begin, item.end, rivals)):
            _cover(disjoint, item, rank, gap, text, remainder)
        won, lost = compare(best.winner, candidate)
        if best.reason.startswith(f"won: {_UNCONTESTED}"):
            notes = best.reason.removeprefix(f"won: {_UNCONTESTED}")
            best.reason = f"won over {source_name(candidate)}: {won}{notes}"
        same = (best.begin, best.end, best.kind) == (item.begin, item.end, item.kind)
        reason = f"same span as {source_name(best.winner)}, " if same else f"lost to {source_name(best.winner)}: "
        decisions.append((item, best, reason + lost))
    return Resolution(disjoint.spans, decisions)


def uncontested(item: CandidateSpan) -> Resolution:
    """Return the resolution of a candidate without overlaps."""
    span = ResolvedSpan(item.begin, item.end, item.candidate.kind, item.candidate, 0, f"won: {_UNCONTESTED}")
    return Resolution([span], [(item, span, None)])


def uncovered(
    candidates: Sequence[CandidateSpan], spans: Sequence[ResolvedSpan], text: str
) -> Iterator[tuple[int, int]]:
    """Yield the text with content that a candidate covers and no span covers. Law 3 requires that there is none."""
    disjoint = DisjointSpans()
    for span in sorted(spans, key=lambda s: s.begin):
        disjoint.add(span)
    for item in candidates:
        for gap in find_gaps(item.begin, item.end, disjoint.overlapping(item.begin, item.end)):
            if has_content(text[gap.begin : gap.end]):
                yield gap.begin, gap.end


def _cover(disjoint: DisjointSpans, item: CandidateSpan, rank: int, gap: Gap, text: str, remainder: Remainder) -> None:
    """Extend a neighbor over the gap, or add a span. White space and punctuation at its edges stay uncovered."""
    begin = _skip_punctuation(text, gap.begin, gap.end, 1) if gap.left else gap.begin
    end = _skip_punctuation(text, gap.end, begin, -1) if gap.right else gap.end
    begin, end = trim(text, begin, end)
    if not has_content(text[begin:end]):
        return
    extended = _span_to_extend(item, gap, text[begin:end], remainder)
    source = source_name(item.candidate)
    if extended:
        disjoint.extend(extended, begin, end)
        extended.note(f"extended over {source}")
    else:
        reason = f"{REMAINDER_OF} {source} beside {source_name(gap.touching[0].winner)}"
        disjoint.add(ResolvedSpan(begin, end, item.kind, item.candidate, rank, reason))


def _span_to_extend(item: CandidateSpan, gap: Gap, uncovered_text: str, remainder: Remainder) -> ResolvedSpan | None:
    spans = gap.touching
    if remainder == "keep" or (remainder == "auto" and (len(spans) > 1 or len(uncovered_text.split()) > 1)):
        return None
    if remainder == "auto":
        spans = [span for span in spans if span.kind.top is item.kind.top]
    return min(spans, key=lambda span: span.rank, default=None)


def _skip_punctuation(text: str, offset: int, stop: int, step: int) -> int:
    while offset != stop and not has_content(text[offset] if step > 0 else text[offset - 1]):
        offset += step
    return offset
