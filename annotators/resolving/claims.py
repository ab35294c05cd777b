"""Claims on the text: what one settled span covers, who speaks for it, and what becomes of a loser's rest."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...typesystem import PhiCandidate, PhiKind

Remainder = Literal["auto", "extend", "keep"]

VETOED = "vetoed"
"""Candidates whose reason begins with this were taken out by a veto and are left alone."""
BELOW = "below threshold"
EMPTY = "nothing but white space"
REST = "rest of"
"""The reason of a Phi that no candidate won, but that a loser covers, begins with this."""
OUTVOTED = "outvoted"
"""The reason of a candidate that a vote left out begins with this; the text that it alone covers is not masked."""


def takes_part(candidate: PhiCandidate) -> bool:
    """Whether a candidate counts: not vetoed and, as far as a resolver said, not empty, below a threshold or outvoted."""
    return not candidate.reason.startswith((VETOED, BELOW, EMPTY, OUTVOTED))


@dataclass(frozen=True, slots=True, eq=False)
class Bid:
    """A candidate that takes part, with its span free of white space at the edges."""

    begin: int
    end: int
    candidate: PhiCandidate
    voted: PhiKind | None = None
    """The kind that a vote gave the span; None: the candidate's own."""

    @property
    def kind(self) -> PhiKind:
        return self.voted or self.candidate.kind


@dataclass(slots=True, eq=False)
class Claim:
    """A stretch of text that one candidate speaks for. Disjoint from every other claim."""

    begin: int
    end: int
    kind: PhiKind
    speaker: PhiCandidate
    rank: int
    """Place of the speaker among the candidates around; lower speaks first."""
    reason: str
    into: Claim | None = None
    """The neighbour that this claim was joined with."""
    confidence: float = field(init=False)

    def __post_init__(self) -> None:
        self.confidence = self.speaker.confidence

    def note(self, text: str) -> None:
        if text not in self.reason:
            self.reason += f"; {text}"


@dataclass(slots=True, eq=False)
class Settlement:
    """The outcome over a group of overlapping bids: claims in text order, and for each bid its claim and the reason."""

    claims: list[Claim]
    verdicts: list[tuple[Bid, Claim, str | None]] = field(default_factory=list)
    """None as reason: the claim's own, final reason."""
    outvoted: list[tuple[Bid, Claim | None, str]] = field(default_factory=list)
    """Bids that a vote left out, the claim they stand in the way of, and the reason, which begins with `OUTVOTED`: text that
    they alone cover stays readable. Only a strategy that was asked to (`drops`) may have any."""


class Ground:
    """Disjoint claims in text order."""

    __slots__ = ("_begins", "claims")

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._begins: list[int] = []

    def put(self, claim: Claim) -> Claim:
        at = bisect_left(self._begins, claim.begin)
        self.claims.insert(at, claim)
        self._begins.insert(at, claim.begin)
        return claim

    def over(self, begin: int, end: int) -> list[Claim]:
        """The claims that share a code point with `begin:end`."""
        first = bisect_right(self._begins, begin) - 1
        if first < 0 or self.claims[first].end <= begin:
            first += 1
        return self.claims[first : bisect_left(self._begins, end, first)]

    def extend(self, claim: Claim, begin: int, end: int) -> None:
        """Lets a claim grow over free text."""
        at = bisect_left(self._begins, claim.begin)
        claim.begin, claim.end = min(claim.begin, begin), max(claim.end, end)
        self._begins[at] = claim.begin


def groups(bids: Iterable[Bid]) -> Iterator[list[Bid]]:
    """Bids that hang together by overlaps, in text order."""
    group: list[Bid] = []
    limit = -math.inf
    for bid in sorted(bids, key=lambda b: (b.begin, -b.end)):
        if group and bid.begin >= limit:
            yield group
            group = []
        group.append(bid)
        limit = max(limit, bid.end) if len(group) > 1 else bid.end
    if group:
        yield group


def content(text: str) -> bool:
    """Whether a text says anything: more than white space, punctuation and control characters."""
    return text.isalnum() or any(unicodedata.category(c)[0] not in "PZ" and not _blank(c) for c in text)


def trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """The span without white space at its edges; empty where it is nothing but white space."""
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end


