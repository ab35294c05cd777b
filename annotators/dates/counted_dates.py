"""Rules for dates that count or are written otherwise: `2020-W10-3`, `week 10 of 2020`, `2020-064`, `1583323200`, `2020年3月4日`.

What does not name a day surely is marked without an interpretation, so that the masker writes a placeholder for all of it.
"""

from __future__ import annotations

import datetime
import re

from .calendar import Calendar
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .numeric import ROMAN
from .rules import DASH, NO_SUCH_DAY, YEAR4, B, DateRule, Shape, rule, single

_WEEK = (
    r"(?:calendar[ ])?(?:weeks?|wks?\.?|kw|cw|kalenderwoche|woche|semaine|semana|settimana)(?:[ ](?:no\.?|nr\.?|#))?"
)
_JOINT = rf"(?:[ ]?(?:,|/|{DASH})[ ]?|[ ](?:of|in|de|del|von|des)[ ](?:the[ ])?(?:year[ ])?|[ ])"
_TO = "to|bis|until|till|through|au|al|tot|t/m|do|až|til|és|und|and|a|i|ja|og|och|ve|en"
_SECONDS = 1_000_000_000, 2_100_000_000
"""Seconds since 1970 that mean September 2001 to July 2036."""


def _unclear(year: int) -> Interpretations:
    return (DateInterpretation(NO_SUCH_DAY, PartialDate(year=year)),)


def _of_day(day: datetime.date, layout: str) -> Interpretations:
    return single(layout, PartialDate(year=day.year, month=day.month, day=day.day))


