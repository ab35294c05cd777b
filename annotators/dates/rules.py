"""What a date rule is, and the pieces its patterns are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ...typesystem import lazy_regex
from .calendar import Calendar
from .reading import DateReading, PartialDate

B = r"[ \t\xa0]{0,3}"
"""Blanks, perhaps: typists put them anywhere (`19-Jul- 2011`)."""
S = r"(?:[ \t\xa0]{1,3}|[ ]?\r?\n[ ]?)"
"""Blanks, at least one, or one line break."""
NB = r"(?:[ \t\xa0]{0,3}|[ ]?\r?\n[ ]?)"
"""Blanks or one line break, perhaps."""
YEAR4 = r"(?:19|20)\d\d"
ANY_YEAR = r"(?:19|2[01])\d\d"
"""Also the years after 2100 that shifted records show (MIMIC); only where nothing but a date is written so."""
MONTH_WORD = r"(?P<month>[^\W\d_]{3,10})"
"""A word; the rule looks it up in the calendar."""
SUFFIX = rf"(?:{B}(?:st|nd|rd|th|er)(?![^\W\d_]))?"
DAY = rf"(?P<d>\d{{1,2}}){SUFFIX}"
DASH = "[-–—‐‑]"


class Shape(Enum):
    """How an expression looks, which decides what else it could be and what context must say."""

    FULL = "day, month and year; hardly anything else looks like it"
    NAMED = "the same with the month in words, or month and year: the figure could count or measure something"
    DOTTED = "figures and dots: could be a version or a section"
    SPACED = "figures and blanks: could be part of a longer number"
    PAIR = "3/4: could be a fraction, a score, a pressure"
    HYPHEN_PAIR = "3-4: is mostly a range"
    MONTH_YEAR = "3/2020"
    SHORT_MONTH_YEAR = "05/68: could be a pressure or a number of a case"
    YEAR_MONTH = "2020-03: could be the beginning of a number of a case"
    COMPACT = "20200304: could be a number of anything"
    SHORT_COMPACT = "050368: is mostly a number of something"
    NAMED_DAY = "5 March, March 5: the figure could count or measure something"
    NAMED_SHORT_YEAR = "5 March 21: the second figure could count, measure or be a time"
    MONTH = "a month alone: could be a verb, a name, an abbreviation"
    YEAR = "four figures: could be a dose, a count, a clock time, a room"
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

    __hash__ = object.__hash__  # each member is one object; that of Enum is a Python function over the name


Reader = Callable[["re.Match[str]", Calendar], tuple[DateReading, ...]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to write a date: `pattern` is matched at a place; `read` gives every reading, none where it is no date."""

    name: str
    shape: Shape
    pattern: re.Pattern[str]
    read: Reader


def rule(name: str, shape: Shape, pattern: str, *, flags: int = re.IGNORECASE) -> Callable[[Reader], Rule]:
    """Makes a reading function a rule; `pattern` is matched without regard to case, at one place, never searched."""
    return lambda read: Rule(name, shape, lazy_regex(pattern, flags), read)


def group(match: re.Match[str], name: str) -> str:
    """What a group matched, empty where it did not or there is none."""
    return match.groupdict().get(name) or ""


NO_SUCH_DAY = "?"
"""Layout of a date that was plainly meant and does not exist (30 February 2020): found, but not to be computed with."""


def one(layout: str, begin: PartialDate, end: PartialDate | None = None) -> tuple[DateReading, ...]:
    """The single reading of an expression; none where an end point is no day of the calendar."""
    if possible(begin) and (end is None or possible(end)):
        return (DateReading(layout, begin, end),)
    return no_such_day(begin.month, begin.day, begin.year) if end is None else ()


def no_such_day(month: int | None, day: int | None, year: int | None) -> tuple[DateReading, ...]:
    """What stands for a day of 1 to 31 that its month lacks; nothing where the figures are no date at all."""
    if year is None or not 1 <= (month or 0) <= 12 or not 1 <= (day or 0) <= 31:
        return ()
    return (DateReading(NO_SUCH_DAY, PartialDate(year=year)),)


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def possible(date: PartialDate) -> bool:
    """Whether the calendar has such a day: no 31 April, and 29 February only in leap years where the year is known."""
    if date.month is not None and not 1 <= date.month <= 12:
        return False
    if date.day is not None:
        if not 1 <= date.day <= (31 if date.month is None else _LENGTHS[date.month - 1]):
            return False
        if date.year is not None and date.month is not None:
            return date.to_date() is not None
    return True
