"""How overlapping candidates become disjoint PHI: source priority, strategies, rests, merging."""

from .claims import BELOW, EMPTY, REST, VETOED, Bid, Claim, Settlement, content, takes_part, trimmed
from .order import DEFAULT_PRIORITY, SourceOrder
from .strategies import Strategy

__all__ = [
    "BELOW",
    "DEFAULT_PRIORITY",
    "EMPTY",
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
