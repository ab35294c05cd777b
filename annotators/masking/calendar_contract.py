"""The calendar contract: dates and ages from which a reader could compute an age over 89 do not stay.

45 CFR 164.514(b)(2)(i)(C) withholds all ages over 89 "and all elements of dates (including year) indicative of such age".
A shifted date keeps its distance to the others, so the rule holds for shifted dates as for original ones.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind, RecordField
from ..dates import cues
from ..dates.calendar import LATEST_YEAR
from ..dates.interpretation import PartialDate
from ..dates.parse import parse_date
from .age_reading import years_of, years_since, youngest
from .date_arithmetic import parse_iso
from .document_dates import DocumentDates, century_before, complete_ends, states_century
from .operator import Context, Mention
from .past_ages import had_then
from .time_span import TimeSpan, later_by_years, time_span

OLDEST = 89
"""The greatest age in years that 45 CFR 164.514(b)(2)(i)(C) lets stay."""
BIRTH = "a date that may tell an age over {}"
AGE = "an age that may tell one over {} with the dates"

_BOUNDARY = lazy_regex(r"[.!?;]\s+(?=[A-Z(\d])|\n[ \t]*(?=\n)")
"""The end of a sentence or paragraph."""
_TYING = frozenset(
    "a actual aged age an and around as at back became becomes become being birthday bday b day by celebrated celebrates came "
    "celebrate circa died during feb female gentleman he her him his i in is lady male man now of old on or patient pt reached "
    "s she since that the then they to turned turning turns until up was were when who will be woman year years yr yrs yo y "
    "o m f summer spring autumn fall winter early late mid last next this seen".split()
)
"""Words that may be between an age and the date at which a person has it."""
_NEAR = 400
"""Code points between an age and the dates of its sentence."""
_WORD = lazy_regex(r"[^\W\d_]+")
_LONGEST_TIE = 48
"""Code points between an age and its date."""
_BESIDE = 14
"""Code points beside an age and its date in which a word may say that it is a birthday."""
_BIRTHDAY = lazy_regex(
    r"\b(?:turn(?:s|ed|ing)?|b(?:irth)?-?day|be(?:came|comes?)|celebrat\w+|will be|reach\w*)\b", re.IGNORECASE
)
_ISO_DAY = lazy_regex(r"\d{4}-\d\d-\d\d(?!\d)")
_YEAR = lazy_regex(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_LAST = datetime.date(LATEST_YEAR, 12, 31)
_NONE = datetime.timedelta(0)
_UNDATED = TimeSpan(_LAST, _LAST, "day")
"""The newest date of a text that no day dates."""
_UNSURE_YEARS = 10
"""Two digits of a birth date may mean the century before if they are among that many last years of `LATEST_YEAR`."""
_GAP = 4
"""Two digits may mean the century before if the date is more than that many years after all other dates."""


@dataclass(frozen=True, slots=True)
class _Dated:
    """A date of the document or its record: what it may mean, and whether it is a birth date."""

    span: TimeSpan
    birth: bool
    mention: Mention | None = None
    earlier: TimeSpan | None = None
    """The same date a century before, if the text has only two digits of the year."""


class CalendarContract:
    """Decides which mentions of a document would let a reader compute an age over a limit.

    1. A date more than `oldest` years before the newest date of the text and its record (fields, known PHI, metadata) is taken
       for the birth date of a person who was older, under any name. A date that is called a birth date counts as over
       the limit if no day tells when the text was written (a year may be that of an illness); then the newest date is
       the end of `LATEST_YEAR`.
    2. The date of a birthday over the limit (`turned 90 on 3/4/2019`).
    3. A readable age to which the years up to the newest date add up to more than the limit: `age 85 in 2012`, seen in 2021. It
       belongs to the dates of its sentence (years only if few words are between, or if the sentence says that the person had it
       then: `was 40 when she emigrated in 1955`), else to any day or month of the text. If the text keeps a birth date that fits
       the age, the age tells no more than it.

    Times of different precision (a year and a day) may come nearer or part by half of the longer one when they are shifted, so
    they count as that much longer.
    """

    def __init__(self, context: Context, oldest: int = OLDEST) -> None:
        self._text, self._oldest = context.text, oldest
        self._reasons: dict[tuple[int, int], str] = {}
        dates = DocumentDates.of(context, None)
        dated = [d for mention in context.of_kind(PhiKind.DATE) for d in _dates_of(dates, mention, context)]
        record = list(_record(context))
        self._ends = [match.end() for match in _BOUNDARY.finditer(context.text)]
        self._newest = self._latest([*dated, *record])
        visits = {d.span for d in (*dated, *record) if not d.birth}
        stated = (*(d for d in dated if d.mention is not None), *record)
        self._undated = not any(self._dates_the_text(d) for d in stated)
        self._two_newest = sorted(visits, key=lambda span: (span.last, span.first), reverse=True)[:2]
        for date in dated:
            if date.mention is not None and self._tells(date):
                self._hide(date.mention, BIRTH)
        self._births = {
            (d.span.first.year, d.span.last.year) for d in (*dated, *record) if d.birth and not self._hidden(d)
        }
        self._others = [d for d in dated if not d.birth and d.mention is not None]
        self._begins = [d.mention.begin for d in self._others if d.mention is not None]
        self._years = {year for d in self._others for year in range(d.span.first.year, d.span.last.year + 1)}
        self._earliest = _earliest([*self._others, *record])
        for age in context.of_kind(PhiKind.AGE):
            if years_of(age.text) is not None:
                self._judge(age)

    @classmethod
    def of(cls, context: Context, oldest: int) -> CalendarContract:
        """Return the contract of a document while it is masked, computed once."""
        return context.remember(cls, str(oldest), lambda: cls(context, oldest))

    def reason(self, mention: Mention) -> str:
        """Return why the mention must not stay, in no form; empty if it may."""
        return self._reasons.get((mention.begin, mention.end), "")

    def hides(self, begin: int, end: int) -> bool:
        """Return whether the mention between two offsets must not stay."""
        return (begin, end) in self._reasons

    def hides_field(self, value: str, kind: PhiKind) -> bool:
        """Return whether a date or an age of the record must not stay, like one of the text without dates in its sentence."""
        if kind.top is PhiKind.AGE:
            low = youngest(value)
            left = self._oldest - int(low or 0)
            return low is not None and not self._fits(int(low)) and any(self._outgrows(s, left) for s in self._earliest)
        date = parse_iso(value[:10])
        span = None if date is None else time_span(date)
        return span is not None and self._tells(_Dated(span, kind is PhiKind.DATE_BIRTH))

    def _hide(self, mention: Mention, reason: str) -> None:
        self._reasons.setdefault((mention.begin, mention.end), reason.format(self._oldest))

    def _hidden(self, date: _Dated) -> bool:
        return self._tells(date) if date.mention is None else bool(self.reason(date.mention))

    def _latest(self, dated: list[_Dated]) -> list[TimeSpan]:
        """Return the latest time of each precision; the end of `LATEST_YEAR` if there are only birth dates."""
        visited = any(not date.birth for date in dated)
        latest: dict[str, TimeSpan] = {}
        for date in dated if visited else ():
            known = latest.get(date.span.precision)
            if known is None or date.span.last > known.last:
                latest[date.span.precision] = date.span
        return list(latest.values()) or [_UNDATED]

    def _tells(self, date: _Dated) -> bool:
        """Return whether a date is more than `oldest` years before the newest one."""
        if any(date.span.years_before(newest, self._oldest + 1) for newest in self._newest):
            return True
        if date.birth and self._undated and date.span.years_before(_UNDATED, self._oldest + 1):
            return True
        if date.earlier is None:
            return False
        newest = next((span for span in self._two_newest if span != date.span), None)
        if newest is None:
            unsure = date.birth and date.span.first.year > LATEST_YEAR - _UNSURE_YEARS
            return unsure and date.earlier.years_before(_UNDATED, self._oldest + 1)
        if date.span.first <= later_by_years(newest.last, _GAP):
            return False
        return date.earlier.years_before(newest, self._oldest + 1)

    def _judge(self, age: Mention) -> None:
        low, high = youngest(age.text) or 0.0, years_of(age.text) or 0.0
        near = list(self._near(age))
        tied = [d for d in near if d.mention is not None and self._tied(age, d.mention)]
        if high > self._oldest:
            for date in tied:
                if date.mention is not None and self._celebrates(age, date.mention):
                    self._hide(date.mention, BIRTH)
            return
        if low + years_since(self._text, age.begin, age.end) > self._oldest:
            self._hide(age, AGE)
            return
        if self._fits(int(low)):
            return
        placed = [d.span for d in tied or near if tied or d.span.precision in ("day", "month")]
        past = [d.span for d in near if d.mention is not None and self._had_then(age, d.mention)]
        left = self._oldest - int(low)
        if any(self._outgrows(span, left) for span in (*past, *(placed or self._earliest))) or (
            self._undated and any(later_by_years(span.first, max(left, 1)) < _LAST for span in past)
        ):
            self._hide(age, AGE)

    def _outgrows(self, span: TimeSpan, years: int) -> bool:
        """Return whether the newest date is more than that many years after a time, at least one year."""
        limit = later_by_years(span.first, max(years, 1))
        latest = [n.last + (n.slack(span) if span.precision != "day" else _NONE) for n in self._newest]
        return any(last > limit or (not years and last == limit) for last in latest)

    def _near(self, age: Mention) -> Iterator[_Dated]:
        """Yield the dates of the age's sentence, up to a number of code points away."""
        first = bisect_left(self._begins, age.begin - _NEAR)
        for date in self._others[first : bisect_left(self._begins, age.end + _NEAR)]:
            if date.mention is not None and self._sentence(date.mention) == self._sentence(age):
                yield date

    def _celebrates(self, age: Mention, date: Mention) -> bool:
        begin, end = min(age.begin, date.begin), max(age.end, date.end)
        return _BIRTHDAY.search(self._text, max(0, begin - _BESIDE), end + _BESIDE) is not None

    def _fits(self, years: int) -> bool:
        """Return whether the text keeps the birth date of a person who has the age in a year of the text."""
        return any(
            not self._years or not self._years.isdisjoint(range(first + years, last + years + 2))
            for first, last in self._births
        )

    def _sentence(self, mention: Mention) -> int:
        return bisect_left(self._ends, mention.begin + 1)

    def _dates_the_text(self, date: _Dated) -> bool:
        """Return whether a date may tell when the text was written: a day that is not a birth date and not a life ago."""
        day = not date.birth and date.span.precision == "day"
        return day and not date.span.years_before(_UNDATED, self._oldest + 1)

    def _had_then(self, age: Mention, date: Mention) -> bool:
        return had_then(self._text, (age.begin, age.end), (date.begin, date.end))

    def _tied(self, age: Mention, date: Mention) -> bool:
        first, second = sorted((age, date), key=lambda m: m.begin)
        between = self._text[first.end : second.begin]
        if len(between) > _LONGEST_TIE:
            return False
        return not any(c.isdigit() for c in between) and all(w.lower() in _TYING for w in _WORD.findall(between))


