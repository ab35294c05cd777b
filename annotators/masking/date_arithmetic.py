"""Shifts a date of any precision and returns it with the same precision."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace

from dateutil.relativedelta import relativedelta

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.interpretation import PartialDate

_ISO = lazy_regex(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")

_SEASONS = ("winter", "spring", "summer", "autumn")
"""Meteorological: winter is December to February and has the year it begins in."""
_THIRDS = {"early": 0, "begin": 0, "mid": 1, "late": 2, "end": 2}
_MONTHS = {"month": 1, "season": 3, "year": 12, "decade": 120}
"""Length of a period in months."""
_DAYS_PER_MONTH = 146_097 / 4_800
"""400 years of the Gregorian calendar have 146,097 days and 4,800 months."""


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
    third = _THIRDS[date.qualifier] + 1 if date.qualifier else 0
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


def moved(day: datetime.date, offset: relativedelta) -> datetime.date:
    """Return the day that much later: years and months first (31 January and a month is the last of February), then days.

    Raises OverflowError if the result is outside the years 1 to 9999.
    """
    try:
        if not offset.years and not offset.months:  # most offsets; `relativedelta` takes ten times as long
            return day + datetime.timedelta(offset.days)
        return day + offset
    except (ValueError, OverflowError):
        raise OverflowError("expected a day in the years 1 to 9999") from None


def shift_date(stated: PartialDate, full: PartialDate, offset: relativedelta) -> PartialDate | None:
    """Return the shifted date with the parts that the text states: `full` is the same date with its missing parts filled in.

    A weekday is computed from the new date. A month, season, year or decade (early, mid and late: a third of it) moves by the
    whole number of its length that is nearest to the offset: equal periods move equally, and the opposite offset moves them
    back. None if the year is missing or the date is a holiday or a weekday alone. Raises OverflowError if the result is outside
    the years 1 to 9999.
    """
    if full.precision != "day":
        return _shift_period(stated, full, offset)
    day = full.to_date()
    if day is None:
        return None
    new = moved(day, offset)
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


def _shift_period(stated: PartialDate, full: PartialDate, offset: relativedelta) -> PartialDate | None:
    if representative_day(full) is None:
        return None
    thirds = 3 if stated.qualifier else 1
    length = _MONTHS[full.precision]
    months = 12 * offset.years + offset.months + offset.days / _DAYS_PER_MONTH
    steps, third = divmod(_THIRDS.get(stated.qualifier, 0) + _nearest(months * thirds / length), thirds)
    new = moved(_first_month(full), relativedelta(months=length * steps))
    qualifier = ("early", "mid", "late")[third] if stated.qualifier else ""
    year = None if stated.year is None else new.year
    if full.precision == "month":
        return replace(stated, year=year, month=new.month, qualifier=qualifier)
    if full.precision == "season":
        return replace(stated, year=year, season=_SEASONS[new.month % 12 // 3], qualifier=qualifier)
    if full.precision == "year":
        return replace(stated, year=new.year, qualifier=qualifier)
    return replace(stated, decade=new.year // 10 * 10, qualifier=qualifier)


def _nearest(number: float) -> int:
    """Return the nearest integer, of two the one farther from 0: the same distance in both directions."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def _first_month(date: PartialDate) -> datetime.date:
    """Return the first of a month, of a season's first month, of January; for a decade that of its sixth year."""
    if date.precision == "decade":
        return datetime.date((date.decade or 0) + 5, 1, 1)
    month = date.month if date.precision == "month" else 3 * _SEASONS.index(date.season) or 12 if date.season else 1
    return datetime.date(date.year or 0, month or 1, 1)
