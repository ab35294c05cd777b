"""What votes share: who has a vote, which spans were elected, and what becomes of everybody else's text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...typesystem import PhiCandidate, PhiKind
from .claims import OUTVOTED, Bid, Claim, Remainder, Settlement, settle
from .order import SourceOrder, names

Minority = Literal[
    "drop", "keep"
]  # in the order of the other parameter with these two values: equal types share one message


class Roll:
    """Which voter a source counts for: an entry names a component, an aggregate, or a run of path elements (`models/crf`)."""

    def __init__(self, voters: Iterable[str]) -> None:
        self.voters = tuple(voters)
        self._entries = [entry.split("/") for entry in self.voters]
        self._memo: dict[str, str | None] = {}

    def voter(self, source: str) -> str | None:
        """The first voter that names the source; None where it has no vote."""
        if source not in self._memo:
            path = source.split("/")
            found = (v for v, entry in zip(self.voters, self._entries, strict=True) if names(entry, path))
            self._memo[source] = next(found, None)
        return self._memo[source]


@dataclass(slots=True, eq=False)
class Elected:
    """A span that a vote chose. Disjoint from every other."""

    begin: int
    end: int
    kind: PhiKind
    speaker: PhiCandidate
    reason: str
    """Why, without `won`: `2 of 3 votes`."""
    confidence: float | None = None
    """0 to 1; None: the speaker's."""
    bid: Bid = field(init=False)

    def __post_init__(self) -> None:
        self.bid = Bid(self.begin, self.end, self.speaker, self.kind)

    def is_of(self, bid: Bid) -> bool:
        """Whether the bid asked for this, as far as first-level kinds go."""
        return (bid.begin, bid.end, bid.kind.top) == (self.begin, self.end, self.kind.top)

    def touches(self, bid: Bid) -> bool:
        return self.begin < bid.end and bid.begin < self.end


@dataclass(slots=True, eq=False)
class Outcome:
    """A vote over a group of bids."""

    elected: list[Elected]
    guests: Sequence[Bid]
    """Bids of sources without a vote, which cannot be voted out, best first."""
    minority: Mapping[int, str]
    """By id of the bid: how it fared, for those that asked for something else than was elected: `1 of 3 votes`."""
    words: tuple[str, str]
    """How to say that the vote decided, for the winner and for the loser: `more votes`, `fewer votes`."""


def seated(
    outcome: Outcome, bids: Sequence[Bid], text: str, order: SourceOrder, remainder: Remainder, minority: Minority
) -> Settlement:
    """The settlement that follows from a vote.

    Elected spans and guests stand in order of priority. With `keep`, bids of the minority come after them and cover what is
    left (law 3); with `drop` they are outvoted. `bids` are all of the group, best first by priority.
    """
    kept = [b for b in bids if id(b) in outcome.minority] if minority == "keep" else []
    first = [*(e.bid for e in outcome.elected), *outcome.guests]
    first.sort(key=lambda b: (order.rank(b.candidate.source, b.kind), b.begin - b.end, b.begin, b.kind.name))
    chosen, others = {id(e.speaker) for e in outcome.elected}, {id(b.candidate) for b in kept}

    def compare(winner: PhiCandidate, loser: PhiCandidate) -> tuple[str, str]:
        return outcome.words if id(loser) in others and id(winner) in chosen else ("higher priority", "lower priority")

    made = settle([*first, *kept], text, remainder, compare)
    fate = {id(bid): (claim, reason) for bid, claim, reason in made.verdicts}
    done = Settlement(made.claims)
    for e in outcome.elected:
        claim, reason = fate[id(e.bid)]
        if reason is None:
            claim.reason = f"won: {e.reason}{_notes(claim)}"
            claim.confidence = claim.confidence if e.confidence is None else e.confidence
    for bid in bids:
        if id(bid) in fate:
            claim, reason = fate[id(bid)]
            if reason is None and id(bid) in outcome.minority:
                claim.reason = f"won: {outcome.minority[id(bid)]}, kept: nothing else here{_notes(claim)}"
            done.verdicts.append((bid, claim, reason))
        elif id(bid) in outcome.minority:
            done.outvoted.append((bid, _rival(bid, done.claims), f"{OUTVOTED}: {outcome.minority[id(bid)]}"))
        else:
            e = next(e for e in outcome.elected if e.is_of(bid))
            claim, reason = fate[id(e.bid)]
            told = reason or (None if bid.candidate is e.speaker else f"joined in the vote: {e.reason}")
            done.verdicts.append((bid, claim, told))
    return done


def _notes(claim: Claim) -> str:
    _, _, notes = claim.reason.partition("; ")
    return f"; {notes}" if notes else ""


def _rival(bid: Bid, claims: Sequence[Claim]) -> Claim | None:
    """The first claim that shares text with a bid."""
    return next((c for c in claims if c.begin < bid.end and bid.begin < c.end), None)
