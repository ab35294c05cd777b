"""Ballots of a vote by confidence, grouped around the strongest of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...typesystem import PhiKind
from .candidates import CandidateSpan


@dataclass(slots=True, eq=False)
class Ballot:
    """A candidate in a vote."""

    item: CandidateSpan
    voter: str | None
    """The entry of its voter; None for a source without a vote."""
    weight: float
    """Weight of the voter for its kind."""
    confidence: float
    """0 to 1. A confidence that is not a number counts as 1: in doubt, a span is PHI."""
    trusted: bool = False
    """True if it is accepted regardless of the others."""

    strength: float = field(init=False)
    top: PhiKind = field(init=False)

    def __post_init__(self) -> None:
        self.strength = self.weight * self.confidence
        self.top = self.item.kind.top


@dataclass(slots=True, eq=False)
class Group:
    """The ballots that overlap the strongest of them, and what was decided about them."""

    members: list[Ballot]
    """By priority."""
    kind: PhiKind
    winner: Ballot
    score: float
    """0 to 1."""
    accepted: bool
    begin: int
    end: int
    reason: str


def group_around_strongest(ballots: Sequence[Ballot]) -> list[list[Ballot]]:
    """Return groups of ballots, which keep their order: each group overlaps a ballot that no stronger one overlaps.

    A ballot that overlaps several of these disjoint ballots belongs to the group of each. Groups are in text order.
    """
    if len(ballots) == 1:
        return [list(ballots)]
    begins: list[int] = []
    ends: list[int] = []
    for ballot in sorted(ballots, key=lambda b: -b.strength):  # stable: equal ones by priority
        begin, end = ballot.item.begin, ballot.item.end
        first, last = _overlapped(begins, ends, begin, end)
        if first == last:
            begins.insert(first, begin)
            ends.insert(first, end)
    groups: list[list[Ballot]] = [[] for _ in begins]
    for ballot in ballots:
        for index in range(*_overlapped(begins, ends, ballot.item.begin, ballot.item.end)):
            groups[index].append(ballot)
    return groups


def join_overlapping(groups: Iterable[Group]) -> list[list[Group]]:
    """Return groups whose spans are connected by overlaps, the best first: accepted ones, then by score, then in text order."""
    joined: list[list[Group]] = []
    limit = -1
    for group in sorted(groups, key=lambda g: (g.begin, g.end)):
        if group.begin >= limit:
            joined.append([])
        joined[-1].append(group)
        limit = max(limit, group.end)
    return [sorted(parts, key=lambda g: (not g.accepted, -g.score)) for parts in joined]


def best_of_each_voter(ballots: Iterable[Ballot]) -> dict[str, Ballot]:
    """Return the strongest ballot of each voter, the first of equal ones. Sources without a vote are left out."""
    best: dict[str, Ballot] = {}
    for ballot in ballots:
        if ballot.voter is not None and (ballot.voter not in best or ballot.strength > best[ballot.voter].strength):
            best[ballot.voter] = ballot
    return best


def _overlapped(begins: Sequence[int], ends: Sequence[int], begin: int, end: int) -> tuple[int, int]:
    """Return the range of disjoint spans, in text order, that share a code point with `begin:end`."""
    return bisect_right(ends, begin), bisect_left(begins, end)
