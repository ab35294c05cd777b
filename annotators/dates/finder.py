"""Finds dates in text: a fast pass for offsets where a date could begin, rules and guards there, then the doubtful dates."""

from __future__ import annotations

import re
from itertools import pairwise

from .calendar import ENGLISH, Calendar
from .context import joined
from .expression import DAYS, DateExpression, ExpressionMatcher
from .prescan import places
from .rules import Shape

_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[^\W\d_])\d(?=\d?/\d{1,2}/\d\d)|['’‘](?=\d)")
"""The start of a word or number, or digits with two slashes directly after a letter."""
_ADDRESS = re.compile(r"(?:://|\bwww\.)[^\s<>\"]{0,120}\Z")


def find_dates(text: str, calendar: Calendar = ENGLISH) -> list[DateExpression]:
    """Return all date expressions of `text`, disjoint and in order. Linear in the length of the text."""
    expressions = ExpressionMatcher(text, calendar)
    dates: list[DateExpression] = []
    done = last = 0
    addresses = "://" in text or "www." in text
    for begin, end in places(text, calendar):
        for start in _START.finditer(text, max(begin, done), end + 9):
            offset = start.start()
            if offset >= end:
                break
            if offset < done or (addresses and _ADDRESS.search(text, max(0, offset - 120), offset)):
                continue
            date = expressions.match_at(offset, last)
            if date is not None:
                dates.append(date)
                done = date.end
                last = -done if date.doubt else done
    return _resolve_doubt(text, dates)


def _resolve_doubt(text: str, dates: list[DateExpression]) -> list[DateExpression]:
    """Return the certain dates, and doubtful ones that share a month with a certain date or are next to one in a list."""
    sure = {date.begin for date in dates if not date.doubt}
    if len(sure) == len(dates):
        return dates
    months = {
        r.begin.month for date in dates if not date.doubt and date.shape in DAYS for r in date.interpretations
    } - {None}
    for date in dates:
        same_month = date.shape is Shape.ORDINAL or months & {r.begin.month for r in date.interpretations}
        if date.doubt == 1 and sure and same_month:
            sure.add(date.begin)
    neighbours = [pair for pair in pairwise(dates) if pair[0].shape is pair[1].shape]
    for first, second in (*neighbours, *reversed(neighbours)):
        if (first.begin in sure) is not (second.begin in sure) and joined(text[first.end : second.begin]):
            sure.update((first.begin, second.begin))
    return [date for date in dates if date.begin in sure]
