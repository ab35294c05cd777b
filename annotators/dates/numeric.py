"""Rules for dates in digits: `3/4/2020`, `2020-03-04T12:00`, `04.03.20`, `20200304`, `3/4`, `03/2020`, `12.IV.2020`, `3/4-6`."""

from __future__ import annotations

import re

from .calendar import Calendar
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .rules import ANY_YEAR, DASH, NO_SUCH_DAY, YEAR4, B, DateRule, Shape, no_such_day, possible, rule, simple, single

_SLASH = rf"(?:{B}[/\\]{B}|//)"
_ANY = rf"(?:{B}[/.\\]{B}|{B}{DASH}{B}|//)"
_CLOCK = (
    r"(?P<time>(?:T|[ \t]{1,2})(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?"
    r"(?:[ ]?(?:Z|UTC|GMT|[ECMPA][SD]T|AK[SD]T|HST|CES?T|WES?T|EES?T|BST|IST|MSK|JST|NZ[SD]T|AE[SD]T|ART|[ap]\.?m)(?!\w)"
    r"|[ ]?[+-]\d\d:?\d\d(?!\d))?(?!\d))?"
)
_NOT_CUT = r"(?:(?!\d)|(?<=\d\d\d\d)(?=(?:[01]\d|2[0-3]):[0-5]\d)|(?<=[-–]\d\d)(?=(?:[01]\d|2[0-3]):[0-5]\d))"
"""No digit follows, unless a clock time does without a space: `05/29/200110:31`."""
ROMAN = {r: i for i, r in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), 1)}
"""Months in Roman numerals."""
ROMAN_WORDS = frozenset(map(str.lower, ROMAN))


def orders(a: int, b: int, y: int | None, calendar: Calendar, time: str = "") -> list[DateInterpretation]:
    """Return the interpretations of two numbers as month and day, the likelier order first."""
    tail = " Y" if y is not None else ""
    month_first = DateInterpretation(f"M D{tail}", PartialDate(year=y, month=a, day=b, time=time))
    day_first = DateInterpretation(f"D M{tail}", PartialDate(year=y, month=b, day=a, time=time))
    both = [day_first, month_first] if calendar.day_first else [month_first, day_first]
    return [r for r in both if possible(r.begin)] or list(no_such_day(a, b, y) or no_such_day(b, a, y))


def _year_first(y: int, m: int, d: int, time: str = "") -> list[DateInterpretation]:
    dates = [
        DateInterpretation("Y M D", PartialDate(year=y, month=m, day=d, time=time)),
        DateInterpretation("Y D M", PartialDate(year=y, month=d, day=m, time=time)),
    ]
    return [r for r in dates if possible(r.begin)][:1] or list(no_such_day(m, d, y))


def _or_year_first(
    dates: list[DateInterpretation], first: str, month: int, last: str, *, doubtful: bool, calendar: Calendar
) -> Interpretations:
    """Return the interpretations, and the one with the year first: always if the order is doubtful, else if none is valid."""
    if len(first) == 2 == len(last) and (doubtful or not dates or dates[0].layout == NO_SUCH_DAY):
        dates = dates + _year_first(calendar.year(first), month, int(last))
    sound = [r for r in dates if r.layout != NO_SUCH_DAY]
    return tuple(sound or dates[:1])


@rule(
    "d/m/y",
    Shape.FULL,
    rf"(?P<a>\d{{1,2}})(?P<s>{_ANY})(?P<b>\d{{1,2}})(?P<t>{_ANY})(?P<y>{ANY_YEAR}|['’]?\d\d){_NOT_CUT}",
)
def triple(m: re.Match[str], calendar: Calendar) -> Interpretations:
    first, second, year = m["s"].replace("//", "/"), m["t"].replace("//", "/"), m["y"]
    spaces = sum(map(str.isspace, first + second))
    seps = {first.strip() or first, second.strip() or second}
    long = len(year) == 4
    if "/" not in "".join(seps) and "\\" not in "".join(seps) and spaces > (3 if long else 1):
        return ()
    if "." in seps and not long and (spaces or len(seps) == 1):
        return ()  # numbers with dots and a short year: `dotted`
    a, b, y = int(m["a"]), int(m["b"]), year.lstrip("'’")
    if len(seps) > 1 and (not seps & {"/", "\\"} or (not long and first.strip() not in ("/", "\\"))):
        return ()
    if len(seps) > 1 and not long and "/" in first and b < int(y) <= 31:
        return ()  # 3/19-21 is the 19th to the 21st
    dates = orders(a, b, calendar.year(y), calendar)
    return _or_year_first(dates, m["a"], b, y, doubtful="/" not in seps, calendar=calendar)


def _short(m: re.Match[str], calendar: Calendar) -> Interpretations:
    dates = orders(int(m["a"]), int(m["b"]), calendar.year(m["y"]), calendar)
    return _or_year_first(dates, m["a"], int(m["b"]), m["y"], doubtful=True, calendar=calendar)


