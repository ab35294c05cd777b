"""Date rules: their data, the parts that their patterns share, and the interpretation of their groups."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ...pipeline.storage.lazy_regex import lazy_regex
from . import numerals
from .calendar import SEASONS, Calendar
from .interpretation import DateInterpretation, Interpretations, PartialDate

B = r"[ \t\xa0]{0,3}"
"""Optional spaces: people type them anywhere (`19-Jul- 2011`)."""
S = r"(?:[ \t\xa0]{1,3}|[ ]?\r?\n[ ]?)"
"""At least one space, or one line break."""
NB = r"(?:[ \t\xa0]{0,3}|[ ]?\r?\n[ ]?)"
"""Optional spaces, or one line break."""
YEAR4 = r"(?:19|20)\d\d"
ANY_YEAR = r"(?:19|2[01])\d\d"
"""Also the years after 2100 of shifted records (MIMIC); only for notations that always mean a date."""
MONTH_WORD = r"(?P<month>[^\W\d_]{3,10})"
"""A word, which the rule looks up in the calendar."""
SUFFIX = rf"(?:{B}(?:st|nd|rd|th|er)(?![^\W\d_]))?"
DAY = rf"(?P<d>\d{{1,2}}){SUFFIX}"
DASH = "[-–—‐‑]"


class Shape(Enum):
    """The notation of an expression, which decides what else it could mean and which context it needs."""

    FULL = "day, month and year; hardly anything else is written like this"
    NAMED = "the same with the month in words, or month and year: the number could count or measure something"
    DOTTED = "numbers and dots: could be a version or a section"
    SPACED = "numbers and spaces: could be part of a longer number"
    PAIR = "3/4: could be a fraction, a score, a pressure"
    HYPHEN_PAIR = "3-4: mostly a range"
    MONTH_YEAR = "3/2020"
    SHORT_MONTH_YEAR = "05/68: could be a pressure or a case number"
    YEAR_MONTH = "2020-03: could be the beginning of a case number"
    COMPACT = "20200304: could be any other number"
    STAMP = "20200304120000: the date part of a time stamp"
    DOTTED_DAY = "27.1.: could be a measure at the end of a sentence, a section"
    ROMAN_DAY = "18-IX: could be a class, a stage"
    SHORT_COMPACT = "050368: mostly some other number"
    NAMED_DAY = "5 March, March 5: the number could count or measure something"
    NAMED_SHORT_YEAR = "5 March 21: the second number could count, measure or be a time"
    MONTH = "a month alone: could be a verb, a name, an abbreviation"
    YEAR = "four digits: could be a dose, a count, a clock time, a room"
    YEAR_SPAN = "2019-20"
    SHORT_YEAR = "'09"
    DECADE = "the 1980s"
    SHORT_DECADE = "the early 80s: could be a pulse"
    SEASON = "a season alone: could be a verb or a coil"
    SEASON_YEAR = "spring 2021"
    ORDINAL = "the 14th: could count doses, floors, fingers"
    WEEKDAY = "Friday"
    SHORT_WEEKDAY = "Fri: could be saturation, sun, a name"
    HOLIDAY = "Christmas"
    QUARTER = "Q3 2020"
    ORDINAL_DATE = "2020-064: could be a case number"
    EPOCH = "1583323200: could be any other number"

    __hash__ = object.__hash__  # members are singletons; the hash of Enum is a slow Python function


Interpreter = Callable[["re.Match[str]", Calendar], Interpretations]


@dataclass(frozen=True, slots=True)
class DateRule:
    """A notation for dates. `pattern` is matched at one offset; `interpret` returns all interpretations, if any."""

    name: str
    shape: Shape
    pattern: re.Pattern[str]
    interpret: Interpreter


def rule(name: str, shape: Shape, pattern: str, *, flags: int = re.IGNORECASE) -> Callable[[Interpreter], DateRule]:
    """Return a decorator that makes a rule of an interpreting function. The pattern ignores case."""
    return lambda interpret: DateRule(name, shape, lazy_regex(pattern, flags), interpret)


def simple(name: str, shape: Shape, pattern: str, layout: str, *, flags: int = re.IGNORECASE) -> DateRule:
    """Return a rule with one interpretation, by its groups. `[ Y]` in the layout is kept if the match has a year."""

    @rule(name, shape, pattern, flags=flags)
    def interpret(match: re.Match[str], calendar: Calendar) -> Interpretations:
        date = date_of(match, calendar)
        if date is None:
            return ()
        return single(layout.replace("[ Y]", " Y" if date.year is not None else ""), date)

    return interpret


def date_of(match: re.Match[str], calendar: Calendar) -> PartialDate | None:
    """Return the date in the groups `y` or `yw`, `month` or `m`, `d` or `words`, `season`; None if the month is unknown.

    `yw` and `words` are a year and a day in words; a year of three or five digits is a typo and stays unknown.
    """
    groups = match.groupdict()
    month = int(groups["m"]) if groups.get("m") else None
    if "month" in groups:
        month = calendar.months.get(groups["month"].lower())
        if month is None:
            return None
    digits, year = (groups.get("y") or "").lstrip("'’‘"), None
    if len(digits) in (2, 4):
        year = calendar.year(digits)
    elif not digits and groups.get("yw"):
        year = numerals.year(groups["yw"])
    day = numerals.ordinal(groups["words"]) if groups.get("words") else int(groups["d"]) if groups.get("d") else None
    return PartialDate(year, month, day, season=SEASONS[groups["season"].lower()] if "season" in groups else "")


NO_SUCH_DAY = "?"
"""Layout of an expression that is a date but does not exist (30 February 2020): it is marked, but not used to calculate."""


def single(layout: str, begin: PartialDate, end: PartialDate | None = None) -> Interpretations:
    """Return the only interpretation of an expression; none if an end point does not exist in the calendar."""
    if possible(begin) and (end is None or possible(end)):
        return (DateInterpretation(layout, begin, end),)
    return no_such_day(begin.month, begin.day, begin.year) if end is None else ()


def no_such_day(month: int | None, day: int | None, year: int | None) -> Interpretations:
    """Return the interpretation of a day of 1 to 31 that its month lacks; none if the numbers cannot be a date."""
    if year is None or not 1 <= (month or 0) <= 12 or not 1 <= (day or 0) <= 31:
        return ()
    return (DateInterpretation(NO_SUCH_DAY, PartialDate(year=year)),)


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def possible(date: PartialDate) -> bool:
    """Return True if the calendar has such a day: no 31 April, and 29 February only in leap years if the year is known."""
    if date.month is not None and not 1 <= date.month <= 12:
        return False
    if date.day is not None:
        if not 1 <= date.day <= (31 if date.month is None else _LENGTHS[date.month - 1]):
            return False
        if date.year is not None and date.month is not None:
            return date.to_date() is not None
    return True
