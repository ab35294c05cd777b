"""Candidates that take part in resolving, and the reasons that exclude one."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...typesystem import PhiCandidate, PhiKind

VETOED = "vetoed"
"""The reason of a candidate that a veto excluded begins with this."""
BELOW_THRESHOLD = "below threshold"
EMPTY = "nothing but white space"
REJECTED_BY_VOTE = "outvoted"
"""The reason of a candidate that a vote rejected begins with this; text that only such candidates cover is not masked."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSpan:
    """A candidate that takes part, and its span without white space at the edges."""

    begin: int
    end: int
    candidate: PhiCandidate
    voted_kind: PhiKind | None = None
    """The kind that a vote gave the span, if any."""

    @property
    def kind(self) -> PhiKind:
        return self.voted_kind or self.candidate.kind


def takes_part(candidate: PhiCandidate) -> bool:
    """Return whether a candidate counts: not vetoed, empty, below a threshold, or rejected by a vote."""
    return not candidate.reason.startswith((VETOED, BELOW_THRESHOLD, EMPTY, REJECTED_BY_VOTE))


def group_overlapping(candidates: Iterable[CandidateSpan]) -> Iterator[list[CandidateSpan]]:
    """Yield groups of candidates that are connected by overlaps, in text order."""
    group: list[CandidateSpan] = []
    limit = -math.inf
    for item in sorted(candidates, key=lambda c: (c.begin, -c.end)):
        if group and item.begin >= limit:
            yield group
            group = []
        group.append(item)
        limit = max(limit, item.end) if len(group) > 1 else item.end
    if group:
        yield group


def has_content(text: str) -> bool:
    """Return whether a text contains more than white space, punctuation and control characters."""
    return text.isalnum() or any(unicodedata.category(c)[0] not in "PZ" and not _is_blank(c) for c in text)


def trim(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the span without white space at its edges; begin and end are equal if nothing else is in it."""
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end


def source_name(candidate: PhiCandidate) -> str:
    return candidate.source or "an unnamed source"


def tie_breaker(candidate: PhiCandidate) -> tuple[Any, ...]:
    """Return the last sort key of every ranking, so that no two different candidates tie."""
    return candidate.source, candidate.kind.name, candidate.value, candidate.rule


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf")
