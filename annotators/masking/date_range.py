"""Completes the one or two ends of a date expression."""

from __future__ import annotations

from dataclasses import replace

from ..dates.interpretation import DateInterpretation, PartialDate
from .date_arithmetic import representative_day
from .document_dates import DocumentDates, complete_near
from .mention import Mention

End = tuple[PartialDate, PartialDate]
"""(the date as the text states it, the same with missing upper parts filled in)."""


def complete_ends(dates: DocumentDates, mention: Mention, reading: DateInterpretation) -> list[End] | None:
    """Return the ends of a reading in text order, or None if a part remains unknown.

    An end of an interval takes parts from its other end first (`5-7 Oct 2013`), then from the context.
    """
    if reading.end is None:
        full = dates.complete(mention, reading.begin)
        return None if full is None else [(reading.begin, full)]
    first, last = _share_parts(reading.begin, reading.end)
    full_last = dates.complete(mention, last)
    day = representative_day(full_last) if full_last else None
    if full_last is None or day is None:
        return None
    full_first: PartialDate | None = first
    if representative_day(first) is None:
        full_first = complete_near(first, day)
        start = representative_day(full_first) if full_first else None
        if full_first and full_first.year and start and start > day:
            full_first = replace(full_first, year=full_first.year - 1)
    if full_first is None or representative_day(full_first) is None:
        return None
    return [(first, full_first), (last, full_last)]


def _share_parts(first: PartialDate, last: PartialDate) -> tuple[PartialDate, PartialDate]:
    """Return both ends with what only the other one states: the month of `5-7 Oct`, the year of `Dec 2012 - 3 Jan`."""
    if first.day is not None and first.month is None and last.month is not None:
        before = last.day is not None and first.day > last.day
        first = replace(first, month=(last.month - 2) % 12 + 1 if before else last.month)
    elif last.day is not None and last.month is None and first.month is not None:
        after = first.day is not None and last.day < first.day
        last = replace(last, month=first.month % 12 + 1 if after else first.month)
    if first.year is None and last.year is not None and _can_take_year(first):
        same = replace(first, year=last.year)
        first = replace(first, year=last.year - 1) if _is_after(same, last) else same
    elif last.year is None and first.year is not None and _can_take_year(last):
        same = replace(last, year=first.year)
        last = replace(last, year=first.year + 1) if _is_after(first, same) else same
    return first, last


def _can_take_year(date: PartialDate) -> bool:
    return (date.month is not None or bool(date.season)) and date.decade is None


def _is_after(one: PartialDate, other: PartialDate) -> bool:
    a, b = representative_day(one), representative_day(other)
    return a is not None and b is not None and a > b
