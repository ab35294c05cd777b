"""Tokens and sentences of a view for formats that need them, and how spans come to lie on their edges."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, Sentence, Token, View
from ...typesystem.tokenize import token_spans
from ..files.annotated import Span

Unaligned = Literal["split", "widen"]

_WORD = re.compile(r"\S+")
_LINE = re.compile(r"[^\r\n]+")

Bounds = list[tuple[int, int]]


class Aligned(NamedTuple):
    """Tokens, and spans as the numbers of their first token and of the one behind their last."""

    tokens: Bounds
    spans: list[tuple[int, int, Span]]
    moved: int
    """Spans whose edges were not those of tokens."""
    lost: int
    """Spans that cover nothing but blanks, or, widened, a token that another span has."""


def tokens_of(cas: Cas, view: View) -> Bounds:
    """The view's tokens; else those of the original over the same text; else words cut out here. Sorted, disjoint, not empty."""
    begins, ends = _annotated(cas, view, Token)
    if not begins:
        begins, ends = token_spans(view.text)
    made: Bounds = []
    for begin, end in zip(begins, ends, strict=True):
        if begin < end and (not made or begin >= made[-1][1]):
            made.append((begin, end))
    return made


def sentence_begins(cas: Cas, view: View) -> list[int]:
    """Where sentences begin: the document's, else lines."""
    begins, _ = _annotated(cas, view, Sentence)
    return sorted(begins) if begins else [m.start() for m in _LINE.finditer(view.text)]


def align(text: str, tokens: Bounds, spans: Sequence[Span], unaligned: Unaligned, *, overlaps: bool = False) -> Aligned:
    """Brings spans to the edges of tokens. `split` cuts tokens at the edges of spans, `widen` takes whole tokens; where spans
    must not overlap, the first takes a token that two would have. Words of a span that no token covers become tokens."""
    tokens = _filled(text, tokens, spans)
    moved = sum(not _on_edges(tokens, s.begin, s.end) for s in spans)
    if unaligned == "split":
        tokens = _cut(tokens, sorted({edge for s in spans for edge in (s.begin, s.end)}))
    begins, ends = [b for b, _ in tokens], [e for _, e in tokens]
    placed: list[tuple[int, int, Span]] = []
    for span in spans:
        first, last = bisect_right(ends, span.begin), bisect_left(begins, span.end)
        if placed and not overlaps:
            first = max(first, placed[-1][1])
        if first < last:
            placed.append((first, last, span))
    return Aligned(tokens, placed, moved, len(spans) - len(placed))


def _annotated(cas: Cas, view: View, type_: type[Token] | type[Sentence]) -> tuple[list[int], list[int]]:
    begins, ends = view.spans(type_)
    for name in (INITIAL_VIEW, GOLD_VIEW):
        if not begins and cas.has_view(name) and cas.view(name).text == view.text:
            begins, ends = cas.view(name).spans(type_)
    return begins, ends


def _on_edges(tokens: Bounds, begin: int, end: int) -> bool:
    first = bisect_left(tokens, (begin, -1))
    behind = bisect_left(tokens, (end, -1))
    return first < behind and tokens[first][0] == begin and tokens[behind - 1][1] == end


def _cut(tokens: Bounds, edges: list[int]) -> Bounds:
    made: Bounds = []
    for begin, end in tokens:
        inside = edges[bisect_right(edges, begin) : bisect_left(edges, end)]
        made += zip([begin, *inside], [*inside, end], strict=True)
    return made


def _filled(text: str, tokens: Bounds, spans: Sequence[Span]) -> Bounds:
    """The tokens, and a token for each word between them that a span touches."""
    more: Bounds = []
    ends = [0, *(e for _, e in tokens)]
    begins = [*(b for b, _ in tokens), len(text)]
    for at, limit in zip(ends, begins, strict=True):
        if at < limit and not text[at:limit].isspace():
            words = [m.span() for m in _WORD.finditer(text, at, limit)]
            more += [(b, e) for b, e in words if any(s.begin < e and b < s.end for s in spans)]
    return sorted([*tokens, *more]) if more else tokens
