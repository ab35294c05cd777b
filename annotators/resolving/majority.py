"""`majority`: sources vote on spans; a span needs enough of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal

from ...pipeline.contract.component import part
from ...typesystem import PhiKind
from .claims import Bid, Remainder, Settlement, content, trimmed
from .election import Elected, Minority, Outcome, Roll, seated
from .order import SourceOrder
from .strategies import Priority


@part("majority")
class Majority(Priority):
    """What enough sources agree on; where votes are equal, the source with the highest priority, then the longer span.

    Candidates of sources that are no voters (`known_phi`, `consistency`) cannot be voted out: they speak by priority.
    """

    voters: list[str]
    """Components or aggregates, each with one vote, however many candidates it has; an entry matches any element of a
    source's path."""
    votes: float | None = None
    """Votes that a span needs; left out: more than half of all."""
    weights: dict[str, float] = field(default_factory=dict)
    """Voters whose vote counts for more or less than 1."""
    by_confidence: bool = False
    """Whether a vote counts for as much as its candidate's confidence, so that two voters who are sure outweigh two who waver.
    For voters whose confidences are probabilities (crf, svm, neural)."""
    by: Literal["span", "overlap", "token"] = "span"
    """What is voted on. `span`: bounds and first-level kind together. `overlap`: whether there is PHI (candidates that overlap
    agree, whatever their kinds), then its bounds are the most frequent ones. `token`: whether each stretch of text is PHI."""
    minority: Minority = "keep"
    """What becomes of text that too few marked: `keep` masks it all the same, after what was elected; `drop` leaves it
    readable, the candidate stays with the reason `outvoted: 1 of 3 votes`. Dropping raises precision and leaks what one
    source alone had found."""

    judges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.voters) < 2 or len(set(self.voters)) < len(self.voters):
            raise ValueError(f"voters: expected two or more different names, got {len(self.voters)}")
        for name, weight in self.weights.items():
            if name not in self.voters:
                raise ValueError(f"weights: {name} is no voter; expected one of {', '.join(self.voters)}")
            if not 0 < weight < float("inf"):
                raise ValueError(f"weights: {name}: expected a finite number above 0, got {weight:g}")
        if self.votes is not None and not 0 < self.votes <= self._total:
            raise ValueError(f"votes: expected a number above 0 and up to {self._total:g}, got {self.votes:g}")

    @property
    def drops(self) -> bool:
        return self.minority == "drop"

    def mentions(self) -> Iterator[str]:
        yield from self.voters

    @cached_property
    def _roll(self) -> Roll:
        return Roll(self.voters)

    @property
    def _total(self) -> float:
        return sum(self.weights.get(voter, 1.0) for voter in self.voters)

    def _enough(self, votes: float) -> bool:
        return votes > self._total / 2 if self.votes is None else votes >= self.votes

    def _votes(self, bids: Iterable[Bid]) -> float:
        """The votes behind some bids: each voter counts once, by confidence with the candidate that is surest."""
        there: dict[str | None, float] = {}
        for bid in bids:
            voter = self._roll.voter(bid.candidate.source)
            sure = bid.candidate.confidence if self.by_confidence else 1.0
            there[voter] = max(sure, there.get(voter, 0.0))
        return sum(self.weights.get(voter, 1.0) * there[voter] for voter in self.voters if voter in there)

    def settle(self, bids: Sequence[Bid], text: str, order: SourceOrder, remainder: Remainder) -> Settlement:
        ranked = self.ranked(bids, order)
        voting = [b for b in ranked if self._roll.voter(b.candidate.source) is not None]
        elect = {"span": self._by_span, "overlap": self._by_overlap, "token": self._by_token}[self.by]
        elected = list(elect(voting, text))
        minority = {
            id(b): f"{self._votes([o for o in voting if _same(o, b)]):.3g} of {self._total:g} votes"
            for b in voting
            if not any(e.is_of(b) for e in elected)
        }
        guests = [b for b in ranked if self._roll.voter(b.candidate.source) is None]
        outcome = Outcome(elected, guests, minority, ("more votes", "fewer votes"))
        return seated(outcome, ranked, text, order, remainder, self.minority)

    def _by_span(self, voting: Sequence[Bid], text: str) -> Iterator[Elected]:
        """Spans that enough voters mark alike, those with the most votes first; `voting` is in order of priority."""
        spans: dict[tuple[int, int, str], list[Bid]] = {}
        for bid in voting:
            spans.setdefault((bid.begin, bid.end, bid.kind.top.name), []).append(bid)
        free: list[tuple[int, int]] = []
        for (begin, end, _), alike in sorted(spans.items(), key=lambda item: -self._votes(item[1])):  # stable
            votes = self._votes(alike)
            if self._enough(votes) and not any(b < end and begin < e for b, e in free):
                free.append((begin, end))
                yield self._elected(begin, end, alike, votes)

    def _by_overlap(self, voting: Sequence[Bid], text: str) -> Iterator[Elected]:
        """Spans that enough voters overlap, with the bounds that most of them say."""
        left = list(voting)
        while left:
            spans: dict[tuple[int, int], list[Bid]] = {}
            for bid in left:
                spans.setdefault((bid.begin, bid.end), []).append(bid)
            ballots = [
                (self._votes(alike), self._votes(around), begin, end, around)
                for (begin, end), alike in spans.items()
                for around in [[b for b in voting if b.begin < end and begin < b.end]]
            ]
            _, votes, begin, end, around = max(ballots, key=lambda ballot: (self._enough(ballot[1]), *ballot[:2]))
            if not self._enough(votes):
                return
            around.sort(
                key=lambda b: (b.begin, b.end) != (begin, end)
            )  # where votes tie, those with its bounds say its kind
            yield self._elected(begin, end, around, votes)
            left = [b for b in left if not (b.begin < end and begin < b.end)]

    def _by_token(self, voting: Sequence[Bid], text: str) -> Iterator[Elected]:
        """Stretches that enough voters cover, cut where more of them have a border than reach across."""
        borders = sorted({at for b in voting for at in (b.begin, b.end)})
        run: list[tuple[int, int]] = []
        for begin, end in pairwise(borders):
            over = [b for b in voting if b.begin <= begin and end <= b.end]
            if not self._enough(self._votes(over)):
                yield from self._stretch(run, voting, text)
                run = []
                continue
            if run:
                across = [b for b in voting if b.begin < begin < b.end]
                ending = [b for b in voting if begin in (b.begin, b.end)]
                if self._votes(ending) > self._votes(across) or self._kind(over) is not self._kind(
                    [b for b in voting if b.begin <= run[-1][0] and run[-1][1] <= b.end]
                ):
                    yield from self._stretch(run, voting, text)
                    run = []
            run.append((begin, end))
        yield from self._stretch(run, voting, text)

    def _stretch(self, run: Sequence[tuple[int, int]], voting: Sequence[Bid], text: str) -> Iterator[Elected]:
        if not run:
            return
        begin, end = trimmed(text, run[0][0], run[-1][1])
        if content(text[begin:end]):
            around = [b for b in voting if b.begin < end and begin < b.end]
            around.sort(key=lambda b: -(min(b.end, end) - max(b.begin, begin)))
            least = min(self._votes([b for b in voting if b.begin <= s and e <= b.end]) for s, e in run)
            yield self._elected(begin, end, around, least)

    def _kind(self, bids: Sequence[Bid]) -> PhiKind:
        """The first-level kind with the most votes, then the kind below it with the most; who says no more abstains.

        Where votes are equal, the kind of the first bid.
        """
        kind = self._most(bids, lambda b: b.kind.top)
        finer = [b for b in bids if b.kind.parent is kind]
        return self._most(finer, lambda b: b.kind) if finer else kind

    def _most(self, bids: Sequence[Bid], of: Any) -> PhiKind:
        kinds: dict[str, list[Bid]] = {}
        for bid in bids:
            kinds.setdefault(of(bid).name, []).append(bid)
        best = max(kinds.values(), key=self._votes)  # the first of equal ones
        found: PhiKind = of(best[0])
        return found

    def _elected(self, begin: int, end: int, bids: Sequence[Bid], votes: float) -> Elected:
        """`bids` say its kind, and the best of them speaks; in order of preference."""
        kind = self._kind(bids)
        speaker = min(bids, key=lambda b: ((b.begin, b.end) != (begin, end), b.kind is not kind))
        return Elected(begin, end, kind, speaker.candidate, f"{votes:.3g} of {self._total:g} votes")


def _same(a: Bid, b: Bid) -> bool:
    return (a.begin, a.end, a.kind.top) == (b.begin, b.end, b.kind.top)
