"""Selects the rules that can apply at an offset, by its first digits or its first word."""

from __future__ import annotations

import re

from . import named_months, numeric, partial_dates
from .calendar import SEASONS, Calendar
from .holidays import ANY_CASE, HOLIDAYS
from .numerals import ORDINALS
from .rules import DateRule

WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(\d+)[ \t\xa0\r\n]{0,3}([-/.,–—‐‑_&\\]{0,2})[ \t\xa0]{0,3}(.|)")
_DIGIT_AHEAD = re.compile(r"\D{0,12}\d")
_ABBREVIATIONS = frozenset("jan feb febr mar apr jun jul aug sep sept oct nov dec".split())
_ORDINAL_STARTS = frozenset(re.split("[- ]", words)[0] for words in ORDINALS)
_HOLIDAY_STARTS = frozenset(m[0] for form in HOLIDAYS if (m := WORD.match(form)))
_NUMERIC = (*numeric.FROM_DAY, named_months.days_month)
_DAY_THEN_DIGIT = {
    "/": tuple(r for r in _NUMERIC if r not in (numeric.dotted, numeric.hyphen_pair, numeric.spaced)),
    "-": tuple(r for r in _NUMERIC if r not in (numeric.dotted, numeric.pair, numeric.pair_days, numeric.spaced)),
    ".": (numeric.triple, numeric.dotted, numeric.dotted_span, numeric.month_year),
    "": (numeric.spaced,),
}
"""Rules for one or two digits by the first character after them, if more digits follow; other characters allow all rules."""
_BY_LENGTH = {
    4: (*numeric.FROM_YEAR, *named_months.FROM_YEAR, *partial_dates.FROM_YEAR),
    6: (numeric.compact_short,),
    8: (numeric.compact, numeric.compact_last),
}


def rules_at(text: str, begin: int, calendar: Calendar) -> tuple[DateRule, ...]:
    """Return the rules that can match at `begin`, which is a digit, a letter or an apostrophe; none at the end of the text."""
    first = text[begin : begin + 1]
    if not first:
        return ()
    if first.isdigit():
        digits = _NUMBER.match(text, begin)
        return _from_digits(*digits.groups()) if digits else ()
    if not first.isalpha():
        return partial_dates.FROM_APOSTROPHE
    word = WORD.match(text, begin)
    return _from_word(text, begin, word[0].lower(), calendar) if word else ()


def _from_digits(digits: str, sign: str, following: str) -> tuple[DateRule, ...]:
    if len(digits) > 2:
        return _BY_LENGTH.get(len(digits), ())
    if following.isdigit():
        return _DAY_THEN_DIGIT.get(sign[:1], _NUMERIC)
    rules: tuple[DateRule, ...] = named_months.FROM_DAY
    if sign == "." and following and following in "-–—‐‑":
        return (numeric.dotted_span, *rules)
    if sign:
        return (numeric.roman, *rules) if following in ("I", "V", "X") else rules
    if following in "sSnNrRtT":
        rules += (partial_dates.day_of_month, partial_dates.quarter_words, partial_dates.holiday)
    if following in "sS'’":
        rules += (partial_dates.short_decade,)
    return (*rules, partial_dates.quarter) if following == "Q" else rules


def _from_word(text: str, begin: int, low: str, calendar: Calendar) -> tuple[DateRule, ...]:
    rules: tuple[DateRule, ...] = ()
    if low in _HOLIDAY_STARTS and _holiday_in_right_case(text, begin):
        rules += partial_dates.FROM_HOLIDAY
    if low in calendar.months:
        rules += named_months.MONTH_THEN_DIGIT if _DIGIT_AHEAD.match(text, begin + len(low)) else ()
        rules += named_months.MONTH_THEN_WORD
        if low in calendar.month_names or low in _ABBREVIATIONS:
            rules += (named_months.month_alone,)
    if low in calendar.weekdays:
        rules += partial_dates.FROM_WEEKDAY
    if low in SEASONS:
        rules += partial_dates.FROM_SEASON
    if low in _ORDINAL_STARTS:
        rules += named_months.FROM_ORDINAL + partial_dates.FROM_ORDINAL
    if low in ("nineteen", "twenty", "two"):
        rules += partial_dates.FROM_YEAR_WORD
    if low in ("q", "fy"):
        rules += partial_dates.FROM_Q
    return rules


def _holiday_in_right_case(text: str, begin: int) -> bool:
    """Return True if there is a holiday in its proper case: `Labor Day`, not `labor day`; `Eid`, not `EID`."""
    match = partial_dates.holiday.pattern.match(text, begin)
    if match is None:
        return False
    name = " ".join(match["h"].lower().replace("’", "'").split())
    if len(name) < 5 and match["h"].isupper():
        return False
    return name in ANY_CASE or all(w[0].isupper() or w[0].isdigit() for w in match["h"].split() if len(w) > 3)
