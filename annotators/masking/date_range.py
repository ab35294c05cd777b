"""The one or two ends of a date expression, each with the parts that were said and with the missing ones filled in."""

from __future__ import annotations

from dataclasses import replace

from ..dates.interpretation import DateInterpretation, PartialDate
from .date_arithmetic import point
from .document_dates import DocumentDates, complete_near
from .operator import Mention

End = tuple[PartialDate, PartialDate]
"""(what the text says, the same with missing upper parts)."""


def ends(dates: DocumentDates, mention: Mention, reading: DateInterpretation) -> list[End] | None:
    """The ends of a reading in text order; an end of an interval takes parts from its other end first (`5-7 Oct 2013`),
    then from the context. None where a part stays unknown."""
    if reading.end is None:
        full = dates.completed(mention, reading.begin)
        return None if full is None else [(reading.begin, full)]
    first, last = _shared(reading.begin, reading.end)
    full_last = dates.completed(mention, last)
    day = point(full_last) if full_last else None
    if full_last is None or day is None:
        return None
    full_first: PartialDate | None = first
    if point(first) is None:
        full_first = complete_near(first, day)
        start = point(full_first) if full_first else None
        if full_first and full_first.year and start and start > day:
            full_first = replace(full_first, year=full_first.year - 1)
    if full_first is None or point(full_first) is None:
        return None
    return [(first, full_first), (last, full_last)]


def _shared(first: PartialDate, last: PartialDate) -> tuple[PartialDate, PartialDate]:
    """Both ends with what only the other one says: the month of `5-7 Oct`, the year of `Dec 2012 - 3 Jan`."""
    if first.day is not None and first.month is None and last.month is not None:
        before = last.day is not None and first.day > last.day
        first = replace(first, month=(last.month - 2) % 12 + 1 if before else last.month)
    elif last.day is not None and last.month is None and first.month is not None:
        after = first.day is not None and last.day < first.day
        last = replace(last, month=first.month % 12 + 1 if after else first.month)
    if first.year is None and last.year is not None and _lacks_year(first):
        same = replace(first, year=last.year)
        first = replace(first, year=last.year - 1) if _after(same, last) else same
    elif last.year is None and first.year is not None and _lacks_year(last):
        same = replace(last, year=first.year)
        last = replace(last, year=first.year + 1) if _after(first, same) else same
    return first, last


def _lacks_year(date: PartialDate) -> bool:
    return (date.month is not None or bool(date.season)) and date.decade is None


def _after(one: PartialDate, other: PartialDate) -> bool:
    a, b = point(one), point(other)
    return a is not None and b is not None and a > b
