"""Values in notations that no rule knows: what dateutil adds, and what it must not add."""

from __future__ import annotations

import datetime
import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.dates import parse_date
from caspipe.annotators.dates.calendar import FOREIGN_MONTH_NAMES, Calendar
from caspipe.annotators.dates.unknown_notations import with_dateutil

ENGLISH = Calendar()


def added(text: str, calendar: Calendar = ENGLISH) -> list[tuple[str, str]]:
    return [(r.layout, r.iso()) for r in with_dateutil(text, calendar)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thu Sep 25 10:36:28 BRST 2003", [("Mon D Y", "2003-09-25")]),
        ("Sat Aug 28 00:00:00 2004", [("Mon D Y", "2004-08-28")]),
        ("20-ABR-2022", [("D Mon Y", "2022-04-20")]),
        ("14 DE ABRIL DEL 2020", [("D Mon Y", "2020-04-14")]),
        ("05 déc. 23", [("D Mon Y", "2023-12-05")]),
        ("14 ene '24", [("D Mon Y", "2024-01-14")]),
        ("2022 abr 20", [("Y Mon D", "2022-04-20")]),
        ("Febrero de 1998", [("Mon Y", "1998-02")]),
        ("24/ENE", [("D Mon", "XXXX-01-24")]),
        ("14 gennaio", [("D Mon", "XXXX-01-14")]),
        ("okt. 20", [("Mon D", "XXXX-10-20"), ("Mon Y", "2020-10")]),
        ("ene '24", [("Mon Y", "2024-01")]),
        ("1 9 64", [("M D Y", "1964-01-09"), ("D M Y", "1964-09-01")]),
        ("9 25 2003", [("M D Y", "2003-09-25")]),
        ("25_9_2003", [("D M Y", "2003-09-25")]),
        ("03 04 05", [("M D Y", "2005-03-04"), ("D M Y", "2005-04-03"), ("Y M D", "2003-04-05")]),
        ("1960_4_14", [("Y M D", "1960-04-14")]),
        ("--/08/1963", [("M/Y", "1963-08")]),
        ("UNK/08/1963", [("M/Y", "1963-08")]),
    ],
)
def test_a_value_is_interpreted_in_every_order_that_it_allows(text: str, expected: list[tuple[str, str]]) -> None:
    assert added(text) == expected


def test_the_order_of_the_calendar_comes_first() -> None:
    assert [layout for layout, _ in added("1 9 64", Calendar(day_first=True))] == ["D M Y", "M D Y"]


@pytest.mark.parametrize(
    "text",
    "may|sat|10|sat 10|10 am|12:30|10.5|3.14|120/80|1.2.3|3/4/5|5 of 10|2 and 3|1 on 2|10h 5|5 m|m 5 4|2.-7.2|4-5.10.|12-14.10.20"
    "|24/25 ENE|ENE 24-25|2-4 ABR 2022|ENE 24 - FEB 25|3 ago|ago 19|118 72 88|88 72 64|950404 122212|December.0031.30|30 abr 9999"
    "|31 ABR 2022|0 5 2003|5 3 2 2003|٣ abr 2004|abr|2004|",
)
def test_prose_measures_intervals_and_impossible_days_are_no_dates(text: str) -> None:
    assert added(text) == []


@pytest.mark.parametrize("text", ["May we", "sat 3 of 4", "1.2.3", "2 and 3", "5 of 10", "1 on 2", "2.-7.2"])
def test_nothing_of_it_reaches_the_parser_of_dates(text: str) -> None:
    assert [r.iso() for r in parse_date(text) if r.begin.day is not None] == []


def test_the_fuller_interpretation_counts() -> None:
    assert [r.iso() for r in parse_date("14 abr. 1960")] == ["1960-04-14"]
    assert [r.iso() for r in parse_date("9 25 2003")] == ["2003-09-25"]
    assert [r.iso() for r in parse_date("last seen 3/4/2020 by SMITH")] == ["2020-03-04", "2020-04-03"]


def test_the_calendar_and_not_the_clock_decides_the_century() -> None:
    assert [r.begin.year for r in with_dateutil("5 déc. 36", ENGLISH)] == [1936]
    assert [r.begin.year for r in with_dateutil("5 déc. 36", Calendar(latest_year=2050))] == [2036]
    assert [r.begin.year for r in with_dateutil("Sep of 75", ENGLISH)] == [1975]


def test_a_time_stays_and_a_zone_is_ignored_silently() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # dateutil's warning of an unknown zone repeats the word
        (reading,) = with_dateutil("28 abr 2004 10:30 SMITH", ENGLISH)
    assert (reading.iso(), reading.begin.time) == ("2004-04-28", "10:30")


def test_a_weekday_belongs_to_its_date() -> None:
    assert [(r.iso(), r.begin.weekday) for r in with_dateutil("lundi 4 mars 2024", ENGLISH)] == [("2024-03-04", 0)]
    assert [r.iso() for r in with_dateutil("jeudi 1 9 64", ENGLISH)] == []
    assert [r.begin.weekday for r in with_dateutil("mardi 4 mars 2024", ENGLISH)] == [1]


_DAYS = st.dates(datetime.date(1936, 1, 1), datetime.date(2035, 12, 31))


@given(
    _DAYS, st.sampled_from(sorted(FOREIGN_MONTH_NAMES)), st.sampled_from(["{d} {m} {y}", "{d}/{m}/{y}", "{y} {m} {d}"])
)
def test_a_day_with_a_foreign_month_is_that_day(day: datetime.date, month: str, layout: str) -> None:
    number = FOREIGN_MONTH_NAMES[month]
    day = day.replace(month=number, day=min(day.day, 28))
    text = layout.format(d=day.day, m=month, y=day.year)
    assert {r.begin.to_date() for r in with_dateutil(text, ENGLISH)} == {day}


_PIECES = st.sampled_from(
    "1 12 31 64 2004 0 00 1e5 99999999999999999999 ene déc may Sat 10:30 am h m T Z UTC +03 - / . , : ' of de º unk ? inf nan "
    "SMITH \x00 ² ٣ _".replace("_", "\xa0").split(" ")
)


@given(st.lists(_PIECES, max_size=9).map("".join))
def test_every_number_of_a_date_is_in_the_text_and_nothing_raises(text: str) -> None:
    for reading in with_dateutil(text, ENGLISH):
        date = reading.begin
        assert date.month is not None
        assert date.year is not None or date.day is not None
        assert date.day is None or str(date.day) in text
        assert date.year is None or f"{date.year % 100:02d}" in text
        assert reading.end is None


PROBE = """
import sys
from caspipe.pipeline.pipeline import Pipeline
pipeline = Pipeline.parse("engines: [dates, {masker: {DATE: {shift: {key: k}}}}]")
pipeline.process("Seen on 3/4/2020, again in May 2011 and on Jan 5.").deidentified
print("dateutil.relativedelta" in sys.modules, "dateutil.parser" in sys.modules)
from caspipe.annotators.dates import parse_date
parse_date("--/08/1963")
print("dateutil.parser" in sys.modules)
"""


@pytest.mark.slow
def test_the_parser_is_imported_for_the_first_unknown_value_only() -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False", "True"]
