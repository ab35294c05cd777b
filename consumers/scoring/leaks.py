"""What stays readable: by character, and by document.

*characters*: recall is the share of the reference's code points that some system span holds, whatever its kind; precision the
share of the system's code points that the reference holds. Every code point counts once, white space and punctuation too.

*documents*: the share of documents that leak nothing, of those with something to protect. A document leaks if one letter or digit
of a reference span is in no system span; what lies between (blanks, hyphens, commas) gives nobody away alone, and annotators
differ on it. A row for a kind looks at the documents that hold this kind, and at its spans alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .counts import MICRO, Counts, Measure
from .criteria import Span, by_kind, distinct
from .document import Pair


def merged(spans: Sequence[Span]) -> list[Span]:
    """Sorted spans as sorted disjoint ones: those that overlap or touch become one."""
    made: list[Span] = []
    for begin, end in spans:
        if made and begin <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made


def shared(left: Sequence[Span], right: Sequence[Span]) -> Iterator[Span]:
    """What two lists of merged spans have in common, in one sweep."""
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
    """What of some merged spans lies in no span of `cover`, merged too."""
    for begin, end, inside in _with_cover(spans, cover):
        at = begin
        for b, e in inside:
            if at < b:
                yield at, b
            at = e
        if at < end:
            yield at, end


def _with_cover(spans: Sequence[Span], cover: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    common = list(shared(spans, cover))
    at = 0
    for begin, end in spans:
        first = at
        while at < len(common) and common[at][1] <= end:
            at += 1
        yield begin, end, common[first:at]


def _length(spans: Iterator[Span] | Sequence[Span]) -> int:
    return sum(e - b for b, e in spans)


def _characters(pair: Pair) -> dict[str, Counts]:
    gold, system = merged(distinct(pair.gold)), merged(distinct(pair.system))
    made = {}
    for kind, marks in by_kind(pair.gold).items():
        mine = merged(distinct(marks))
        made[kind] = Counts(_length(mine), _length(shared(mine, system)))
    both = _length(shared(gold, system))
    made[MICRO] = Counts(_length(gold), both, _length(system), both)
    return made


def _documents(pair: Pair) -> dict[str, Counts]:
    if not pair.gold:
        return {}
    system = merged(distinct(pair.system))
    made = {
        kind: Counts(1, not _leaks(pair.text, merged(distinct(marks)), system))
        for kind, marks in by_kind(pair.gold).items()
    }
    made[MICRO] = Counts(1, all(c.found for c in made.values()))
    return made


def _leaks(text: str, gold: Sequence[Span], system: Sequence[Span]) -> bool:
    return any(c.isalnum() for begin, end in uncovered(gold, system) for c in text[begin:end])


MEASURES = (
    Measure("characters", _characters, "recall", {MICRO: "spans"}, totals=False, macro="none", always=(MICRO,)),
    Measure("documents", _documents, "score", totals=False, macro="none", always=(MICRO,)),
)
