"""Tokens and sentences of a view for formats that need them, and spans aligned to the edges of tokens."""

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
    """Tokens, and spans as the number of their first token and of the one after their last."""

    tokens: Bounds
    spans: list[tuple[int, int, Span]]
    moved: int
    """Spans whose edges were not those of tokens."""
    lost: int
    """Spans that consist of spaces, or (widened) of a token that belongs to another span."""


def tokens_of(cas: Cas, view: View) -> Bounds:
    """Return the view's tokens; if it has none, those of the original over the same text; if that has none, words. Sorted,
    disjoint, not empty."""
    begins, ends = _annotated(cas, view, Token)
    if not begins:
        begins, ends = token_spans(view.text)
    kept: Bounds = []
    for begin, end in zip(begins, ends, strict=True):
        if begin < end and (not kept or begin >= kept[-1][1]):
            kept.append((begin, end))
    return kept


def sentence_begins(cas: Cas, view: View) -> list[int]:
    """Return the begins of the sentences, or of the lines if the document has no sentences."""
    begins, _ = _annotated(cas, view, Sentence)
    return sorted(begins) if begins else [m.start() for m in _LINE.finditer(view.text)]


def align(text: str, tokens: Bounds, spans: Sequence[Span], unaligned: Unaligned, *, overlaps: bool = False) -> Aligned:
    """Align spans to the edges of tokens. `split` splits tokens at the edges of spans, `widen` takes whole tokens; if spans must
    not overlap, the first of two gets a token that both need. Words of a span that no token covers become tokens."""
    tokens = _filled(text, tokens, spans)
    moved = sum(not _on_edges(tokens, s.begin, s.end) for s in spans)
    if unaligned == "split":
        tokens = _split(tokens, sorted({edge for s in spans for edge in (s.begin, s.end)}))
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
    after = bisect_left(tokens, (end, -1))
    return first < after and tokens[first][0] == begin and tokens[after - 1][1] == end


def _split(tokens: Bounds, edges: list[int]) -> Bounds:
    pieces: Bounds = []
    for begin, end in tokens:
        inside = edges[bisect_right(edges, begin) : bisect_left(edges, end)]
        pieces += zip([begin, *inside], [*inside, end], strict=True)
    return pieces


def _filled(text: str, tokens: Bounds, spans: Sequence[Span]) -> Bounds:
    """Return the tokens, and a token for each word between them that a span touches."""
    added: Bounds = []
    ends = [0, *(e for _, e in tokens)]
    begins = [*(b for b, _ in tokens), len(text)]
    for begin, limit in zip(ends, begins, strict=True):
        if begin < limit and not text[begin:limit].isspace():
            words = [m.span() for m in _WORD.finditer(text, begin, limit)]
            added += [(b, e) for b, e in words if any(s.begin < e and b < s.end for s in spans)]
    return sorted([*tokens, *added]) if added else tokens
