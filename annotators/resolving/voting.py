"""Votes of sources: the elected spans, and the resolution from the result of a vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...typesystem import PhiCandidate, PhiKind
from .candidates import REJECTED_BY_VOTE, CandidateSpan, SourceOrder, matches_source
from .spans import Remainder, Resolution, ResolvedSpan, resolve_ranked

Minority = Literal[
    "drop", "keep"
]  # in the order of the other parameter with these two values: equal types share one message


@dataclass(slots=True, eq=False)
class ElectedSpan:
    """A span that a vote chose. Disjoint from every other elected span."""

    begin: int
    end: int
    kind: PhiKind
    winner: PhiCandidate
    reason: str
    """Reason without the prefix `won`: `2 of 3 votes`."""
    confidence: float | None = None
    """0 to 1; None: the confidence of the winner."""
    item: CandidateSpan = field(init=False)

    def __post_init__(self) -> None:
        self.item = CandidateSpan(self.begin, self.end, self.winner, self.kind)

    def matches(self, item: CandidateSpan) -> bool:
        """Return whether a candidate proposed this span with this first-level kind."""
        return (item.begin, item.end, item.kind.top) == (self.begin, self.end, self.kind.top)

    def takes_in(self, item: CandidateSpan) -> bool:
        """Return whether a candidate without a vote is inside this span and has its first-level kind, and is not known PHI."""
        within = self.begin <= item.begin and item.end <= self.end
        return within and item.kind.top is self.kind.top and not matches_source("known_phi", item.candidate.source)


@dataclass(slots=True, eq=False)
class VoteResult:
    """The result of a vote on a group of candidates."""

    elected: list[ElectedSpan]
    nonvoting: Sequence[CandidateSpan]
    """Candidates of sources without a vote, best first. They cannot be rejected. Those inside an elected span of their
    first-level kind join it and do not change its kind, unless they are known PHI."""
    minority: Mapping[int, str]
    """The result (`1 of 3 votes`) of each candidate that does not match an elected span, by `id()`."""
    words: tuple[str, str]
    """Reasons for the winner and for the loser: `more votes`, `fewer votes`."""


def resolve_vote(
    result: VoteResult,
    ranked: Sequence[CandidateSpan],
    text: str,
    order: SourceOrder,
    remainder: Remainder,
    minority: Minority,
) -> Resolution:
    """Return the resolution from a vote. `ranked` are all candidates of the group, best first by priority.

    Elected spans and other candidates without a vote are ranked by priority. With `keep`, candidates of the minority are ranked
    after them and cover the remaining text (law 3); with `drop` they are rejected.
    """
    kept = [c for c in ranked if id(c) in result.minority] if minority == "keep" else []
    joining = {id(c): e for c in result.nonvoting for e in result.elected if e.takes_in(c)}
    first = [*(e.item for e in result.elected), *(c for c in result.nonvoting if id(c) not in joining)]
    first.sort(key=lambda c: (order.rank(c.candidate.source, c.kind), c.begin - c.end, c.begin, c.kind.name))
    winners, losers = {id(e.winner) for e in result.elected}, {id(c.candidate) for c in kept}

    def compare(winner: PhiCandidate, loser: PhiCandidate) -> tuple[str, str]:
        voted = id(loser) in losers and id(winner) in winners
        return result.words if voted else ("higher priority", "lower priority")

    ranking = resolve_ranked([*first, *kept], text, remainder, compare)
    by_candidate = {id(item): (span, reason) for item, span, reason in ranking.decisions}
    resolution = Resolution(ranking.spans)
    for e in result.elected:
        span, reason = by_candidate[id(e.item)]
        if reason is None:
            span.reason = f"won: {e.reason}{_notes(span)}"
            span.confidence = span.confidence if e.confidence is None else e.confidence
    for item in ranked:
        if id(item) in by_candidate:
            span, reason = by_candidate[id(item)]
            if reason is None and id(item) in result.minority:
                span.reason = f"won: {result.minority[id(item)]}, kept: nothing else here{_notes(span)}"
            resolution.decisions.append((item, span, reason))
        elif id(item) in result.minority:
            rival = next((s for s in ranking.spans if s.begin < item.end and item.begin < s.end), None)
            resolution.rejected.append((item, rival, f"{REJECTED_BY_VOTE}: {result.minority[id(item)]}"))
        else:
            e = joining.get(id(item)) or next(e for e in result.elected if e.matches(item))
            span, reason = by_candidate[id(e.item)]
            joined = None if item.candidate is e.winner else f"joined in the vote: {e.reason}"
            resolution.decisions.append((item, span, reason or joined))
    return resolution


def _notes(span: ResolvedSpan) -> str:
    _, separator, notes = span.reason.partition("; ")
    return separator + notes
