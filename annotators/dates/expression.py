"""The date expression at an offset: the rules that may match there, the longest that its guard accepts, and its interval."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from ...pipeline.storage.lazy_regex import lazy_regex
from . import combining, counted_dates, cues, named_months, negative_cues, numeric, other_calendars, partial_dates
from . import digit_guards as digits
from . import word_guards as words
from .calendar import SEASONS, Calendar
from .context import REJECT, DateContext
from .holidays import ANY_CASE, HOLIDAYS
from .interpretation import Interpretations
from .numerals import ORDINALS
from .rules import DASH, B, DateRule, Shape
from .windows import AFTER, BEFORE

WORD = lazy_regex(r"[^\W\d_]+")
_NUMBER = lazy_regex(r"(\d+)[ \t\xa0\r\n]{0,3}([-/.,–—‐‑_&\\]{0,2})[ \t\xa0]{0,3}(.|)")
_DIGIT_AHEAD = lazy_regex(r"\D{0,12}\d")
_ABBREVIATIONS = frozenset("jan feb febr mar apr jun jul aug sep sept oct nov dec".split())
_ORDINAL_STARTS = frozenset(re.split("[- ]", words)[0] for words in ORDINALS)
_HOLIDAY_STARTS = frozenset(m[0] for form in HOLIDAYS if (m := WORD.match(form)))
_NUMERIC = (*numeric.FROM_DAY, named_months.days_month)
_OTHER_MONTHS = frozenset(other_calendars.OTHER_MONTHS)
_DAY_THEN_DIGIT = {
    "/": tuple(
        r
        for r in _NUMERIC
        if r not in (numeric.dotted, numeric.hyphen_pair, numeric.spaced, numeric.day_dot, numeric.day_dots)
    ),
    "-": tuple(
        r
        for r in _NUMERIC
        if r not in (numeric.dotted, numeric.pair, numeric.pair_days, numeric.spaced, numeric.day_dot, numeric.day_dots)
    ),
    ".": (
        *counted_dates.FROM_DAY,
        numeric.triple,
        numeric.dotted,
        numeric.dotted_span,
        numeric.month_year,
        numeric.day_dot,
        numeric.day_dots,
    ),
    "": (numeric.spaced,),
}
"""Rules for one or two digits by the first character after them, if more digits follow; other characters allow all rules."""
_BY_LENGTH = {
    4: (
        *numeric.FROM_YEAR,
        *named_months.FROM_YEAR,
        *partial_dates.FROM_YEAR,
        *counted_dates.FROM_YEAR,
        *other_calendars.FROM_YEAR,
    ),
    6: (numeric.compact_short,),
    8: (numeric.compact, numeric.compact_last),
    10: counted_dates.FROM_SECONDS,
    12: (numeric.stamp,),
    13: counted_dates.FROM_SECONDS,
    14: (numeric.stamp,),
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
    rules: tuple[DateRule, ...] = named_months.FROM_DAY + other_calendars.FROM_DAY
    if following in "月월" and following:
        return counted_dates.FROM_DAY
    if following in ("I", "V", "X") and not sign:
        return (numeric.roman, *rules)
    if sign == "." and following and following in "-–—‐‑":
        return (numeric.dotted_span, *rules)
    if sign:
        return (numeric.roman, numeric.roman_day, *rules) if following in ("I", "V", "X") else rules
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
    elif low in _OTHER_MONTHS:
        rules += other_calendars.FROM_MONTH
    if low in calendar.weekdays:
        rules += partial_dates.FROM_WEEKDAY
    if low in SEASONS:
        rules += partial_dates.FROM_SEASON
    if low in _ORDINAL_STARTS:
        rules += named_months.FROM_ORDINAL + partial_dates.FROM_ORDINAL
    if low in ("nineteen", "twenty", "two"):
        rules += partial_dates.FROM_YEAR_WORD
    if low in counted_dates.WEEK_WORDS:
        rules += counted_dates.FROM_WEEK
    if low in numeric.ROMAN_WORDS:
        rules += counted_dates.FROM_ROMAN
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


GUARDS: dict[Shape, Callable[[DateContext], int]] = {
    Shape.FULL: digits.full,
    Shape.NAMED: words.full,
    Shape.DOTTED: digits.dotted,
    Shape.SPACED: digits.spaced,
    Shape.PAIR: digits.pair,
    Shape.HYPHEN_PAIR: digits.hyphen_pair,
    Shape.MONTH_YEAR: digits.month_year,
    Shape.SHORT_MONTH_YEAR: digits.short_month_year,
    Shape.YEAR_MONTH: digits.year_month,
    Shape.COMPACT: digits.compact,
    Shape.STAMP: digits.stamp,
    Shape.DOTTED_DAY: digits.dotted_day,
    Shape.ROMAN_DAY: digits.roman_day,
    Shape.SHORT_COMPACT: digits.short_compact,
    Shape.NAMED_DAY: words.named_day,
    Shape.NAMED_SHORT_YEAR: words.named_short_year,
    Shape.MONTH: words.month,
    Shape.YEAR: digits.year,
    Shape.YEAR_SPAN: digits.compact,
    Shape.SHORT_YEAR: digits.short_year,
    Shape.DECADE: digits.decade,
    Shape.SHORT_DECADE: digits.short_decade,
    Shape.SEASON: words.season,
    Shape.SEASON_YEAR: words.season_year,
    Shape.ORDINAL: words.ordinal,
    Shape.WEEKDAY: words.weekday,
    Shape.SHORT_WEEKDAY: words.short_weekday,
    Shape.HOLIDAY: words.holiday,
    Shape.QUARTER: digits.quarter,
    Shape.ORDINAL_DATE: digits.ordinal_date,
    Shape.EPOCH: digits.epoch,
}
"""Each returns the support that an expression lacks: 0 for a date, `REJECT` if it is not a date, between them if in doubt."""


_AFTER_WEEKDAY = lazy_regex(rf",?[ ]?[-–][ ]?|\.?[ ]?,?{B}(?:the[ ])?|\.?,?\r?\n", re.IGNORECASE)
_JOINT = lazy_regex(rf"{B}{DASH}{B}|/")
_WEEKDAYS = (Shape.WEEKDAY, Shape.SHORT_WEEKDAY)
_AMBIGUOUS = frozenset({Shape.MONTH, Shape.YEAR, Shape.SEASON, Shape.SHORT_DECADE, Shape.SHORT_YEAR})
"""Shapes that `early`, `late` and `end of` make certain."""
_QUALIFIED = _AMBIGUOUS | {
    Shape.NAMED, Shape.SEASON_YEAR, Shape.DECADE, Shape.NAMED_DAY, Shape.MONTH_YEAR, Shape.YEAR_MONTH, Shape.QUARTER,
}  # fmt: skip
DAYS = frozenset(
    {
        Shape.FULL, Shape.NAMED, Shape.DOTTED, Shape.PAIR, Shape.NAMED_DAY, Shape.NAMED_SHORT_YEAR, Shape.ORDINAL,
        Shape.HYPHEN_PAIR, Shape.COMPACT, Shape.SPACED, Shape.STAMP, Shape.DOTTED_DAY, Shape.ROMAN_DAY,
    }
)  # fmt: skip
"""Expressions that name a day, or could."""


@dataclass(frozen=True, slots=True)
class DateExpression:
    """A date expression: code points `begin:end`, its rule and all interpretations, likeliest first."""

    begin: int
    end: int
    rule: str
    shape: Shape
    interpretations: Interpretations
    doubt: int = 0
    """Support that the context lacks, 0 if the date is certain."""

    def __repr__(self) -> str:
        return f"<DateExpression {self.begin}:{self.end} {self.rule}>"


@dataclass(frozen=True, slots=True)
class ExpressionMatcher:
    """Matches date expressions in one text."""

    text: str
    calendar: Calendar

    def match_at(self, begin: int, last: int) -> DateExpression | None:
        """Return the date that begins at `begin`, None if there is none.

        `last` is the end of the previous date, 0 for none, negative if that date is uncertain.
        """
        date = self._qualified(begin)
        if date is not None:
            return date
        date = self._best(begin, last)
        if date is None or date.shape in _WEEKDAYS:
            return self._with_weekday(begin, date)
        return self._interval(date)

    def _best(
        self, begin: int, last: int, *, allowed: Collection[Shape] | None = None, sure: bool = False
    ) -> DateExpression | None:
        """Return the longest expression that its guard accepts; `sure` skips the guards of ambiguous shapes."""
        matches: list[tuple[int, int, DateRule, re.Match[str]]] = []
        for i, rule in enumerate(rules_at(self.text, begin, self.calendar)):
            if allowed is None or rule.shape in allowed:
                match = rule.pattern.match(self.text, begin)
                if match:
                    matches.append((-match.end(), i, rule, match))
        matches.sort()  # longest first, then by order of rules; only as many are interpreted as necessary
        for end, _, rule, match in matches:
            interpretations = rule.interpret(match, self.calendar)
            if not interpretations:
                continue
            doubt = 0
            if not (sure and rule.shape in _AMBIGUOUS):
                doubt = GUARDS[rule.shape](DateContext(self.text, begin, -end, interpretations, last))
            if doubt < REJECT:
                return DateExpression(begin, -end, rule.name, rule.shape, interpretations, doubt)
        return None

    def _qualified(self, begin: int) -> DateExpression | None:
        """Return `early Feb`, `mid January 2021`, `end of Dec2020`."""
        match = combining.QUALIFIER.match(self.text, begin)
        if match is None or (begin and self.text[begin - 1].isalnum()):
            return None
        inner = self._best(match.end(), match.end(), allowed=_QUALIFIED, sure=True)
        if inner is None or inner.doubt or self.text[inner.end : inner.end + 1].isalnum():
            return None
        before, after = self.text[max(0, begin - BEFORE) : begin], self.text[inner.end : inner.end + AFTER]
        if inner.shape is Shape.SHORT_DECADE and (not before.endswith("the ") or cues.VITALS.search(before)):
            return None
        if inner.shape is Shape.YEAR and negative_cues.COUNTED.match(after):
            return None
        march_or_may = inner.shape is Shape.MONTH and inner.interpretations[0].begin.month in (3, 5)
        if march_or_may and negative_cues.VERB_AFTER.match(after):
            return None
        inner = self._interval(inner)
        word = combining.qualifier(match)
        interpretations = combining.qualified(inner.interpretations, word)
        return replace(inner, begin=begin, rule=f"{word} {inner.rule}", interpretations=interpretations)

    def _with_weekday(self, begin: int, alone: DateExpression | None) -> DateExpression | None:
        """Return a weekday with the date after it, or alone: `Friday, 3/19/21`, `Friday the 5th`, `Fri`."""
        word = WORD.match(self.text, begin)
        number = self.calendar.weekdays.get(word[0].lower()) if word else None
        if word is None or number is None or (begin and self.text[begin - 1].isalnum()):
            return alone
        gap = _AFTER_WEEKDAY.match(self.text, word.end())
        written = alone is not None or not word[0].islower() or len(word[0]) > 4  # not `sat 3/4`
        if written and gap and gap.end() > word.end() and self.text[gap.end() : gap.end() + 1].isalnum():
            inner = self._day_behind(gap, number)
            if inner is not None:
                return self._interval(replace(inner, begin=begin, rule=f"weekday {inner.rule}", doubt=0))
        return self._interval(alone) if alone is not None else None

    def _day_behind(self, gap: re.Match[str], weekday: int) -> DateExpression | None:
        inner = self._best(gap.end(), gap.end(), allowed=DAYS)
        if inner is not None and inner.doubt < 2 and not (inner.shape is Shape.ORDINAL and set(gap[0]) & {"-", "–"}):
            days = combining.with_weekday(inner.interpretations, weekday)
            return replace(inner, interpretations=days or inner.interpretations)
        alone = partial_dates.day_in_column.pattern.match(self.text, gap.end())
        days = partial_dates.day_in_column.interpret(alone, self.calendar) if alone and gap[0] == " " else ()
        if alone and days:
            return DateExpression(gap.end(), alone.end(), "d", Shape.ORDINAL, combining.with_weekday(days, weekday))
        rule, begin = partial_dates.day_year, gap.end()
        match = rule.pattern.match(self.text, begin)
        days = rule.interpret(match, self.calendar) if match else ()
        if match is None or not days or GUARDS[Shape.FULL](DateContext(self.text, begin, match.end(), days)):
            return None
        return DateExpression(begin, match.end(), rule.name, Shape.FULL, combining.with_weekday(days, weekday))

    def _interval(self, date: DateExpression) -> DateExpression:
        """Return the date with its later end if a dash and a date of the same sort follow directly."""
        joint = _JOINT.match(self.text, date.end)
        start = joint.end() if joint else 0
        if joint is None or _two_ended(date) or not self.text[start : start + 1].isalnum():
            return date
        likeliest = date.interpretations[0]
        if joint[0] == "/" and likeliest.begin.day is not None and likeliest.layout != "Y M D":
            return date
        later = self._best(start, start, sure=date.shape in (Shape.MONTH, Shape.SEASON))
        if later is not None and later.shape in _WEEKDAYS and likeliest.begin.weekday is not None:
            later = self._with_weekday(start, later)
        if later is None or later.doubt > 1 or _two_ended(later) or not _pair(date, later):
            return date
        rule = f"{date.rule} to {later.rule}"
        interpretations = combining.interval(date.interpretations, later.interpretations)
        return DateExpression(date.begin, later.end, rule, date.shape, interpretations, min(date.doubt, later.doubt))


def _two_ended(date: DateExpression) -> bool:
    return date.shape is Shape.YEAR_SPAN or any(r.end is not None for r in date.interpretations)


def _pair(date: DateExpression, later: DateExpression) -> bool:
    ordinal = date.shape is Shape.ORDINAL and later.shape not in (Shape.ORDINAL, Shape.NAMED_DAY)
    return not ordinal and combining.same_sort(date.interpretations[0], later.interpretations[0])
