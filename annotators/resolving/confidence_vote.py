"""`vote`: sources vote on spans with their confidence; each decision leaves whole spans, never pieces of losers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from operator import attrgetter
from typing import ClassVar, Literal

from ...pipeline.contract.component import part
from ...typesystem import PhiKind
from .ballots import Ballot, Group, best_of_each_voter, group_around_strongest, join_overlapping
from .candidates import REJECTED_BY_VOTE, CandidateSpan, SourceOrder, SourceSet, source_name
from .spans import Remainder, Resolution, ResolvedSpan
from .strategies import Priority
from .voting import Minority

Profile = Literal["recall", "balanced", "precision"]
_RECALL: dict[Profile, float] = {"recall": 0.75, "balanced": 0.5, "precision": 0.25}
PerKind = dict[PhiKind, float] | float


@part("vote")
class Vote(Priority):
    """Groups candidates around the strongest (weight times confidence) and accepts groups whose score reaches a threshold.

    The first-level kind with the greatest sum of weight times confidence is elected, unless a voter that is trusted alone has
    another kind for the same span with more confidence. The score is the weighted mean confidence of the voters, each with its
    strongest candidate of that kind in the group; a voter without one counts as 0. For voters whose
    confidences are probabilities. A group becomes one span: text that a loser covers beyond it is joined to it or dropped, never
    a span of its own.

    Candidates of sources that are not voters (`known_phi`, `consistency`) are always accepted, and are joined with what overlaps
    them; the higher priority determines the kind.
    """

    voters: list[str]
    """Components or aggregates; an entry matches any element of a source's path."""
    weights: dict[str, PerKind] = field(default_factory=dict)
    """Weights of voters other than 1, for all kinds or by kind (including its subkinds). 0: no vote on this kind."""
    threshold: PerKind = 0.5
    """Minimum score of a group (0 to 1), for all kinds or by kind (including its subkinds); other kinds: 0.5."""
    alone: dict[str, PerKind] = field(default_factory=dict)
    """Voters that are trusted alone: minimum confidence of a candidate, for all kinds or by kind, with which it is accepted
    regardless of the other voters. Not shifted by `recall`."""
    presence: bool = True
    """Accept a group also if its voters reach the threshold together but not with one kind: that there is PHI is more important
    than its kind."""
    extent: Literal["union", "winner"] = "union"
    """Bounds of an accepted group. `union`: from the first to the last of its members: with `minority: keep` all, with `drop`
    those trusted alone and those of the elected kind that would be accepted without the others. `winner`: of the strongest
    candidate of the elected kind; text that losers cover beyond it is not masked."""
    minority: Minority = "keep"
    """Treatment of a group below its threshold: `keep` masks it too; `drop` does not mask it, and the reason of its candidates
    is the result of the vote."""
    profile: Profile = "balanced"
    """Shifts all thresholds: `recall` halves them, `precision` halves their distance to 1."""
    recall: float | None = None
    """Instead of `profile`: 0.5 leaves the thresholds as they are; towards 1 they fall to 0, towards 0 they rise to 1."""

    decides_alone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.voters) < 2 or len(set(self.voters)) < len(self.voters):
            raise ValueError(f"voters: expected two or more different names, got {len(self.voters)}")
        for parameter in ("weights", "alone"):
            for name in getattr(self, parameter):
                if name not in self.voters:
                    expected = ", ".join(self.voters)
                    raise ValueError(f"{parameter}: {name} is not a voter; expected one of {expected}")
        for name, value in _numbers("weights", self.weights):
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name}: expected a finite number of 0 or more, got {value:g}")
        for name, value in [*_numbers("alone", self.alone), *_numbers("", {"threshold": self.threshold})]:
            if not 0 <= value <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value:g}")
        for kind in (None, *{k.name: k for w in self.weights.values() if isinstance(w, dict) for k in w}.values()):
            if not any(self._weight(voter, kind) for voter in self.voters):
                raise ValueError(
                    f"weights: all voters have 0{f' for {kind.name}' if kind else ''}; expected one above 0"
                )
        if self.recall is not None and (not 0 <= self.recall <= 1 or self.profile != "balanced"):
            given = f"{self.recall:g}" + (f" and profile {self.profile}" if self.profile != "balanced" else "")
            raise ValueError(f"recall: expected a number from 0 to 1, and no profile beside it, got {given}")

    @property
    def may_reject(self) -> bool:
        return self.minority == "drop" or self.extent == "winner"

    def referenced_components(self) -> Iterator[str]:
        yield from self.voters

    def resolve(
        self, candidates: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        ballots = [self._ballot(item) for item in self.rank(candidates, order)]
        groups = [self._decide(members, order) for members in group_around_strongest(ballots)]
        resolution = Resolution([])
        for parts in join_overlapping(g for g in groups if g.accepted or self.minority == "keep"):
            best = parts[0]
            bounds = min(g.begin for g in parts), max(g.end for g in parts)
            span = ResolvedSpan(*bounds, best.kind, best.winner.item.candidate, 0, f"won: {best.reason}")
            span.confidence = best.score
            if not best.accepted:
                span.note("kept: nothing else here")
            resolution.spans.append(span)
        _record(groups, resolution)
        return resolution

    def _ballot(self, item: CandidateSpan) -> Ballot:
        voter = self._voters.entry_of(item.candidate.source)
        confidence = item.candidate.confidence
        confidence = min(max(confidence, 0.0), 1.0) if confidence == confidence else 1.0
        if voter is None:
            return Ballot(item, None, 1.0, confidence, trusted=True)
        trusted = confidence >= _value(self.alone.get(voter, {}), item.kind, float("inf"))
        return Ballot(item, voter, self._weight(voter, item.kind), confidence, trusted)

    def _decide(self, members: list[Ballot], order: SourceOrder) -> Group:
        """Return the group with its kind, score and bounds."""
        by_kind: dict[PhiKind, list[Ballot]] = {}
        for ballot in members:
            by_kind.setdefault(ballot.top, []).append(ballot)
        single_kind = len(by_kind) == 1
        top = members[0].top if single_kind else _strongest_kind(by_kind)
        same = by_kind[top]
        score = self._score(top, same)
        score = max(score, self._score(top, members)) if self.presence and not single_kind else score
        winner, kind = max(same, key=attrgetter("strength")), _exact_kind(same)
        threshold = self._threshold(kind)
        voted = score >= threshold
        trusted = [b for b in members if b.trusted]
        given = next((b for b in members if b.voter is None), None)
        if given is not None and (not voted or _rank(given, order) < _rank(winner, order)):
            winner, kind = given, given.item.kind
        sure = [b for b in trusted if b.voter and b.item.same_span(winner.item) and b.confidence > winner.confidence]
        if sure and winner.voter and not winner.trusted:
            kind = max(sure, key=lambda b: b.confidence).item.kind
        reason = f"{score:.2f}, {threshold:.2f} asked: {self._shown(members)}"
        begin, end = winner.item.begin, winner.item.end
        for b in members:
            beyond = b.item.begin < begin or b.item.end > end
            if beyond and self._extends(b, winner, threshold):
                begin, end = min(begin, b.item.begin), max(end, b.item.end)
        score = max([score, *(b.confidence for b in trusted)])
        return Group(members, kind, winner, score, voted or bool(trusted), begin, end, reason)

    def _score(self, kind: PhiKind, ballots: Sequence[Ballot]) -> float:
        """Return the weighted mean confidence of the voters, and at least that of a trusted one. Silent voters count as 0."""
        best = best_of_each_voter(ballots)
        total = strength = score = 0.0
        for voter in self.voters:
            ballot = best.get(voter)
            if ballot is None:
                total += self._weight(voter, kind)
            else:
                total += ballot.weight
                strength += ballot.strength
        if total:
            score = strength / total
        return max([score, *(b.confidence for b in ballots if b.trusted and b.voter is not None)])

    def _extends(self, ballot: Ballot, winner: Ballot, threshold: float) -> bool:
        """Return whether a member of a group belongs to its span as a whole."""
        if ballot.voter is None:
            return True
        if self.extent == "winner":
            return False
        if self.minority == "keep" or ballot.trusted:
            return True
        return ballot.top is winner.top and self._score(ballot.top, [ballot]) >= threshold

    def _shown(self, members: Sequence[Ballot]) -> str:
        """Return what each source voted: `crf 0.92, svm 0.95 x2, rules silent`."""
        best = best_of_each_voter(members)
        kinds = any(b.top is not members[0].top for b in members)
        shown = []
        for voter in self.voters:
            if voter in best:
                ballot = best[voter]
                weight = f" x{ballot.weight:g}" if ballot.weight != 1 else ""
                kind = f" {ballot.item.kind.name}" if kinds else ""
                shown.append(f"{voter} {ballot.confidence:.2f}{weight}{kind}{' alone' if ballot.trusted else ''}")
            else:
                shown.append(f"{voter} silent")
        others = dict.fromkeys(source_name(b.item.candidate) for b in members if b.voter is None)
        return ", ".join([*shown, *(f"{source} without a vote" for source in others)])

    def _weight(self, voter: str, kind: PhiKind | None) -> float:
        weight = self._weights.get((voter, kind))
        if weight is None:
            weight = self._weights[voter, kind] = _value(self.weights.get(voter, 1.0), kind, 1.0)
        return weight

    @cached_property
    def _weights(self) -> dict[tuple[str, PhiKind | None], float]:
        """The weights that were looked up before."""
        return {}

    def _threshold(self, kind: PhiKind) -> float:
        threshold = _value(self.threshold, kind, 0.5)
        recall = _RECALL[self.profile] if self.recall is None else self.recall
        return threshold * (2 - 2 * recall) if recall >= 0.5 else threshold + (1 - threshold) * (1 - 2 * recall)

    @cached_property
    def _voters(self) -> SourceSet:
        return SourceSet(self.voters)


def _record(groups: Sequence[Group], resolution: Resolution) -> None:
    """Add the decision about each candidate: that of its best group."""
    begins = [span.begin for span in resolution.spans]
    best: dict[int, tuple[Ballot, Group]] = {}
    for group in groups:
        for ballot in group.members:
            key = id(ballot)
            if key not in best or (group.accepted, group.score) > (best[key][1].accepted, best[key][1].score):
                best[key] = ballot, group
    for ballot, group in best.values():
        item = ballot.item
        index = bisect_left(begins, item.end) - 1
        span = resolution.spans[index] if index >= 0 and item.begin < resolution.spans[index].end else None
        if span is None or not (span.begin <= item.begin and item.end <= span.end):
            resolution.rejected.append((item, span, f"{REJECTED_BY_VOTE}: {group.reason}"))
        elif span.winner is item.candidate:
            resolution.decisions.append((item, span, None))
        elif item.kind.top is span.kind.top:
            resolution.decisions.append((item, span, f"joined in the vote: {group.reason}"))
        else:
            resolution.decisions.append((item, span, f"lost to {source_name(span.winner)}: {group.reason}"))


def _exact_kind(ballots: Sequence[Ballot]) -> PhiKind:
    """Return the kind with the greatest sum of strengths, one ballot for each voter. The subkind of a source without a
    vote is kept."""
    by_kind: dict[PhiKind, list[Ballot]] = {}
    for ballot in [b for b in ballots if b.voter is None and b.item.kind is not b.top] or ballots:
        by_kind.setdefault(ballot.item.kind, []).append(ballot)
    return _strongest_kind(by_kind)


def _strongest_kind(by_kind: Mapping[PhiKind, Sequence[Ballot]]) -> PhiKind:
    """Return the kind with the greatest sum of strengths, the first of equal ones, by priority."""
    kinds = iter(by_kind)
    return next(kinds) if len(by_kind) == 1 else max(by_kind, key=lambda kind: _strength(by_kind[kind]))


def _strength(ballots: Sequence[Ballot]) -> float:
    """Return the sum of the strongest ballots of all voters."""
    return sum(b.strength for b in best_of_each_voter(ballots).values())


def _rank(ballot: Ballot, order: SourceOrder) -> int:
    return order.rank(ballot.item.candidate.source, ballot.item.kind)


def _value(given: PerKind, kind: PhiKind | None, default: float) -> float:
    """Return the value for a kind, else for its first-level kind, else the default."""
    if not isinstance(given, dict):
        return given
    return default if kind is None else given.get(kind, given.get(kind.top, default))


def _numbers(parameter: str, given: Mapping[str, PerKind]) -> Iterator[tuple[str, float]]:
    """Yield a name for messages and the value of every number."""
    for name, value in given.items():
        where = f"{parameter}: {name}" if parameter else name
        if isinstance(value, dict):
            yield from ((f"{where} {kind.name}", number) for kind, number in value.items())
        else:
            yield where, value
