"""Decides whether an expression is a date in its context: one guard for each shape."""

from __future__ import annotations

from collections.abc import Callable

from . import digit_guards as figures
from . import word_guards as words
from .context import DateContext
from .rules import Shape

_JUDGES: dict[Shape, Callable[[DateContext], int]] = {
    Shape.FULL: figures.full,
    Shape.NAMED: words.full,
    Shape.DOTTED: figures.dotted,
    Shape.SPACED: figures.spaced,
    Shape.PAIR: figures.pair,
    Shape.HYPHEN_PAIR: figures.hyphen_pair,
    Shape.MONTH_YEAR: figures.month_year,
    Shape.SHORT_MONTH_YEAR: figures.short_month_year,
    Shape.YEAR_MONTH: figures.year_month,
    Shape.COMPACT: figures.compact,
    Shape.SHORT_COMPACT: figures.short_compact,
    Shape.NAMED_DAY: words.named_day,
    Shape.NAMED_SHORT_YEAR: words.named_short_year,
    Shape.MONTH: words.month,
    Shape.YEAR: figures.year,
    Shape.YEAR_SPAN: figures.years,
    Shape.SHORT_YEAR: figures.short_year,
    Shape.DECADE: figures.decade,
    Shape.SHORT_DECADE: figures.short_decade,
    Shape.SEASON: words.season,
    Shape.SEASON_YEAR: words.season_year,
    Shape.ORDINAL: words.ordinal,
    Shape.WEEKDAY: words.weekday,
    Shape.SHORT_WEEKDAY: words.short_weekday,
    Shape.HOLIDAY: words.holiday,
    Shape.QUARTER: figures.quarter,
}


def judge(shape: Shape, ctx: DateContext) -> int:
    """Return the support that an expression lacks: 0 for a date, `REJECT` if it is not a date, between them if in doubt."""
    return _JUDGES[shape](ctx)
