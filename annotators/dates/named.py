"""Dates with a month in words: `12Jan2014`, `5th of March`, `Mar 3-5, 2021`, `March the fifth`, `Jan2021`, `2014 oct`."""

from __future__ import annotations

import re

from . import numerals
from .calendar import Calendar
from .numeric import triple
from .reading import DateReading, PartialDate
from .rules import DAY, MONTH_WORD, NB, SUFFIX, YEAR4, B, Rule, S, Shape, group, one, rule

_OF = r"(?:(?:of|de|del|do)[ \t\xa0]{1,2})?(?:the[ \t\xa0]{1,2})?"
_BEFORE_MONTH = rf"(?:{NB}[-/,–_]?{B}{_OF}|\.)"
_DOTTED_MONTH = rf"(?:{NB}[-/.,–_]?{B}){_OF}"
_BEFORE_YEAR = rf"\.?{NB}[-/.,–_]?{B}(?:(?:of|de|del|do|in)[ \t\xa0]{{1,2}})?"
_BEFORE_DAY = rf"\.?{NB}[-/.,–_]?{B}(?:the[ \t\xa0]{{1,2}})?"
_AFTER_DAY = rf"(?:{NB}[,./–-]{NB},?{B}|{S})(?:(?:of|in)[ \t\xa0]{{1,2}})?"
_LONG_OR_SHORT = rf"(?P<y>{YEAR4}|20\d{{3}}|20\d|['’‘]?\d\d)(?!\d)"
_WORDS = rf"(?P<words>{numerals.ORDINAL})"
_YEAR_WORDS = rf"(?:(?P<y>{YEAR4})(?!\d)|(?P<yw>{numerals.YEAR}))"
_TO = rf"(?:{B}(?:[-–—/&]){B}|[ ](?:to|through|thru|and|or|until)[ ])"


def _month(m: re.Match[str], calendar: Calendar) -> int | None:
    return calendar.months.get(m["month"].lower())


def _year(m: re.Match[str], calendar: Calendar) -> int | None:
    digits = group(m, "y").lstrip("'’‘")
    if digits:
        return calendar.year(digits) if len(digits) in (2, 4) else None
    return numerals.year(m["yw"]) if group(m, "yw") else None


@rule("d Mon y", Shape.NAMED, rf"{DAY}{_DOTTED_MONTH}{MONTH_WORD}(?P<s>{_BEFORE_YEAR}){_LONG_OR_SHORT}")
def day_month_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month, short = _month(m, calendar), len(m["y"].lstrip("'’‘")) == 2
    if month is None or (short and _loose(m["s"])):
        return ()
    return one("D Mon Y", PartialDate(year=_year(m, calendar), month=month, day=int(m["d"])))


def _loose(separator: str) -> bool:
    """Whether a full stop and a blank, or a line break, stand before a short year: a new sentence, not a year."""
    return ("." in separator and separator[-1].isspace()) or "\n" in separator


