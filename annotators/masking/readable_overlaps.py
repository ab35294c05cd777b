"""Masks the parts of a readable mention that candidates of masked kinds overlap (law 3 after masking)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...typesystem import PhiCandidate, PhiKind
from ..resolving.candidates import takes_part, trim
from .operator import KEPT, Context, Fallback, Mention, Operator, Outcome

Decide = Callable[[Mention, Context], tuple[Outcome, Operator]]
_PARTIAL = Fallback("only part of a candidate")


class _Overlap(NamedTuple):
    """The part `begin:end` of a readable mention that a candidate of a masked kind covers."""

    begin: int
    end: int
    mention: Mention
    outcome: Outcome
    operator: Operator

    @property
    def is_whole(self) -> bool:
        """Return whether the readable mention contains the candidate."""
        return (self.mention.begin, self.mention.end) == (self.begin, self.end)


def mask_overlaps(kept: Mention, context: Context, decide: Decide) -> Iterator[tuple[Mention, Outcome, Operator]]:
    """Yield the parts of a readable mention that candidates of masked kinds cover, disjoint, in text order.

    A candidate within the mention that overlaps no other is replaced as its kind requires; candidates that overlap each other
    or extend beyond the mention become one placeholder of the longest one's kind.
    """
    overlaps = sorted(
        _overlaps(kept, context, decide), key=lambda o: (o.begin, -o.end, o.mention.kind.name, o.mention.value)
    )
    index = 0
    while index < len(overlaps):
        first = longest = overlaps[index]
        end, alone = first.end, first.is_whole
        index += 1
        while index < len(overlaps) and overlaps[index].begin < end:
            other = overlaps[index]
            same = (other.begin, other.end, other.mention.kind) == (first.begin, end, longest.mention.kind)
            alone = alone and same
            if other.end - other.begin > longest.end - longest.begin:
                longest = other
            end = max(end, other.end)
            index += 1
        part = Mention(first.begin, end, longest.mention.kind, context.text[first.begin : end])
        yield part, first.outcome if alone else _PARTIAL, longest.operator


def _overlaps(kept: Mention, context: Context, decide: Decide) -> Iterator[_Overlap]:
    """Yield the candidates of masked kinds that overlap a readable mention.

    A LOCATION within a candidate LOCATION_STATE says the same in less detail, as models do, and is ignored; dates get no such
    trust.
    """
    around = context.cas.view().select(PhiCandidate, overlapping=(kept.begin, kept.end))
    same_kind = [(c.begin, c.end) for c in around if c.kind is kept.kind and takes_part(c)]
    for c in around:
        begin, end = trim(context.text, c.begin, c.end)
        if begin == end or not takes_part(c):
            continue
        if c.kind is kept.kind.parent is PhiKind.LOCATION and any(b <= begin and end <= e for b, e in same_kind):
            continue
        mention = Mention(begin, end, c.kind, context.text[begin:end], c.value)
        begin, end = max(begin, kept.begin), min(end, kept.end)
        if begin < end:
            outcome, operator = decide(mention, context)
            if outcome is not KEPT:
                yield _Overlap(begin, end, mention, outcome, operator)
