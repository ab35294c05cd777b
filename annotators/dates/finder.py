"""Finds dates in text: a fast pass for offsets where a date could begin, rules and guards there, then the doubtful dates."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...pipeline.storage.lazy_regex import lazy_regex
from ..reading import as_read
from .calendar import ENGLISH, SEASONS, Calendar
from .counted_dates import PLACES
from .evidence import supported
from .expression import DateExpression, ExpressionMatcher
from .holidays import HOLIDAYS
from .lists import with_lists
from .numerals import ORDINAL, YEAR
from .other_calendars import ABBREVIATIONS, OTHER_MONTHS
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


_NOT_ASCII = tuple(word for word in OTHER_MONTHS if not word.isascii())
"""Months at whose ends google-re2 sees no boundary of words."""


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
        rf"\b\d{{1,2}}{_DASH}(?:\d{{1,2}}|[ivx]{{1,4}})\b",
        r"\b\d{1,2}[.]\s?\d{1,2}[.](?:\s|[,;:)]|$)|\b[0-3]\d[.][01]\d\b|\b\d{1,2}\s[ivx]{1,4}\s(?:19|20)\d\d",
        r"\b\d{1,2}[.][ivx]{1,4}\b",
        r"\b\d{1,2}[.-](?:19|20)\d\d\b",
        r"(?:18|19|20)\d\ds?",
        r"\b21\d\d[-/.]\d{1,2}[-/.]\d",
        r"\b\d{6}(?:\d\d)?\b",
        r"\b\d\d \d\d (?:19|20)\d\d\b|\b(?:dob|birth|born):?\s\d\d \d\d \d\d\b",
        rf"\d{{1,2}}(?:er|[º°.])?[\s/-]?(?:d[eo]\s)?(?:{_words((*OTHER_MONTHS, *ABBREVIATIONS))})\b"
        rf"|\b(?:{_words(OTHER_MONTHS)})[\s/-](?:d[eo]l?\s)?\d",
        rf"\d{{1,2}}[.]?\s?(?:{_words(_NOT_ASCII)})|(?:{_words(_NOT_ASCII)})[\s.]{{1,2}}\d",
        rf"\b(?:19|20)\d\d[.]?\s(?:{_words(OTHER_MONTHS)})",
        *PLACES,
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


_UNKNOWN_DAY = lazy_regex(r"(?<!\w)(?:xx|unk|un|uu|nk|--|\?\?)[-/ ]\Z", re.IGNORECASE)
_EARLIER_DAY = lazy_regex(
    r"(?<![\w.,/-])\d{1,2}(?:er|[.º°])?(?:\s(?:al?|bis|au|até|ao|tot|t/m|et|und|y|e|en)\s(?:(?:el|le|den|zum|il)\s)?|[.]\s?[-–]\s?)\Z",
    re.IGNORECASE,
)
"""The first day of an interval in another language: `2 al 4 de abril de 2022`, `2. bis 4. März 2022`."""
_START = lazy_regex(r"(?<![^\W_])[^\W_]|(?<=[^\W\d_])\d(?=\d?/\d{1,2}/\d\d)|['’‘](?=\d)")
"""The start of a word or number, or digits with two slashes directly after a letter."""
_ADDRESS = lazy_regex(r"(?:://|\bwww\.)[^\s<>\"]{0,120}\Z")


def find_dates(text: str, calendar: Calendar = ENGLISH) -> list[DateExpression]:
    """Return all date expressions of `text`, disjoint and in order. Linear in the length of the text."""
    text = as_read(text)
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
                date = _with_first_day(text, date)
                dates.append(date)
                done = date.end
                last = -done if date.doubt else done
    return with_lists(text, supported(text, dates), calendar)


def _with_first_day(text: str, date: DateExpression) -> DateExpression:
    """Return the date with the sign for an unknown day before its month, `XX-SEP-2014`, `UNK/NOV/2021`, or the first day of an
    interval."""
    if date.shape is not Shape.NAMED:
        return date
    unknown = _UNKNOWN_DAY.search(text, max(0, date.begin - 5), date.begin)
    earlier = unknown or _EARLIER_DAY.search(text, max(0, date.begin - 14), date.begin)
    return replace(date, begin=earlier.start()) if earlier else date