dotted = rule("d/m/y dotted", Shape.DOTTED, r"(?P<a>\d{1,2})\.(?P<b>\d{1,2})\.(?P<y>\d\d)(?!\d)")(_short)
compact_short = rule("ddmmyy", Shape.SHORT_COMPACT, r"(?P<a>\d\d)(?P<b>\d\d)(?P<y>\d\d)(?!\w)")(_short)


@rule(
    "d.m.-d.m.y",
    Shape.FULL,
    rf"(?P<a>\d{{1,2}})\.(?:{B}(?P<b>\d{{1,2}})\.)?{B}{DASH}{B}(?P<c>\d{{1,2}})\.{B}(?P<d>\d{{1,2}})\.{B}(?P<y>{YEAR4}|\d\d)(?!\d)",
)
def dotted_span(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret both ends in Central European notation, with the day first: `31.01.-03.02.2022`, `3.-5.2.2022`."""
    year, month = calendar.year(m["y"]), int(m["d"])
    first = int(m["b"]) if m["b"] else month
    begin = PartialDate(year=year - (first > month), month=first, day=int(m["a"]))
    end = PartialDate(year=year, month=month, day=int(m["c"]))
    return single("D M Y", begin, end) if possible(begin) and possible(end) else ()


@rule("d/m/y slip", Shape.FULL, r"(?P<a>\d{1,2})/{1,2}(?P<b>\d{1,2})/{1,2}(?:20\d|0\d\d|20\d{3}|2[1-9]\d\d)(?!\d)")
def typo(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret a year with a digit too many, missing or doubled (`3/4/202`, `3/4/20211`) as unknown."""
    return tuple(orders(int(m["a"]), int(m["b"]), None, calendar))


def _iso(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return tuple(_year_first(int(m["y"]), int(m["m"]), int(m["d"]), (m.groupdict().get("time") or "").strip("Tt \t")))


iso = rule(
    "y-m-d", Shape.FULL, rf"(?P<y>{ANY_YEAR}){B}{DASH}{B}(?P<m>\d{{1,2}}){B}{DASH}{B}(?P<d>\d{{1,2}}){_NOT_CUT}{_CLOCK}"
)(_iso)
year_slashes = rule(
    "y/m/d", Shape.FULL, rf"(?P<y>{ANY_YEAR}){B}(?P<s>[/.]){B}(?P<m>\d{{1,2}}){B}(?P=s){B}(?P<d>\d{{1,2}})(?!\d)"
)(_iso)
compact = rule(
    "yyyymmdd",
    Shape.COMPACT,
    r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])"
    r"(?P<time>T\d{4,6}(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)",
)(_iso)


stamp = rule(
    "yyyymmddhhmm",
    Shape.STAMP,
    r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?=(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?!\d))",
)(_iso)
"""The date part of a time stamp, as in HL7 version 2: `20240219144703`."""


