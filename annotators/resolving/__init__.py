"""How overlapping candidates become disjoint PHI: source priority, strategies, rests, merging."""

from .claims import Bid, Claim, Settlement, content, trimmed
from .order import DEFAULT_PRIORITY, SourceOrder
from .strategies import Strategy

__all__ = [
    "DEFAULT_PRIORITY",
    "Bid",
    "Claim",
    "Settlement",
    "SourceOrder",
    "Strategy",
    "content",
    "trimmed",
]
