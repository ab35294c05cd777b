"""Candidates that take part in resolving, the reasons that exclude one, and the priority of their sources."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...typesystem import PhiCandidate, PhiKind

VETOED = "vetoed"
"""Prefix of the reason of a candidate that was vetoed."""
BELOW_THRESHOLD = "below threshold"
EMPTY = "nothing but white space"
EVIDENCE_ONLY = "evidence only"
REJECTED_BY_VOTE = "outvoted"
"""Prefix of the reason of a candidate that a vote rejected. Text that only such candidates cover is not masked."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSpan:
    """A candidate that takes part in resolving, and its span without white space at the edges."""

    begin: int
    end: int
    candidate: PhiCandidate
    voted_kind: PhiKind | None = None
    """The kind from a vote, if any."""

    @property
    def kind(self) -> PhiKind:
        return self.voted_kind or self.candidate.kind

    def same_span(self, other: CandidateSpan) -> bool:
        return self.begin == other.begin and self.end == other.end


def takes_part(candidate: PhiCandidate) -> bool:
    """Return whether a candidate was not vetoed, empty, below a threshold, rejected by a vote or evidence only."""
    return not candidate.reason.startswith((VETOED, BELOW_THRESHOLD, EMPTY, REJECTED_BY_VOTE, EVIDENCE_ONLY))


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
    """Return the span without white space at its edges, which is empty if it contains only white space."""
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end


def source_name(candidate: PhiCandidate) -> str:
    return candidate.source or "an unnamed source"


def tie_breaker(candidate: PhiCandidate) -> tuple[Any, ...]:
    """Return the last sort key of every ranking, which differs for different candidates."""
    return candidate.source, candidate.kind.name, candidate.value, candidate.rule


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf")


DEFAULT_PRIORITY = tuple(
    "known_phi site dates ages identifiers patterns names lists regex rules crf svm neural models".split()
)
"""Known PHI, then the list of the site, rules, then models, similar to RegEx > CRF > SVM of VigiBase."""


def matches_source(entry: str, source: str) -> bool:
    """Return whether an entry matches a source: it is an element of the source's path, or consecutive ones (`models/crf`)."""
    return f"/{entry}/" in f"/{source}/"


class SourceSet:
    """A set of sources, defined by entries: components, aggregates, or consecutive path elements."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        self._memo: dict[str, str | None] = {}

    def entry_of(self, source: str) -> str | None:
        """Return the first entry that matches a source, or None."""
        if source not in self._memo:
            self._memo[source] = next((entry for entry in self.entries if matches_source(entry, source)), None)
        return self._memo[source]

    def __contains__(self, source: str) -> bool:
        return self.entry_of(source) is not None


class SourceOrder:
    """Ranks sources. Those without an entry follow in the default order, unknown ones last."""

    def __init__(self, priority: Sequence[str] = (), per_kind: Mapping[PhiKind, Sequence[str]] | None = None) -> None:
        self._general = _complete(priority)
        self._per_kind = {kind.name: _complete(entries) for kind, entries in (per_kind or {}).items()}
        self._memo: dict[tuple[str, str], int] = {}

    def rank(self, source: str, kind: PhiKind) -> int:
        """Return the rank of a source, 0 for the highest. A kind without a list uses that of its parent, then the general one."""
        key = (source, kind.name)
        rank = self._memo.get(key)
        if rank is None:
            entries = self._per_kind.get(kind.name) or self._per_kind.get(kind.top.name) or self._general
            rank = next((i for i, entry in enumerate(entries) if matches_source(entry, source)), len(entries))
            self._memo[key] = rank
        return rank


def _complete(priority: Sequence[str]) -> tuple[str, ...]:
    return (*priority, *(entry for entry in DEFAULT_PRIORITY if entry not in priority))