@rule("iso week", Shape.FULL, rf"(?P<y>{YEAR4})[ ]?-?[ ]?W(?P<w>[0-5]\d)(?:-?(?P<d>[1-7])(?!\d))?(?!\d)")
def iso_week(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a week date (ISO 8601, 5.2.3): with a day it names a day, without one it stays open."""
    year, week, day = int(m["y"]), int(m["w"]), int(m["d"] or 1)
    try:
        first = datetime.date.fromisocalendar(year, week, day)
    except ValueError:
        return ()
    return _of_day(first, "Y W D") if m["d"] else _unclear(year)


@rule("day of year", Shape.ORDINAL_DATE, rf"(?P<y>{YEAR4})-(?P<n>[0-3]\d\d)(?!\d)")
def day_of_year(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret an ordinal date (ISO 8601, 5.2.2)."""
    year, number = int(m["y"]), int(m["n"])
    day = datetime.date(year, 1, 1) + datetime.timedelta(number - 1)
    return _of_day(day, "Y N") if number and day.year == year else ()


@rule("week of year", Shape.QUARTER, rf"(?:{_WEEK}[ ]?|W(?=\d))(?P<w>\d{{1,2}}){_JOINT}(?P<y>{YEAR4})(?![\d/-])")
def week_of_year(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return _unclear(int(m["y"])) if 1 <= int(m["w"]) <= 53 else ()


@rule(
    "numbered day of year", Shape.QUARTER, rf"day[ ](?P<n>\d{{1,3}})[ ]of[ ](?:the[ ]year[ ])?(?P<y>{YEAR4})(?![\d/-])"
)
def numbered_day(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return _unclear(int(m["y"])) if 1 <= int(m["n"]) <= 366 else ()


@rule("half-year", Shape.QUARTER, rf"H[12][ ]?[-/]?[ ]?(?P<y>{YEAR4})(?!\d)", flags=0)
def half_year(m: re.Match[str], calendar: Calendar) -> Interpretations:
    first = 1 if m[0][1] == "1" else 7
    year = int(m["y"])
    return single("H Y", PartialDate(year=year, month=first), PartialDate(year=year, month=first + 5))


@rule("seconds since 1970", Shape.EPOCH, r"(?P<n>[12]\d{9})(?:\d{3})?(?!\d)")
def epoch(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a Unix time in seconds or milliseconds: a day of which the time zone is unknown."""
    seconds = int(m["n"])
    if not _SECONDS[0] <= seconds < _SECONDS[1]:
        return ()
    return _unclear(datetime.datetime.fromtimestamp(seconds, datetime.UTC).year)


@rule(
    "East Asian",
    Shape.NAMED,
    rf"(?:(?P<y>{YEAR4}){B}[年년]{B})?(?P<m>0?[1-9]|1[0-2]){B}[月월](?:{B}(?P<d>\d{{1,2}}){B}[日号號일])?"
    rf"|(?P<z>{YEAR4}){B}[年년]",
)
def east_asian(m: re.Match[str], calendar: Calendar) -> Interpretations:
    if m["z"]:
        return single("Y", PartialDate(year=int(m["z"])))
    if m["y"] is None and m["d"] is None:
        return ()
    date = PartialDate(int(m["y"]) if m["y"] else None, int(m["m"]), int(m["d"]) if m["d"] else None)
    return single(" ".join(p for p in "YMD" if m[p.lower()]), date)


@rule(
    "ROMAN.d.y",
    Shape.FULL,
    rf"(?P<m>VI{{0,3}}|I[VX]|I{{1,3}}|XI{{0,2}})(?P<s>{B}[./-]{B})(?P<d>\d{{1,2}})(?P=s)(?P<y>{YEAR4})(?!\d)",
    flags=0,
)
def roman_first(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return single("M D Y", PartialDate(year=int(m["y"]), month=ROMAN[m["m"]], day=int(m["d"])))


@rule(
    "d.m. to d.m.",
    Shape.FULL,
    rf"(?P<a>\d{{1,2}})\.[ ]?(?P<b>0?[1-9]|1[0-2])\.(?:{B}{DASH}{B}|[ ](?:{_TO})[ ](?:zum[ ]|den[ ])?)"
    r"(?P<c>\d{1,2})\.[ ]?(?P<d>0?[1-9]|1[0-2])\.(?![\w.])",
    flags=re.IGNORECASE,
)
def dotted_days(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret both ends in Central European notation: `28.12. to 04.01.`"""
    return single(
        "D M", PartialDate(month=int(m["b"]), day=int(m["a"])), PartialDate(month=int(m["d"]), day=int(m["c"]))
    )


@rule(
    "dd.mm to dd.mm",
    Shape.FULL,
    r"(?P<a>[0-3]\d)\.(?P<b>0[1-9]|1[0-2])[ ](?:bis|al|au|tot|do|til|t/m)[ ](?:zum[ ]"
    r"|den[ ])?(?P<c>[0-3]\d)\.(?P<d>0[1-9]|1[0-2])(?![\w.]\d|\d)",
)
def bare_dotted_days(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret both ends without the last full stop, in languages that write days so: `28.12 bis 04.01`."""
    return dotted_days.interpret(m, calendar)


FROM_YEAR: tuple[DateRule, ...] = (iso_week, day_of_year, east_asian)
FROM_DAY: tuple[DateRule, ...] = (dotted_days, bare_dotted_days, east_asian)
FROM_SECONDS: tuple[DateRule, ...] = (epoch,)
FROM_ROMAN: tuple[DateRule, ...] = (roman_first,)
FROM_WEEK: tuple[DateRule, ...] = (week_of_year, numbered_day, half_year)
RULES: tuple[DateRule, ...] = (*FROM_YEAR, dotted_days, bare_dotted_days, *FROM_SECONDS, *FROM_ROMAN, *FROM_WEEK)
WEEK_WORDS = frozenset("calendar week weeks wk wks kw cw kalenderwoche woche semaine semana settimana w day h".split())
"""First words of the expressions in `FROM_WEEK`."""
PLACES = (
    r"\b(?:19|20)\d\d[ ]?-?[ ]?w[0-5]\d",
    r"\b(?:19|20)\d\d-[0-3]\d\d\b",
    r"\b(?:week|wk|kw|cw|kalenderwoche|woche|semaine|semana|settimana"
    r"|calendar\sweek)s?\.?\s?(?:no\.?\s|nr\.?\s|#\s?)?\d{1,2}\D",
    r"\bw\d\d?\D|\bday\s\d{1,3}\sof\s|\bh[12][ /-]?(?:19|20)\d\d",
    r"\b[12]\d{9}(?:\d{3})?\b",
    r"\d{1,2}[ ]?(?:月|월)",
    r"\b[ivx]{1,4}\s?[./-]\s?\d{1,2}\s?[./-]\s?(?:19|20)\d\d",
    rf"\b\d{{1,2}}[.]\s?\d{{1,2}}[.]\s?(?:(?:[-–—‐‑])|(?:{_TO})\s)",
    r"\b[0-3]\d[.][01]\d\s(?:bis|al|au|tot|do|til|t/m)\s",
    r"\d{1,2}\s?/\s?[ivx]{1,4}\s?/\s?\d",
    r"\b(?:19|20)\d\d/[1-9]\b",
)
"""Patterns for google-re2 of the places where such a date may begin."""
