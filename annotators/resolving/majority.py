"""`majority`: sources vote on spans; a span needs enough votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Literal

from ...pipeline.contract.component import part
from ...typesystem import PhiKind
from .candidates import CandidateSpan, SourceOrder, SourceSet, has_content, trim
from .spans import Remainder, Resolution
from .strategies import Priority
from .voting import ElectedSpan, Minority, VoteResult, resolve_vote


@part("majority")
class Majority(Priority):
    """Selects spans with enough votes. If votes are equal, the source with the highest priority wins, then the longer span.

    Candidates of sources that are not voters (`known_phi`, `consistency`) cannot be rejected by the vote; they are ranked by
    priority.
    """

    voters: list[str]
    """Components or aggregates, each with one vote, regardless of its number of candidates; an entry matches any element of a
    source's path."""
    votes: float | None = None
    """Minimum votes of a span. Default: more than half of all."""
    weights: dict[str, float] = field(default_factory=dict)
    """Weights of voters other than 1."""
    by_confidence: bool = False
    """Weight votes by the candidate's confidence, so that two confident voters outweigh two uncertain ones.
    For voters whose confidences are probabilities (crf, svm, neural)."""
    by: Literal["span", "overlap", "token"] = "span"
    """Subject of the vote. `span`: bounds and first-level kind together. `overlap`: the presence of PHI (candidates that overlap
    agree, even if their kinds differ); the most frequent bounds win. `token`: each piece of text between candidate bounds."""
    minority: Minority = "keep"
    """Treatment of text with too few votes: `keep` masks it too, ranked after elected spans; `drop` does not mask it, and the
    reason of the candidate is the number of votes. Dropping raises precision but leaks PHI that only one source finds."""

    decides_alone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.voters) < 2 or len(set(self.voters)) < len(self.voters):
            raise ValueError(f"voters: expected two or more different names, got {len(self.voters)}")
        for name, weight in self.weights.items():
            if name not in self.voters:
                raise ValueError(f"weights: {name} is not a voter; expected one of {', '.join(self.voters)}")
            if not 0 < weight < float("inf"):
                raise ValueError(f"weights: {name}: expected a finite number above 0, got {weight:g}")
        if self.votes is not None and not 0 < self.votes <= self._total:
            raise ValueError(f"votes: expected a number above 0 and up to {self._total:g}, got {self.votes:g}")

    @property
    def may_reject(self) -> bool:
        return self.minority == "drop"

    def referenced_components(self) -> Iterator[str]:
        yield from self.voters

    def resolve(
        self, candidates: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        ranked = self.rank(candidates, order)
        voting = [c for c in ranked if c.candidate.source in self._voters]
        elect = {"span": self._by_span, "overlap": self._by_overlap, "token": self._by_token}[self.by]
        elected = list(elect(voting, text))
        minority = {
            id(c): f"{self._votes([o for o in voting if _span_of(o) == _span_of(c)]):.3g} of {self._total:g} votes"
            for c in voting
            if not any(e.matches(c) for e in elected)
        }
        nonvoting = [c for c in ranked if c.candidate.source not in self._voters]
        result = VoteResult(elected, nonvoting, minority, ("more votes", "fewer votes"))
        return resolve_vote(result, ranked, text, order, remainder, self.minority)

    @cached_property
    def _voters(self) -> SourceSet:
        return SourceSet(self.voters)

    @property
    def _total(self) -> float:
        return sum(self.weights.get(voter, 1.0) for voter in self.voters)

    def _is_enough(self, votes: float) -> bool:
        return votes > self._total / 2 if self.votes is None else votes >= self.votes

    def _votes(self, candidates: Iterable[CandidateSpan]) -> float:
        """Return the sum of votes for candidates. Each voter counts once, with the confidence of its most confident candidate."""
        strength: dict[str | None, float] = {}
        for item in candidates:
            voter = self._voters.entry_of(item.candidate.source)
            vote = item.candidate.confidence if self.by_confidence else 1.0
            strength[voter] = max(vote, strength.get(voter, 0.0))
        return sum(self.weights.get(voter, 1.0) * strength[voter] for voter in self.voters if voter in strength)

    def _by_span(self, voting: Sequence[CandidateSpan], text: str) -> Iterator[ElectedSpan]:
        """Yield the spans that enough voters mark, those with the most votes first; `voting` is in order of priority."""
        spans: dict[tuple[int, int, str], list[CandidateSpan]] = {}
        for item in voting:
            spans.setdefault((item.begin, item.end, item.kind.top.name), []).append(item)
        elected: list[tuple[int, int]] = []
        for (begin, end, _), same in sorted(spans.items(), key=lambda entry: -self._votes(entry[1])):  # stable
            votes = self._votes(same)
            if self._is_enough(votes) and not any(b < end and begin < e for b, e in elected):
                elected.append((begin, end))
                yield self._elect(begin, end, same, votes)

    def _by_overlap(self, voting: Sequence[CandidateSpan], text: str) -> Iterator[ElectedSpan]:
        """Yield spans that enough voters overlap, with the bounds that most of them propose."""
        undecided = list(voting)
        while undecided:
            spans: dict[tuple[int, int], list[CandidateSpan]] = {}
            for item in undecided:
                spans.setdefault((item.begin, item.end), []).append(item)
            ballots = [
                (self._votes(same), self._votes(around), begin, end, around)
                for (begin, end), same in spans.items()
                for around in [_overlapping(voting, begin, end)]
            ]
            _, votes, begin, end, around = max(ballots, key=lambda ballot: (self._is_enough(ballot[1]), *ballot[:2]))
            if not self._is_enough(votes):
                return
            around.sort(
                key=lambda c: (c.begin, c.end) != (begin, end)
            )  # if votes tie, those with its bounds decide its kind
            yield self._elect(begin, end, around, votes)
            undecided = [c for c in undecided if not (c.begin < end and begin < c.end)]

    def _by_token(self, voting: Sequence[CandidateSpan], text: str) -> Iterator[ElectedSpan]:
        """Yield text that enough voters cover, divided at borders with more votes than the candidates across them."""
        borders = sorted({border for c in voting for border in (c.begin, c.end)})
        run: list[tuple[int, int]] = []
        for begin, end in pairwise(borders):
            covering = _covering(voting, begin, end)
            if not self._is_enough(self._votes(covering)):
                yield from self._elect_run(run, voting, text)
                run = []
                continue
            if run:
                across = [c for c in voting if c.begin < begin < c.end]
                ending = [c for c in voting if begin in (c.begin, c.end)]
                kind_changes = self._kind(covering) is not self._kind(_covering(voting, *run[-1]))
                if self._votes(ending) > self._votes(across) or kind_changes:
                    yield from self._elect_run(run, voting, text)
                    run = []
            run.append((begin, end))
        yield from self._elect_run(run, voting, text)

    def _elect_run(
        self, run: Sequence[tuple[int, int]], voting: Sequence[CandidateSpan], text: str
    ) -> Iterator[ElectedSpan]:
        if not run:
            return
        begin, end = trim(text, run[0][0], run[-1][1])
        if has_content(text[begin:end]):
            around = _overlapping(voting, begin, end)
            around.sort(key=lambda c: -(min(c.end, end) - max(c.begin, begin)))
            fewest = min(self._votes(_covering(voting, *piece)) for piece in run)
            yield self._elect(begin, end, around, fewest)

    def _kind(self, candidates: Sequence[CandidateSpan]) -> PhiKind:
        """Return the first-level kind with the most votes, or its subkind with the most votes, if any.

        If votes are equal, the kind of the first candidate wins.
        """
        kind = self._most_voted(candidates, lambda c: c.kind.top)
        finer = [c for c in candidates if c.kind.parent is kind]
        return self._most_voted(finer, lambda c: c.kind) if finer else kind

    def _most_voted(self, candidates: Sequence[CandidateSpan], kind_of: Callable[[CandidateSpan], PhiKind]) -> PhiKind:
        kinds: dict[PhiKind, list[CandidateSpan]] = {}
        for item in candidates:
            kinds.setdefault(kind_of(item), []).append(item)
        return max(kinds, key=lambda kind: self._votes(kinds[kind]))  # the first of equal ones

    def _elect(self, begin: int, end: int, candidates: Sequence[CandidateSpan], votes: float) -> ElectedSpan:
        """Return an elected span with the kind of the candidates, which are in order of preference."""
        kind = self._kind(candidates)
        winner = min(candidates, key=lambda c: ((c.begin, c.end) != (begin, end), c.kind is not kind))
        return ElectedSpan(begin, end, kind, winner.candidate, f"{votes:.3g} of {self._total:g} votes")


def _span_of(item: CandidateSpan) -> tuple[int, int, PhiKind]:
    return item.begin, item.end, item.kind.top


def _overlapping(candidates: Iterable[CandidateSpan], begin: int, end: int) -> list[CandidateSpan]:
    return [c for c in candidates if c.begin < end and begin < c.end]


def _covering(candidates: Iterable[CandidateSpan], begin: int, end: int) -> list[CandidateSpan]:
    return [c for c in candidates if c.begin <= begin and end <= c.end]
