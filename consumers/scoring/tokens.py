"""Scores by token: tokens of each kind, PHI tokens of any kind, and masking recall.

A token belongs to a span that shares a code point with it, so a token across the border of a span counts for it.

*Masking recall* follows §4.4.1 of the inverse hybrid system, which used the tokens of the i2b2-2014 script: runs of letters and
digits in each span. A reference token is found if all of it is masked, as any kind. A system token that is not a reference token
counts against precision, even if it contains a found reference token and more. Precision exists over all kinds only, since
masking does not depend on a kind. `masking-hipaa` counts only reference spans of HIPAA's eighteen identifiers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from ...typesystem import PhiKind
from .counts import MICRO, Counts, Measure
from .criteria import Span, Spans, by_kind, distinct
from .document import Mark, Pair
from .leaks import merged

_WORD = re.compile(r"[^\W_]+")


def touched(tokens: tuple[list[int], list[int]], marks: Iterable[Mark]) -> set[int]:
    """Return the tokens, by number, that share a code point with one of the marks."""
    begins, ends = tokens
    numbers: set[int] = set()
    for m in marks:
        numbers.update(range(bisect_right(ends, m.begin), bisect_left(begins, m.end)))
    return numbers


def words(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield runs of letters and digits inside some spans; a run ends where the span ends."""
    for begin, end in spans:
        for hit in _WORD.finditer(text, begin, end):
            yield hit.span()


def _token(pair: Pair) -> dict[str, Counts]:
    gold, system = by_kind(pair.gold), by_kind(pair.system)
    return {
        kind: _both(touched(pair.tokens, gold.get(kind, ())), touched(pair.tokens, system.get(kind, ())))
        for kind in {**gold, **system}
    }


def _phi_token(pair: Pair) -> dict[str, Counts]:
    return {MICRO: _both(touched(pair.tokens, pair.gold), touched(pair.tokens, pair.system))}


def _both(gold: set[int], system: set[int]) -> Counts:
    both = len(gold & system)
    return Counts(len(gold), both, len(system), both)


def _masking(pair: Pair) -> dict[str, Counts]:
    masked = Spans(merged(distinct(pair.system)))
    result: dict[str, Counts] = {}
    every: set[Span] = set()
    for kind, marks in by_kind(pair.gold).items():
        tokens = set(words(pair.text, distinct(marks)))
        result[kind] = Counts(len(tokens), sum(map(masked.cover, tokens)))
        every |= tokens
    found = sum(map(masked.cover, every))
    wrong = len(set(words(pair.text, distinct(pair.system))) - every)
    result[MICRO] = Counts(len(every), found, found + wrong, found)
    return result


def _masking_hipaa(pair: Pair) -> dict[str, Counts]:
    masked = Spans(merged(distinct(pair.system)))
    tokens = set(words(pair.text, distinct(m for m in pair.gold if _is_hipaa(m.kind))))
    return {MICRO: Counts(len(tokens), sum(map(masked.cover, tokens)))}


def _is_hipaa(kind: str) -> bool:
    try:
        return bool(PhiKind.of(kind).hipaa)
    except ValueError:  # a label of some scheme: unknown, so it counts
        return True


MEASURES = (
    Measure("token", _token),
    Measure("token-binary", _phi_token, totals=False, macro="none", always=(MICRO,)),
    Measure("masking", _masking, "recall", {MICRO: "spans"}, totals=False, macro="none", always=(MICRO,)),
    Measure("masking-hipaa", _masking_hipaa, "recall", totals=False, macro="none", always=(MICRO,)),
)