def _year_last(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return tuple(orders(int(m["a"]), int(m["b"]), calendar.year(m["y"]), calendar))


compact_last = rule("ddmmyyyy", Shape.COMPACT, r"(?P<a>\d\d)(?P<b>\d\d)(?P<y>(?:19|20)\d\d)(?!\w)")(_year_last)
spaced = rule("dd mm yyyy", Shape.SPACED, r"(?P<a>\d\d)[ ](?P<b>\d\d)[ ](?P<y>(?:19|20)\d\d|\d\d(?![ ]?\d))(?!\d)")(
    _year_last
)


def _day_first(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return single("D M", PartialDate(month=int(m["b"]), day=int(m["a"])))


day_dot = rule("d.m.", Shape.DOTTED_DAY, r"(?P<a>\d{1,2})\.[ ]?(?P<b>0?[1-9]|1[0-2])\.(?![\w.])")(_day_first)
"""Central European: `27.1.`"""
day_dots = rule("dd.mm", Shape.DOTTED_DAY, r"(?P<a>[0-3]\d)\.(?P<b>0[1-9]|1[0-2])(?![\w.])")(_day_first)


@rule("d-d/m", Shape.PAIR, rf"(?P<a>\d{{1,2}}){DASH}(?P<b>\d{{1,2}})/(?P<m>0?[1-9]|1[0-2])(?![\d/])")
def days_month(m: re.Match[str], calendar: Calendar) -> Interpretations:
    a, b, month = int(m["a"]), int(m["b"]), int(m["m"])
    return single("D M", PartialDate(month=month, day=a), PartialDate(month=month, day=b)) if a < b else ()


@rule(
    "d.ROMAN",
    Shape.ROMAN_DAY,
    r"(?P<d>\d{1,2})[./-](?P<m>VI{0,3}|I[VX]|I{1,3}|XI{0,2})(?![\w./-])",
    flags=0,
)
def roman_day(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return single("D M", PartialDate(month=ROMAN[m["m"]], day=int(m["d"])))


@rule(
    "d.ROMAN.y",
    Shape.FULL,
    rf"(?P<d>\d{{1,2}})(?P<s>{B}[./-]{B}|[ ](?=[IVX]+[ ](?:19|20)\d\d))(?P<m>VI{{0,3}}"
    rf"|I[VX]|I{{1,3}}|XI{{0,2}})(?P=s)(?P<y>{YEAR4}|\d\d)(?!\d)",
    flags=0,
)
def roman(m: re.Match[str], calendar: Calendar) -> Interpretations:
    return single("D M Y", PartialDate(year=calendar.year(m["y"]), month=ROMAN[m["m"]], day=int(m["d"])))


@rule("y-m", Shape.YEAR_MONTH, r"(?P<y>(?:19|20)\d\d)(?P<s>[-/.])(?P<m>0[1-9]|1[0-2]|(?<=/)[1-9])(?!\d)")
def year_month(m: re.Match[str], calendar: Calendar) -> Interpretations:
    year, month = int(m["y"]), int(m["m"])
    dates = single("Y M", PartialDate(year=year, month=month))
    if m["s"] != "." and month == (year + 1) % 100:
        dates += single("Y", PartialDate(year=year), PartialDate(year=year + 1))
    return dates


month_year = simple("m/y", Shape.MONTH_YEAR, rf"(?P<m>0?[1-9]|1[0-2])(?:{_SLASH}|[-.])(?P<y>{YEAR4})(?!\d)", "M/Y")
month_short_year = simple(
    "m/yy", Shape.SHORT_MONTH_YEAR, r"(?P<m>0?[1-9]|1[0-2])[/-]['’]?(?P<y>00|3[2-9]|[4-9]\d)(?!\d)", "M/Y"
)


def _pair(m: re.Match[str], calendar: Calendar) -> Interpretations:
    dates = orders(int(m["a"]), int(m["b"]), None, calendar)
    if len(m["b"]) == 2 and 1 <= int(m["a"]) <= 12:
        dates += single("M/Y", PartialDate(year=calendar.year(m["b"]), month=int(m["a"])))
    return tuple(dates) if dates and dates[0].layout != "M/Y" else ()


pair = rule("m/d", Shape.PAIR, rf"(?P<a>\d{{1,2}})(?P<s>{_SLASH})(?P<b>\d{{1,2}})(?!\d)")(_pair)
hyphen_pair = rule("m-d", Shape.HYPHEN_PAIR, rf"(?P<a>\d{{1,2}})(?P<s>{DASH})(?P<b>\d{{1,2}})(?!\d)")(_pair)


@rule(
    "m/d-d",
    Shape.PAIR,
    rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}}){B}{DASH}{B}(?P<c>\d{{1,2}})(?!\d)(?:/(?P<y>{YEAR4}|\d\d)(?!\d))?",
)
def pair_days(m: re.Match[str], calendar: Calendar) -> Interpretations:
    """Interpret `3/4-6` as days of one month; with a year only if the last number cannot be a month (`4/15-16/21`)."""
    a, b, c, tail = int(m["a"]), int(m["b"]), int(m["c"]), (m["y"] or "")
    if c <= b or (tail and c <= 12):
        return ()
    y = calendar.year(tail) if tail else None
    return single("M D" + " Y" * bool(tail), PartialDate(year=y, month=a, day=b), PartialDate(year=y, month=a, day=c))


@rule(
    "d-d/m/y",
    Shape.FULL,
    rf"(?P<a>\d{{1,2}}){B}{DASH}{B}(?P<b>\d{{1,2}})(?P<s>[/.])(?P<m>0?[1-9]|1[0-2])(?P=s)(?P<y>{YEAR4}|\d\d)(?!\d)",
)
def days_month_year(m: re.Match[str], calendar: Calendar) -> Interpretations:
    a, b, y = int(m["a"]), int(m["b"]), calendar.year(m["y"])
    if b <= a or b <= 12:  # 3-5/6/21 could also be M-D/...: left to the shorter rules
        return ()
    return single("D M Y", PartialDate(year=y, month=int(m["m"]), day=a), PartialDate(year=y, month=int(m["m"]), day=b))


FROM_YEAR: tuple[DateRule, ...] = (iso, year_slashes, year_month)
FROM_DAY: tuple[DateRule, ...] = (
    triple, days_month_year, days_month, typo, dotted, pair_days, pair, hyphen_pair, month_year, month_short_year, spaced,
    day_dot, day_dots,
)  # fmt: skip
RULES: tuple[DateRule, ...] = (*FROM_YEAR, *FROM_DAY, roman, roman_day, compact, stamp, compact_last, compact_short)
