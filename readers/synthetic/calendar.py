"""The tokens of date patterns: parts of dates as a language writes them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import cache

from ...pipeline.errors import ResourceError
from .sections import Section

Day = datetime.date
_COUNTS = {"months": 12, "short months": 12, "weekdays": 7, "short weekdays": 7, "ordinals": 31, "ordinal words": 31}


def tokens(sections: Mapping[str, Section]) -> dict[str, Callable[[Day], str]]:
    """Return the meaning of `{D}`, `{Month}`, `{Wday}` ..., from the sections of a language's calendar.

    Raises ResourceError if a section is missing or has the wrong number of entries.
    """
    names = {key: [line.text for line in section.lines] for key, section in sections.items()}
    for key, count in _COUNTS.items():
        if len(names.get(key, [])) != count:
            raise ResourceError(f"calendar.txt: {key}: expected {count} entries, found {len(names.get(key, []))}")
    months, short = names["months"], names["short months"]
    weekdays, short_weekdays = names["weekdays"], names["short weekdays"]
    return {
        "D": lambda d: str(d.day),
        "DD": lambda d: f"{d.day:02}",
        "M": lambda d: str(d.month),
        "MM": lambda d: f"{d.month:02}",
        "YY": lambda d: f"{d.year % 100:02}",
        "YYYY": lambda d: str(d.year),
        "Next": lambda d: str(d.year + 1),
        "NX": lambda d: f"{(d.year + 1) % 100:02}",
        "Decade": lambda d: str(d.year // 10 * 10),
        "Quarter": lambda d: str((d.month + 2) // 3),
        "Month": lambda d: months[d.month - 1],
        "MONTH": lambda d: months[d.month - 1].upper(),
        "month": lambda d: months[d.month - 1].lower(),
        "Mon": lambda d: short[d.month - 1],
        "MON": lambda d: short[d.month - 1].upper(),
        "mon": lambda d: short[d.month - 1].lower(),
        "NextMonth": lambda d: months[d.month % 12],
        "Dth": lambda d: names["ordinals"][d.day - 1],
        "Dword": lambda d: names["ordinal words"][d.day - 1],
        "Wday": lambda d: weekdays[d.weekday()],
        "wday": lambda d: weekdays[d.weekday()].lower(),
        "Wd": lambda d: short_weekdays[d.weekday()],
        "D2": lambda d: str(_later(d).day),
        "M2": lambda d: str(_later(d).month),
        "DD2": lambda d: f"{_later(d).day:02}",
        "MM2": lambda d: f"{_later(d).month:02}",
        "Dth2": lambda d: names["ordinals"][_later(d).day - 1],
        "Season": lambda d: names["seasons"][(d.month % 12) // 3].capitalize(),
        "season": lambda d: names["seasons"][(d.month % 12) // 3].lower(),
        "Clock": lambda d: f"{6 + d.toordinal() * 7 % 17:02}:{d.toordinal() * 13 % 60:02}",
        "Seconds": lambda d: f"{d.toordinal() * 29 % 60:02}",
    }


@cache
def _later(day: Day) -> Day:
    """Return the end of a short interval that begins on a day, usually in the same month."""
    return day + datetime.timedelta(2 + day.day % 3)


def moved(day: Day, days: int) -> Day:
    """Return the day that many days later, limited to the years 1900 to 2199."""
    return Day.fromordinal(min(max(day.toordinal() + days, _FIRST), _LAST))


_FIRST = Day(1900, 1, 1).toordinal()
_LAST = Day(2199, 12, 31).toordinal()
