"""Interprets values in notations that no rule knows, with the parser of python-dateutil: only what it finds in the text itself.

The parser fills missing parts from a default, takes the century of two digits from the clock, and decides the order of day and
month silently. Here it runs with two defaults, and only parts that both results share count; the calendar decides the century;
each order that the numbers allow is an interpretation, so that the other dates of the document decide; and every number outside
of the clock time must be a part of the date.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...pipeline.storage.lazy_regex import lazy_regex
from . import combining
from .calendar import LANGUAGES, Calendar
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .rules import possible

if TYPE_CHECKING:
    from dateutil.parser import parser

_DEFAULTS = datetime.datetime(2001, 3, 5), datetime.datetime(2004, 10, 20)
"""Two days that differ in every part."""
_EARLIEST, _LATEST = 1850, 2199
"""Numbers outside of these are not years."""
_RUN = lazy_regex(r"\d+|[^\W\d_]+")
_CLOCK = lazy_regex(r"(?<!\d)\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?!\d)")
_TRIPLE = lazy_regex(r"\W*(?:(?P<year>\d{4})|\d{1,2})(?P<s>[^\w:]{1,3}|_)\d{1,2}(?P=s)(?:\d{4}|\d\d|(?(year)\d))\W*")
_MONTH_YEAR = lazy_regex(r"(?:\W|_|xx|unk?|nk)*\d{1,2}[/.-]\d{4}\W*", re.IGNORECASE)
_SHORT_YEAR = lazy_regex(r"['’‘]\d\d(?!\d)")
_CONNECTING = "del den der el le º ª er dia día uhr ? _ * xx unk un nk |".split()
"""Words and signs, besides those of dateutil, that a date may contain: articles, ordinal letters, unknown days (`UN/08/1963`)."""
_ENGLISH_WORDS = frozenset(["ago", "set", "out"])
"""Months of other languages that are English words: they need a year."""


def with_dateutil(text: str, calendar: Calendar) -> Interpretations:
    """Return the interpretations of a date value, likeliest first; an empty tuple unless it states at least a month and its year,
    or a day and the name of its month.

    Names of months and weekdays of all languages count, not only those of the calendar.
    """
    if any(c.isdigit() and not c.isascii() for c in text):
        return ()
    words = _all_words(calendar)
    rest = _CLOCK.sub(" ", text)
    runs = _RUN.findall(rest)
    if any(run.lower() in words.months for run in runs):
        found = _named(text, runs, words)
    elif _TRIPLE.fullmatch(rest) or _MONTH_YEAR.fullmatch(rest):
        found = _numeric(text, [run for run in runs if run.isdigit()], words)
    else:
        return ()
    clock = _CLOCK.search(text)
    time = clock[0] if clock else ""
    dates = [replace(r, begin=replace(r.begin, time=time)) for r in dict.fromkeys(found) if possible(r.begin)]
    weekday = next((words.weekdays[run.lower()] for run in runs if run.lower() in words.weekdays), None)
    return tuple(dates) if weekday is None else combining.with_weekday(dates, weekday)


@functools.lru_cache(32)
def _all_words(calendar: Calendar) -> Calendar:
    return Calendar(LANGUAGES, calendar.latest_year, calendar.day_first)


def _named(text: str, runs: list[str], words: Calendar) -> Iterable[DateInterpretation]:
    """Yield the interpretations of a date with the name of its month."""
    parts = [run for run in runs if run.isdigit() or run.lower() in words.months]
    numbers = [part for part in parts if part.isdigit()]
    long = [number for number in numbers if len(number) == 4]
    if not 1 <= len(numbers) <= 2 or len(parts) != len(numbers) + 1 or any(len(n) not in (1, 2, 4) for n in numbers):
        return
    place = next(i for i, part in enumerate(parts) if not part.isdigit())
    if len(numbers) == 2 and not long and (place != 1 or len(numbers[1]) != 2):
        return  # `24/25 ENE` and `ENE 24-25` are two days of a month
    if len(numbers) == 1 and not long and parts[place].lower() in _ENGLISH_WORDS:
        return
    date = _stated(text, words)
    if date is None or date.month is None or (date.year is None) + (date.day is None) != 2 - len(numbers):
        return
    if len(numbers) == 2:
        year = long[0] if long else numbers[1]
        yield DateInterpretation(" ".join(_part(p, year) for p in parts), date)
        return
    short_year = date.day is not None and place == 0 and len(numbers[0]) == 2
    if not (short_year and _SHORT_YEAR.search(text)):
        yield DateInterpretation(" ".join(_part(p, numbers[0] if date.day is None else "") for p in parts), date)
    if short_year:
        yield DateInterpretation("Mon Y", PartialDate(words.year(numbers[0]), date.month))


def _part(run: str, year: str) -> str:
    return "Mon" if not run.isdigit() else "Y" if run == year else "D"


def _numeric(text: str, numbers: list[str], words: Calendar) -> Iterable[DateInterpretation]:
    """Yield the interpretations of numbers as day, month and year, or as month and year, in the orders that they allow."""
    orders = [(words.day_first, False), (not words.day_first, False), (False, True)]
    for day_first, year_first in orders[: len(numbers)]:
        date = _stated(text, words, dayfirst=day_first, yearfirst=year_first)
        if date is None or date.year is None or date.month is None or (date.day is None) != (len(numbers) == 2):
            continue
        if date.day is None:
            yield DateInterpretation("M/Y", date)
            return
        first, last = int(numbers[0]), int(numbers[-1])
        if len(numbers[0]) == 4 or (year_first and first == date.year % 100 and last == date.day):
            if int(numbers[1]) == date.month:
                yield DateInterpretation("Y M D", date)
        elif last in (date.year, date.year % 100):
            yield DateInterpretation("D M Y" if first == date.day and int(numbers[1]) == date.month else "M D Y", date)


def _stated(text: str, words: Calendar, *, dayfirst: bool = False, yearfirst: bool = False) -> PartialDate | None:
    """Return the parts that do not change with dateutil's default, or None if it cannot parse the text.

    Time zones are ignored: a warning about an unknown one would repeat text of the document.
    """
    parse = _parser(words).parse
    try:
        a, b = (parse(text, default=d, ignoretz=True, dayfirst=dayfirst, yearfirst=yearfirst) for d in _DEFAULTS)
    except (ValueError, ArithmeticError):  # decimal.InvalidOperation too
        return None
    date = PartialDate(
        a.year if a.year == b.year else None,
        a.month if a.month == b.month else None,
        a.day if a.day == b.day else None,
    )
    return date if date.year is None or _EARLIEST <= date.year <= _LATEST else None


@functools.lru_cache(32)
def _parser(words: Calendar) -> parser:
    """Return a parser with the words and the century of a calendar."""
    from dateutil import parser

    class Words(parser.parserinfo):
        JUMP = [*parser.parserinfo.JUMP, *_CONNECTING, "de", "d", "’", "‘"]  # noqa: RUF012

        def month(self, name: str) -> int | None:
            return words.months.get(name.lower())

        def weekday(self, name: str) -> int | None:
            return words.weekdays.get(name.lower())

        def convertyear(self, year: int, century_specified: bool = False) -> int:
            return year if century_specified or year > 99 else words.year(f"{year:02d}")

    return parser.parser(Words())
