"""`year`: dates reduced to their year, as Safe Harbor allows."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ....typesystem import PhiKind, RecordField
from ..context import Context
from ..date_arithmetic import calendar_date, point
from ..date_range import ends
from ..document_dates import DocumentDates
from ..operator import Fallback, Mention, Operator, Outcome

_OLDEST = 89


@part("year")
class Year(Operator):
    """Writes the year of a date and nothing else: `2005`, `2004-2005` for an interval, `2010s` for a decade.

    A date that does not say its year becomes a placeholder, and so does a year that lies more than 89 years before the
    document's latest full date: it may give away an age over 89 (45 CFR 164.514(b)(2)(i)(C)).
    """

    earliest: int | None = None
    """Years before this one become placeholders."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        dates = context.remember(self, "dates", lambda: DocumentDates(context.of_kind(PhiKind.DATE), "MDY"))
        reading = dates.reading(mention)
        if reading is None:
            return Fallback("date not read")
        found = ends(dates, mention, reading) or [(d, d) for d in (reading.begin, reading.end) if d]
        if any(said.year is None and said.decade is None for said, _ in found):
            return Fallback("no year said")
        years = [said.year if said.year is not None else said.decade or 0 for said, _ in found]
        latest = dates.latest()
        if self.earliest is not None and min(years) < self.earliest:
            return Fallback("a year before the earliest")
        if latest is not None and latest.year - min(years) > _OLDEST:
            return Fallback(f"a year that may tell an age over {_OLDEST}")
        words = [f"{y:04d}" if said.year is not None else f"{y}s" for y, (said, _) in zip(years, found, strict=True)]
        return "-".join(dict.fromkeys(words))

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """The year, unless it lies more than 89 years before the latest full date of the text and the record."""
        date = calendar_date(value)
        if date is None or date.year is None or (self.earliest is not None and date.year < self.earliest):
            return None
        latest = context.remember(self, "latest", lambda: self._latest(context))
        return None if latest is None or latest - date.year > _OLDEST else f"{date.year:04d}"

    def _latest(self, context: Context) -> int | None:
        """The latest year that a full date of the text or a date field of the record has."""
        said = DocumentDates(context.of_kind(PhiKind.DATE), "MDY").latest()
        dates = [calendar_date(f.value) for f in context.cas.select(RecordField) if f.kind.top is PhiKind.DATE]
        days = [day for date in dates if date is not None and (day := point(date)) is not None]
        return max((day.year for day in (*days, said) if day is not None), default=None)
