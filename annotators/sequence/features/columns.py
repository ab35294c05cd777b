"""Columns of values over tokens, filled from spans and ranges."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from ..feature import Words

Column = list[str | tuple[str, ...] | None]
Mark = tuple[int, int, str, str]
"""Begin and end in code points, the value of the first token under them, and of those after it."""


def empty(words: Words) -> Column:
    """No value for any token."""
    return [None] * len(words)


def add(column: Column, i: int, value: str) -> None:
    """A further value for token i; one that it has is not added again."""
    held = column[i]
    if held is None:
        column[i] = value
    elif isinstance(held, str):
        if held != value:
            column[i] = (held, value)
    elif value not in held:
        column[i] = (*held, value)


def spread(words: Words, marks: Iterable[Mark]) -> Column:
    """Return the values of marks on every token that shares a code point with them."""
    column = empty(words)
    begins, ends, n = words.begins, words.ends, len(words)
    for begin, end, first, further in marks:
        i = bisect_left(begins, begin)
        if i < n and begins[i] == begin and ends[i] >= end > begin:  # most marks are one token
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


def listed(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)
