"""`year`: dates reduced to their year, as Safe Harbor allows; `relative`: dates as days from a reference date."""

from __future__ import annotations

import datetime
from typing import Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind, RecordField
from ...dates.interpretation import PartialDate
from ...dates.parse import parse_date
from ..calendar_contract import OLDEST, CalendarContract
from ..date_arithmetic import parse_iso, representative_day
from ..document_dates import DocumentDates, Order, complete_ends
from ..operator import Context, Fallback, Mention, Operator, Outcome
from ..time_span import TimeSpan, time_span


@part("year")
class Year(Operator):
    """Writes only the year of a date: `2005`, `2004-2005` for an interval, `2010s` for a decade.

    A date without a stated year becomes a placeholder, and so does a year more than 89 years before the document's latest
    full date: it may reveal an age over 89 (45 CFR 164.514(b)(2)(i)(C)).
    """

    earliest: int | None = None
    """Years before this one become placeholders."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        dates = DocumentDates.of(context, "MDY")
        reading = dates.reading(mention)
        if reading is None:
            return Fallback("date not read")
        ends = complete_ends(dates, mention, reading) or [(d, d) for d in (reading.begin, reading.end) if d]
        if any(stated.year is None and stated.decade is None for stated, _ in ends):
            return Fallback("no year said")
        years = [stated.year if stated.year is not None else stated.decade or 0 for stated, _ in ends]
        latest = dates.latest()
        if self.earliest is not None and min(years) < self.earliest:
            return Fallback("a year before the earliest")
        if latest is not None and latest.year - min(years) > OLDEST:
            return Fallback(f"a year that may tell an age over {OLDEST}")
        words = [f"{y:04d}" if stated.year is not None else f"{y}s" for y, (stated, _) in zip(years, ends, strict=True)]
        return "-".join(dict.fromkeys(words))

    def normalize(self, mention: Mention, context: Context) -> str:
        return DocumentDates.of(context, "MDY").value(mention)

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """Return the year, unless it is more than 89 years before the latest full date of the text and the record."""
        date = parse_iso(value)
        if date is None or date.year is None or (self.earliest is not None and date.year < self.earliest):
            return None
        latest = context.remember(self, "latest", lambda: self._latest_year(context))
        return None if latest is None or latest - date.year > OLDEST else f"{date.year:04d}"

    def _latest_year(self, context: Context) -> int | None:
        """Return the latest year of a full date of the text or a date field of the record."""
        latest = DocumentDates.of(context, "MDY").latest()
        dates = [parse_iso(f.value) for f in context.cas.select(RecordField) if f.kind.top is PhiKind.DATE]
        days = [day for date in dates if date is not None and (day := representative_day(date)) is not None]
        return max((day.year for day in (*days, latest) if day is not None), default=None)


@part("relative")
class Relative(Operator):
    """Writes `[DAY 12]`, `[MONTH -2]` or `[YEAR 1]`: the distance of a day, month or year from the reference date.

    A partial date takes its missing parts from the nearest full date of the document. Seasons, decades, holidays, weekdays
    and dates that cannot be parsed become placeholders, and so do dates 90 years or more from the reference. Needs no key: only
    distances remain of the calendar.
    """

    reference: Literal["auto", "earliest", "birth"] = "auto"
    """`earliest` date of the document, the date of `birth` found in it, or `auto`: the one in the document's metadata if
    there is one, else the earliest."""
    metadata: str = "reference_date"
    """Name of the document metadata that contains the reference date, for `auto`: a day in ISO 8601 or another notation that
    allows only one order of day and month."""
    ambiguous: Order = "MDY"
    """How `03/04/2020` is read if the document's other dates do not decide it."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        dates = DocumentDates.of(context, self.ambiguous)
        reading = dates.reading(mention)
        if reading is None:
            return Fallback("date not read")
        start = context.remember(self, "reference", lambda: self._reference(context, dates))
        if start is None:
            return Fallback("no reference date")
        ends = complete_ends(dates, mention, reading)
        if ends is None:
            return Fallback("a part of the date is missing")
        if any(_far(full, start) for _, full in ends):
            return Fallback(f"a distance that may tell an age over {OLDEST}")
        words = [_distance(full, start) for _, full in ends]
        if not all(words):
            return Fallback(f"a {reading.begin.precision} has no distance in days")
        return f"[{' to '.join(words)}]"

    def normalize(self, mention: Mention, context: Context) -> str:
        return DocumentDates.of(context, self.ambiguous).value(mention)

    def _reference(self, context: Context, dates: DocumentDates) -> datetime.date | None:
        given = context.cas.metadata.get(self.metadata, "") if self.reference == "auto" else ""
        if given:
            days = {reading.begin.to_date() if reading.end is None else None for reading in parse_date(given)}
            return days.pop() if len(days) == 1 else None
        if self.reference != "birth":
            return dates.earliest(but=CalendarContract.of(context, OLDEST).hides)
        for mention in context.of_kind(PhiKind.DATE_BIRTH):
            reading = dates.reading(mention)
            born = reading.begin.to_date() if reading else None
            if born:
                return born
        return None


def _far(date: PartialDate, start: datetime.date) -> bool:
    span = time_span(date)
    reference = TimeSpan(start, start, "day")
    years = OLDEST + 1
    return span is not None and (span.years_before(reference, years) or reference.years_before(span, years))


def _distance(date: PartialDate, start: datetime.date) -> str:
    day = representative_day(date)
    if day is None:
        return ""
    if date.precision == "day":
        return f"DAY {(day - start).days}"
    if date.precision == "month":
        return f"MONTH {(day.year - start.year) * 12 + day.month - start.month}"
    return f"YEAR {day.year - start.year}" if date.precision == "year" else ""