def _dates_of(dates: DocumentDates, mention: Mention, context: Context) -> Iterator[_Dated]:
    """Yield the dates of a mention that state a year or take it from the text around them."""
    text = context.text
    before, after = text[max(0, mention.begin - 48) : mention.begin], text[mention.end : mention.end + 24]
    named = cues.BORN.search(before) is not None or cues.BIRTH_AFTER.match(after) is not None
    birth = (named or mention.kind is PhiKind.DATE_BIRTH) and cues.NTH_BIRTHDAY.search(before) is None
    reading = dates.reading(mention)
    if reading is None:
        for year in _YEAR.findall(mention.text):
            span = time_span(PartialDate(int(year)))
            if span is not None:
                yield _Dated(span, birth, mention)
        return
    ends = complete_ends(dates, mention, reading) or [(d, d) for d in (reading.begin, reading.end) if d is not None]
    for stated, full in ends:
        span = time_span(full)
        if span is None:
            continue
        says_year = stated.year is not None or stated.decade is not None
        short = span.first.year > 1999 and says_year and not states_century(mention.text)
        earlier = time_span(century_before(full)) if short else None
        yield _Dated(span, birth and says_year, mention if says_year else None, earlier)


def _earliest(dated: list[_Dated]) -> list[TimeSpan]:
    """Return the earliest day and the earliest month."""
    earliest: dict[str, TimeSpan] = {}
    for date in dated:
        known = earliest.get(date.span.precision)
        if not date.birth and (known is None or date.span.first < known.first):
            earliest[date.span.precision] = date.span
    return [earliest[precision] for precision in ("day", "month") if precision in earliest]


def _record(context: Context) -> Iterator[_Dated]:
    """Yield the dates of the record: its fields, known PHI, and days in ISO 8601 in the metadata."""
    found = [(parse_iso(f.value[:10]), f.kind) for f in context.cas.select(RecordField) if f.kind.top is PhiKind.DATE]
    for known in context.cas.known_phi:
        if known.kind.top is PhiKind.DATE:
            found += [(r.begin, known.kind) for r in parse_date(known.value) if r.end is None]
    for _, value in sorted(context.cas.metadata.items()):
        if isinstance(value, str) and _ISO_DAY.match(value):  # a number of four digits may be an identifier
            found.append((parse_iso(value[:10]), PhiKind.DATE))
    for date, kind in found:
        span = time_span(date) if date is not None else None
        if span is not None:
            yield _Dated(span, kind is PhiKind.DATE_BIRTH)
