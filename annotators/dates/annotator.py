"""The component `dates`: marks date expressions as candidates for PHI."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import Literal

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, View
from . import cues
from .calendar import LATEST_YEAR, Calendar
from .expression import DateExpression
from .finder import find_dates
from .rules import Shape
from .windows import AFTER, BEFORE

_KINDS = {
    Shape.WEEKDAY: PhiKind.DATE_WEEKDAY,
    Shape.SHORT_WEEKDAY: PhiKind.DATE_WEEKDAY,
    Shape.HOLIDAY: PhiKind.DATE_HOLIDAY,
    Shape.YEAR: PhiKind.DATE_YEAR,
    Shape.YEAR_SPAN: PhiKind.DATE_YEAR,
    Shape.SHORT_YEAR: PhiKind.DATE_YEAR,
    Shape.DECADE: PhiKind.DATE_YEAR,
    Shape.SHORT_DECADE: PhiKind.DATE_YEAR,
}
_SURE = {
    Shape.PAIR: 0.95,
    Shape.MONTH_YEAR: 0.95,
    Shape.YEAR: 0.8,
    Shape.HYPHEN_PAIR: 0.8,
    Shape.YEAR_MONTH: 0.8,
    Shape.SHORT_MONTH_YEAR: 0.8,
}
_DOUBTFUL = {Shape.PAIR: 0.6, Shape.HYPHEN_PAIR: 0.8}
"""Levels of confidence: the share of dates among the spans of a notation, measured on the training part of phi_notes; all other
notations were dates in 98 % of cases or more, or too rare to measure."""


@component("dates", outputs=[PhiCandidate])
class DateAnnotator(Annotator):
    """Marks dates and parts of dates, weekdays, holidays and seasons; durations, measures and clock times are not marked.

    `value` is the likeliest interpretation in ISO 8601 / EDTF level 1 (`2011-07-19`, `XXXX-03-05`, `2020-03-01/2020-03-05`).
    The masker decides between the interpretations of `3/4` by the other dates of the document. `confidence` is the share of
    dates among the spans of the same notation, in levels from 0.6 (`4/5` that only other dates of its month support) to 1.
    """

    languages: list[Literal["en", "de", "es", "fr", "it", "nl", "pt", "sv"]] = field(default_factory=lambda: ["en"])
    """Languages whose names of months and weekdays are recognized."""
    day_first: bool = False
    """Interpret `3/4/2020` as 3 April, not March 4, if nothing else decides."""
    latest_year: int = LATEST_YEAR
    """Last of the hundred years that two digits can mean: with 2035, `35` is 2035 and `36` is 1936."""

    def __post_init__(self) -> None:
        self._calendar  # noqa: B018  reports wrong languages at once

    @cached_property
    def _calendar(self) -> Calendar:
        return Calendar(tuple(self.languages), self.latest_year, self.day_first)

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        text, once = view.text, dict[str, str]()  # many values are equal: each is one string
        for date in find_dates(text, self._calendar):
            value = date.interpretations[0].iso()
            yield PhiCandidate(
                date.begin,
                date.end,
                kind=_kind(text, date),
                confidence=_confidence(date),
                value=once.setdefault(value, value),
                rule=date.rule,
            )


def _confidence(date: DateExpression) -> float:
    levels = _DOUBTFUL if date.doubt else _SURE
    return levels.get(date.shape, 0.9 if date.doubt else 1.0)


def _kind(text: str, date: DateExpression) -> PhiKind:
    before = text[max(0, date.begin - BEFORE) : date.begin]
    if (
        cues.BIRTH.search(before)
        or cues.BORN.search(before)
        or cues.BIRTH_AFTER.match(text[date.end : date.end + AFTER])
    ):
        return PhiKind.DATE_BIRTH
    if cues.DEATH.search(before):
        return PhiKind.DATE_DEATH
    return _KINDS.get(date.shape, PhiKind.DATE)
