"""Finds dates in text: a fast pass for offsets where a date could begin, rules and guards there, then the doubtful dates."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from .calendar import ENGLISH, SEASONS, Calendar
from .context import joined
from .expression import DAYS, DateExpression, ExpressionMatcher
from .holidays import HOLIDAYS
from .numerals import ORDINAL, YEAR
from .rules import Shape
from .windows import compile_linear, spans

_GAP = r"[\s\x{A0}]{0,3}"
_DASH = "(?:[-–—‐‑])"
_DAY = rf"\d{{1,2}}(?:{_GAP}(?:st|nd|rd|th|er))?"
_OF = r"[\s\x{A0}.,/_–-]{0,5}(?:of\s|de\s|del\s|do\s|day\s(?:of\s)?)?(?:the\s)?"
_STAGE = (
    r"(?:early|mid|late|end|beginning|start|middle|"
    r"(?:first|second|third|fourth|last|\dst|\dnd|\drd|\dth)\s(?:week|half|part|days|weekend))"
)


def _words(forms: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, forms), key=lambda word: (-len(word), word)))


@functools.lru_cache(32)
def _pattern(calendar: Calendar) -> Any:
    months = _words(calendar.months)
    holidays = _words(HOLIDAYS).replace("'", "['’]").replace(r"\ ", r"\s{1,2}")
    places = (
        rf"\b\d{{1,2}}[.](?:{_GAP}\d{{1,2}}[.])?{_GAP}{_DASH}{_GAP}\d{{1,2}}[.]{_GAP}\d{{1,2}}[.]{_GAP}\d\d",
        rf"\d{{1,4}}{_GAP}[/\\]{{1,2}}{_GAP}\d{{1,4}}",
        rf"\d{{1,4}}{_GAP}(?:{_DASH}|[.]){_GAP}(?:\d{{1,2}}|[ivx]{{1,4}}){_GAP}(?:{_DASH}|[./\\]){_GAP}\d{{1,4}}",
        rf"{_DAY}{_GAP}(?:{_DASH}|/|&|to|through|thru|and|or|until){_GAP}{_DAY}{_OF}(?:{months})",
        rf"{_DAY}{_OF}(?:{months})",
        rf"\d{{1,2}}{_GAP}(?:st|nd|rd|th)\b",
        rf"(?:on|dated?|since|dob|:)\s(?:the\s)?\d{{1,2}}{_DASH}\d{{1,2}}\b",
        r"\b\d{1,2}[.-](?:19|20)\d\d\b",
        r"(?:18|19|20)\d\ds?",
        r"\b21\d\d[-/.]\d{1,2}[-/.]\d",
        r"\b\d{6}(?:\d\d)?\b",
        r"\b\d\d \d\d (?:19|20)\d\d\b",
        r"\bthe\s[2-9]0['’]?s\b",
        r"['’‘]\d\d",
        r"\b[1-4]q\s?['’]?\d\d|\bq[1-4](?:[\s/,-]|'?\d)|\bfy\s?['’]?\d\d",
        rf"\b{_STAGE}[\s-]|\b(?:first|second|third|fourth|last)\squarter\s",
        rf"(?:\b|_)(?:{months})(?:\b|\d|_)",
        rf"\b(?:{_words(calendar.weekdays)})",
        rf"\b(?:{_words(SEASONS)})\b",
        rf"\b(?:{holidays})\b",
        rf"\b{ORDINAL}\b|\b{YEAR}\b",
    )
    return compile_linear("|".join(places), max_mem=64 << 20)


def places(text: str, calendar: Calendar) -> Iterator[tuple[int, int]]:
    """Yield spans, in order and disjoint, in each of which one or more dates may begin."""
    return spans(_pattern(calendar), text)


_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[^\W\d_])\d(?=\d?/\d{1,2}/\d\d)|['’‘](?=\d)")
"""The start of a word or number, or digits with two slashes directly after a letter."""
_ADDRESS = re.compile(r"(?:://|\bwww\.)[^\s<>\"]{0,120}\Z")


def find_dates(text: str, calendar: Calendar = ENGLISH) -> list[DateExpression]:
    """Return all date expressions of `text`, disjoint and in order. Linear in the length of the text."""
    expressions = ExpressionMatcher(text, calendar)
    dates: list[DateExpression] = []
    done = last = 0
    addresses = "://" in text or "www." in text
    for begin, end in places(text, calendar):
        for start in _START.finditer(text, max(begin, done), end + 9):
            offset = start.start()
            if offset >= end:
                break
            if offset < done or (addresses and _ADDRESS.search(text, max(0, offset - 120), offset)):
                continue
            date = expressions.match_at(offset, last)
            if date is not None:
                dates.append(date)
                done = date.end
                last = -done if date.doubt else done
    return _resolve_doubt(text, dates)


def _resolve_doubt(text: str, dates: list[DateExpression]) -> list[DateExpression]:
    """Return the certain dates, and doubtful ones that share a month with a certain date or are next to one in a list."""
    sure = {date.begin for date in dates if not date.doubt}
    if len(sure) == len(dates):
        return dates
    months = {
        r.begin.month for date in dates if not date.doubt and date.shape in DAYS for r in date.interpretations
    } - {None}
    for date in dates:
        same_month = date.shape is Shape.ORDINAL or months & {r.begin.month for r in date.interpretations}
        if date.doubt == 1 and sure and same_month:
            sure.add(date.begin)
    neighbors = [pair for pair in pairwise(dates) if pair[0].shape is pair[1].shape]
    for first, second in (*neighbors, *reversed(neighbors)):
        if (first.begin in sure) is not (second.begin in sure) and joined(text[first.end : second.begin]):
            sure.update((first.begin, second.begin))
    return [date for date in dates if date.begin in sure]
