"""Finds divided words of masked values of which a finder took only a part: `Zor</b>[PERSON]` after `Zorblatt`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import MaskedSpan
from ..known_phi.searchable_text import SearchableText
from .divided_words import DividedWord, ValueWords, find_divided_words
from .letters import letters_of
from .visible_text import VisibleText

_BESIDE = 3
"""Code points beside a masked span in which the rest of its word may begin: a tag, a line end, a hyphen, a blank."""
_REST = lazy_regex(r"[^\W_]|[>\]<\[;&\n\r-]")
_OTHER_SIGNS = lazy_regex(
    r"""[&<\[%=\\\u0370-\u03ff\u0400-\u052f]                    # entities, tags, escapes, letters that look like Latin ones
        (?: (?<=&)(?:\#|[A-Za-z][A-Za-z0-9]{1,31};) | (?<=[^\W\d_][<\[])[/!]?[A-Za-z-]
          | (?<=%)[2-9A-Fa-f] | (?<==)[2-9A-F][0-9A-F] | (?<=\\)[ux] | (?<=[\u0370-\u03ff\u0400-\u052f]) )""",
    re.VERBOSE,
)
_RUN = lazy_regex(r"(?:[^\W_]|[!|@$+]){2}")
"""Two characters of one word: letters, digits, and the signs that OCR takes for letters."""
_FEW = 200
"""Masked spans, or words, up to which borders are tested before the whole text is searched."""


def find_half_masked(text: str, spans: Sequence[MaskedSpan], table: ValueWords) -> Iterator[DividedWord]:
    """Yield the divided words of the original text that replacements cover in part. `spans` are sorted and disjoint."""
    begins = [span.original_begin for span in spans]
    ends = [span.original_end for span in spans]
    if not any(_may_go_on(text, begin, end) for begin, end in zip(begins, ends, strict=True)):
        return
    variant = next(VisibleText(text, [], []).variants())
    if not may_cross(variant.document, text, [*begins, *ends], table):
        return
    for word in find_divided_words(variant.document, table):
        begin, end = variant.original_span(word.begin, word.end)
        first = bisect_left(ends, begin + 1)
        inside = range(first, bisect_left(begins, end))
        if inside and _readable(text, begin, end, [(begins[n], ends[n]) for n in inside]):
            yield DividedWord(begin, end, word.kind)


def may_cross(document: SearchableText, text: str, borders: Sequence[int], table: ValueWords) -> bool:
    """Return False if no divided word can be on both sides of a border of a masked span.

    Such a word has its letters on both sides, in their order and with no other letters between them; or a border divides a run of
    letters, digits and signs; or the text has tags, entities, escapes or letters that look like others.
    """
    words = table.kinds
    if document.text != text or len(borders) > 2 * _FEW or len(words) > _FEW or _OTHER_SIGNS.search(text):
        return True
    if not all(map(str.isalpha, words)):
        return True
    texts = {text} if text.isascii() else {text, document.folded}
    if any(_RUN.match(t, border - 1) for t in texts for border in borders if border):
        return True
    pieces = [letters_of(document.folded[b:e]) for b, e in pairwise([0, *sorted(borders), len(text)])]
    letters, places = "".join(pieces), set(accumulate(map(len, pieces)))
    by_size: dict[int, list[str]] = {}
    for word in words:
        by_size.setdefault(len(word) - 1, []).append(word)
    for size, same in by_size.items():
        around = "|".join(letters[max(place - size, 0) : place + size] for place in places)
        if any(word in around for word in same):
            return True
    return False


def _readable(text: str, begin: int, end: int, masked: Sequence[tuple[int, int]]) -> bool:
    """Return whether letters or digits of a span are outside of its masked parts."""
    borders = [begin, *(border for span in masked for border in span), end]
    return any(c.isalnum() for b, e in zip(borders[::2], borders[1::2], strict=True) for c in text[b:e])


def _may_go_on(text: str, begin: int, end: int) -> bool:
    return bool(_REST.search(text[max(begin - _BESIDE, 0) : begin]) or _REST.search(text[end : end + _BESIDE]))
