"""Decides whether an expression is a date in its context: one guard for each shape."""

from __future__ import annotations

from collections.abc import Callable

from . import digit_guards as digits
from . import word_guards as words
from .context import DateContext
from .rules import Shape

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
}
"""Each returns the support that an expression lacks: 0 for a date, `REJECT` if it is not a date, between them if in doubt."""
