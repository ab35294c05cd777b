"""Ages that two dates tell."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem.age_limit import full_years, latest, period_of, tells_age, tells_age_later

DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2080, 12, 31))


@pytest.mark.parametrize(
    ("born", "day", "told"),
    [
        ("1931-03-02", "2024-02-01", True),
        ("1934-02-02", "2024-02-01", False),
        ("1934-02-01", "2024-02-01", True),
        ("1934", "2024-01-01", True),
        ("1935", "2024-12-31", False),
        ("1935", "2024", False),
        ("1934", "2024", True),
        ("1934-02", "2024-02-01", True),
        ("1934-03", "2024-02-01", False),
        ("1934-03-02", "2024-03", True),
        ("1934-03-02", "2024-02", False),
        ("2024-02-01", "1931-03-02", False),
        ("1934-02-29", "2024-02-28", False),
        ("1932-02-29", "2022-02-28", False),
        ("1932-02-29", "2022-03-01", True),
        ("", "2024-03-04", False),
        ("1931-02-30", "2024-03-04", False),
        ("1931-05-04T10:00", "2024-03-04", False),
    ],
)
def test_two_dates_tell_an_age_over_89_or_not(born: str, day: str, told: bool) -> None:
    assert tells_age(born, day) is told


@given(DAYS, DAYS)
def test_a_year_tells_no_less_than_a_day_of_it(born: datetime.date, day: datetime.date) -> None:
    exact = tells_age(str(born), str(day))
    assert exact is (full_years(born, day) > 89)
    for coarse, other in ((str(born)[:4], str(day)), (str(born), str(day)[:7]), (str(born)[:7], str(day)[:4])):
        assert tells_age(coarse, other) or not exact


@given(DAYS, DAYS, DAYS)
def test_an_age_on_one_day_tells_no_less_than_the_birth_date(
    born: datetime.date, stated: datetime.date, day: datetime.date
) -> None:
    age = full_years(born, stated)
    if age >= 0 and full_years(born, day) > 89:
        assert tells_age_later(age, str(stated), str(day)) or day < stated


@pytest.mark.parametrize(
    ("age", "stated_on", "day", "told"),
    [
        (90, "2024-01-01", "2024-01-01", True),
        (90, "", "", True),
        (89, "2024-01-01", "2024-01-01", False),
        (89, "2024-01-01", "2024-02-01", True),
        (88, "2024-01-01", "2024-12-31", False),
        (85, "2015-06-01", "2024-01-01", True),
        (85, "2015-06-01", "2018-01-01", False),
        (85, "2015", "2018", False),
        (85, "", "2024", False),
        (85, "2024-01-01", "2015-06-01", False),
    ],
)
def test_an_age_and_two_dates_tell_an_age_over_89_or_not(age: int, stated_on: str, day: str, told: bool) -> None:
    assert tells_age_later(age, stated_on, day) is told


def test_the_latest_date_is_the_one_that_ends_last() -> None:
    assert latest(["2020-03-04", "2020", "2019-12-31", "x", "2020-13"]) == "2020"
    assert latest(["2024-03-04", "9999-12-31", "2099-12-31"]) == "2024-03-04"
    assert latest([]) == ""


@given(DAYS)
def test_a_period_has_the_days_of_its_date(day: datetime.date) -> None:
    for iso in (str(day), str(day)[:7], str(day)[:4]):
        period = period_of(iso)
        assert period is not None and period.first <= day <= period.last
        assert (period.last - period.first).days in (0, *range(27, 31), 364, 365)
