"""Years, decades, seasons, quarters, weekdays, holidays and days of the month alone."""

from __future__ import annotations

import re

from . import numerals
from .calendar import SEASONS, Calendar
from .holidays import HOLIDAYS, holiday_date
from .reading import DateReading, PartialDate
from .rules import DASH, SUFFIX, YEAR4, B, Rule, S, Shape, group, one, rule

_YEAR = rf"(?P<y>{YEAR4}|['’‘]\d\d)(?!\d)"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_APOSTROPHES = str.maketrans("’‘`", "'''")


def _full_year(m: re.Match[str], calendar: Calendar) -> int | None:
    digits = group(m, "y").lstrip("'’‘")
    return calendar.year(digits) if digits else None


@rule("year", Shape.YEAR, r"(?P<y>(?:19|20)\d\d)(?!\d)")
def year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("Y", PartialDate(year=int(m["y"])))


@rule("years", Shape.YEAR_SPAN, rf"(?P<y>(?:19|20)\d\d)(?P<s>{B}(?:{DASH}|/){B})(?P<z>(?:19|20)\d\d|\d\d)(?!\d)")
def years(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    begin, tail = int(m["y"]), m["z"]
    end = int(tail) if len(tail) == 4 else begin - begin % 100 + int(tail)
    if not begin < end <= begin + 60 or (len(tail) == 2 and m["s"] != m["s"].strip()):
        return ()
    return one("Y", PartialDate(year=begin), PartialDate(year=end))


@rule("short year", Shape.SHORT_YEAR, r"['’‘](?P<y>\d\d)(?![\w'’])")
def short_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("Y", PartialDate(year=_full_year(m, calendar)))


@rule("year in words", Shape.SHORT_YEAR, rf"(?P<yw>{numerals.YEAR})(?![a-z])")
def year_words(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("Y", PartialDate(year=numerals.year(m["yw"])))


@rule("decade", Shape.DECADE, r"(?P<y>(?:18|19|20)\d0)['’]?s(?!\w)")
def decade(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("decade", PartialDate(decade=int(m["y"])))


@rule("short decade", Shape.SHORT_DECADE, r"['’‘]?(?P<y>\d0)['’]?s(?!\w)")
def short_decade(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("decade", PartialDate(decade=calendar.year(m["y"])))


@rule("season year", Shape.SEASON_YEAR, rf"{_SEASON}(?:{S}of)?,?{S}{_YEAR}(?:{B}[-–/]{B}(?:{YEAR4}|\d\d)(?!\d))?")
def season_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    """`winter 2019-2020` is the winter that began in 2019."""
    return one("season Y", PartialDate(year=_full_year(m, calendar), season=SEASONS[m["season"].lower()]))


@rule("year season", Shape.SEASON_YEAR, rf"(?P<y>{YEAR4}){S}{_SEASON}(?!\w)")
def year_season(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("Y season", PartialDate(year=int(m["y"]), season=SEASONS[m["season"].lower()]))


@rule("season", Shape.SEASON, rf"{_SEASON}(?!\w)")
def season(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("season", PartialDate(season=SEASONS[m["season"].lower()]))


def _quarter(number: int, y: int) -> tuple[DateReading, ...]:
    first = 3 * number - 2
    return one("Q Y", PartialDate(year=y, month=first), PartialDate(year=y, month=first + 2))


@rule(
    "quarter",
    Shape.QUARTER,
    rf"(?:Q(?P<q>[1-4])|(?P<p>[1-4])Q)(?:{B}[-/,]?{B}(?:of{S})?(?:FY)?)(?P<y>{YEAR4}|['’]\d\d|(?<![ ])\d\d)(?!\d)",
    flags=0,
)
def quarter(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return _quarter(int(m["q"] or m["p"]), calendar.year(m["y"].lstrip("'’")))


@rule("year quarter", Shape.QUARTER, rf"(?P<y>{YEAR4}){B}-?{B}Q(?P<q>[1-4])(?!\w)")
def year_quarter(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return _quarter(int(m["q"]), int(m["y"]))


@rule("quarter in words", Shape.QUARTER, rf"(?P<q>{'|'.join(_QUARTERS)})[ -]quarter(?:{S}of)?,?{S}(?P<y>{YEAR4})(?!\d)")
def quarter_words(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return _quarter(_QUARTERS[m["q"].lower()], int(m["y"]))


@rule("fiscal year", Shape.QUARTER, rf"FY{B}['’]?(?P<y>{YEAR4}|\d\d)(?!\d)", flags=0)
def fiscal_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("Y", PartialDate(year=calendar.year(m["y"])))


@rule(
    "day of month",
    Shape.ORDINAL,
    rf"(?P<d>\d{{1,2}}){B}(?:st|nd|rd|th)(?!\w)(?:{B}[-–/&]{B}(?P<e>\d{{1,2}}){SUFFIX}(?!\d))?",
)
def day_of_month(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    end = PartialDate(day=int(m["e"])) if m["e"] else None
    return one("D", PartialDate(day=int(m["d"])), end)


@rule("day of month in words", Shape.ORDINAL, rf"(?P<w>{numerals.ORDINAL})(?![\w-])")
def day_of_month_words(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    return one("D", PartialDate(day=numerals.ordinal(m["w"])))


@rule("d, y", Shape.FULL, rf"(?P<d>\d{{1,2}}){SUFFIX},{B}(?P<y>(?:19|20)\d\d)(?!\d)")
def day_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    """The month forgotten, as happens behind a weekday: `Thursday 15, 2021`."""
    return one("D Y", PartialDate(year=int(m["y"]), day=int(m["d"])))


def _weekday(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    number = calendar.weekdays.get(m["w"].lower())
    return () if number is None else (DateReading("weekday", PartialDate(weekday=number)),)


weekday = rule("weekday", Shape.WEEKDAY, r"(?P<w>[^\W\d_]{5,11}(?:-feira)?)(?!\w)")(_weekday)
short_weekday = rule("short weekday", Shape.SHORT_WEEKDAY, r"(?P<w>[^\W\d_]{3,5})(?!\w)")(_weekday)

_HOLIDAY = "|".join(
    re.escape(form).replace("'", "['’]").replace(r"\ ", r"\s{1,2}")
    for form in sorted(HOLIDAYS, key=lambda f: (-len(f), f))
)


@rule("holiday", Shape.HOLIDAY, rf"(?P<h>{_HOLIDAY})(?!\w)(?:(?:,|{S}of|{S}in)?{S}{_YEAR})?")
def holiday(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    name = HOLIDAYS[" ".join(m["h"].lower().translate(_APOSTROPHES).split())]
    y = _full_year(m, calendar)
    month, day = holiday_date(name, y)
    return one("holiday" + " Y" * (y is not None), PartialDate(year=y, month=month, day=day, holiday=name))


FROM_DAY: tuple[Rule, ...] = (day_of_month, quarter, quarter_words, holiday, short_decade)
FROM_YEAR: tuple[Rule, ...] = (year, years, decade, year_quarter, year_season)
FROM_APOSTROPHE: tuple[Rule, ...] = (short_year, short_decade)
FROM_SEASON: tuple[Rule, ...] = (season_year, season)
FROM_ORDINAL: tuple[Rule, ...] = (day_of_month_words, quarter_words)
FROM_Q: tuple[Rule, ...] = (quarter, fiscal_year)
FROM_YEAR_WORD: tuple[Rule, ...] = (year_words,)
FROM_WEEKDAY: tuple[Rule, ...] = (weekday, short_weekday)
FROM_HOLIDAY: tuple[Rule, ...] = (holiday,)
