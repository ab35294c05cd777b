"""Leaks: text that stays readable, by character and by document.

*characters*: recall is the share of the reference's code points that are in some system span of any kind; precision the share of
the system's code points that are in the reference. Every code point counts once, white space and punctuation too.

*documents*: the share of documents that leak nothing, of those with something to protect. A document leaks if one letter or
digit of a reference span is in no system span; spaces, hyphens and commas do not identify a person, and annotators differ on
them. A row for a kind includes only the documents with this kind, and only its spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .counts import MICRO, Counts, Measure
from .criteria import Span, by_kind, distinct
from .document import Pair


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return sorted spans as sorted disjoint ones: those that overlap or touch become one."""
    result: list[Span] = []
    for begin, end in spans:
        if result and begin <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((begin, end))
    return result


def shared(left: Sequence[Span], right: Sequence[Span]) -> Iterator[Span]:
    """Yield the intersection of two lists of merged spans."""
    i = j = 0
    while i < len(left) and j < len(right):
        begin, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if begin < end:
            yield begin, end
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1


def uncovered(spans: Sequence[Span], cover: Sequence[Span]) -> Iterator[Span]:
    """Yield the parts of some merged spans that are in no span of `cover`, merged too."""
    for begin, end, inside in _with_cover(spans, cover):
        start = begin
        for b, e in inside:
            if start < b:
                yield start, b
            start = e
        if start < end:
            yield start, end


def _with_cover(spans: Sequence[Span], cover: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    common = list(shared(spans, cover))
    i = 0
    for begin, end in spans:
        first = i
        while i < len(common) and common[i][1] <= end:
            i += 1
        yield begin, end, common[first:i]


def _length(spans: Iterator[Span] | Sequence[Span]) -> int:
    return sum(e - b for b, e in spans)


def _characters(pair: Pair) -> dict[str, Counts]:
    gold, system = merged(distinct(pair.gold)), merged(distinct(pair.system))
    result = {}
    for kind, marks in by_kind(pair.gold).items():
        mine = merged(distinct(marks))
        result[kind] = Counts(_length(mine), _length(shared(mine, system)))
    both = _length(shared(gold, system))
    result[MICRO] = Counts(_length(gold), both, _length(system), both)
    return result


def _documents(pair: Pair) -> dict[str, Counts]:
    if not pair.gold:
        return {}
    system = merged(distinct(pair.system))
    result = {
        kind: Counts(1, not _leaks(pair.text, merged(distinct(marks)), system))
        for kind, marks in by_kind(pair.gold).items()
    }
    result[MICRO] = Counts(1, all(c.found for c in result.values()))
    return result


def _leaks(text: str, gold: Sequence[Span], system: Sequence[Span]) -> bool:
    return any(c.isalnum() for begin, end in uncovered(gold, system) for c in text[begin:end])


MEASURES = (
    Measure("characters", _characters, "recall", {MICRO: "spans"}, totals=False, macro="none", always=(MICRO,)),
    Measure("documents", _documents, "score", totals=False, macro="none", always=(MICRO,)),
)
