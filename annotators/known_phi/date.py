"""Finds a date of the record however it is written: `1960-04-14`, `4/14/60`, `14th of April 1960`, `april fourteenth`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...typesystem import PhiKind
from ..dates.calendar import LANGUAGES, Calendar
from .age import in_words
from .fold import fold, occurrences
from .page import Hit, Page


class _Day(NamedTuple):
    """A date with 0 for parts that are not known."""

    year: int
    month: int
    day: int


_MONTHS = {fold(word): number for word, number in Calendar(languages=LANGUAGES).months.items()}
_SEPARATOR = re.compile(r"\s?[-/.,]\s?|\s")
_MONTH_AFTER = re.compile(r"(?:st|nd|rd|th)?[\s,.\-/]{0,3}(?:of\s+)?([^\W\d_]{3,10})\.?")
_MONTH_BEFORE = re.compile(r"\b([^\W\d_]{3,10})\.?[\s,.\-/]{0,3}(?:the\s+)?$")
_YEAR_AFTER = re.compile(r"(?:st|nd|rd|th)?[\s,.\-/]{0,3}(?:of\s+)?['’]?(\d{4}|\d\d)(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,10}")
_CUE = re.compile(r"\b(?:born|birth(?:day|date)?|dob|d\.o\.b\.?|bday|b-day)\b[^.\n]{0,24}$")

_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
).split()
_TENTHS = {20: "twentieth", 30: "thirtieth"}


def ordinal_in_words(day: int) -> list[str]:
    """A day of the month in English words: ordinal first, then cardinal."""
    if day < 20:
        return [_ORDINALS[day], *in_words(day)]
    if day in _TENTHS:
        return [_TENTHS[day], *in_words(day)]
    tens = in_words(day - day % 10)[0]
    return [f"{tens}-{_ORDINALS[day % 10]}", f"{tens} {_ORDINALS[day % 10]}", *in_words(day)]


def readings(value: str) -> list[_Day]:
    """The dates a field of the record can mean: two where day and month are both below 13 and the order is not given."""
    text = fold(value.strip())
    parts = re.findall(r"\d+|[^\W\d_]+", text.partition("t")[0] if re.match(r"\d{4}-?\d\d-?\d\dt", text) else text)
    digits = [p for p in parts if p.isdigit()]
    month = next((_MONTHS[p] for p in parts if p in _MONTHS), 0)
    if month:
        years = [int(d) for d in digits if len(d) == 4]
        days = [int(d) for d in digits if len(d) <= 2]
        return _valid([_Day(years[0] if years else 0, month, days[0] if days else 0)])
    if len(digits) >= 3 and len(digits[0]) == 4:
        return _valid([_Day(int(digits[0]), int(digits[1]), int(digits[2]))])
    if len(digits) >= 3 and len(digits[2]) == 4:
        a, b, year = map(int, digits[:3])
        return _valid(list(dict.fromkeys((_Day(year, a, b), _Day(year, b, a)))))
    if len(digits) == 2 and len(digits[0]) == 4:
        return _valid([_Day(int(digits[0]), int(digits[1]), 0)])
    if digits and len(digits[0]) in (8, 12, 14):
        return _valid([_Day(int(digits[0][:4]), int(digits[0][4:6]), int(digits[0][6:8]))])
    if digits and len(digits[0]) == 6:
        return _valid([_Day(int(digits[0][:4]), int(digits[0][4:6]), 0)])
    return [_Day(int(digits[0]), 0, 0)] if digits and len(digits[0]) == 4 else []


def _valid(days: list[_Day]) -> list[_Day]:
    return [d for d in days if 0 <= d.month <= 12 and 0 <= d.day <= 31]


class DateMatcher:
    """A date of the record. Without its year, or as a year or month alone, it counts only after `born`, `DOB`, `birthday`."""

    def __init__(self, value: str, kind: PhiKind) -> None:
        self.kind = kind
        self.days = readings(value)
        full = [d for d in self.days if d.year and d.month and d.day]
        self.value = "%04d-%02d-%02d" % full[0] if len(full) == 1 else ""
        self.compact = {
            c
            for y, m, d in full
            for c in (f"{y:04d}{m:02d}{d:02d}", f"{d:02d}{m:02d}{y:04d}", f"{m:02d}{d:02d}{y:04d}")
            + tuple(f"{a:02d}{b:02d}{e:02d}" for a, b, e in ((y % 100, m, d), (d, m, y % 100), (m, d, y % 100)))
        }
        self.spoken = [
            (text, day)
            for day in full
            for month in (k for k, v in _MONTHS.items() if v == day.month and len(k) > 2 and k.isascii())
            for word in ordinal_in_words(day.day)
            for text in (f"{month} {word}", f"{month} the {word}", f"{word} of {month}")
        ]

    def find(self, page: Page) -> Iterator[Hit]:
        """Every place where the date stands."""
        if not self.days:
            return
        end = -1
        for begin, stop in sorted({*self._figures(page), *self._words(page)}, key=_longest_first):
            if begin >= end:
                yield Hit(begin, stop, self.kind, 1.0, "known date", self.value)
                end = stop

    def _figures(self, page: Page) -> Iterator[tuple[int, int]]:
        folded, numbers = page.folded, page.numbers
        for i, (begin, end, digits) in enumerate(numbers):
            if digits in self.compact:
                yield begin, end
                continue
            if len(digits) > 4:
                continue
            if i + 2 < len(numbers):
                (b2, e2, second), (b3, e3, third) = numbers[i + 1 : i + 3]
                if _SEPARATOR.fullmatch(folded, end, b2) and _SEPARATOR.fullmatch(folded, e2, b3):
                    if self._same(digits, second, third):
                        yield begin, e3
                    continue
            for day in self.days:
                if day.day and int(digits) == day.day and len(digits) <= 2:
                    yield from self._named(page, begin, end, day)
                elif day.year and int(digits) == day.year:
                    yield from self._year(page, begin, end, day)
            if i + 1 < len(numbers) and len(digits) <= 2:
                b2, e2, second = numbers[i + 1]
                pair = {int(digits), int(second)} if len(second) <= 2 else set()
                if folded[end:b2] in ("/", "-", ".") and any({d.day, d.month} == pair for d in self.days):
                    if _CUE.search(folded, max(0, begin - 40), begin):
                        yield begin, e2

    def _same(self, first: str, second: str, third: str) -> bool:
        """Whether three numbers are this date in one of the orders in use: D M Y, M D Y, Y M D."""
        for year, month, day in self.days:
            written = {f"{year:04d}", f"{year % 100:02d}"}
            if third in written and {(int(first), int(second))} & {(day, month), (month, day)} and day:
                return True
            if first in written and len(first) == 4 and (int(second), int(third)) == (month, day):
                return True
        return False

    def _named(self, page: Page, begin: int, end: int, day: _Day) -> Iterator[tuple[int, int]]:
        """The day in figures with the month by name beside it."""
        folded = page.folded
        after = _MONTH_AFTER.match(folded, end)
        if after and _MONTHS.get(after.group(1)) == day.month:
            yield from self._dated(page, begin, after.end(), day)
        before = _MONTH_BEFORE.search(folded, max(0, begin - 18), begin)
        if before and _MONTHS.get(before.group(1)) == day.month:
            year = _YEAR_AFTER.match(folded, end)
            suffix = re.compile(r"(?:st|nd|rd|th)?\b").match(folded, end)
            yield from self._dated(page, before.start(), end if year or not suffix else suffix.end(), day)

    def _dated(self, page: Page, begin: int, end: int, day: _Day) -> Iterator[tuple[int, int]]:
        """Day and month with the year after them; without a year only where birth is spoken of."""
        year = _YEAR_AFTER.match(page.folded, end)
        if year:
            if int(year.group(1)) in (day.year, day.year % 100):
                yield begin, year.end()
            return
        for words in _year_in_words(day.year):
            if page.folded.startswith(words, end + 1) or page.folded.startswith(words, end + 2):
                yield begin, page.folded.index(words, end) + len(words)
                return
        if not day.year or _CUE.search(page.folded, max(0, begin - 40), begin):
            yield begin, end

    def _year(self, page: Page, begin: int, end: int, day: _Day) -> Iterator[tuple[int, int]]:
        """The year with the month by name before it, or alone where birth is spoken of."""
        before = _MONTH_BEFORE.search(page.folded, max(0, begin - 18), begin)
        if before and day.month and _MONTHS.get(before.group(1)) == day.month:
            yield before.start(), end
        elif _CUE.search(page.folded, max(0, begin - 40), begin):
            yield begin, end

    def _words(self, page: Page) -> Iterator[tuple[int, int]]:
        """Day and month in words, with the year in words or figures after them."""
        for text, day in self.spoken:
            for at in occurrences(page.folded, text):
                yield from self._dated(page, at, at + len(text), day)


def _year_in_words(year: int) -> list[str]:
    if not 1900 <= year < 2100:
        return []
    century, rest = divmod(year, 100)
    heads = in_words(century) if century != 20 or rest > 9 else []
    found = [
        f"{head} {tail}" for head in heads for tail in (in_words(rest) if rest > 9 else [f"oh {_one(rest)}", "hundred"])
    ]
    if century == 20:
        found += [f"two thousand{link}{tail}" for link in (" ", " and ") for tail in (in_words(rest) if rest else [""])]
    return found


def _one(number: int) -> str:
    return in_words(number)[0]


def _longest_first(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]
