"""Resolve overlapping candidates into disjoint PHI: source priority, strategies, votes, remainders, merging."""

from .candidates import (
    BELOW_THRESHOLD,
    DEFAULT_PRIORITY,
    EMPTY,
    REJECTED_BY_VOTE,
    VETOED,
    CandidateSpan,
    SourceOrder,
    SourceSet,
    has_content,
    takes_part,
    trim,
)
from .spans import REMAINDER_OF, Remainder, Resolution, ResolvedSpan
from .strategies import Strategy

__all__ = [
    "BELOW_THRESHOLD",
    "DEFAULT_PRIORITY",
    "EMPTY",
    "REJECTED_BY_VOTE",
    "REMAINDER_OF",
    "VETOED",
    "CandidateSpan",
    "Remainder",
    "Resolution",
    "ResolvedSpan",
    "SourceOrder",
    "SourceSet",
    "Strategy",
    "has_content",
    "takes_part",
    "trim",
]
