"""Who speaks where candidates overlap: the family of strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ...pipeline.contract.component import Part, part
from ...typesystem import FeatureStructure, PhiCandidate, View
from .claims import Bid, Claim, Remainder, Settlement, key_of, settle, source_of
from .order import SourceOrder

_PRIORITY = ("higher priority", "lower priority")
_LENGTH = ("longer", "shorter")
_CONFIDENCE = ("more confident", "less confident")
_BEGIN = ("begins earlier", "begins later")
_NAME = ("first by name", "later by name")


class Strategy(Part):
    """Settles a group of overlapping candidates.

    A strategy that ranks defines `key` and `criteria`; one that does more overrides `settle`, one that looks at the whole
    document `settle_all`. The resolver refuses an outcome that overlaps or uncovers text (law 3).
    """

    criteria: ClassVar[tuple[tuple[str, str], ...]] = ()
    """For each element of the key: how to say that it decided, for the winner and for the loser."""
    judges: ClassVar[bool] = False
    """Whether it also decides on candidates that no other overlaps: where sources vote, one alone may be too few."""

    @property
    def drops(self) -> bool:
        """Whether it was asked to leave candidates out, so that text which they alone cover stays readable."""
        return False

    def open(self) -> None:
        """Loads what parameters name. Raises ResourceError."""

    def mentions(self) -> Iterator[str]:
        """Components and aggregates that parameters name."""
        yield from ()

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """What must be there upstream beside candidates."""
        return ()

    def settle_all(
        self, groups: Sequence[Sequence[Bid]], view: View, order: SourceOrder, remainder: Remainder
    ) -> list[Settlement]:
        """A settlement for each group of bids of a document that hang together by overlaps, in text order."""
        return [self.settle(group, view.text, order, remainder) for group in groups]

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        """Sort key, best first: one element per criterion, and a last one that no two candidates share."""
        raise TypeError(f"{type(self).__name__} must define key(candidate, order) or settle(...)")

    def ranked(self, bids: Sequence[Bid], order: SourceOrder) -> list[Bid]:
        """The bids, best first."""
        return sorted(bids, key=lambda bid: self.key(bid.candidate, order))

    def settle(self, bids: Sequence[Bid], text: str, order: SourceOrder, remainder: Remainder) -> Settlement:
        """Disjoint claims over everything that the bids cover, and a verdict for each bid."""

        def compare(winner: PhiCandidate, loser: PhiCandidate) -> tuple[str, str]:
            pairs = zip(self.criteria, self.key(winner, order), self.key(loser, order), strict=False)
            return next((words for words, a, b in pairs if a != b), _NAME)

        return settle(self.ranked(bids, order), text, remainder, compare)


@part("priority")
class Priority(Strategy):
    """The source with the highest priority speaks; then the longer span, the higher confidence, the earlier begin."""

    criteria: ClassVar = (_PRIORITY, _LENGTH, _CONFIDENCE, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        rank = order.rank(c.source, c.kind)
        return rank, c.begin - c.end, -_confidence(c), c.begin, key_of(c)


@part("longest")
class Longest(Strategy):
    """The longest span speaks; then priority, confidence, the earlier begin."""

    criteria: ClassVar = (_LENGTH, _PRIORITY, _CONFIDENCE, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        rank = order.rank(c.source, c.kind)
        return c.begin - c.end, rank, -_confidence(c), c.begin, key_of(c)


@part("confidence")
class Confidence(Strategy):
    """The most confident candidate speaks; then priority, the longer span, the earlier begin.

    Confidences of different finders compare only where they were calibrated on the same data.
    """

    criteria: ClassVar = (_CONFIDENCE, _PRIORITY, _LENGTH, _BEGIN)

    def key(self, candidate: PhiCandidate, order: SourceOrder) -> tuple[Any, ...]:
        c = candidate
        rank = order.rank(c.source, c.kind)
        return -_confidence(c), rank, c.begin - c.end, c.begin, key_of(c)


@part("union")
class Union(Priority):
    """All candidates that hang together become one span; the source with the highest priority says its kind."""

    def settle(self, bids: Sequence[Bid], text: str, order: SourceOrder, remainder: Remainder) -> Settlement:
        ranked = self.ranked(bids, order)
        best = ranked[0].candidate
        begin, end = min(b.begin for b in bids), max(b.end for b in bids)
        alone = "no other candidate here" if len(bids) == 1 else f"speaks for {len(bids)} joined candidates"
        claim = Claim(begin, end, best.kind, best, 0, f"won: {alone}")
        joined = f"joined with {source_of(best)}"
        return Settlement([claim], [(bid, claim, None if bid is ranked[0] else joined) for bid in ranked])


def _confidence(candidate: PhiCandidate) -> float:
    return candidate.confidence if candidate.confidence == candidate.confidence else 0.0
