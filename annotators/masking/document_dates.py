"""The dates of one document: resolves ambiguous numeric dates and completes partial ones and the ends of intervals."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..dates.interpretation import DateInterpretation, PartialDate
from ..dates.parse import parse_date
from .date_arithmetic import representative_day
from .operator import Context, Mention

Order = Literal["MDY", "DMY"]
Parse = Callable[[str], tuple[DateInterpretation, ...]]

_EDGE = " \t\n\r,.;:()[]"
_LEAD = lazy_regex(
    rf"(?:[{re.escape(_EDGE)}]|(?:on|in|at|since|until|till|by|from|before|after|during|the|of|about)\s)*", re.I
)
_SURROGATE = lazy_regex("[\ud800-\udfff]")
_FOUR_DIGITS = lazy_regex(r"\d{4}")


@dataclass(frozen=True, slots=True)
class _FullDate:
    """A date of the document that is stated in full: its span, a day within it, and whether a holiday names it."""

    begin: int
    end: int
    day: datetime.date
    named: bool


class DocumentDates:
    """Parses the date mentions of a document together.

    Ambiguous numbers take the layout that fits most dates of the document (Table 9 of the VigiBase system: each date
    counts for every layout it can be read in); then the order of day and month that most numbers show; then `ambiguous`, or if
    it is None the order that the finder preferred.
    """

    def __init__(self, mentions: Sequence[Mention], ambiguous: Order | None, parse: Parse | None = None) -> None:
        self._parse = parse or parse_date
        self._ambiguous: Order | None = ambiguous
        self._cache: dict[tuple[str, str], tuple[DateInterpretation, ...]] = {}
        votes: Counter[str] = Counter()
        for mention in mentions:
            votes.update(sorted({_format(r, mention) for r in self._readings(mention)}))
        self._votes = votes
        orders: Counter[str] = Counter()
        for layout, count in votes.items():
            orders[order_of(layout)] += count
        if orders["MDY"] != orders["DMY"]:
            self._ambiguous = "MDY" if orders["MDY"] > orders["DMY"] else "DMY"
        self._newest = max((y for m in mentions if (y := self._year(m)) is not None), default=None)
        self._full_dates = list(self._find_full_dates(mentions))
        self._begins = [date.begin for date in self._full_dates]

    @classmethod
    def of(cls, context: Context, ambiguous: Order | None) -> DocumentDates:
        """Return the dates of a document while it is masked, computed once."""
        return context.remember(cls, ambiguous or "", lambda: cls(context.of_kind(PhiKind.DATE), ambiguous))

    def reading(self, mention: Mention) -> DateInterpretation | None:
        """Return how the mention is read in this document, or None if it cannot be parsed. A birth date with two digits of the
        year is not after the document's other dates."""
        reading = self._likeliest(mention)
        if reading is None or mention.kind is not PhiKind.DATE_BIRTH or self._newest is None:
            return reading
        year = reading.begin.decade if reading.begin.year is None else reading.begin.year
        if year is None or year <= self._newest or states_century(mention.text):
            return reading
        end = reading.end and century_before(reading.end)
        return replace(reading, begin=century_before(reading.begin), end=end)

    def _likeliest(self, mention: Mention) -> DateInterpretation | None:
        readings = self._readings(mention)
        if len(readings) < 2:
            return readings[0] if readings else None

        def preference(index: int) -> tuple[int, int, int]:
            order = order_of(readings[index].layout)
            votes = self._votes[_format(readings[index], mention)]
            preferred = order == self._ambiguous if self._ambiguous else readings[index].iso() == mention.value
            return -votes, 0 if preferred else 1 if order else 2, index

        return readings[min(range(len(readings)), key=preference)]

    def value(self, mention: Mention) -> str:
        """Return the date as this document reads it, in ISO 8601 with the precision of the text; empty if it cannot be parsed."""
        reading = self.reading(mention)
        return "" if reading is None else reading.iso()

    def complete(self, mention: Mention, date: PartialDate) -> PartialDate | None:
        """Return the date with its missing upper parts, chosen so that it is as close as possible to the nearest full date in the
        text (the one before, if two are equally near) and its weekday, if stated, is right. None without a full date.
        """
        if representative_day(date) is not None:
            return date
        nearest = self._nearest_full_date(mention)
        return None if nearest is None else complete_near(date, nearest.day)

    def earliest(self, but: Callable[[int, int], bool]) -> datetime.date | None:
        """Return the earliest full date of the document, except those between offsets of which `but` is true.

        A holiday does not count: the text around it often tells which it is.
        """
        return min((d.day for d in self._full_dates if not d.named and not but(d.begin, d.end)), default=None)

    def latest(self) -> datetime.date | None:
        """Return the latest full date of the document."""
        return max((date.day for date in self._full_dates), default=None)

    def _readings(self, mention: Mention) -> tuple[DateInterpretation, ...]:
        key = (mention.text, mention.value)
        readings = self._cache.get(key)
        if readings is None:
            text = _SURROGATE.sub("\ufffd", mention.text)  # half a character cannot be searched by every engine
            readings = self._parse(" ".join(text.split()))
            if mention.value and mention.value not in [
                r.iso() for r in readings
            ]:  # the finder knew more: its languages
                year_only = mention.value.isdigit() and sum(map(str.isdigit, text)) > len(mention.value)
                known = () if year_only else self._parse(mention.value)  # 30 February is not a year
                stated = {_stated(r) for r in readings}  # a known birth date does not make a day of `born 1985`
                readings = tuple(r for r in known if not stated or _stated(r) in stated) or readings
            self._cache[key] = readings
        return readings

    def _year(self, mention: Mention) -> int | None:
        """Return the last year that a date states; None for birth dates."""
        reading = None if mention.kind is PhiKind.DATE_BIRTH else self._likeliest(mention)
        return None if reading is None else (reading.end or reading.begin).year

    def _find_full_dates(self, mentions: Sequence[Mention]) -> Iterator[_FullDate]:
        for mention in mentions:
            reading = self.reading(mention)
            for date in (reading.begin, reading.end) if reading else ():
                if date is None:
                    continue
                named = date.precision == "holiday"
                precise = date.precision in ("day", "month")
                day = date.to_date() if named else representative_day(date) if precise else None
                if day:
                    yield _FullDate(mention.begin, mention.end, day, named)

    def _nearest_full_date(self, mention: Mention) -> _FullDate | None:
        index = bisect_left(self._begins, mention.begin)

        def distance(date: _FullDate) -> tuple[int, int]:
            return max(date.begin - mention.end, mention.begin - date.end, 0), date.begin

        return min(self._full_dates[max(index - 2, 0) : index + 2], key=distance, default=None)


