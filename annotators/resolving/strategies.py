"""Strategies that decide which of several overlapping candidates wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ...pipeline.contract.component import Part, part
from ...typesystem import FeatureStructure, PhiCandidate, View
from .candidates import CandidateSpan, SourceOrder, source_name, tie_breaker
from .spans import Remainder, Resolution, ResolvedSpan, resolve_ranked

_PRIORITY = ("higher priority", "lower priority")
_LENGTH = ("longer", "shorter")
_CONFIDENCE = ("more confident", "less confident")
_BEGIN = ("begins earlier", "begins later")
_NAME = ("first by name", "later by name")


class Strategy(Part):
    """Resolves a group of overlapping candidates.

    Ranking strategies define `key` and `criteria`; others override `resolve`, or `resolve_document` if they need the whole
    document. The resolver refuses resolutions that overlap or uncover text (law 3).
    """

    criteria: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The reasons for the winner and for the loser, for each element of the key."""
    decides_alone: ClassVar[bool] = False
    """True if it also decides on candidates without overlaps, as votes do."""

    @property
    def may_reject(self) -> bool:
        """Return whether its parameters allow it to reject candidates. Text that only these cover is not masked."""
        return False

    def open(self) -> None:
        """Load the resources in the parameters. Raises ResourceError."""

    def referenced_components(self) -> Iterator[str]:
        """Yield the components and aggregates in the parameters."""
        yield from ()

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return the required types in addition to candidates."""
        return ()

    def resolve_document(
        self, groups: Sequence[Sequence[CandidateSpan]], view: View, order: SourceOrder, remainder: Remainder
    ) -> list[Resolution]:
        """Return a resolution for each group of overlapping candidates of a document, in text order."""
        return [self.resolve(group, view.text, order, remainder) for group in groups]

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        """Return the sort key, best first: one element for each criterion, and a unique last one."""
        raise TypeError(f"{type(self).__name__} must define key(candidate, order) or resolve(...)")

    def rank(self, candidates: Sequence[CandidateSpan], order: SourceOrder) -> list[CandidateSpan]:
        """Return the candidates, best first."""
        if len(candidates) == 1:
            return list(candidates)
        return sorted(candidates, key=lambda item: self.key(item.candidate, order))

    def resolve(
        self, candidates: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        """Return disjoint spans that cover all candidates, and a decision for each candidate."""

        def compare(winner: PhiCandidate, loser: PhiCandidate) -> tuple[str, str]:
            pairs = zip(self.criteria, self.key(winner, order), self.key(loser, order), strict=False)
            return next((words for words, a, b in pairs if a != b), _NAME)

        return resolve_ranked(self.rank(candidates, order), text, remainder, compare)


@part("priority")
class Priority(Strategy):
    """The source with the highest priority wins; then the longer span, the higher confidence, the earlier begin."""

    criteria: ClassVar = (_PRIORITY, _LENGTH, _CONFIDENCE, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        return order.rank(c.source, c.kind), c.begin - c.end, -_confidence(c), c.begin, tie_breaker(c)


@part("longest")
class Longest(Strategy):
    """The longest span wins; then priority, confidence, the earlier begin."""

    criteria: ClassVar = (_LENGTH, _PRIORITY, _CONFIDENCE, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        return c.begin - c.end, order.rank(c.source, c.kind), -_confidence(c), c.begin, tie_breaker(c)


@part("confidence")
class Confidence(Strategy):
    """The most confident candidate wins; then priority, the longer span, the earlier begin.

    Confidences of different finders are comparable only if they were calibrated on the same data.
    """

    criteria: ClassVar = (_CONFIDENCE, _PRIORITY, _LENGTH, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        return -_confidence(c), order.rank(c.source, c.kind), c.begin - c.end, c.begin, tie_breaker(c)


@part("union")
class Union(Priority):
    """All candidates that are connected by overlaps become one span; the source with the highest priority decides its kind."""

    def resolve(
        self, candidates: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        ranked = self.rank(candidates, order)
        best = ranked[0].candidate
        begin, end = min(c.begin for c in ranked), max(c.end for c in ranked)
        alone = "no other candidate here" if len(ranked) == 1 else f"speaks for {len(ranked)} joined candidates"
        span = ResolvedSpan(begin, end, best.kind, best, 0, f"won: {alone}")
        joined = f"joined with {source_name(best)}"
        return Resolution([span], [(item, span, None if item is ranked[0] else joined) for item in ranked])


def _confidence(candidate: PhiCandidate) -> float:
    return candidate.confidence if candidate.confidence == candidate.confidence else 0.0
