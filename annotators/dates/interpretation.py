"""Interpretations of date expressions, which the finder produces and the masker shifts."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A calendar date of which some parts may be missing.

    `year` is the full year (the finder expands two-digit years), `month` 1-12, `day` 1-31, `weekday` 0-6 from Monday,
    `season` one of spring, summer, autumn, winter, `decade` the first year of a decade (`2010` for the 2010s), `qualifier`
    empty or early, mid, late, begin or end, `holiday` the English name of a named day, and `time` the clock time or zone of
    the expression (ISO with time), as text.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    season: str = ""
    decade: int | None = None
    qualifier: str = ""
    holiday: str = ""
    time: str = ""

    @property
    def precision(self) -> str:
        """`day`, `month` or `year` for dates that are complete from the year down; `partial` if a higher part is missing;
        `weekday`, `season`, `decade` or `holiday` if there is nothing more precise."""
        if self.holiday:
            return "holiday"
        if self.year is not None and self.month is not None and self.day is not None:
            return "day"
        if self.year is not None and self.month is not None:
            return "month"
        if self.season:
            return "season"
        if self.year is not None and self.day is None:
            return "year"
        if self.decade is not None:
            return "decade"
        if self.month is None and self.day is None and self.weekday is not None:
            return "weekday"
        return "partial"

    def to_date(self) -> datetime.date | None:
        """Return the calendar day, or None if a part is missing or the day does not exist (30 February)."""
        if self.year is None or self.month is None or self.day is None:
            return None
        try:
            return datetime.date(self.year, self.month, self.day)
        except ValueError:
            return None

    def iso(self) -> str:
        """Return ISO 8601 / EDTF level 1: `2011-07-19`, `2013-10`, `XXXX-03-05`, `XXXX-XX-14`, `201X`, `2021-21` for spring
        2021 (21 spring, 22 summer, 23 autumn, 24 winter)."""
        if self.season:
            number = {"spring": 21, "summer": 22, "autumn": 23, "winter": 24}[self.season]
            return f"{self._year()}-{number}"
        if self.decade is not None:
            return f"{self.decade // 10}X"
        if self.month is None and self.day is None:
            if self.year is None:
                return WEEKDAYS[self.weekday] if self.weekday is not None else self.holiday
            return self._year()
        month = "XX" if self.month is None else f"{self.month:02d}"
        return f"{self._year()}-{month}" + ("" if self.day is None else f"-{self.day:02d}")

    def _year(self) -> str:
        return "XXXX" if self.year is None else f"{self.year:04d}"


@dataclass(frozen=True, slots=True)
class DateInterpretation:
    """One interpretation of a date expression: its layout and its one or two end points.

    `layout` names the order of the parts for disambiguation by the document's majority (Table 9 of the VigiBase system):
    `D M Y`, `M D Y`, `Y M D`, `D Mon Y`, `Mon Y`, `M/Y`, `M D`, `D M`, `Y`, `weekday`, ... Ambiguous numbers have several
    interpretations with different layouts. `end` is the later end of an interval written as one expression.
    """

    layout: str
    begin: PartialDate
    end: PartialDate | None = None

    def iso(self) -> str:
        """Return the date in ISO 8601, `begin/end` for an interval."""
        return self.begin.iso() if self.end is None else f"{self.begin.iso()}/{self.end.iso()}"


Interpretations = tuple[DateInterpretation, ...]
"""All interpretations of an expression, likeliest first."""
