"""`shift`: dates moved by an offset that only the key holder knows."""

from __future__ import annotations

import calendar
import csv
import datetime
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from ....pipeline.contract.component import part
from ....pipeline.errors import ResourceError
from ....typesystem import PhiKind
from ...dates.interpretation import WEEKDAYS, DateInterpretation, PartialDate
from ..context import Context
from ..date_arithmetic import Move, calendar_date, moved, point
from ..date_format import Style, written
from ..date_layout import in_case, like
from ..date_range import ends
from ..document_dates import DocumentDates, Order, edges
from ..keys import Keyed
from ..operator import NO_KEY, Fallback, Mention, Outcome

_BESIDE = re.compile(r"[\s,(]{0,3}(?:the\s)?")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_UNREAD = Fallback("date not read")
_OUTSIDE = Fallback("year outside 1 to 9999")


MOST_DAYS = 365 * 400
"""Offsets beyond four hundred years are a mistake of whoever gave them."""


@part("shift")
class Shift(Keyed):
    """Moves every date of a patient (or document) by the same number of days, drawn with HMAC-SHA256 from the key.

    Lengths between full dates stay what they were. Dates are written at the resolution they had: of a month, a year, a
    season or a decade the middle is moved, so these may round. A partial date takes its missing parts from the nearest full
    date of the document; a weekday is computed anew where a date stands beside it. Holidays, bare weekdays and whatever
    cannot be read become placeholders, and so does everything where there is no key.
    """

    days: tuple[int, int] = (-365, 365)
    """Interval of the offset in days, both ends included; 0 is never drawn."""
    min_days: int = 1
    """Offsets smaller than this (either way) are never drawn."""
    scope: Literal["patient", "document"] = "patient"
    """Whose dates move together. A document that names no patient is on its own."""
    offset: str = "date_shift_days"
    """Name of the document metadata that holds an offset decided elsewhere (whole days, not 0); it comes before the key."""
    table: Path | None = None
    """CSV file without header, patient identifier and offset in days; it comes before the key as well."""
    ambiguous: Order = "MDY"
    """How `03/04/2020` is read where the document's other dates do not tell."""
    style: Style = "text"
    """`text` 13 Aug 2005, `seed` [13 AUGUST 2005], `iso` 2005-08-13, `original` as in the text (possibly ambiguous)."""
    brackets: bool = False
    """Write shifted dates in brackets, so that a reader can tell them from dates that were missed."""
    time: Literal["drop", "keep"] = "drop"
    """Clock times within a date expression; time zones are dropped always."""
    season: bool = False
    """Keep the time of year: three small offsets for day, month and year instead of one. Lengths may change by days."""
    season_days: tuple[int, int] = (-7, 7)
    """Interval of the day offset with `season`."""
    season_months: tuple[int, int] = (-1, 1)
    """Interval of the month offset with `season`."""
    season_years: tuple[int, int] = (-3, 3)
    """Interval of the year offset with `season`."""

    private: ClassVar[tuple[str, ...]] = ("table",)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("days", "season_days", "season_months", "season_years"):
            low, high = getattr(self, name)
            if low > high:
                raise ValueError(f"{name}: expected the lower end first, got {low} and {high}")
        if self.min_days < 1:
            raise ValueError(f"min_days: expected 1 or more, got {self.min_days}")
        if not any(self._choices):
            raise ValueError(
                f"days: no offset of {self.min_days} days or more lies between {self.days[0]} and {self.days[1]}"
            )
        if self.season and not self._triples:
            raise ValueError("season: the three intervals leave no offset but 0")

    def open(self) -> None:
        super().open()
        _ = self._table

    def mask(self, mention: Mention, context: Context) -> Outcome:
        move = context.remember(self, "move", lambda: self._move(context))
        if isinstance(move, Fallback):
            return move
        dates = context.remember(self, "dates", lambda: DocumentDates(context.of_kind(PhiKind.DATE), self.ambiguous))
        reading = dates.reading(mention)
        if reading is None:
            return _UNREAD
        if reading.end is None and reading.begin.precision == "weekday":
            return self._weekday(mention, context, dates, move)
        found = ends(dates, mention, reading)
        if found is None:
            return _why(reading)
        try:
            new = [moved(said, full, move) for said, full in found]
        except OverflowError:
            return _OUTSIDE
        done = [date for date in new if date is not None]
        return self._written(mention, reading, done)

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """The date moved as the dates of the text are; None where there is no key or it cannot be read."""
        move = context.remember(self, "move", lambda: self._move(context))
        date = calendar_date(value)
        if isinstance(move, Fallback) or date is None:
            return None
        try:
            new = moved(date, date, move)
        except OverflowError:
            return None
        return None if new is None else new.iso()

    def _written(self, mention: Mention, reading: DateInterpretation, new: list[PartialDate]) -> str:
        own = like(mention.text, reading, new[0]) if self.style == "original" else None
        if own is not None:
            return f"[{own}]" if self.brackets else own
        said = [d for d in (reading.begin, reading.end) if d is not None]
        style = "text" if self.style == "original" else self.style
        text = written(new, style, [self._time(d) for d in said])
        lead, trail = edges(mention.text)
        return f"{lead}[{text}]{trail}" if self.brackets or style == "seed" else lead + text + trail

    def _time(self, date: PartialDate) -> str:
        clock = _CLOCK.search(date.time) if self.time == "keep" else None
        return clock.group() if clock else ""

    def _weekday(self, mention: Mention, context: Context, dates: DocumentDates, move: Move) -> Outcome:
        for other in context.neighbours(mention):
            first, second = sorted((mention, other), key=lambda m: m.begin)
            beside = _BESIDE.fullmatch(context.text[first.end : second.begin])
            reading = dates.reading(other) if beside and other.kind.top is PhiKind.DATE else None
            full = dates.completed(other, reading.begin) if reading and reading.end is None else None
            day = point(full) if full and full.precision == "day" else None
            if day is None:
                continue
            try:
                name = WEEKDAYS[move(day).weekday()]
            except OverflowError:
                return _OUTSIDE
            text = in_case(name if len(mention.text) > 5 else name[:3], mention.text)
            return f"[{text}]" if self.brackets or self.style == "seed" else text
        return Fallback("weekday without a date")

    def _move(self, context: Context) -> Move | Fallback:
        given = context.cas.metadata.get(self.offset) or self._table.get(context.patient(self.patient))
        if given is not None and given != "":
            try:
                days = int(given)
            except ValueError:
                return Fallback("the given offset is no whole number")
            if abs(days) > MOST_DAYS:
                return Fallback("the given offset is out of range")
            return _by(days) if days else Fallback("the given offset is 0")
        if self.secret is None:
            return NO_KEY
        who = context.subject(self.scope, self.patient)
        if self.season:
            return _by_parts(*self.secret.choice(self._triples, "shift season", *who))
        earlier, later = self._choices
        drawn = self.secret.number(len(earlier) + len(later), "shift", *who)
        return _by(earlier[drawn] if drawn < len(earlier) else later[drawn - len(earlier)])

    @cached_property
    def _choices(self) -> tuple[range, range]:
        low, high = self.days
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


def _by(days: int) -> Move:
    step = datetime.timedelta(days)
    return lambda day: day + step


def _by_parts(days: int, months: int, years: int) -> Move:
    def move(day: datetime.date) -> datetime.date:
        at = (day.year + years) * 12 + day.month - 1 + months
        year, month = at // 12, at % 12 + 1
        if not 1 <= year <= 9999:
            raise OverflowError("year outside 1 to 9999")
        last = calendar.monthrange(year, month)[1]
        return datetime.date(year, month, min(day.day, last)) + datetime.timedelta(days)

    return move


def _why(reading: DateInterpretation) -> Fallback:
    if "holiday" in (reading.begin.precision, reading.end.precision if reading.end else ""):
        return Fallback("holiday")
    if reading.begin.precision == "day":
        return Fallback("no such day")
    return Fallback("a part of the date is missing")
