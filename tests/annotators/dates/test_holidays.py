"""Named days and their dates."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.dates.holidays import ANY_CASE, HOLIDAYS, holiday_date

PACK = Path(__file__).resolve().parents[3] / "configs/lexicons/holidays.tsv"


@pytest.mark.parametrize(
    ("name", "year", "expected"),
    [
        ("Christmas", None, (12, 25)),
        ("Xmas Eve", 2020, (12, 24)),
        ("Thanksgiving", 2020, (11, 26)),
        ("Black Friday", 2020, (11, 27)),
        ("Cyber Monday", 2020, (11, 30)),
        ("Memorial Day", 2021, (5, 31)),
        ("Labor Day", 2021, (9, 6)),
        ("MLK Day", 2021, (1, 18)),
        ("Mother’s Day", 2021, (5, 9)),
        ("Good Friday", 2021, (4, 2)),
        ("Mardi Gras", 2021, (2, 16)),
        ("Orthodox Easter", 2021, (5, 2)),
        ("Orthodox Easter", 2008, (4, 27)),
        ("Easter", 2008, (3, 23)),
        ("Easter", 1943, (4, 25)),
        ("Easter", 2038, (4, 25)),
        ("Easter", 1899, (None, None)),
        ("Thanksgiving", None, (None, None)),
        ("Ramadan", 2021, (None, None)),
        ("no holiday", 2021, (None, None)),
    ],
)
def test_a_holiday_falls_on_its_day(name: str, year: int | None, expected: tuple[int | None, int | None]) -> None:
    assert holiday_date(name, year) == expected


CENSUS = {
    1900: "04-15", 1913: "03-23", 1925: "04-12", 1943: "04-25", 1954: "04-18", 1961: "04-02", 1974: "04-14", 1981: "04-19",
    1986: "03-30", 1992: "04-19", 2000: "04-23", 2008: "03-23", 2011: "04-24", 2016: "03-27", 2024: "03-31", 2025: "04-20",
    2038: "04-25", 2049: "04-18",
}  # fmt: skip
"""Dates of Easter from the list of the US Census Bureau (Easter Dates from 1600 to 2099)."""
ORTHODOX = {2008: "04-27", 2013: "05-05", 2017: "04-16", 2021: "05-02", 2024: "05-05", 2025: "04-20"}
"""Dates of Orthodox Easter as the churches announced them; 2017 and 2025 are those of the Western churches."""


@pytest.mark.parametrize(("year", "day"), CENSUS.items())
def test_easter_is_that_of_the_published_list(year: int, day: str) -> None:
    assert "{:02d}-{:02d}".format(*holiday_date("Easter", year)) == day


@pytest.mark.parametrize(("year", "day"), ORTHODOX.items())
def test_orthodox_easter_is_that_of_the_published_list(year: int, day: str) -> None:
    assert "{:02d}-{:02d}".format(*holiday_date("Orthodox Easter", year)) == day


@given(st.integers(1900, 2099))
def test_the_days_of_easter_are_on_their_weekdays(year: int) -> None:
    weekdays = {
        "Easter": 6,
        "Orthodox Easter": 6,
        "Palm Sunday": 6,
        "Good Friday": 4,
        "Ash Wednesday": 2,
        "Ascension Day": 3,
    }
    for name, weekday in weekdays.items():
        month, day = holiday_date(name, year)
        assert datetime.date(year, month or 0, day or 0).weekday() == weekday
    assert (3, 22) <= holiday_date("Easter", year) <= (4, 25)  # type: ignore[operator]
    assert (4, 3) <= holiday_date("Orthodox Easter", year) <= (5, 10)  # type: ignore[operator]


def test_only_some_holidays_are_recognized_in_lower_case() -> None:
    assert {"christmas", "thanksgiving", "st. patrick's day"} <= ANY_CASE
    assert not {"labor day", "flag day", "lent", "holi"} & ANY_CASE
    assert HOLIDAYS.keys() >= ANY_CASE


def test_the_unambiguous_holidays_of_the_lexicon_pack_are_mostly_known() -> None:
    rows = [line.split("\t") for line in PACK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names = [form for form, _, region, ambiguous in rows if ambiguous == "0" and "US" in region.split()]
    unknown = [n for n in names if n.lower() not in HOLIDAYS]
    assert len(unknown) <= len(names) // 4, unknown
