"""Rules for dates with a month name: `12Jan2014`, `5th of March`, `Mar 3-5, 2021`, `March the fifth`, `Jan2021`, `2014 oct`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from . import numerals
from .calendar import Calendar
from .interpretation import Interpretations, PartialDate
from .numeric import triple
from .rules import DAY, MONTH_WORD, NB, SUFFIX, YEAR4, B, DateRule, S, Shape, date_of, rule, simple, single

_OF = r"(?:(?:of|de|del|do)[ \t\xa0]{1,2})?(?:the[ \t\xa0]{1,2})?"
_BEFORE_MONTH = rf"(?:{NB}[-/,–_]?{B}{_OF}|\.)"
_DOTTED_MONTH = rf"(?:{NB}[-/.,–_]?{B}){_OF}"
_BEFORE_YEAR = rf"\.?{NB}[-/.,–_]?{B}(?:(?:of|de|del|do|in)[ \t\xa0]{{1,2}})?"
_BEFORE_DAY = rf"\.?{NB}[-/.,–_]?{B}(?:the[ \t\xa0]{{1,2}})?"
_AFTER_DAY = rf"(?:{NB}[,./–-]{NB},?{B}|{S})(?:(?:of|in)[ \t\xa0]{{1,2}})?"
_LONG_OR_SHORT = rf"(?P<y>{YEAR4}|20\d{{3}}|20\d|['’‘]?\d\d)(?!\d)"
_WORDS = rf"(?P<words>{numerals.ORDINAL})"
_YEAR_WORDS = rf"(?:(?P<y>{YEAR4})(?!\d)|(?P<yw>{numerals.YEAR}))"
_DAYS = rf"(?P<d>\d{{1,2}})(?:{SUFFIX}{B}[-–—/&]{B}|[ ](?:to|through|thru|and|or|until)[ ])(?P<d2>\d{{1,2}}){SUFFIX}"


@rule("d Mon y", Shape.NAMED, rf"{DAY}{_DOTTED_MONTH}{MONTH_WORD}(?P<s>{_BEFORE_YEAR}){_LONG_OR_SHORT}")
def day_month_year(m: re.Match[str], calendar: Calendar) -> Interpretations:
    date, separator = date_of(m, calendar), m["s"]
    # a full stop and a space, or a line break, before a short year: a new sentence, not a year
    separated = (("." in separator and separator[-1].isspace()) or "\n" in separator) and m["y"][0] not in "'’‘"
    if date is None or (separated and len(m["y"].lstrip("'’‘")) == 2):
        return ()
    return single("D Mon Y", date)


def _days(layout: str, m: re.Match[str], calendar: Calendar) -> Interpretations:
    begin, last = date_of(m, calendar), int(m["d2"])
    if begin is None or last <= (begin.day or 0):
        return ()
    return single(layout + " Y" * (begin.year is not None), begin, replace(begin, day=last))


days_month = rule(
    "d-d Mon y", Shape.NAMED_DAY, rf"{_DAYS}{_BEFORE_MONTH}{MONTH_WORD}(?:{_BEFORE_YEAR}(?P<y>{YEAR4})(?!\d))?(?!\d)"
)(partial(_days, "D Mon"))
month_days = rule(
    "Mon d-d y", Shape.NAMED_DAY, rf"{MONTH_WORD}{_BEFORE_DAY}{_DAYS}(?:{_AFTER_DAY}(?P<y>{YEAR4})(?!\d))?(?!\d)"
)(partial(_days, "Mon D"))


@rule("Mon d", Shape.NAMED_DAY, rf"{MONTH_WORD}(?P<s>{_BEFORE_DAY}){DAY}(?!\d)")
def month_day(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Also interpret `Jan 21` as January 2021; `April. 5` and `April, 5` are not dates."""
    date, word, between, digits = date_of(m, calendar), m["month"].lower(), m["s"].strip(), m["d"]
    if date is None or (word in calendar.month_names and between == "." and word != "may"):
        return ()
    bare = m[0][-1].isdigit()
    if between.startswith(",") and bare:
        return ()
    dates = single("Mon D", date)
    if len(digits) == 2 and bare:
        dates += single("Mon Y", PartialDate(year=calendar.year(digits), month=date.month))
    return dates if dates and dates[0].layout == "Mon D" else ()


