"""Interprets one date expression, of any finder or model, in all ways its words allow."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...pipeline.storage.lazy_regex import lazy_regex
from ..reading import as_read
from . import combining, counted_dates, named_months, numeric, other_calendars, partial_dates
from .calendar import LATEST_YEAR, Calendar
from .finder import find_dates
from .interpretation import DateInterpretation, Interpretations, PartialDate
from .rules import NO_SUCH_DAY, DateRule, single
from .unknown_notations import with_dateutil
from .windows import expand_lists

RULES: tuple[DateRule, ...] = (
    *numeric.RULES, *named_months.FROM_DAY, *named_months.FROM_YEAR, *named_months.FROM_MONTH, *partial_dates.FROM_DAY,
    *partial_dates.FROM_YEAR, *partial_dates.FROM_APOSTROPHE, *partial_dates.FROM_SEASON, *partial_dates.FROM_ORDINAL[:1],
    *partial_dates.FROM_Q, *partial_dates.FROM_YEAR_WORD,
    *partial_dates.FROM_WEEKDAY, *partial_dates.FROM_HOLIDAY, *other_calendars.FROM_DAY, *other_calendars.FROM_MONTH,
    *other_calendars.FROM_YEAR,
    *counted_dates.RULES,
)  # fmt: skip
_EDGE = " \t\n\r\xa0,.;:()[]{}\"'“”‘’"
_LEAD = lazy_regex(
    expand_lists(
        "<<on in at since until till by from before after during dated? as_of about around approximately the of year "
        r"month_of dob:? d\.o\.b\.?>>\b[\s:]*"
    ),
    re.IGNORECASE,
)
_CLOCK = lazy_regex(
    r"[\s,]*(?:at |@ ?|around |about )?"
    r"(?P<time>\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|\d{3,4} ?h(?:ou)?rs?)"
    r"(?: ?(?:z|utc|gmt|est|edt|cst|cdt|pst|pdt|cet|[+-]\d\d:?\d\d))?",
    re.IGNORECASE,
)
_DAY_BEFORE = lazy_regex(r"(?P<w>[^\W\d_]{3,11})[\s,.–-]+(?:the\s+)?(?P<rest>.*\S)", re.DOTALL)
_DAY_BEHIND = lazy_regex(r"(?P<rest>.*\S)[\s,(–-]+(?P<w>[^\W\d_]{3,11})", re.DOTALL)
_BETWEEN = lazy_regex(r"\s*[-–—‐‑/~]\s*|\s+(?:to|through|thru|until|till|and|or|bis|au|al|til)\s+", re.IGNORECASE)
_EDTF = lazy_regex(r"(?P<y>\d{4}|XXXX)-(?P<m>\d\d|XX)(?:-(?P<d>\d\d))?|(?P<decade>\d{3})X")
_SEASONS = {21: "spring", 22: "summer", 23: "autumn", 24: "winter"}
_LONGEST = 80
"""Longer spans, in code points, are not date expressions."""
_DAY_AND_MONTH = lazy_regex(r"\d{1,2}\.\d{1,2}")
"""Central European only with the full stop behind the month."""


def parse_date(
    text: str, *, latest_year: int = LATEST_YEAR, day_first: bool = False, languages: tuple[str, ...] = ("en",)
) -> Interpretations:
    """Return all interpretations of a date expression, likeliest first; an empty tuple if it is not a date.

    `03/04/2020` gives `M D Y` and `D M Y`; days that the calendar lacks are left out; an interval has two end points; a
    weekday belongs to its date and decides if only one interpretation falls on it. Missing parts stay missing. Also reads the
    values that this package writes (ISO 8601, EDTF level 1). Two-digit years fall into the hundred years that end with
    `latest_year`. Raises ValueError for an unknown language.
    """
    return _parse(as_read(text), _calendar(tuple(languages), latest_year, day_first))


@functools.lru_cache(32)
def _calendar(languages: tuple[str, ...], latest_year: int, day_first: bool) -> Calendar:
    """Return a shared calendar: each builds tables of misspellings, and the cache of interpretations refers to it."""
    return Calendar(languages, latest_year, day_first)


@functools.lru_cache(1024)
def _parse(text: str, calendar: Calendar) -> Interpretations:
    bare = text.strip(_EDGE)
    if text.strip()[:1] in ("'", "’", "‘") and bare[:2].isdigit():
        bare = "'" + bare
    if text.rstrip().endswith(".") and _DAY_AND_MONTH.fullmatch(bare):
        bare += "."
    if not bare or len(bare) > _LONGEST:
        return ()
    for reader in (_expression, _unwrapped):
        interpretations = _existing(reader(bare, calendar))
        if interpretations:
            return interpretations
    return _fuller(_existing(_contained(bare, calendar)), bare, calendar)


def _existing(interpretations: Iterable[DateInterpretation]) -> Interpretations:
    return tuple(dict.fromkeys(r for r in interpretations if r.layout != NO_SUCH_DAY))


def _fuller(contained: Interpretations, text: str, calendar: Calendar) -> Interpretations:
    """Return the interpretations of the whole text if they state more than those of the date that it contains."""
    if contained and _stated_parts(contained[0]) == 3:
        return contained
    whole = with_dateutil(text, calendar)
    return whole if whole and (not contained or _stated_parts(whole[0]) > _stated_parts(contained[0])) else contained


def _stated_parts(interpretation: DateInterpretation) -> int:
    date = interpretation.begin
    return sum(part is not None for part in (date.year, date.month, date.day))


def _expression(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    """Interpret the text as it is."""
    whole = tuple(interpret_whole(text, calendar))
    yield from whole
    yield from _edtf(text)
    yield from _with_weekday(text, calendar)
    word, rest = combining.split_qualifier(text)
    if word:
        yield from combining.qualified(_expression(rest, calendar), word)
    elif not whole:
        yield from _interval(text, calendar)


_WORD = lazy_regex(r"[^\W\d_]{3}")
_WITH_WORD = lazy_regex(r"\(\?P<(?:month|season|h|w|words)>")
"""Groups that match a word of three letters or more; a rule with such a group needs a word."""
_FROM_LETTER = lazy_regex(r"\(\?P<(?:month|season|w|words|yw)>")
_FROM_DIGIT = lazy_regex(r"\(\?P<\w>(?:\\d|\(\?:1|0\?\[1)")
"""Beginnings of patterns that can only match from a letter, or from a digit."""


@functools.cache
def _candidates(digit: bool, word: bool) -> tuple[DateRule, ...]:
    """Return the rules that can match a text that begins with a digit (or does not) and contains a word (or does not)."""
    cannot_begin = _FROM_LETTER if digit else _FROM_DIGIT
    return tuple(
        rule
        for rule in RULES
        if not cannot_begin.match(rule.pattern.pattern) and (word or not _WITH_WORD.search(rule.pattern.pattern))
    )


def interpret_whole(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    for rule in _candidates(text[:1].isdecimal(), _WORD.search(text) is not None):
        match = rule.pattern.fullmatch(text)
        if match is not None:
            yield from rule.interpret(match, calendar)


def _edtf(text: str) -> Iterator[DateInterpretation]:
    begin, slash, end = text.partition("/")
    first, last = _edtf_date(begin), _edtf_date(end) if slash else None
    if first is not None and (last is not None or not slash):
        layout = " ".join(p for p, v in (("Y", first.year), ("M", first.month), ("D", first.day)) if v is not None)
        yield from single("season Y" if first.season else "decade" if first.decade is not None else layout, first, last)


def _edtf_date(text: str) -> PartialDate | None:
    match = _EDTF.fullmatch(text)
    if match is None:
        return None
    if match["decade"]:
        return PartialDate(decade=10 * int(match["decade"]))
    year = None if match["y"] == "XXXX" else int(match["y"])
    month = None if match["m"] == "XX" else int(match["m"])
    if month in _SEASONS and not match["d"]:
        return PartialDate(year=year, season=_SEASONS[month])
    return PartialDate(year=year, month=month, day=int(match["d"]) if match["d"] else None)


def _with_weekday(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    for match in (_DAY_BEFORE.fullmatch(text), _DAY_BEHIND.fullmatch(text)):
        number = calendar.weekdays.get(match["w"].lower()) if match else None
        if match is not None and number is not None:
            rest = match["rest"].strip(_EDGE)
            dates = [*interpret_whole(rest, calendar), *_interval(rest, calendar)]
            day = partial_dates.day_year.pattern.fullmatch(rest)
            if not dates and day is not None:
                dates = list(partial_dates.day_year.interpret(day, calendar))
            elif not dates and rest.isdecimal() and len(rest) < 3:
                dates = list(single("D", PartialDate(day=int(rest))))
            yield from combining.with_weekday((r for r in dates if r.begin.weekday is None), number)


def _interval(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    """Interpret both ends of an interval; the first takes from the second what it lacks (`Oct-Nov 2013`)."""
    for joint in _BETWEEN.finditer(text):
        left, right = text[: joint.start()].strip(_EDGE), text[joint.end() :].strip(_EDGE)
        begins = [r for r in (*interpret_whole(left, calendar), *_with_weekday(left, calendar)) if r.end is None]
        ends = [r for r in (*interpret_whole(right, calendar), *_with_weekday(right, calendar)) if r.end is None]
        if not begins or not ends or (joint[0] == "/" and any(r.begin.day for r in begins)):
            continue
        if combining.same_sort(begins[0], ends[0]):
            yield from combining.interval(begins, ends)
            return


def _unwrapped(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    """Interpret the text without the words before and the clock time after the date."""
    rest = text
    while (lead := _LEAD.match(rest)) is not None:
        rest = rest[lead.end() :]
    clock = next((m for m in _CLOCK.finditer(rest) if m.start() and m.end() == len(rest)), None)
    rest = (rest[: clock.start()] if clock else rest).strip(_EDGE)
    if rest and rest != text:
        for reading in _expression(rest, calendar):
            yield replace(reading, begin=replace(reading.begin, time=clock["time"])) if clock else reading


def _contained(text: str, calendar: Calendar) -> Iterator[DateInterpretation]:
    """Return the interpretations of the only date in a longer span."""
    dates = find_dates(text, calendar)
    if len(dates) == 1:
        yield from dates[0].interpretations
