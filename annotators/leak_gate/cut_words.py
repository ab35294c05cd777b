"""Finds words of masked names that any run of marks cuts: `Zor|blatt`, `Zor{b}latt`, `Zor - blatt`, `Zor&nbsp;blatt`.

Words of the text are joined as long as the letters so far begin a masked name, so that the time does not depend on the number of
names, nor on which marks are between the words.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Collection, Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from .disguised_words import Candidate

_PIECE = lazy_regex(r"&(?:\#\w{1,7}|[A-Za-z][A-Za-z0-9]{1,31});|[^\W\d_]+")
_TIGHT = lazy_regex(r"(?:[^\w\s]|[\d_]){1,12}")
_WIDE = lazy_regex(
    r"[ \t\xa0]{1,4}(?:[^\w\s,;:!?()\"'“”‘’&]|_){1,4}[ \t\xa0]{1,4}|[ \t\xa0]{2,8}|\t|[ \t]?(?:\r?\n[ \t]?){2}"
)
"""Marks between blanks, several blanks, an empty line: what ends a sentence or a clause is not a cut."""
SHORTEST, _SHORTEST_WIDE, _SHORTEST_PART = 5, 6, 2
"""Letters of a name between whose letters marks are, of one with blanks too, and of its parts then."""
_MOST = 20
"""Parts of a word."""
_REACH = 200
"""Code points in which the parts of a word are."""


def prefixes(names: Collection[str]) -> frozenset[str]:
    """Return the proper beginnings of the names that are long enough."""
    return frozenset(name[:n] for name in names if len(name) >= SHORTEST for n in range(1, len(name)))


def find_cut(folded: str, names: Collection[str], beginnings: Collection[str]) -> Iterator[Candidate]:
    """Yield the words of names that are cut in a folded text, with their parts. Linear in the length of the text."""
    for first in _PIECE.finditer(folded) if beginnings else ():
        if first[0] in beginnings:
            yield from _from(folded, first, names, beginnings)


def _from(
    folded: str, first: re.Match[str], names: Collection[str], beginnings: Collection[str]
) -> Iterator[Candidate]:
    """Yield the names whose letters begin with a word of the text and go on in the next ones."""
    joined, end, wide = first[0], first.end(), False
    parts, shortest = [joined], len(joined)
    for piece in itertools.islice(_PIECE.finditer(folded, end, end + _REACH), _MOST):
        gap, found = folded[end : piece.start()], piece[0]
        if found.startswith("&"):
            sign = html.unescape(found)
            if gap or sign == found or sign.isalpha():
                return
            end = piece.end()
            continue
        if gap and _TIGHT.fullmatch(gap) is None:
            if _WIDE.fullmatch(gap) is None:
                return
            wide = True
        parts.append(found)
        joined, end, shortest = joined + found, piece.end(), min(shortest, len(found))
        name = joined if joined in names or found == "s" else joined.removesuffix("s")  # not `Zorblatt's`
        long_enough = len(name) >= (_SHORTEST_WIDE if wide else SHORTEST)
        if name in names and long_enough and (not wide or shortest >= _SHORTEST_PART):
            yield Candidate(first.start(), end, name, parts=tuple(parts))
        if joined not in beginnings:
            return
