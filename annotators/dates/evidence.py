"""Decides about doubtful dates by the other dates of the document: their months, their notation, their lists."""

from __future__ import annotations

from itertools import pairwise

from ...pipeline.storage.lazy_regex import lazy_regex
from .context import joined
from .expression import DAYS, DateExpression
from .interpretation import DateInterpretation
from .rules import Shape

_NUMERIC = frozenset({Shape.FULL, Shape.PAIR, Shape.DOTTED})
"""Shapes that tell the order of day and month: `13/4`, `4/13`."""
_DOTTED = lazy_regex(r"\d\.[ ]?(?:\d|[IVX])")
_DATED = DAYS | {Shape.MONTH_YEAR, Shape.YEAR_MONTH, Shape.MONTH}
"""Dates whose months belong to the time that the document tells of."""
_FORMS = (Shape.DOTTED_DAY, Shape.ROMAN_DAY)
"""Notations that need another date of the same form."""


def supported(text: str, dates: list[DateExpression]) -> list[DateExpression]:
    """Return the certain dates of a document, and the doubtful ones for which others are evidence."""
    sure = {date.begin for date in dates if not date.doubt}
    if len(sure) == len(dates):
        return dates
    sure |= _of_the_same_form(text, dates, sure)
    sure |= _of_the_same_month(dates, sure)
    _add_rows(text, dates, sure)
    neighbors = [pair for pair in pairwise(dates) if pair[0].shape is pair[1].shape]
    for first, second in neighbors:
        if _next_day(first, second) and joined(text[first.end : second.begin]):
            sure.update((first.begin, second.begin))
    for first, second in (*neighbors, *reversed(neighbors)):
        if (first.begin in sure) is not (second.begin in sure) and joined(text[first.end : second.begin]):
            sure.update((first.begin, second.begin))
    return [date for date in dates if date.begin in sure]


def _of_the_same_month(dates: list[DateExpression], sure: set[int]) -> set[int]:
    """Return the dates that lack little support and share a month with a certain date, or name a day only."""
    order = _order(dates)
    months = {r.begin.month for d in dates if not d.doubt and d.shape in _DATED for r in _in_order(d, order)} - {None}
    return {
        date.begin
        for date in dates
        if date.doubt == 1 and sure and date.shape not in _FORMS
        if date.shape in (Shape.ORDINAL, Shape.ORDINAL_DATE) or months & {r.begin.month for r in _in_order(date, order)}
    }


def _of_the_same_form(text: str, dates: list[DateExpression], sure: set[int]) -> set[int]:
    """Return dates like `27.1.` and `18-IX` in documents that write others so; three `27.01` in two months need no other."""
    months = {r.begin.month for d in dates if d.begin in sure and d.shape in _DATED for r in d.interpretations}
    found: set[int] = set()
    if any(date.begin in sure and _DOTTED.search(text, date.begin, date.end) for date in dates):
        found |= {d.begin for d in dates if d.shape is Shape.DOTTED_DAY and d.interpretations[0].begin.month in months}
    bare = [date for date in dates if date.rule == "dd.mm"]
    if len(bare) > 2 and len({date.interpretations[0].begin.month for date in bare}) < 3:
        found |= {date.begin for date in bare}
    if any(date.rule == "d.ROMAN.y" for date in dates):
        found |= {date.begin for date in dates if date.shape is Shape.ROMAN_DAY}
    return found


def _add_rows(text: str, dates: list[DateExpression], sure: set[int]) -> None:
    """Add the pairs at the beginning of lines if two certain ones begin a line."""
    rows = [d.begin for d in dates if d.shape is Shape.PAIR and text[d.begin - 1 : d.begin] in ("", "\n")]
    if len(sure.intersection(rows)) > 1:
        sure.update(rows)


def _next_day(first: DateExpression, second: DateExpression) -> bool:
    """Return True for `3/4, 3/5`: two pairs in one month, in order."""
    a, b = first.interpretations[0].begin, second.interpretations[0].begin
    if first.shape is not Shape.PAIR or a.month != b.month or a.day is None or b.day is None:
        return False
    return a.day < b.day and (a.month != 1 or a.day > 4)


def _order(dates: list[DateExpression]) -> str:
    """Return `D` or `M` if the dates that can only be read day first, or month first, are all of one order; else empty."""
    orders = {
        date.interpretations[0].layout[:3]
        for date in dates
        if not date.doubt and date.shape in _NUMERIC and len({r.layout for r in date.interpretations}) == 1
    }
    return {"D M": "D", "M D": "M"}.get("".join(orders), "")


def _in_order(date: DateExpression, order: str) -> list[DateInterpretation]:
    """Return the interpretations in the order of the document's other dates; all if none is in that order."""
    fitting = [r for r in date.interpretations if r.layout.startswith(order)]
    return fitting or list(date.interpretations)