def complete_near(date: PartialDate, day: datetime.date) -> PartialDate | None:
    """Return the date with a year (and month) that make it as close as possible to `day`, or None if it has other gaps."""
    years = range(day.year - 1, day.year + 2)
    if date.year is None and (date.month is not None or date.season):
        choices = [replace(date, year=y) for y in years]
    elif date.year is None and date.day is not None:
        around = [(day.year * 12 + day.month - 1 + step) for step in (-1, 0, 1)]
        choices = [replace(date, year=m // 12, month=m % 12 + 1) for m in around]
    else:
        return None
    fitting = [(choice, when) for choice in choices if (when := representative_day(choice)) is not None]
    if date.weekday is not None:
        fitting = [(c, when) for c, when in fitting if when.weekday() == date.weekday] or fitting
    return min(fitting, key=lambda pair: (abs(pair[1] - day), pair[1]), default=(None, day))[0]


def edges(text: str) -> tuple[str, str]:
    """Return the prepositions, articles, white space and punctuation before a date expression, and the punctuation after it."""
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    return text[:begin], text[max(begin, len(text.rstrip(_EDGE))) :]


def century_before(date: PartialDate) -> PartialDate:
    """Return the same date a hundred years earlier."""
    year, decade = (None if number is None else number - 100 for number in (date.year, date.decade))
    return replace(date, year=year, decade=decade)


def states_century(text: str) -> bool:
    """Return whether a date has a year of four digits, or in words."""
    return _FOUR_DIGITS.search(text) is not None or not any(map(str.isdigit, text))


@cache
def order_of(layout: str) -> Literal["MDY", "DMY", ""]:
    """Return the order of day and month in a numeric layout, or an empty string if the year comes first or one is missing."""
    parts = re.findall("[A-Za-z]+", layout)
    if "M" not in parts or "D" not in parts or parts[0] in ("Y", "y"):
        return ""
    return "MDY" if parts.index("M") < parts.index("D") else "DMY"


def _stated(reading: DateInterpretation) -> tuple[bool, ...]:
    """Return which parts a reading states: year, month, day, season, decade, and whether it has two ends."""
    date = reading.begin
    parts = (date.year, date.month, date.day, date.season or None, date.decade, reading.end)
    return tuple(part is not None for part in parts)


def _format(reading: DateInterpretation, mention: Mention) -> str:
    """Return what is counted: the order of the parts and whether the year has four digits."""
    return reading.layout if _FOUR_DIGITS.search(mention.text) else reading.layout.replace("Y", "y")


End = tuple[PartialDate, PartialDate]
"""(the date as the text states it, the same with missing upper parts filled in)."""


def complete_ends(dates: DocumentDates, mention: Mention, reading: DateInterpretation) -> list[End] | None:
    """Return the ends of a reading in text order, or None if a part remains unknown.

    An end of an interval takes parts from its other end first (`5-7 Oct 2013`), then from the context.
    """
    if reading.end is None:
        full = dates.complete(mention, reading.begin)
        return None if full is None else [(reading.begin, full)]
    first, last = _share_parts(reading.begin, reading.end)
    full_last = dates.complete(mention, last)
    day = representative_day(full_last) if full_last else None
    if full_last is None or day is None:
        return None
    full_first: PartialDate | None = first
    if representative_day(first) is None:
        full_first = complete_near(first, day)
        start = representative_day(full_first) if full_first else None
        if full_first and full_first.year and start and start > day:
            full_first = replace(full_first, year=full_first.year - 1)
    if full_first is None or representative_day(full_first) is None:
        return None
    return [(first, full_first), (last, full_last)]


def _share_parts(first: PartialDate, last: PartialDate) -> tuple[PartialDate, PartialDate]:
    """Return both ends with what only the other one states: the month of `5-7 Oct`, the year of `Dec 2012 - 3 Jan`."""
    if first.day is not None and first.month is None and last.month is not None:
        before = last.day is not None and first.day > last.day
        first = replace(first, month=(last.month - 2) % 12 + 1 if before else last.month)
    elif last.day is not None and last.month is None and first.month is not None:
        after = first.day is not None and last.day < first.day
        last = replace(last, month=first.month % 12 + 1 if after else first.month)
    if first.year is None and last.year is not None and _can_take_year(first):
        same = replace(first, year=last.year)
        first = replace(first, year=last.year - 1) if _is_after(same, last) else same
    elif last.year is None and first.year is not None and _can_take_year(last):
        same = replace(last, year=first.year)
        last = replace(last, year=first.year + 1) if _is_after(first, same) else same
    return first, last


def _can_take_year(date: PartialDate) -> bool:
    return (date.month is not None or bool(date.season)) and date.decade is None


def _is_after(one: PartialDate, other: PartialDate) -> bool:
    a, b = representative_day(one), representative_day(other)
    return a is not None and b is not None and a > b
