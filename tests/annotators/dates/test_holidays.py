"""Named days and their dates."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_only_some_holidays_are_recognized_in_lower_case() -> None:
    assert {"christmas", "thanksgiving", "st. patrick's day"} <= ANY_CASE
    assert not {"labor day", "flag day", "lent", "holi"} & ANY_CASE
    assert HOLIDAYS.keys() >= ANY_CASE


def test_the_unambiguous_holidays_of_the_lexicon_pack_are_mostly_known() -> None:
    rows = [line.split("\t") for line in PACK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    names = [form for form, _, region, ambiguous in rows if ambiguous == "0" and "US" in region.split()]
    unknown = [n for n in names if n.lower() not in HOLIDAYS]
    assert len(unknown) <= len(names) // 4, unknown
