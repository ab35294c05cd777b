"""Shifts a date of any precision and returns it with the same precision."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace

from ..dates.interpretation import PartialDate

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")

Shifter = Callable[[datetime.date], datetime.date]

_SEASONS = ("winter", "spring", "summer", "autumn")
"""Meteorological: winter is December to February and has the year it begins in."""


def parse_iso(iso: str) -> PartialDate | None:
    """Return the date that ISO 8601 writes as `2020`, `2020-03` or `2020-03-04`; None for anything else and for 30 February."""
    match = _ISO.fullmatch(iso)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    date = PartialDate(year, month, day)
    return date if representative_day(date) is not None else None


def representative_day(date: PartialDate) -> datetime.date | None:
    """Return a day in the middle of the date: the day itself, the 15th of a month, 1 July of a year, the 15th of a season's
    second month, the first day of a decade's sixth year; a third of the period earlier or later if the text says early or late.

    None if the year is missing, the day does not exist, or the date is a holiday or a weekday alone.
    """
    third = {"early": 1, "begin": 1, "mid": 2, "late": 3, "end": 3}.get(date.qualifier, 0)
    try:
        if date.precision == "day":
            return date.to_date()
        if date.precision == "month":
            return datetime.date(date.year or 0, date.month or 0, (15, 5, 15, 25)[third])
        if date.precision == "season" and date.year is not None:
            month = (_SEASONS.index(date.season) * 3 + (0, -1, 0, 1)[third]) % 12 + 1
            next_year = date.season == "winter" and month < 3
            return datetime.date(date.year + next_year, month, 15)
        if date.precision == "year":
            return datetime.date(date.year or 0, (7, 3, 7, 10)[third], (1, 1, 1, 31)[third])
        if date.precision == "decade":
            return datetime.date((date.decade or 0) + (5, 1, 5, 8)[third], (1, 7, 1, 7)[third], 1)
    except ValueError:  # a year outside 1 to 9999
        return None
    return None


def shift_date(stated: PartialDate, full: PartialDate, shift: Shifter) -> PartialDate | None:
    """Return the shifted date with the parts that the text states: `full` is the same date with its missing parts filled in.

    A weekday is computed from the new date. Raises OverflowError if the result is outside the years 1 to 9999.
    """
    day = representative_day(full)
    if day is None:
        return None
    new = shift(day)
    if full.precision == "day":
        return PartialDate(  # most dates end up here; `replace` takes twice as long
            None if stated.year is None else new.year,
            None if stated.month is None else new.month,
            new.day,
            None if stated.weekday is None else new.weekday(),
            stated.season,
            stated.decade,
            stated.qualifier,
            stated.holiday,
            stated.time,
        )
    if full.precision == "month":
        third = (new.day > 10) + (new.day > 20)
        year = None if stated.year is None else new.year
        return replace(stated, year=year, month=new.month, qualifier=_qualifier(stated, third))
    if full.precision == "season":
        month = new.month % 12
        year = None if stated.year is None else new.year - (new.month < 3)
        return replace(stated, year=year, season=_SEASONS[month // 3], qualifier=_qualifier(stated, month % 3))
    if full.precision == "year":
        return replace(stated, year=new.year, qualifier=_qualifier(stated, (new.month > 4) + (new.month > 8)))
    third = (new.year % 10 > 3) + (new.year % 10 > 6)
    return replace(stated, decade=new.year // 10 * 10, qualifier=_qualifier(stated, third))


def _qualifier(stated: PartialDate, third: int) -> str:
    return ("early", "mid", "late")[third] if stated.qualifier else ""