def gaps(begin: int, end: int, claims: Sequence[Claim]) -> Iterator[tuple[int, int, Claim | None, Claim | None]]:
    """What sorted claims leave open of `begin:end`, each stretch with the claims that touch it left and right."""
    left: Claim | None = None
    for claim in claims:
        if begin < claim.begin:
            yield begin, claim.begin, left, claim
        begin, left = max(begin, claim.end), claim
    if begin < end:
        yield begin, end, left, None


Compare = Callable[[PhiCandidate, PhiCandidate], tuple[str, str]]
"""(why the first won, why the second lost)."""


def settle(ranked: Sequence[Bid], text: str, remainder: Remainder, compare: Compare) -> Settlement:
    """Gives the text to the bids in order; what a later bid covers beyond the claims before it stays covered.

    `remainder` says how: `extend` lets the claim that touches the rest grow over it, `keep` makes the rest a claim of the
    loser's kind, `auto` extends where both are of one first-level kind and the rest is a single word at the loser's edge.
    """
    ground = Ground()
    verdicts: list[tuple[Bid, Claim, str | None]] = []
    for rank, bid in enumerate(ranked):
        candidate = bid.candidate
        rivals = ground.over(bid.begin, bid.end)
        if not rivals:
            claim = Claim(bid.begin, bid.end, bid.kind, candidate, rank, "won: no other candidate here")
            verdicts.append((bid, ground.put(claim), None))
            continue
        best = min(rivals, key=lambda c: c.rank)
        for begin, end, left, right in list(gaps(bid.begin, bid.end, rivals)):
            _cover(ground, bid, rank, (begin, end, left, right), text, remainder)
        won, lost = compare(best.speaker, candidate)
        if best.reason.startswith("won: no other"):
            best.reason = f"won over {source_of(candidate)}: {won}" + best.reason[len("won: no other candidate here") :]
        if (best.begin, best.end, best.kind) == (bid.begin, bid.end, bid.kind):
            reason = f"same span as {source_of(best.speaker)}, {lost}"
        else:
            reason = f"lost to {source_of(best.speaker)}: {lost}"
        verdicts.append((bid, best, reason))
    return Settlement(ground.claims, verdicts)


Gap = tuple[int, int, Claim | None, Claim | None]


def _cover(ground: Ground, bid: Bid, rank: int, gap: Gap, text: str, remainder: Remainder) -> None:
    begin, end, left, right = gap
    if left:
        begin = _skip(text, begin, end, 1)
    if right:
        end = _skip(text, end, begin, -1)
    begin, end = trimmed(text, begin, end)
    if not content(text[begin:end]):
        return
    grows = _neighbour(bid, gap, text[begin:end], remainder)
    source = source_of(bid.candidate)
    if grows:
        ground.extend(grows, begin, end)
        grows.note(f"extended over {source}")
    else:
        beside = next(c for c in (left, right) if c)
        reason = f"{REST} {source} beside {source_of(beside.speaker)}"
        ground.put(Claim(begin, end, bid.kind, bid.candidate, rank, reason))


def _neighbour(bid: Bid, gap: Gap, rest: str, remainder: Remainder) -> Claim | None:
    _, _, left, right = gap
    if remainder == "keep" or (remainder == "auto" and ((left and right) or len(rest.split()) > 1)):
        return None
    touching = [c for c in (left, right) if c]
    if remainder == "auto":
        touching = [c for c in touching if c.kind.top is bid.kind.top]
    return min(touching, key=lambda c: c.rank, default=None)


def _skip(text: str, at: int, stop: int, step: int) -> int:
    """Moves over punctuation and white space between a rest and the claim it touches."""
    while at != stop and not content(text[at] if step > 0 else text[at - 1]):
        at += step
    return at


def _blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf")


def source_of(candidate: PhiCandidate) -> str:
    return candidate.source or "an unnamed source"


def uncovered(bids: Sequence[Bid], claims: Sequence[Claim], text: str) -> Iterator[tuple[int, int]]:
    """Stretches with content that a bid covers and no claim does: law 3 says there are none."""
    ground = Ground()
    for claim in sorted(claims, key=lambda c: c.begin):
        ground.put(claim)
    for bid in bids:
        for begin, end, _, _ in gaps(bid.begin, bid.end, ground.over(bid.begin, bid.end)):
            if content(text[begin:end]):
                yield begin, end


def key_of(candidate: PhiCandidate) -> tuple[Any, ...]:
    """The last words of every ranking, so that no two different candidates tie."""
    return candidate.source, candidate.kind.name, candidate.value, candidate.rule
