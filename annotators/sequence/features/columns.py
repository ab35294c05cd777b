"""Columns of values over tokens, filled from spans and ranges."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from ..feature import TokenFeature, Words

Column = list[str | tuple[str, ...] | None]
Mark = tuple[int, int, str, str]
"""Begin and end in code points, the value of the first token in the span, and the value of the other tokens."""


class SpanFeature(TokenFeature):
    """A token feature whose values come from spans of the text."""

    def marks(self, words: Words) -> Iterable[Mark]:
        """Return the spans with their values."""
        raise TypeError(f"{type(self).__name__} must define marks(words)")

    def column(self, words: Words) -> Column:
        return spread(words, self.marks(words))


def empty(words: Words) -> Column:
    """Return a column without values."""
    return [None] * len(words)


def add(column: Column, i: int, value: str) -> None:
    """Add a value to token i, unless the token has it."""
    held = column[i]
    if held is None:
        column[i] = value
    elif isinstance(held, str):
        if held != value:
            column[i] = (held, value)
    elif value not in held:
        column[i] = (*held, value)


def spread(words: Words, marks: Iterable[Mark]) -> Column:
    """Return a column in which each token has the values of the spans that overlap it."""
    column = empty(words)
    begins, ends, n = words.begins, words.ends, len(words)
    for begin, end, first, further in marks:
        i = bisect_left(begins, begin)
        if i < n and begins[i] == begin and ends[i] >= end > begin:  # most spans are one token
            if column[i] is None:
                column[i] = first
            else:
                add(column, i, first)
        elif end > begin:
            value = first
            for j in words.under(begin, end):
                add(column, j, value)
                value = further
    return column
