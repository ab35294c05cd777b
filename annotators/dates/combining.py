"""Combines interpretations: with a weekday, with a qualifier (`early`, `end of`), and as the two ends of an interval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...pipeline.storage.lazy_regex import lazy_regex
from .interpretation import DateInterpretation, Interpretations, PartialDate

QUALIFIER = lazy_regex(
    r"(?P<q>early|mid|late|(?:(?:very )?(?:end|beginning|start|middle)|(?:first|second|third|fourth|last|1st|2nd|3rd|4th) "
    r"(?:week|half|part|days|weekend))(?= of ))(?:[ ]?-[ ]?|[ ])(?:of (?:the (?=\d{4}s))?|to (?:mid|late)[- ])?",
    re.IGNORECASE,
)
_QUALIFIERS = {
    "early": "early", "late": "late", "end": "end", "last": "end", "beginning": "begin", "start": "begin", "first": "begin",
    "1st": "begin",
}  # fmt: skip


def split_qualifier(text: str) -> tuple[str, str]:
    """Return the qualifier at the beginning (early, mid, late, begin or end; empty if there is none) and the rest."""
    match = QUALIFIER.match(text)
    return (qualifier(match), text[match.end() :]) if match else ("", text)


def qualifier(match: re.Match[str]) -> str:
    """Normalize `early`, `the very end`, `first week` ... to early, mid, late, begin or end."""
    return _QUALIFIERS.get(match["q"].lower().removeprefix("very ").split()[0], "mid")


def qualified(interpretations: Iterable[DateInterpretation], word: str) -> Interpretations:
    """Return the interpretations with a qualifier on their first end."""
    return tuple(replace(r, begin=replace(r.begin, qualifier=word)) for r in interpretations)


def with_weekday(interpretations: Iterable[DateInterpretation], weekday: int) -> Interpretations:
    """Return the interpretations that name a day, with the weekday; if some fall on it, only those (`Friday, 3/4/2022`)."""
    named = [replace(r, begin=replace(r.begin, weekday=weekday)) for r in interpretations if r.begin.day is not None]
    fitting = [r for r in named if (day := r.begin.to_date()) is not None and day.weekday() == weekday]
    return tuple(fitting or named)


def interval(begins: Sequence[DateInterpretation], ends: Sequence[DateInterpretation]) -> Interpretations:
    """Return the interpretations of an interval: pairs of ends of the same layout, else the likeliest of each side."""
    fitting = [(b, e) for b in begins for e in ends if _parts(b) == _parts(e)]
    pairs = fitting or [(b, e) for b in begins[:1] for e in ends[:1]]
    return tuple(DateInterpretation(e.layout, borrow(b.begin, e.begin), e.begin) for b, e in pairs)


def borrow(first: PartialDate, later: PartialDate) -> PartialDate:
    """Return the first end of an interval with the year and month that only the later end gives (`5-7 Oct 2013`)."""
    if first.day is not None and first.month is None:
        first = replace(first, month=later.month)
    if first.year is None and later.year is not None and (first.month is not None or first.season):
        before = (first.month or 0) <= (later.month or 12)
        first = replace(first, year=later.year if before else later.year - 1)
    return first


def same_sort(a: DateInterpretation, b: DateInterpretation) -> bool:
    """Return True if two interpretations can be the ends of one interval: both dates, weekdays, years or seasons."""
    return _sort(a.begin) == _sort(b.begin)


def _sort(date: PartialDate) -> str:
    if date.season:
        return "season"
    if date.month is not None or date.day is not None:
        return "date"
    return "weekday" if date.weekday is not None else "year" if date.year is not None else "other"


def _parts(reading: DateInterpretation) -> str:
    return reading.layout.replace(" Y", "")
