"""Intervals between dates: whether the time between two dates is the same in the masked text, as after a common shift."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

Resolution = Literal["day", "month", "year"]


class Day(NamedTuple):
    """A date as a number of days, months or years, by its resolution."""

    resolution: Resolution
    number: int


class Moved(NamedTuple):
    """A date of the original, and the date that replaces it; None if that is not a date of this resolution."""

    original: Day
    masked: Day | None


_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T[\d:]{4,8})?")
_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WRITTEN = re.compile(
    r"""
      \b (?P<relative> DAY | MONTH | YEAR ) \s (?P<distance> -?\d{1,6} ) \b
    | \b (?P<iso> \d{4}-\d\d(?:-\d\d)? ) (?:T[\d:]{4,8})? (?![\w-])
    | (?<!\d) (?P<numbers> \d{1,4} (?P<sign> [/.-] ) \d{1,2} (?P=sign) \d{1,4} ) (?!\d)
    | (?: \b (?P<first> \d{1,2} ) (?:st|nd|rd|th)? \s (?:of\s)? )?  # 4th of
      \b (?P<month> [a-z]{3,9} ) \.? \s?
      (?: (?P<second> \d{1,2} ) (?:st|nd|rd|th)? ,? \s )?            # March 4th,
      ,? \s? (?P<of> \d{4} ) \b
    | \b (?P<year> [12]\d{3} ) \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ORDERS = ("YMD", "DMY", "MDY")


def read_value(value: str) -> list[Day]:
    """Return the dates of a normalized value: ISO 8601, two joined by `/` for an interval. Empty unless all of it is known."""
    days = [m and _day(int(m[1]), int(m[2] or 0), int(m[3] or 0)) for m in map(_ISO.fullmatch, value.split("/"))]
    return [d for d in days if d] if all(days) else []


def moved(original: str, value: str, masked: str) -> list[Moved]:
    """Return what replaces each date in a date expression of the original, from its normalized value and the masked text.

    Masked text may contain ISO 8601, a month by its English name, a year, `DAY 12`, and numbers in the order that the original
    must have had. Empty if `value` is not known.
    """
    dates = read_value(value)
    if original == masked:
        return [Moved(d, d) for d in dates]
    after = [_read(m, original, dates) for m in _WRITTEN.finditer(masked)]
    if len(after) != len(dates):
        return [Moved(d, None) for d in dates]
    return [
        Moved(d, a if a is not None and a.resolution == d.resolution else None)
        for d, a in zip(dates, after, strict=True)
    ]


def intervals(dates: Iterable[Moved]) -> tuple[int, int]:
    """Return (kept, all) pairs of different dates of one document, each pair of one resolution.

    A pair is kept if both dates can be read and are as far apart as before. A repeated date counts once; it is lost if its
    mentions were shifted by different lengths.
    """
    shifts: dict[Day, set[int]] = {}
    for original, masked in dates:
        lengths = shifts.setdefault(original, set())
        if masked is not None:
            lengths.add(masked.number - original.number)
    kept = total = 0
    for resolution in ("day", "month", "year"):
        same_resolution = [lengths for day, lengths in shifts.items() if day.resolution == resolution]
        total += len(same_resolution) * (len(same_resolution) - 1) // 2
        common = Counter(next(iter(lengths)) for lengths in same_resolution if len(lengths) == 1)
        kept += sum(n * (n - 1) // 2 for n in common.values())
    return kept, total


def _day(year: int, month: int, day: int) -> Day | None:
    """Return a date at the resolution of its finest part; a month or day of 0 is missing. None for a day that does not exist."""
    if not month:
        return Day("year", year)
    if not 1 <= month <= 12:
        return None
    if not day:
        return Day("month", 12 * year + month)
    try:
        return Day("day", datetime.date(year, month, day).toordinal())
    except ValueError:
        return None


def _read(m: re.Match[str], original: str, dates: list[Day]) -> Day | None:
    if m["relative"]:
        scale: dict[str, Resolution] = {"DAY": "day", "MONTH": "month", "YEAR": "year"}
        return Day(scale[m["relative"].upper()], int(m["distance"]))
    if m["iso"]:
        return next(iter(read_value(m["iso"])), None)
    if m["numbers"]:
        return _in_order(m["numbers"], original, dates)
    if m["month"]:
        name = m["month"][:3].lower()
        day = int(m["first"] or m["second"] or 0)
        return _day(int(m["of"]), _NAMES.index(name) + 1, day) if name in _NAMES else None
    return _day(int(m["year"]), 0, 0)


def _in_order(written: str, original: str, dates: list[Day]) -> Day | None:
    """Read numbers in the order in which the original's equal its value; None if two orders give different dates, or none fit."""
    before = [m["numbers"] for m in _WRITTEN.finditer(original) if m["numbers"]]
    if len(before) != len(dates) or not before:
        return None
    readings = set()
    for order in _ORDERS:
        if all(_numbers(text, order, day) == day for text, day in zip(before, dates, strict=True)):
            readings.add(_numbers(written, order, dates[0]))
    return readings.pop() if len(readings) == 1 else None


def _numbers(written: str, order: str, near: Day) -> Day | None:
    parts = dict(zip(order, map(int, re.split(r"[/.-]", written)), strict=True))
    year = parts["Y"]
    if year < 100 and near.resolution == "day":  # the century that brings it closest
        about = datetime.date.fromordinal(near.number).year
        year = min((c + year for c in range(0, 10000, 100)), key=lambda y: abs(y - about))
    return _day(year, parts["M"], parts["D"])
