"""How overlapping candidates become disjoint PHI: source priority, strategies, votes, rests, merging."""

from .claims import BELOW, EMPTY, OUTVOTED, REST, VETOED, Bid, Claim, Settlement, content, takes_part, trimmed
from .order import DEFAULT_PRIORITY, SourceOrder
from .strategies import Strategy

__all__ = [
    "BELOW",
    "DEFAULT_PRIORITY",
    "EMPTY",
    "OUTVOTED",
    "REST",
    "VETOED",
    "Bid",
    "Claim",
    "Settlement",
    "SourceOrder",
    "Strategy",
    "content",
    "takes_part",
    "trimmed",
]
