"""Leaks: text that stays readable, by character and by document.

*characters*: recall is the share of the reference's code points that are in some system span of any kind; precision the share of
the system's code points that are in the reference. Every code point counts once, white space and punctuation too.

*covered*: the share of the reference spans whose every letter and digit is in some system span of any kind.

*documents*: the share of documents that leak nothing, of those with something to protect. A document leaks if one letter or
digit of a reference span is in no system span; spaces, hyphens and commas do not identify a person, and annotators differ on
them. A row for a kind includes only the documents with this kind, and only its spans.

*false-spans*: system spans of any kind that share no code point with the reference, per 1,000 words (runs of letters and digits)
of the text. It is a rate, not a share, and counts documents without a reference span too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from .counts import MICRO, Counts, Measure
from .criteria import by_kind, distinct
from .document import Mark, Pair
from .spans import Span, Spans

_WORD = re.compile(r"[^\W_]+")
_PER_WORDS = 1000


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
    neither = _length(shared(list(uncovered(merged(distinct(pair.optional)), gold)), system)) if pair.optional else 0
    result[MICRO] = Counts(_length(gold), both, _length(system) - neither, both)
    return result


def _covered(pair: Pair) -> dict[str, Counts]:
    unmasked = uncovered(merged(distinct(pair.gold)), merged(distinct(pair.system)))
    leaked = [offset for begin, end in unmasked for offset in range(begin, end) if pair.text[offset].isalnum()]

    def counts(marks: Iterable[Mark]) -> Counts:
        spans = distinct(marks)
        return Counts(len(spans), sum(bisect_left(leaked, b) == bisect_left(leaked, e) for b, e in spans))

    return {kind: counts(marks) for kind, marks in by_kind(pair.gold).items()} | {MICRO: counts(pair.gold)}


def _false_spans(pair: Pair) -> dict[str, Counts]:
    gold = Spans(distinct(pair.gold))
    false = sum(not gold.overlap(span) for span in distinct(pair.system))
    return {MICRO: Counts(sum(1 for _ in _WORD.finditer(pair.text)) / _PER_WORDS, false)}


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
    Measure("covered", _covered, "recall", totals=False, macro="none", always=(MICRO,)),
    Measure("documents", _documents, "score", totals=False, macro="none", always=(MICRO,)),
    Measure("false-spans", _false_spans, "rate", totals=False, macro="none", always=(MICRO,)),
)
