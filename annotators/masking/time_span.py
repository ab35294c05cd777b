"""The days that a date of any precision may mean."""

from __future__ import annotations

import datetime
from calendar import monthrange
from typing import NamedTuple

from ..dates.interpretation import PartialDate

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""First month of the meteorological seasons; winter has the year it begins in."""
_SLACK = {"day": 3, "month": 16, "season": 46, "year": 183, "decade": 1827}
"""Half of a period in days: a shift moves it by the nearest whole number of its length. Days: leap days, and months of
different lengths with `season`."""


class TimeSpan(NamedTuple):
    """The first and the last day of a date, and its precision: day, month, season, year or decade."""

    first: datetime.date
    last: datetime.date
    precision: str

    def years_before(self, other: TimeSpan, years: int) -> bool:
        """Return whether this may be that many years before the other, also after both are shifted."""
        return later_by_years(self.first, years) <= other.last + self.slack(other)

    def slack(self, other: TimeSpan) -> datetime.timedelta:
        """Return by how much a shift may change the distance of the two: nothing between periods of one length."""
        if self.precision == other.precision:
            return datetime.timedelta(_SLACK["day"] if self.precision == "day" else 0)
        return datetime.timedelta(_SLACK[self.precision] + _SLACK[other.precision])


def time_span(date: PartialDate) -> TimeSpan | None:
    """Return the days that a date may mean; None without a year or if the day does not exist."""
    try:
        if date.year is None:
            if date.decade is None:
                return None
            return TimeSpan(datetime.date(date.decade, 1, 1), datetime.date(date.decade + 9, 12, 31), "decade")
        if date.month is not None and date.day is not None:
            day = datetime.date(date.year, date.month, date.day)
            return TimeSpan(day, day, "day")
        if date.month is not None:
            first = datetime.date(date.year, date.month, 1)
            return TimeSpan(first, first.replace(day=monthrange(date.year, date.month)[1]), "month")
        if date.season:
            first = datetime.date(date.year, _SEASONS[date.season], 1)
            return TimeSpan(first, first + datetime.timedelta(89), "season")
        return TimeSpan(datetime.date(date.year, 1, 1), datetime.date(date.year, 12, 31), "year")
    except ValueError:
        return None


def later_by_years(day: datetime.date, years: int) -> datetime.date:
    """Return the same day of the year that much later, 28 February for a leap day; the last day of all if there is none."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28) if day.year + years < 9999 else datetime.date.max
