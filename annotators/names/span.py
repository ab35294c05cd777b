"""The spans that the name rules find."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind
from .token_context import TokenContext


class NameSpan(NamedTuple):
    """A span with its kind, confidence and rule; `first` and `last` are token numbers, `last` exclusive."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str
    first: int
    last: int


def span_of(doc: TokenContext, first: int, last: int, kind: PhiKind, confidence: float, rule: str) -> NameSpan:
    """Return the span of tokens `first` to `last` (exclusive)."""
    return NameSpan(doc.begins[first], doc.ends[last - 1], kind, round(confidence, 2), rule, first, last)