@rule("Mon d/m/y", Shape.NAMED, rf"{MONTH_WORD}{S}(?P<rest>{triple.pattern.pattern})")
def month_before_digits(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a month that is given twice: `April 4/14/21`."""
    month = calendar.months.get(m["month"].lower())
    return () if month is None else tuple(r for r in triple.interpret(m, calendar) if r.begin.month == month)


_SHORT_YEAR_JOINT = (
    rf"(?:{B},{B}['’‘]?|{B}['’‘]|"
    r"(?<=[hdt])[ ](?=\d\d(?:[.,;:)\]\n]|$|[ ](?:or|and|he|she|pt|with|at|to)\b)))"
)
"""A comma, an apostrophe, or a space after an ordinal: `Jan 7, 21`, `Jan 7 '21`, `Jan 7th 21`."""

day_month = simple("d Mon", Shape.NAMED_DAY, rf"{DAY}{_BEFORE_MONTH}{MONTH_WORD}(?!\d)", "D Mon")
year_month_day = simple(
    "y Mon d", Shape.NAMED, rf"(?P<y>{YEAR4})(?:{NB}[-/]?{B}|\.|,[ ]){MONTH_WORD}{_BEFORE_DAY}{DAY}(?!\d)", "Y Mon D"
)
year_named_month = simple("y Mon", Shape.NAMED, rf"(?P<y>{YEAR4})(?:{B}[-/]?{B}|\.){MONTH_WORD}(?!\d)", "Y Mon")
month_day_year = simple(
    "Mon d y",
    Shape.NAMED,
    rf"{MONTH_WORD}{_BEFORE_DAY}{DAY}(?:{_AFTER_DAY}|(?=(?:19|20)\d\d))(?P<y>{YEAR4}|20\d{{3}}|20\d)(?!\d)",
    "Mon D Y",
)
month_day_short_year = simple(
    "Mon d yy",
    Shape.NAMED_SHORT_YEAR,
    rf"{MONTH_WORD}\.?(?:{B}(?P<s>[-/])|{B}){DAY}(?(s)(?P=s)|{_SHORT_YEAR_JOINT})(?P<y>\d\d)(?!\d)",
    "Mon D Y",
)
month_year = simple(
    "Mon y", Shape.NAMED, rf"{MONTH_WORD}{_BEFORE_YEAR}(?P<y>{YEAR4}|20\d{{3}}|['’‘]\d\d)(?!\d)", "Mon Y"
)
month_short_year = simple(
    "Mon yy", Shape.NAMED_SHORT_YEAR, rf"{MONTH_WORD}\.?{B}[-/]?{B}(?P<y>00|3[2-9]|[4-9]\d)(?!\d)", "Mon Y"
)
month_alone = simple("Mon", Shape.MONTH, MONTH_WORD, "Mon")
month_ordinal = simple(
    "Mon ordinal",
    Shape.NAMED_DAY,
    rf"{MONTH_WORD},?{S}(?:the{S})?(?:{_WORDS}|{DAY})(?![\w-])(?:,?{S}(?:in{S})?{_YEAR_WORDS}(?![a-z]))?",
    "Mon D[ Y]",
)
ordinal_month = simple(
    "ordinal Mon",
    Shape.NAMED_DAY,
    rf"(?:{_WORDS}|{DAY})(?:{S}day)?{S}(?:of{S})?{MONTH_WORD}(?:,?{S}(?:in{S}|of{S})?{_YEAR_WORDS}(?![a-z]))?(?!\d)",
    "D Mon[ Y]",
)
month_year_words = simple(
    "Mon year in words", Shape.NAMED, rf"{MONTH_WORD},?{S}(?:of{S})?(?P<yw>{numerals.YEAR})(?![a-z])", "Mon Y"
)

FROM_DAY: tuple[DateRule, ...] = (day_month_year, days_month, day_month, ordinal_month)
FROM_YEAR: tuple[DateRule, ...] = (year_month_day, year_named_month)
MONTH_THEN_DIGIT: tuple[DateRule, ...] = (
    month_day_year, month_day_short_year, month_before_digits, month_days, month_day, month_year, month_short_year,
)  # fmt: skip
MONTH_THEN_WORD: tuple[DateRule, ...] = (month_ordinal, month_year_words)
FROM_MONTH: tuple[DateRule, ...] = (*MONTH_THEN_DIGIT, *MONTH_THEN_WORD, month_alone)
FROM_ORDINAL: tuple[DateRule, ...] = (ordinal_month,)
