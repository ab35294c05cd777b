"""`relative`: dates as days from a reference date."""

from __future__ import annotations

import datetime
from typing import Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ...dates.interpretation import PartialDate
from ..date_arithmetic import representative_day
from ..document_dates import DocumentDates, Order, complete_ends
from ..operator import Context, Fallback, Mention, Operator, Outcome


@part("relative")
class Relative(Operator):
    """Writes `[DAY 12]`, `[MONTH -2]` or `[YEAR 1]`: the distance of a day, month or year from the reference date.

    A partial date takes its missing parts from the nearest full date of the document. Seasons, decades, holidays, weekdays
    and dates that cannot be parsed become placeholders. Needs no key: only distances remain of the calendar.
    """

    reference: Literal["auto", "earliest", "birth"] = "auto"
    """`earliest` date of the document, the date of `birth` found in it, or `auto`: the one in the document's metadata if
    there is one, else the earliest."""
    metadata: str = "reference_date"
    """Name of the document metadata that contains the reference date (ISO 8601), for `auto`."""
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
        words = [_distance(full, start) for _, full in ends]
        if not all(words):
            return Fallback(f"a {reading.begin.precision} has no distance in days")
        return f"[{' to '.join(words)}]"

    def _reference(self, context: Context, dates: DocumentDates) -> datetime.date | None:
        given = context.cas.metadata.get(self.metadata, "") if self.reference == "auto" else ""
        if given:
            try:
                return datetime.date.fromisoformat(given[:10])
            except ValueError:
                return None
        if self.reference != "birth":
            return dates.earliest()
        for mention in context.of_kind(PhiKind.DATE_BIRTH):
            reading = dates.reading(mention)
            born = reading.begin.to_date() if reading else None
            if born:
                return born
        return None


def _distance(date: PartialDate, start: datetime.date) -> str:
    day = representative_day(date)
    if day is None:
        return ""
    if date.precision == "day":
        return f"DAY {(day - start).days}"
    if date.precision == "month":
        return f"MONTH {(day.year - start.year) * 12 + day.month - start.month}"
    return f"YEAR {day.year - start.year}" if date.precision == "year" else ""