@rule("d Mon", Shape.NAMED_DAY, rf"{DAY}{_BEFORE_MONTH}{MONTH_WORD}(?!\d)")
def day_month(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("D Mon", PartialDate(month=month, day=int(m["d"])))


@rule(
    "d-d Mon y",
    Shape.NAMED_DAY,
    rf"(?P<d>\d{{1,2}})(?P<s>{SUFFIX}{B}[-–—/&]{B}|[ ](?:to|through|thru|and|or|until)[ ])(?P<d2>\d{{1,2}}){SUFFIX}"
    rf"{_BEFORE_MONTH}{MONTH_WORD}(?:{_BEFORE_YEAR}(?P<y>{YEAR4})(?!\d))?(?!\d)",
)
def days_month(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month, d, d2 = _month(m, calendar), int(m["d"]), int(m["d2"])
    if month is None or d2 <= d:
        return ()
    y = _year(m, calendar)
    layout = "D Mon" + " Y" * (y is not None)
    return one(layout, PartialDate(year=y, month=month, day=d), PartialDate(year=y, month=month, day=d2))


@rule("y Mon d", Shape.NAMED, rf"(?P<y>{YEAR4})(?:{NB}[-/.]?{B}|,[ ]){MONTH_WORD}{_BEFORE_DAY}{DAY}(?!\d)")
def year_month_day(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Y Mon D", PartialDate(year=int(m["y"]), month=month, day=int(m["d"])))


@rule("y Mon", Shape.NAMED, rf"(?P<y>{YEAR4})(?:{B}[-/.]?{B}){MONTH_WORD}(?!\d)")
def year_named_month(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Y Mon", PartialDate(year=int(m["y"]), month=month))


@rule(
    "Mon d y",
    Shape.NAMED,
    rf"{MONTH_WORD}{_BEFORE_DAY}{DAY}(?:{_AFTER_DAY}|(?=(?:19|20)\d\d))(?P<y>{YEAR4}|20\d{{3}}|20\d)(?!\d)",
)
def month_day_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon D Y", PartialDate(_year(m, calendar), month, int(m["d"])))


_SHORT_YEAR_JOINT = (
    rf"(?:{B},{B}['’‘]?|{B}['’‘]|"
    r"(?<=[hdt])[ ](?=\d\d(?:[.,;:)\]\n]|$|[ ](?:or|and|he|she|pt|with|at|to)\b)))"
)
"""A comma, an apostrophe, or a blank behind an ordinal: `Jan 7, 21`, `Jan 7 '21`, `Jan 7th 21`."""


@rule(
    "Mon d yy",
    Shape.NAMED_SHORT_YEAR,
    rf"{MONTH_WORD}\.?(?:{B}(?P<s>[-/])|{B}){DAY}(?(s)(?P=s)|{_SHORT_YEAR_JOINT})(?P<y>\d\d)(?!\d)",
)
def month_day_short_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon D Y", PartialDate(_year(m, calendar), month, int(m["d"])))


@rule(
    "Mon d-d y",
    Shape.NAMED_DAY,
    rf"{MONTH_WORD}{_BEFORE_DAY}(?P<d>\d{{1,2}})(?:{SUFFIX}{B}[-–—/&]{B}|[ ](?:to|through|thru|and|or|until)[ ])(?P<d2>\d{{1,2}})"
    rf"{SUFFIX}(?:{_AFTER_DAY}(?P<y>{YEAR4})(?!\d))?(?!\d)",
)
def month_days(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month, d, d2 = _month(m, calendar), int(m["d"]), int(m["d2"])
    if month is None or d2 <= d:
        return ()
    y = _year(m, calendar)
    return one("Mon D" + " Y" * (y is not None), PartialDate(y, month, d), PartialDate(y, month, d2))


@rule("Mon d", Shape.NAMED_DAY, rf"{MONTH_WORD}(?P<s>{_BEFORE_DAY}){DAY}(?!\d)")
def month_day(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    """`Jan 21` may also be January 2021; `April. 5` and `April, 5` are two things."""
    month, between, digits = _month(m, calendar), m["s"].strip(), m["d"]
    if month is None or (m["month"].lower() in calendar.month_names and between == "." and m["month"].lower() != "may"):
        return ()
    if between.startswith(",") and m[0][-1].isdigit():
        return ()
    found = one("Mon D", PartialDate(month=month, day=int(digits)))
    if len(digits) == 2 and m[0][-1].isdigit():
        found += one("Mon Y", PartialDate(year=calendar.year(digits), month=month))
    return found if found and found[0].layout == "Mon D" else ()


@rule("Mon y", Shape.NAMED, rf"{MONTH_WORD}{_BEFORE_YEAR}(?P<y>{YEAR4}|20\d{{3}}|['’‘]\d\d)(?!\d)")
def month_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon Y", PartialDate(year=_year(m, calendar), month=month))


@rule("Mon yy", Shape.NAMED_SHORT_YEAR, rf"{MONTH_WORD}\.?{B}[-/]?{B}(?P<y>00|3[2-9]|[4-9]\d)(?!\d)")
def month_short_year(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon Y", PartialDate(year=_year(m, calendar), month=month))


@rule("Mon", Shape.MONTH, MONTH_WORD)
def month_alone(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon", PartialDate(month=month))


@rule(
    "Mon ordinal",
    Shape.NAMED_DAY,
    rf"{MONTH_WORD},?{S}(?:the{S})?{_WORDS}(?![a-z-])(?:,?{S}(?:in{S})?{_YEAR_WORDS}(?![a-z]))?",
)
def month_ordinal(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month, day, y = _month(m, calendar), numerals.ordinal(m["words"]), _year(m, calendar)
    return () if month is None else one("Mon D" + " Y" * (y is not None), PartialDate(y, month, day))


@rule(
    "ordinal Mon",
    Shape.NAMED_DAY,
    rf"(?:{_WORDS}|{DAY})(?:{S}day)?{S}(?:of{S})?{MONTH_WORD}(?:,?{S}(?:in{S}|of{S})?{_YEAR_WORDS}(?![a-z]))?(?!\d)",
)
def ordinal_month(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month, y = _month(m, calendar), _year(m, calendar)
    day = numerals.ordinal(m["words"]) if m["words"] else int(m["d"])
    return () if month is None else one("D Mon" + " Y" * (y is not None), PartialDate(y, month, day))


@rule("Mon year in words", Shape.NAMED, rf"{MONTH_WORD},?{S}(?:of{S})?(?P<yw>{numerals.YEAR})(?![a-z])")
def month_year_words(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    month = _month(m, calendar)
    return () if month is None else one("Mon Y", PartialDate(year=_year(m, calendar), month=month))


@rule("Mon d/m/y", Shape.NAMED, rf"{MONTH_WORD}{S}(?P<rest>{triple.pattern.pattern})")
def month_before_figures(m: re.Match[str], calendar: Calendar) -> tuple[DateReading, ...]:
    """The month said twice: `April 4/14/21`."""
    month = _month(m, calendar)
    return () if month is None else tuple(r for r in triple.read(m, calendar) if r.begin.month == month)


FROM_DAY: tuple[Rule, ...] = (day_month_year, days_month, day_month, ordinal_month)
FROM_YEAR: tuple[Rule, ...] = (year_month_day, year_named_month)
MONTH_THEN_FIGURE: tuple[Rule, ...] = (
    month_day_year, month_day_short_year, month_before_figures, month_days, month_day, month_year, month_short_year,
)  # fmt: skip
MONTH_THEN_WORD: tuple[Rule, ...] = (month_ordinal, month_year_words)
FROM_MONTH: tuple[Rule, ...] = (*MONTH_THEN_FIGURE, *MONTH_THEN_WORD, month_alone)
FROM_ORDINAL: tuple[Rule, ...] = (ordinal_month,)
