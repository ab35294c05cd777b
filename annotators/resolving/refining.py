"""More detail for a winner: a model says PERSON, a rule that lost to it says whose name it is."""

from __future__ import annotations

from .claims import Settlement, source_of
from .order import SourceOrder


def refine(settlement: Settlement, order: SourceOrder) -> None:
    """Gives claims of a first-level kind the kind below it that a candidate they cover has; of several the first by priority."""
    for claim in settlement.claims:
        if claim.kind.parent is not None:
            continue
        finer = [
            bid.candidate
            for bid, _, _ in settlement.verdicts
            if bid.candidate.kind.parent is claim.kind and claim.begin <= bid.begin and bid.end <= claim.end
        ]
        if finer:
            best = min(finer, key=lambda c: (order.rank(c.source, c.kind), c.begin - c.end, c.begin, c.kind.name))
            claim.kind = best.kind
            claim.note(f"kind of {source_of(best)}")
