"""Law 3 after masking: what would stay readable yields to overlapping candidates of kinds that are masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...typesystem import PhiCandidate, PhiKind
from ..resolving import takes_part, trim
from .context import Context
from .operator import KEPT, Fallback, Mention, Operator, Outcome

Decide = Callable[[Mention, Context], tuple[Outcome, Operator]]
_CUT = Fallback("only part of a candidate")


def overruling(kept: Mention, context: Context, decide: Decide) -> Iterator[tuple[Mention, Outcome, Operator]]:
    """The parts of a readable mention that candidates of masked kinds cover, disjoint, in text order.

    A candidate that lies alone within the mention is replaced as its kind says; candidates that overlap each other or reach
    beyond the mention become one placeholder of the longest one's kind. A LOCATION within a candidate
    LOCATION_STATE says the same in less detail, as models do, and overrules nothing; dates get no such trust.
    """
    claims: list[tuple[int, int, Mention, Outcome, Operator]] = []
    around = context.cas.view().select(PhiCandidate, overlapping=(kept.begin, kept.end))
    same = [(d.begin, d.end) for d in around if d.kind is kept.kind and takes_part(d)]
    for c in around:
        begin, end = trim(context.text, c.begin, c.end)
        if begin == end or not takes_part(c):
            continue
        if c.kind is kept.kind.parent is PhiKind.LOCATION and any(b <= begin and end <= e for b, e in same):
            continue
        mention = Mention(begin, end, c.kind, context.text[begin:end], c.value)
        begin, end = max(begin, kept.begin), min(end, kept.end)
        outcome, operator = decide(mention, context) if begin < end else (KEPT, None)
        if outcome is not KEPT and operator is not None:
            claims.append((begin, end, mention, outcome, operator))
    claims.sort(key=lambda c: (c[0], -c[1], c[2].kind.name, c[2].value))
    at = 0
    while at < len(claims):
        begin, end, mention, outcome, operator = claims[at]
        alone = (mention.begin, mention.end) == (begin, end)
        longest = end - begin
        at += 1
        while at < len(claims) and claims[at][0] < end:
            b, e, other, _, its_operator = claims[at]
            alone = alone and (b, e, other.kind) == (begin, end, mention.kind)
            if e - b > longest:
                longest, mention, operator = e - b, other, its_operator
            end = max(end, e)
            at += 1
        part = Mention(begin, end, mention.kind, context.text[begin:end])
        yield part, outcome if alone else _CUT, operator
