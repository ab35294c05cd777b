"""Rules for partial dates: years, decades, seasons, quarters, weekdays, holidays and days of the month alone."""

from __future__ import annotations

import re

from . import numerals
from .calendar import Calendar
from .holidays import HOLIDAYS, holiday_date
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .rules import DASH, SUFFIX, YEAR4, B, DateRule, S, Shape, date_of, rule, simple, single

_YEAR = rf"(?P<y>{YEAR4}|['’‘]\d\d)(?!\d)"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_APOSTROPHES = str.maketrans("’‘`", "'''")

year = simple("year", Shape.YEAR, r"(?P<y>(?:19|20)\d\d)(?!\d)", "Y")
short_year = simple("short year", Shape.SHORT_YEAR, r"['’‘](?P<y>\d\d)(?![\w'’])", "Y")
year_words = simple("year in words", Shape.SHORT_YEAR, rf"(?P<yw>{numerals.YEAR})(?![a-z])", "Y")
fiscal_year = simple("fiscal year", Shape.QUARTER, rf"FY{B}['’]?(?P<y>{YEAR4}|\d\d)(?!\d)", "Y", flags=0)
season_year = simple(
    "season year",
    Shape.SEASON_YEAR,
    rf"{_SEASON}(?:{S}of)?,?{S}{_YEAR}(?:{B}[-–/]{B}(?:{YEAR4}|\d\d)(?!\d))?",
    "season Y",
)
"""`winter 2019-2020` is the winter that began in 2019."""
year_season = simple("year season", Shape.SEASON_YEAR, rf"(?P<y>{YEAR4}){S}{_SEASON}(?!\w)", "Y season")
season = simple("season", Shape.SEASON, rf"{_SEASON}(?!\w)", "season")
day_of_month_words = simple("day of month in words", Shape.ORDINAL, rf"(?P<words>{numerals.ORDINAL})(?![\w-])", "D")
day_year = simple("d, y", Shape.FULL, rf"(?P<d>\d{{1,2}}){SUFFIX},{B}(?P<y>(?:19|20)\d\d)(?!\d)", "D Y")
"""The month is missing, as happens after a weekday: `Thursday 15, 2021`."""


day_in_column = simple("d", Shape.ORDINAL, r"(?P<d>\d{1,2})(?=[ ]*(?:\||[ ]{2}|\t|\n|\r|\Z))", "D")
"""A day without a month after a weekday, as in a rota: `Mon 8   |`."""


_LIFE = 120
"""Longest time in years between two years in brackets: `(1931-2024)`."""


@rule("years", Shape.YEAR_SPAN, rf"(?P<y>(?:19|20)\d\d)(?P<s>{B}(?:{DASH}|/){B})(?P<z>(?:19|20)\d\d|\d\d)(?!\d)")
def years(m: re.Match[str], calendar: Calendar) -> Interpretations:
    begin, tail = int(m["y"]), m["z"]
    end = int(tail) if len(tail) == 4 else begin - begin % 100 + int(tail)
    if not begin < end <= begin + (_LIFE if m.string[m.start() - 1 : m.start()] == "(" else 60) or (
        len(tail) == 2 and m["s"] != m["s"].strip()
    ):
        return ()
    return single("Y", PartialDate(year=begin), PartialDate(year=end))


def _decade(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return single("decade", PartialDate(decade=calendar.year(m["y"])))


decade = rule("decade", Shape.DECADE, r"(?P<y>(?:18|19|20)\d0)['’]?s(?!\w)")(_decade)
short_decade = rule("short decade", Shape.SHORT_DECADE, r"['’‘]?(?P<y>\d0)['’]?s(?!\w)")(_decade)


def _quarter(m: re.Match[str], calendar: Calendar) -> Interpretations:
    digits = m["q"] or m["p"]
    first = 3 * (_QUARTERS.get(digits.lower()) or int(digits)) - 2
    y = calendar.year(m["y"].lstrip("'’"))
    return single("Q Y", PartialDate(year=y, month=first), PartialDate(year=y, month=first + 2))


quarter = rule(
    "quarter",
    Shape.QUARTER,
    rf"(?:Q(?P<q>[1-4])|(?P<p>[1-4])Q)(?:{B}[-/,]?{B}(?:of{S})?(?:FY)?)(?P<y>{YEAR4}|['’]\d\d|(?<![ ])\d\d)(?!\d)",
    flags=0,
)(_quarter)
year_quarter = rule("year quarter", Shape.QUARTER, rf"(?P<y>{YEAR4}){B}-?{B}Q(?P<q>[1-4])(?!\w)")(_quarter)
quarter_words = rule(
    "quarter in words", Shape.QUARTER, rf"(?P<q>{'|'.join(_QUARTERS)})[ -]quarter(?:{S}of)?,?{S}(?P<y>{YEAR4})(?!\d)"
)(_quarter)


@rule(
    "day of month",
    Shape.ORDINAL,
    rf"(?P<d>\d{{1,2}}){B}(?:st|nd|rd|th)(?!\w)(?:[ ]inst\b\.?)?(?:{B}[-–/&]{B}(?P<e>\d{{1,2}}){SUFFIX}(?!\d))?",
)
def day_of_month(m: re.Match[str], calendar: Calendar) -> Interpretations:
    end = PartialDate(day=int(m["e"])) if m["e"] else None
    return single("D", PartialDate(day=int(m["d"])), end)


def _weekday(m: re.Match[str], calendar: Calendar) -> Interpretations:
    number = calendar.weekdays.get(m["w"].lower())
    return () if number is None else (DateInterpretation("weekday", PartialDate(weekday=number)),)


weekday = rule("weekday", Shape.WEEKDAY, r"(?P<w>[^\W\d_]{5,11}(?:-feira)?)(?!\w)")(_weekday)
short_weekday = rule("short weekday", Shape.SHORT_WEEKDAY, r"(?P<w>[^\W\d_]{3,5})(?!\w)")(_weekday)

_HOLIDAY = "|".join(
    re.escape(form).replace("'", "['’]").replace(r"\ ", r"\s{1,2}")
    for form in sorted(HOLIDAYS, key=lambda f: (-len(f), f))
)


@rule("holiday", Shape.HOLIDAY, rf"(?P<h>{_HOLIDAY})(?!\w)(?:(?:,|{S}of|{S}in)?{S}{_YEAR})?")
def holiday(m: re.Match[str], calendar: Calendar) -> Interpretations:
    name = HOLIDAYS[" ".join(m["h"].lower().translate(_APOSTROPHES).split())]
    date = date_of(m, calendar)
    y = date.year if date else None
    month, day = holiday_date(name, y)
    return single("holiday" + " Y" * (y is not None), PartialDate(year=y, month=month, day=day, holiday=name))


FROM_DAY: tuple[DateRule, ...] = (day_of_month, quarter, quarter_words, holiday, short_decade)
FROM_YEAR: tuple[DateRule, ...] = (year, years, decade, year_quarter, year_season)
FROM_APOSTROPHE: tuple[DateRule, ...] = (short_year, short_decade)
FROM_SEASON: tuple[DateRule, ...] = (season_year, season)
FROM_ORDINAL: tuple[DateRule, ...] = (day_of_month_words, quarter_words)
FROM_Q: tuple[DateRule, ...] = (quarter, fiscal_year)
FROM_YEAR_WORD: tuple[DateRule, ...] = (year_words,)
FROM_WEEKDAY: tuple[DateRule, ...] = (weekday, short_weekday)
FROM_HOLIDAY: tuple[DateRule, ...] = (holiday,)
