"""Ages that a reader of a record could compute from its dates, and dates that must go so that none is over the limit.

Ages over 89, and all elements of dates, the year included, that indicate such an age, identify a person: 45 CFR
164.514(b)(2)(i)(C).
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterable
from typing import NamedTuple

OLDEST = 89
"""The greatest age that may be known, in full years."""
LATEST_YEAR = 2035
"""The last year of dates with two digits; no release is later."""
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_NO_DAY = 2090
"""Dates from this year on (9999-12-31, 2099-12-31) mean that something has no end, and do not prove an age."""


class Period(NamedTuple):
    """The first and the last day that a date of any precision may mean."""

    first: datetime.date
    last: datetime.date


def period_of(iso: str) -> Period | None:
    """Return the period of a date in ISO 8601 (`1931`, `1931-05`, `1931-05-04`); None for anything else."""
    match = _ISO.fullmatch(iso)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        first = datetime.date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    if day is not None:
        return Period(first, first)
    last_month = month or 12
    return Period(first, datetime.date(first.year, last_month, calendar.monthrange(first.year, last_month)[1]))


def full_years(born: datetime.date, day: datetime.date) -> int:
    """Return the age on a day in full years; negative before birth. Who was born on 29 February ages on 1 March."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def greatest_age(born: Period, day: Period) -> int:
    """Return the greatest age in full years that two dates allow."""
    return full_years(born.first, day.last)


def latest(dates: Iterable[str]) -> str:
    """Return the date whose last day is the latest one; empty without a date. Dates that only mean `no end` do not count."""
    periods = [(p.last, iso) for iso in dates if (p := period_of(iso)) is not None and p.first.year < _NO_DAY]
    return max(periods, default=(None, ""))[1]


def tells_age(born: str, day: str, limit: int = OLDEST) -> bool:
    """Return whether a reader who takes one date for a birth could compute an age over the limit on the other one."""
    one, other = period_of(born), period_of(day)
    return one is not None and other is not None and greatest_age(one, other) > limit


def tells_age_later(age: float, stated_on: str, day: str, limit: int = OLDEST) -> bool:
    """Return whether a reader could compute an age over the limit for a day, from an age in years that was right on another day.

    A person of 85 may become 86 on the next day: the earliest birth counts that the age allows.
    """
    one, other = period_of(stated_on), period_of(day)
    if age > limit:
        return True
    if one is None or other is None or other.last <= one.first:
        return False
    return full_years(_years_before(one.first, int(age) + 1) + datetime.timedelta(days=1), other.last) > limit


def _years_before(day: datetime.date, years: int) -> datetime.date:
    """Return the same day of an earlier year; 28 February for a 29 February that the year lacks."""
    try:
        return day.replace(year=max(day.year - years, 1))
    except ValueError:
        return day.replace(year=max(day.year - years, 1), day=28)
