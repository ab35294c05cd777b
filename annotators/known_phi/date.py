"""Finds a date of the record in any layout: `1960-04-14`, `4/14/60`, `14th of April 1960`, `april fourteenth`.

For speed, only text around the day or the year is examined; the grammar of all dates is in `annotators/dates`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..dates.calendar import LANGUAGES, Calendar
from ..dates.numerals import ORDINALS
from ..dates.parse import parse_date
from .age import in_words
from .searchable_text import PhiMatch, SearchableText, fold, whole_word_offsets


class Day(NamedTuple):
    """A date with 0 for unknown parts."""

    year: int
    month: int
    day: int


_MONTHS = {fold(word): number for word, number in Calendar(languages=LANGUAGES).months.items()}
_SEPARATOR = lazy_regex(r"\s?[-/.,]\s?|\s")
_MONTH_AFTER = lazy_regex(r"(?:st|nd|rd|th)?[\s,.\-/]{0,3}(?:(?:of|de)\s+)?([^\W\d_]{3,10})\.?")
_MONTH_BEFORE = lazy_regex(r"\b([^\W\d_]{3,10})\.?[\s,.\-/]{0,3}(?:the\s+)?$")
_YEAR_AFTER = lazy_regex(r"(?:st|nd|rd|th)?[\s,.\-/]{0,3}(?:(?:of|de)\s+)?'?(\d{4}|\d\d)(?!\d)")
_DAY_BEFORE = lazy_regex(r"\d(?:st|nd|rd|th)?[\s,.\-/]{0,3}(?:of\s+)?$")
_SUFFIX = lazy_regex(r"(?:st|nd|rd|th)?\b")
_BORN = lazy_regex(r"\b(?:born|birth(?:day|date)?|dob|d\.o\.b\.?|bday|b-day)\b[^.\n]{0,24}$")
_COMPACT = lazy_regex(r"(\d{4})(\d\d)(\d\d)?\d*")


def ordinal_in_words(day: int) -> list[str]:
    """Return a day of the month in English words: ordinal first, then cardinal."""
    return [word for word, number in ORDINALS.items() if number == day] + in_words(day)


def interpretations(value: str) -> list[Day]:
    """Return the dates that a field of the record can mean: two if day and month are both below 13 and their order is unknown.

    Besides date expressions, HL7 timestamps of any precision are accepted: `1960`, `196004`, `19600414`, `196004141230`.
    """
    text = value.strip()
    compact = _COMPACT.fullmatch(text)
    if compact and len(text) in (6, 8, 10, 12, 14):
        days = [Day(int(compact[1]), int(compact[2]), int(compact[3] or 0))]
    else:
        dates = [r.begin for r in parse_date(text, languages=LANGUAGES) if r.end is None]
        days = [Day(d.year or 0, d.month or 0, d.day or 0) for d in dates]
    return [d for d in dict.fromkeys(days) if (d.year or d.month) and d.month <= 12 and d.day <= 31]


class DateMatcher:
    """Finds a date of the record. Without its year, or as a year or month alone, it counts only after `born`, `DOB`,
    `birthday`."""

    def __init__(self, value: str, kind: PhiKind) -> None:
        self.kind = kind
        self.days = interpretations(value)
        full = [d for d in self.days if d.year and d.month and d.day]
        self.value = f"{full[0].year:04d}-{full[0].month:02d}-{full[0].day:02d}" if len(full) == 1 else ""
        self.compact = {
            "".join(order)
            for d in full
            for year, month, day in (
                (f"{d.year:04d}", f"{d.month:02d}", f"{d.day:02d}"),
                (f"{d.year % 100:02d}", f"{d.month:02d}", f"{d.day:02d}"),
            )
            for order in ((year, month, day), (day, month, year), (month, day, year))
        }

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every statement of the date."""
        if not self.days:
            return
        end = -1
        for begin, stop in sorted({*self._numeric(document), *self._words(document)}, key=lambda s: (s[0], -s[1])):
            if begin >= end:
                yield PhiMatch(begin, stop, self.kind, 1.0, "known date", self.value)
                end = stop

    def _numeric(self, document: SearchableText) -> Iterator[tuple[int, int]]:
        folded, numbers = document.folded, document.numbers
        for i, (begin, end, digits) in enumerate(numbers):
            if digits in self.compact:
                yield begin, end
            elif len(digits) <= 4:
                following = numbers[i + 1 : i + 3]
                triple = len(following) == 2 and self._triple(folded, numbers[i], *following)
                if triple and self._same(digits, following[0][2], following[1][2]):
                    yield begin, following[1][1]
                for day in self.days:
                    if day.day and int(digits) == day.day and len(digits) <= 2:
                        yield from self._named(document, begin, end, day)
                    elif day.year and int(digits) == day.year:
                        yield from self._year(document, begin, end, day)
                if (
                    following
                    and not triple
                    and not (i and _SEPARATOR.fullmatch(folded, numbers[i - 1][1], begin))
                    and self._pair(folded, numbers[i], following[0])
                    and self._is_birth(document, begin)
                ):
                    yield begin, following[0][1]

    @staticmethod
    def _triple(folded: str, one: tuple[int, int, str], two: tuple[int, int, str], three: tuple[int, int, str]) -> bool:
        """Return whether three numbers are joined as in `4/14/1960`."""
        return bool(_SEPARATOR.fullmatch(folded, one[1], two[0]) and _SEPARATOR.fullmatch(folded, two[1], three[0]))

    def _pair(self, folded: str, one: tuple[int, int, str], two: tuple[int, int, str]) -> bool:
        """Return whether two numbers are day and month: `4/14`."""
        if folded[one[1] : two[0]] not in ("/", "-", ".") or len(one[2]) > 2 or len(two[2]) > 2:
            return False
        return any({d.day, d.month} == {int(one[2]), int(two[2])} for d in self.days)

    def _same(self, first: str, second: str, third: str) -> bool:
        """Return whether three numbers are this date in one of the common orders: D M Y, M D Y, Y M D."""
        for year, month, day in self.days:
            written = (f"{year:04d}", f"{year % 100:02d}")
            if third in written and day and (int(first), int(second)) in ((day, month), (month, day)):
                return True
            if first in written and len(first) == 4 and (int(second), int(third)) == (month, day):
                return True
        return False

    def _named(self, document: SearchableText, begin: int, end: int, day: Day) -> Iterator[tuple[int, int]]:
        """Yield the day, in digits or words, with the name of the month beside it."""
        folded = document.folded
        after = _MONTH_AFTER.match(folded, end)
        if after and _MONTHS.get(after[1]) == day.month:
            yield from self._dated(document, begin, after.end(), day)
        before = _MONTH_BEFORE.search(folded, max(0, begin - 18), begin)
        if before and _MONTHS.get(before[1]) == day.month:
            suffix = _SUFFIX.match(folded, end)
            yield from self._dated(document, before.start(), suffix.end() if suffix else end, day)

    def _dated(self, document: SearchableText, begin: int, end: int, day: Day) -> Iterator[tuple[int, int]]:
        """Yield day and month with the year after them; without a year only after a mention of birth."""
        year = _YEAR_AFTER.match(document.folded, end)
        if year:
            if int(year[1]) in (day.year, day.year % 100):
                yield begin, year.end()
            return
        for words in _year_in_words(day.year):
            year_begin = document.folded.find(words, end, end + 4 + len(words))
            if year_begin >= 0:
                yield begin, year_begin + len(words)
                return
        if not day.year or self._is_birth(document, begin):
            yield begin, end

    def _year(self, document: SearchableText, begin: int, end: int, day: Day) -> Iterator[tuple[int, int]]:
        """Yield the year with the name of the month before it, or alone after a mention of birth."""
        before = _MONTH_BEFORE.search(document.folded, max(0, begin - 18), begin)
        if before and day.month and _MONTHS.get(before[1]) == day.month:
            if not _DAY_BEFORE.search(document.folded, max(0, before.start() - 8), before.start()):
                yield before.start(), end
        elif self._is_birth(document, begin):
            yield begin, end

    def _words(self, document: SearchableText) -> Iterator[tuple[int, int]]:
        """Yield the day in words with the month beside it."""
        for day in self.days:
            if day.day and day.month:
                for words in ordinal_in_words(day.day):
                    for begin in whole_word_offsets(document.folded, words):
                        yield from self._named(document, begin, begin + len(words), day)

    @staticmethod
    def _is_birth(document: SearchableText, begin: int) -> bool:
        return _BORN.search(document.folded, max(0, begin - 40), begin) is not None


def _year_in_words(year: int) -> list[str]:
    if not 1900 <= year < 2100:
        return []
    century, rest = divmod(year, 100)
    tails = in_words(rest) if rest > 9 else [f"oh {in_words(rest)[0]}"] if rest else ["hundred"]
    spellings = [f"{head} {tail}" for head in in_words(century) for tail in tails] if century < 20 or rest > 9 else []
    if century == 20:
        ends = in_words(rest) if rest else [""]
        spellings += [f"two thousand{link}{end}" for link in (" ", " and ") for end in ends]
    return [words.strip() for words in spellings]
