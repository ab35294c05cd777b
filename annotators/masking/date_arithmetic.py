"""Moves a date of any precision and gives it back at the same precision."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace

from ..dates.interpretation import PartialDate

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")

Move = Callable[[datetime.date], datetime.date]

_SEASONS = ("winter", "spring", "summer", "autumn")
"""Meteorological: winter is December to February and carries the year it begins in."""


def calendar_date(iso: str) -> PartialDate | None:
    """The date that ISO 8601 writes as `2020`, `2020-03` or `2020-03-04`; None for anything else and for 30 February."""
    found = _ISO.fullmatch(iso)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    date = PartialDate(year, month, day)
    return date if point(date) is not None else None


def point(date: PartialDate) -> datetime.date | None:
    """A day that stands for the date: the day itself, the 15th of a month, 1 July of a year, the 15th of a season's second
    month, the first day of a decade's sixth year; earlier or later by a third of the period where the text says early or
    late. None where the year is missing, the day does not exist, or it is a holiday or bare weekday.
    """
    third = _third(date.qualifier)
    try:
        if date.precision == "day":
            return date.to_date()
        if date.precision == "month":
            return datetime.date(date.year or 0, date.month or 0, (15, 5, 15, 25)[third])
        if date.precision == "season" and date.year is not None:
            month = (_SEASONS.index(date.season) * 3 + (0, -1, 0, 1)[third]) % 12 + 1
            winter = date.season == "winter" and month < 3
            return datetime.date(date.year + winter, month, 15)
        if date.precision == "year":
            return datetime.date(date.year or 0, (7, 3, 7, 10)[third], (1, 1, 1, 31)[third])
        if date.precision == "decade":
            return datetime.date((date.decade or 0) + (5, 1, 5, 8)[third], (1, 7, 1, 7)[third], 1)
    except ValueError:  # a year outside 1 to 9999
        return None
    return None


def moved(said: PartialDate, full: PartialDate, move: Move) -> PartialDate | None:
    """The date after `move`, with the parts that were said: `full` is the same date with its missing parts filled in.

    A weekday is computed anew. Raises OverflowError where the result leaves the years 1 to 9999.
    """
    day = point(full)
    if day is None:
        return None
    new = move(day)
    if full.precision == "day":
        return PartialDate(  # most dates come here; `replace` takes twice as long
            None if said.year is None else new.year,
            None if said.month is None else new.month,
            new.day,
            None if said.weekday is None else new.weekday(),
            said.season,
            said.decade,
            said.qualifier,
            said.holiday,
            said.time,
        )
    if full.precision == "month":
        third = (new.day > 10) + (new.day > 20)
        year = None if said.year is None else new.year
        return replace(said, year=year, month=new.month, qualifier=_qualified(said, third))
    if full.precision == "season":
        at = new.month % 12
        year = None if said.year is None else new.year - (new.month < 3)
        return replace(said, year=year, season=_SEASONS[at // 3], qualifier=_qualified(said, at % 3))
    if full.precision == "year":
        return replace(said, year=new.year, qualifier=_qualified(said, (new.month > 4) + (new.month > 8)))
    third = (new.year % 10 > 3) + (new.year % 10 > 6)
    return replace(said, decade=new.year // 10 * 10, qualifier=_qualified(said, third))


def _third(qualifier: str) -> int:
    return {"early": 1, "begin": 1, "mid": 2, "late": 3, "end": 3}.get(qualifier, 0)


def _qualified(said: PartialDate, third: int) -> str:
    return ("early", "mid", "late")[third] if said.qualifier else ""
