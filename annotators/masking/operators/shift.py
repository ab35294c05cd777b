"""`shift`: dates moved by an offset that only the key holder knows."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from dateutil.relativedelta import relativedelta

from ....pipeline.contract.component import part
from ....pipeline.errors import ResourceError
from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import PhiKind
from ...dates.interpretation import WEEKDAYS, DateInterpretation, PartialDate
from ..date_arithmetic import moved, parse_iso, representative_day, shift_date
from ..date_format import Style, format_dates, format_like, match_case
from ..document_dates import DocumentDates, Order, complete_ends, edges
from ..operator import NO_KEY, Context, Fallback, KeyedOperator, Mention, Outcome, Span
from ..possible_offsets import kept_weekdays, possible

_BESIDE = lazy_regex(r"[\s,(]{0,3}(?:the\s)?")
_CLOCK = lazy_regex(r"\d{1,2}:\d{2}(?::\d{2})?")
_OUT_OF_RANGE = Fallback("year outside 1 to 9999")
OFFSETS = "possible_offsets"
"""Name of the document metadata that says how many offsets remain possible, `104 of 730`."""
MAX_DAYS = 365 * 400
"""Greatest offset that metadata or a table may give; more than four hundred years is a mistake."""


@part("shift")
class Shift(KeyedOperator):
    """Moves every date of a patient (or document) by the same number of days, derived with HMAC-SHA256 from the key.

    Intervals between full dates stay the same. Dates keep their resolution: a month, a year, a season or a decade moves by the
    nearest whole number of its length, so intervals between equal ones stay too. A partial date takes its missing parts from
    the nearest full date of the document; a weekday is computed from the date beside it. Holidays, weekdays alone and dates
    that cannot be parsed become placeholders, and so do all dates without a key.
    """

    days: tuple[int, int] = (-365, 365)
    """Interval of the offset in days, both ends included; the offset is never 0."""
    min_days: int = 1
    """Smallest offset in either direction (days)."""
    unit: Literal["days", "weeks"] = "days"
    """`weeks`: only offsets of whole weeks, so that weekdays stay right. Fewer offsets are possible: 104 instead of 730."""
    scope: Literal["patient", "document"] = "patient"
    """Scope of an offset: the dates of a patient or of a document. A document that names no patient has its own offset."""
    offset: str = "date_shift_days"
    """Name of the document metadata that contains a predetermined offset (whole days, not 0); it has priority over the key."""
    table: Path | None = None
    """CSV file without header, patient identifier and offset in days; it has priority over the key as well."""
    ambiguous: Order = "MDY"
    """How `03/04/2020` is read if the document's other dates do not decide it."""
    style: Style = "text"
    """`text` 13 Aug 2005, `seed` [13 AUGUST 2005], `iso` 2005-08-13, `original` as in the text (possibly ambiguous). With `text`,
    dates in digits without a day or a year keep their form: 02/2020, 03/04."""
    brackets: bool = False
    """Write shifted dates in brackets, so that a reader can distinguish them from dates that were missed."""
    time: Literal["drop", "keep"] = "drop"
    """Clock times within a date expression; time zones are always dropped."""
    season: bool = False
    """Keep the time of year: three small offsets for day, month and year instead of one. Intervals may change by days."""
    season_days: tuple[int, int] = (-7, 7)
    """Interval of the day offset with `season`."""
    season_months: tuple[int, int] = (-1, 1)
    """Interval of the month offset with `season`."""
    season_years: tuple[int, int] = (-3, 3)
    """Interval of the year offset with `season`."""

    private: ClassVar[tuple[str, ...]] = ("table",)
    reads_as_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("days", "season_days", "season_months", "season_years"):
            low, high = getattr(self, name)
            if low > high:
                raise ValueError(f"{name}: expected the lower end first, got {low} and {high}")
        if self.min_days < 1:
            raise ValueError(f"min_days: expected 1 or more, got {self.min_days}")
        if not any(self._choices):
            whole = " in whole weeks" if self.unit == "weeks" else ""
            raise ValueError(
                f"days: expected an offset of {self.min_days} days or more{whole} between {self.days[0]} and {self.days[1]}"
            )
        if self.season and self.unit == "weeks":
            raise ValueError("season: its offsets of days, months and years are not whole weeks; expected unit: days")
        if self.season and not self._triples:
            raise ValueError("season: the three intervals leave no offset but 0")

    def open(self) -> None:
        super().open()
        _ = self._table

    def mask(self, mention: Mention, context: Context) -> Outcome:
        offset = self._offset(context)
        if isinstance(offset, Fallback):
            return offset
        dates = DocumentDates.of(context, self.ambiguous)
        reading = dates.reading(mention)
        if reading is None:
            return Fallback("date not read")
        if reading.end is None and reading.begin.precision == "weekday":
            return self._weekday(mention, context, dates, offset)
        ends = complete_ends(dates, mention, reading)
        if ends is None:
            return _incomplete(reading)
        try:
            shifted = [shift_date(stated, full, offset) for stated, full in ends]
        except OverflowError:
            return _OUT_OF_RANGE
        return self._write(mention, reading, [date for date in shifted if date is not None])

    def normalize(self, mention: Mention, context: Context) -> str:
        return DocumentDates.of(context, self.ambiguous).value(mention)

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """Return the date shifted like the dates of the text, or None without a key or if it cannot be parsed."""
        offset = self._offset(context)
        date = parse_iso(value)
        if isinstance(offset, Fallback) or date is None:
            return None
        try:
            shifted = shift_date(date, date, offset)
        except OverflowError:
            return None
        return None if shifted is None else shifted.iso()

    def disclose(self, context: Context, written: Sequence[Span], replaced: Sequence[Span]) -> dict[str, str]:
        """Return how many offsets a reader of the masked text cannot exclude, `104 of 730`; nothing if no date was shifted or the
        offset was given. Weekdays that stay beside dates count, years that are unlikely do not."""
        offset = self._offset(context)
        if isinstance(offset, Fallback) or self._given(context):
            return {}
        dates = context.of_kind(PhiKind.DATE)
        spans = {(m.begin, m.end) for m in dates}.intersection(written)
        dates = [m for m in dates if (m.begin, m.end) in spans]
        if not dates:
            return {}
        shown = []
        readings = DocumentDates.of(context, self.ambiguous)
        for mention in dates:
            reading = readings.reading(mention)
            full = readings.complete(mention, reading.begin) if reading and reading.end is None else None
            day = full.to_date() if full is not None else None
            if day is not None:
                kept = kept_weekdays(context, mention, replaced)
                shown += [(moved(day, offset), weekday) for weekday in kept if weekday == day.weekday()]
        return {OFFSETS: f"{possible(self._offsets, shown)} of {len(self._offsets)}"}

    @cached_property
    def _offsets(self) -> list[relativedelta]:
        """All offsets that a patient may have."""
        if self.season:
            return [relativedelta(days=d, months=m, years=y) for d, m, y in self._triples]
        return [relativedelta(days=days) for choices in self._choices for days in choices]

    def _write(self, mention: Mention, reading: DateInterpretation, shifted: list[PartialDate]) -> str:
        keeps_form = self.style == "original" or (self.style == "text" and _is_bare(mention.text, reading))
        same_layout = format_like(mention.text, reading, shifted[0]) if keeps_form else None
        if same_layout is not None:
            return f"[{same_layout}]" if self.brackets else same_layout
        stated = [d for d in (reading.begin, reading.end) if d is not None]
        style = "text" if self.style == "original" else self.style
        text = format_dates(shifted, style, [self._time(d) for d in stated])
        lead, trail = edges(mention.text)
        return f"{lead}[{text}]{trail}" if self.brackets or style == "seed" else lead + text + trail

    def _time(self, date: PartialDate) -> str:
        clock = _CLOCK.search(date.time) if self.time == "keep" else None
        return clock.group() if clock else ""

    def _weekday(self, mention: Mention, context: Context, dates: DocumentDates, offset: relativedelta) -> Outcome:
        """Replace a weekday if a full date is beside it."""
        for other in context.neighbors(mention):
            first, second = sorted((mention, other), key=lambda m: m.begin)
            beside = _BESIDE.fullmatch(context.text[first.end : second.begin])
            reading = dates.reading(other) if beside and other.kind.top is PhiKind.DATE else None
            full = dates.complete(other, reading.begin) if reading and reading.end is None else None
            day = representative_day(full) if full and full.precision == "day" else None
            if day is None:
                continue
            try:
                name = WEEKDAYS[moved(day, offset).weekday()]
            except OverflowError:
                return _OUT_OF_RANGE
            text = match_case(name if len(mention.text) > 5 else name[:3], mention.text)
            return f"[{text}]" if self.brackets or self.style == "seed" else text
        return Fallback("weekday without a date")

    def _offset(self, context: Context) -> relativedelta | Fallback:
        return context.remember(self, "offset", lambda: self._make_offset(context))

    def _given(self, context: Context) -> str:
        """Return the offset that the metadata or the table give; empty if they give none."""
        return context.cas.metadata.get(self.offset) or self._table.get(context.patient(self.patient)) or ""

    def _make_offset(self, context: Context) -> relativedelta | Fallback:
        given = self._given(context)
        if given:
            try:
                days = int(given)
            except ValueError:
                return Fallback("the given offset is not a whole number")
            if abs(days) > MAX_DAYS:
                return Fallback("the given offset is out of range")
            if self.unit == "weeks" and days % 7:
                return Fallback("the given offset is not in whole weeks")
            return relativedelta(days=days) if days else Fallback("the given offset is 0")
        if self.secret is None:
            return NO_KEY
        subject = context.subject(self.scope, self.patient)
        if self.season:
            days, months, years = self.secret.choice(self._triples, "shift season", *subject)
            return relativedelta(years=years, months=months, days=days)
        earlier, later = self._choices
        number = self.secret.number(len(earlier) + len(later), "shift", *subject)
        return relativedelta(days=earlier[number] if number < len(earlier) else later[number - len(earlier)])

    @cached_property
    def _choices(self) -> tuple[range, range]:
        low, high = self.days
        if self.unit == "weeks":
            least = -(-self.min_days // 7)
            weeks = range(-(-low // 7), min(high // 7, -least) + 1), range(max(-(-low // 7), least), high // 7 + 1)
            return tuple(range(w.start * 7, w.stop * 7, 7) for w in weeks)  # type: ignore[return-value]  # two
        return range(low, min(high, -self.min_days) + 1), range(max(low, self.min_days), high + 1)

    @cached_property
    def _triples(self) -> list[tuple[int, int, int]]:
        return [
            (days, months, years)
            for years in range(self.season_years[0], self.season_years[1] + 1)
            for months in range(self.season_months[0], self.season_months[1] + 1)
            for days in range(self.season_days[0], self.season_days[1] + 1)
            if (days, months, years) != (0, 0, 0)
        ]

    @cached_property
    def _table(self) -> Mapping[str, str]:
        if self.table is None:
            return {}
        try:
            with self.table.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.reader(file) if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ResourceError(f"offset table {self.table}: {type(error).__name__}") from None
        for number, row in enumerate(rows, 1):
            if len(row) != 2 or not re.fullmatch(r"\s*[+-]?\d+\s*", row[1]):
                raise ResourceError(f"offset table {self.table}: row {number}: expected an identifier and whole days")
        return {row[0].strip(): row[1] for row in rows}


def _is_bare(text: str, reading: DateInterpretation) -> bool:
    """Return whether a date in digits lacks its day or its year: `02/2020`, `03/04`, `'09`. In words it would look like another
    precision."""
    partial = reading.begin.precision != "day" and reading.end is None
    return partial and text.strip()[:1] in "0123456789'’‘" and not any(c.isalpha() for c in text)


def _incomplete(reading: DateInterpretation) -> Fallback:
    if "holiday" in (reading.begin.precision, reading.end.precision if reading.end else ""):
        return Fallback("holiday")
    if reading.begin.precision == "day":
        return Fallback("no such day")
    return Fallback("a part of the date is missing")
