"""Finds divided words of masked values of which a finder took only a part: `Zor</b>[PERSON]` after `Zorblatt`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ...typesystem import MaskedSpan
from ..names.words import Words
from .divided_words import DividedWord, find_divided_words
from .masked_values import MaskedValue
from .visible_text import VisibleText

_BESIDE = 3
"""Code points beside a masked span in which the rest of its word may begin: a tag, a line end, a hyphen, a blank."""
_REST = re.compile(r"[^\W_]|[>\]<\[;&\n\r-]")


def find_half_masked(
    text: str, spans: Sequence[MaskedSpan], values: Sequence[MaskedValue], words: Words
) -> Iterator[DividedWord]:
    """Yield the divided words of the original text that replacements cover in part. `spans` are sorted and disjoint."""
    begins = [span.original_begin for span in spans]
    ends = [span.original_end for span in spans]
    if not any(_may_go_on(text, begin, end) for begin, end in zip(begins, ends, strict=True)):
        return
    variant = next(VisibleText(text, [], []).variants())
    for word in find_divided_words(variant.document, values, words):
        begin, end = variant.original_span(word.begin, word.end)
        first = bisect_left(ends, begin + 1)
        inside = range(first, bisect_left(begins, end))
        if inside and _readable(text, begin, end, [(begins[n], ends[n]) for n in inside]):
            yield DividedWord(begin, end, word.kind)


def _readable(text: str, begin: int, end: int, masked: Sequence[tuple[int, int]]) -> bool:
    """Return whether letters or digits of a span are outside of its masked parts."""
    borders = [begin, *(border for span in masked for border in span), end]
    return any(c.isalnum() for b, e in zip(borders[::2], borders[1::2], strict=True) for c in text[b:e])


def _may_go_on(text: str, begin: int, end: int) -> bool:
    return bool(_REST.search(text[max(begin - _BESIDE, 0) : begin]) or _REST.search(text[end : end + _BESIDE]))
