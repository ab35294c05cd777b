"""Named days and their dates."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from dateutil.easter import EASTER_ORTHODOX
from dateutil.easter import easter as reference

from caspipe.annotators.dates.holidays import ANY_CASE, HOLIDAYS, easter, holiday_date, nth_weekday, orthodox_easter

PACK = Path(__file__).resolve().parents[3] / "configs/lexicons/holidays.tsv"


def test_easter_agrees_with_another_program_for_two_centuries() -> None:
    years = range(1900, 2100)
    assert [easter(y) for y in years] == [reference(y) for y in years]
    assert [orthodox_easter(y) for y in years] == [reference(y, EASTER_ORTHODOX) for y in years]


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
        ("Thanksgiving", None, (None, None)),
        ("Ramadan", 2021, (None, None)),
        ("no holiday", 2021, (None, None)),
    ],
)
def test_a_holiday_falls_on_its_day(name: str, year: int | None, expected: tuple[int | None, int | None]) -> None:
    assert holiday_date(name, year) == expected


def test_the_last_weekday_of_a_month_is_found_in_december_too() -> None:
    assert nth_weekday(2020, 12, 0, -1) == datetime.date(2020, 12, 28)


def test_small_letters_are_enough_for_some_holidays_only() -> None:
    assert {"christmas", "thanksgiving", "st. patrick's day"} <= ANY_CASE
    assert not {"labor day", "flag day", "lent", "holi"} & ANY_CASE
    assert HOLIDAYS.keys() >= ANY_CASE


def test_the_unambiguous_holidays_of_the_lexicon_pack_are_mostly_known() -> None:
    rows = [line.split("\t") for line in PACK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names = [form for form, _, region, ambiguous in rows if ambiguous == "0" and "US" in region.split()]
    unknown = [n for n in names if n.lower() not in HOLIDAYS]
    assert len(unknown) <= len(names) // 4, unknown
