"""Arithmetic on dates of every precision: what a shift keeps, and that it can be undone."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import assume, given
from hypothesis import strategies as st

from caspipe.annotators.dates.interpretation import PartialDate
from caspipe.annotators.masking.date_arithmetic import moved, shift_date

DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 12, 31))
OFFSETS = st.integers(-800, 800).map(lambda days: relativedelta(days=days))
PERIODS = st.builds(
    lambda day, form, qualifier: replace(
        {
            "month": PartialDate(day.year, day.month),
            "season": PartialDate(day.year, season=("winter", "spring", "summer", "autumn")[day.month % 12 // 3]),
            "year": PartialDate(day.year),
            "decade": PartialDate(decade=day.year // 10 * 10),
        }[form],
        qualifier=qualifier,
    ),
    DAYS,
    st.sampled_from(["month", "season", "year", "decade"]),
    st.sampled_from(["", "early", "mid", "late"]),
)


def shifted(date: PartialDate, offset: relativedelta) -> PartialDate:
    new = shift_date(date, date, offset)
    assert new is not None
    return new


def back(offset: relativedelta) -> relativedelta:
    return relativedelta(days=-offset.days)


@given(DAYS, DAYS, OFFSETS)
def test_days_between_two_dates_stay(one: datetime.date, other: datetime.date, offset: relativedelta) -> None:
    first, second = (shifted(PartialDate(d.year, d.month, d.day), offset).to_date() for d in (one, other))
    assert first is not None
    assert second is not None
    assert second - first == other - one
    assert first - one == datetime.timedelta(offset.days)


@given(PERIODS, OFFSETS)
def test_a_period_that_is_moved_and_moved_back_is_the_same(date: PartialDate, offset: relativedelta) -> None:
    assert shifted(shifted(date, offset), back(offset)) == date


@given(PERIODS, PERIODS, OFFSETS)
def test_periods_between_two_dates_stay(one: PartialDate, other: PartialDate, offset: relativedelta) -> None:
    assume(one.precision == other.precision in ("month", "year") and one.qualifier == other.qualifier == "")

    def months(date: PartialDate) -> int:
        return (date.year or 0) * 12 + (date.month or 0)

    assert months(shifted(other, offset)) - months(shifted(one, offset)) == months(other) - months(one)


@pytest.mark.parametrize(
    ("days", "year"), [(182, 2010), (183, 2011), (-182, 2010), (-183, 2009), (365, 2011), (-365, 2009)]
)
def test_a_year_moves_by_the_nearest_number_of_years(days: int, year: int) -> None:
    assert shifted(PartialDate(2010), relativedelta(days=days)) == PartialDate(year)


@given(PERIODS, OFFSETS)
def test_a_period_moves_by_the_offset_to_within_half_of_its_length(date: PartialDate, offset: relativedelta) -> None:
    middle = {"month": 15, "season": 45, "year": 182, "decade": 1826}[date.precision]
    assume(not date.qualifier)

    def begin(date: PartialDate) -> datetime.date:
        month = ("winter", "spring", "summer", "autumn").index(date.season) * 3 or 12 if date.season else date.month
        return datetime.date(date.year or date.decade or 0, month or 1, 1)

    step = (begin(shifted(date, offset)) - begin(date)).days
    assert abs(step - offset.days) <= middle + 4  # the lengths of months and of quarters differ


@pytest.mark.parametrize(
    ("day", "offset", "new"),
    [
        ("2012-02-29", relativedelta(years=1), "2013-02-28"),
        ("2012-02-29", relativedelta(years=4), "2016-02-29"),
        ("2011-02-28", relativedelta(years=1), "2012-02-28"),
        ("2011-01-31", relativedelta(months=1), "2011-02-28"),
        ("2012-01-31", relativedelta(months=1), "2012-02-29"),
        ("2011-03-31", relativedelta(months=-1), "2011-02-28"),
        ("2011-10-31", relativedelta(months=1, days=1), "2011-12-01"),
        ("2011-01-31", relativedelta(years=-1, months=1, days=-7), "2010-02-21"),
        ("2011-12-31", relativedelta(days=60), "2012-02-29"),
    ],
)
def test_the_end_of_a_month_stays_within_the_next(day: str, offset: relativedelta, new: str) -> None:
    assert moved(datetime.date.fromisoformat(day), offset) == datetime.date.fromisoformat(new)


@pytest.mark.parametrize(
    ("day", "offset"),
    [
        ("0001-01-31", relativedelta(months=-1)),
        ("9999-12-31", relativedelta(days=1)),
        ("9999-06-30", relativedelta(years=1)),
    ],
)
def test_a_day_outside_the_calendar_is_an_overflow(day: str, offset: relativedelta) -> None:
    with pytest.raises(OverflowError) as told:
        moved(datetime.date.fromisoformat(day), offset)
    assert str(told.value) == "expected a day in the years 1 to 9999"


@given(DAYS, st.integers(0, 40_000), OFFSETS)
def test_the_age_from_shifted_dates_is_the_same_except_at_a_birthday(
    birth: datetime.date, days: int, offset: relativedelta
) -> None:
    """A number of days holds one leap day more or less elsewhere, so an age can change where a birthday is that near."""
    then = birth + datetime.timedelta(days)
    age = relativedelta(then, birth).years
    new = relativedelta(moved(then, offset), moved(birth, offset)).years
    birthdays = [birth + relativedelta(years=age + n) for n in (0, 1)]
    if min(abs((then - day).days) for day in birthdays) > 1:
        assert new == age
    assert abs(new - age) <= 1


@given(DAYS, st.integers(0, 40_000), st.integers(-3, 3))
def test_the_age_from_dates_shifted_by_years_is_the_same(birth: datetime.date, days: int, years: int) -> None:
    then, offset = birth + datetime.timedelta(days), relativedelta(years=years)
    assume((birth.month, birth.day) != (2, 29) != (then.month, then.day))
    new = relativedelta(moved(then, offset), moved(birth, offset))
    assert new.years == relativedelta(then, birth).years


@pytest.mark.parametrize(
    ("then", "years"),
    [
        ("2001-02-27", 0),
        ("2001-02-28", 1),
        ("2001-03-01", 1),
        ("2004-02-28", 3),
        ("2004-02-29", 4),
        ("2100-02-28", 100),
    ],
)
def test_a_birthday_of_29_february_is_28_february_in_other_years(then: str, years: int) -> None:
    assert relativedelta(datetime.date.fromisoformat(then), datetime.date(2000, 2, 29)).years == years
