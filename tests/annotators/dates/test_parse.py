"""All interpretations of one date expression."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.dates import parse_date
from caspipe.annotators.dates.interpretation import MONTHS, WEEKDAYS


def interpretations(text: str) -> list[tuple[str, str]]:
    return [(r.layout, r.iso()) for r in parse_date(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("03/04/2020", [("M D Y", "2020-03-04"), ("D M Y", "2020-04-03")]),
        ("13/04/2020", [("D M Y", "2020-04-13")]),
        ("03/04/20", [("M D Y", "2020-03-04"), ("D M Y", "2020-04-03")]),
        ("03-04-20", [("M D Y", "2020-03-04"), ("D M Y", "2020-04-03"), ("Y M D", "2003-04-20")]),
        ("76/02/03", [("Y M D", "1976-02-03")]),
        ("2020-03-04", [("Y M D", "2020-03-04")]),
        ("20200304", [("Y M D", "2020-03-04")]),
        ("12012014", [("M D Y", "2014-12-01"), ("D M Y", "2014-01-12")]),
        ("3/4", [("M D", "XXXX-03-04"), ("D M", "XXXX-04-03")]),
        ("12/21", [("M D", "XXXX-12-21"), ("M/Y", "2021-12")]),
        ("05/68", [("M/Y", "1968-05")]),
        ("3/2020", [("M/Y", "2020-03")]),
        ("2008-09", [("Y M", "2008-09"), ("Y", "2008/2009")]),
        ("19-Jul- 2011", [("D Mon Y", "2011-07-19")]),
        ("5th of March", [("D Mon", "XXXX-03-05")]),
        ("March the fifth, 2010", [("Mon D Y", "2010-03-05")]),
        ("Jan 21", [("Mon D", "XXXX-01-21"), ("Mon Y", "2021-01")]),
        ("Jan2021", [("Mon Y", "2021-01")]),
        ("the 14th", [("D", "XXXX-XX-14")]),
        ("October-November 2013", [("Mon Y", "2013-10/2013-11")]),
        ("5-7 Oct 2013", [("D Mon Y", "2013-10-05/2013-10-07")]),
        ("25Dec-3Jan2021", [("D Mon Y", "2020-12-25/2021-01-03")]),
        ("3/1-3/5", [("M D", "XXXX-03-01/XXXX-03-05"), ("D M", "XXXX-01-03/XXXX-05-03")]),
        ("3/14-18", [("M D", "XXXX-03-14/XXXX-03-18")]),
        ("from 3/1/21 to 3/15/21", [("M D Y", "2021-03-01/2021-03-15")]),
        ("2019-20", [("Y", "2019/2020")]),
        ("Monday-Friday", [("weekday", "Monday/Friday")]),
        ("winter of 2019/20", [("season Y", "2019-24")]),
        ("Q3 2020", [("Q Y", "2020-07/2020-09")]),
        ("1980s", [("decade", "198X")]),
        ("'09", [("Y", "2009")]),
        ("Christmas 2020", [("holiday Y", "2020-12-25")]),
        ("Easter 2021", [("holiday Y", "2021-04-04")]),
        ("27.1.", [("D M", "XXXX-01-27")]),
        ("Sat Aug 28 00:00:00 2004", [("Mon D Y", "2004-08-28")]),
        ("XXXX-03-05", [("M D", "XXXX-03-05")]),
        ("201X", [("decade", "201X")]),
        ("2021-21", [("season Y", "2021-21")]),
        ("30/02/2020", []),
        ("31 April 2020", []),
        ("29 Feb 2021", []),
        ("14", []),
        ("garbage", []),
        ("two weeks", []),
        ("", []),
        ("3/4/2020 " * 20, []),
    ],
)
def test_all_interpretations_are_returned_likeliest_first(text: str, expected: list[tuple[str, str]]) -> None:
    assert interpretations(text) == expected


def test_29_february_without_a_year_is_possible() -> None:
    assert interpretations("29 Feb") == [("D Mon", "XXXX-02-29")]


@pytest.mark.parametrize(
    "text",
    "on 3/4/2020|3/4/2020.|(3/4/2020)|dated 3/4/2020|the 3/4/2020,|3/4/2020 visit|last seen 3/4/2020".split("|"),
)
def test_words_and_punctuation_around_the_date_do_not_matter(text: str) -> None:
    assert ("M D Y", "2020-03-04") in interpretations(text)


def test_a_clock_time_after_the_date_is_separate() -> None:
    assert parse_date("3/14/2020 at 10:30 am")[0].begin.time == "10:30 am"
    assert parse_date("2021-03-04T12:00:05Z")[0].begin.time == "12:00:05Z"
    assert parse_date("3/14/2020")[0].begin.time == ""


def test_the_weekday_decides_if_one_interpretation_falls_on_it() -> None:
    assert interpretations("Friday, 3/4/2022") == [("M D Y", "2022-03-04")]
    assert interpretations("Sunday, 3/4/2022") == [("D M Y", "2022-04-03")]
    assert interpretations("Monday, 3/4/2022") == interpretations("3/4/2022")
    assert parse_date("Friday, 3/4/2022")[0].begin.weekday == 4


def test_qualifiers_are_kept() -> None:
    words = "early Feb|mid January 2021|late 2019|end of Dec2020|beginning of March|first week of May 2020".split("|")
    assert [parse_date(w)[0].begin.qualifier for w in words] == ["early", "mid", "late", "end", "begin", "begin"]


def test_two_digit_years_end_with_the_latest_year() -> None:
    assert [parse_date(f"1/2/{yy}")[0].begin.year for yy in ("35", "36", "00", "99")] == [2035, 1936, 2000, 1999]
    assert parse_date("1/2/36", latest_year=2050)[0].begin.year == 2036


def test_day_first_puts_that_interpretation_first() -> None:
    assert [r.layout for r in parse_date("03/04/2020", day_first=True)] == ["D M Y", "M D Y"]


def test_layouts_name_the_orders_a_span_allows() -> None:
    assert [r.layout for r in parse_date("03/04/2020")] == ["M D Y", "D M Y"]
    assert [r.layout for r in parse_date("Jan 2014")] == ["Mon Y"]
    assert parse_date("nothing") == ()


_DAYS = st.dates(min_value=datetime.date(1950, 1, 1), max_value=datetime.date(2034, 12, 31))


@given(
    _DAYS,
    st.sampled_from(
        ["{m}/{d}/{y}", "{d}.{m}.{y}", "{y}-{m:02}-{d:02}", "{d:02}{b}{y}", "{B} {d}, {y}", "{a}, {b} {d} {y}"]
    ),
)
def test_a_date_in_any_notation_is_among_its_interpretations(day: datetime.date, layout: str) -> None:
    month, weekday = MONTHS[day.month - 1], WEEKDAYS[day.weekday()]
    text = layout.format(y=day.year, m=day.month, d=day.day, b=month[:3], B=month, a=weekday)
    assert day in {r.begin.to_date() for r in parse_date(text)}


@given(_DAYS, _DAYS)
def test_parse_reads_what_iso_writes(first: datetime.date, last: datetime.date) -> None:
    value = f"{first.isoformat()}/{last.isoformat()}"
    assert [r.iso() for r in parse_date(value)] == [value]


@given(st.text(max_size=60))
def test_no_text_raises_an_error(text: str) -> None:
    for reading in parse_date(text):
        assert reading.iso() is not None
