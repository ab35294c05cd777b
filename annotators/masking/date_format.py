"""Writes dates unambiguously."""

from __future__ import annotations

from typing import Literal

from ..dates.interpretation import MONTHS, WEEKDAYS, PartialDate

Style = Literal["text", "seed", "iso", "original"]


def format_dates(dates: list[PartialDate], style: Style, times: list[str]) -> str:
    """Return one date, or the two ends of an interval, as text. `times` are the clock times of each, or empty strings.

    `text`: `13 Aug 2005`, `Aug 2005`, `2005`, `early Aug 2005`, `5 Jan 2010 to 7 Jan 2010`; `seed`, as in the VigiBase
    system: `13 AUGUST 2005`; `iso`: ISO 8601, EDTF level 1 for partial dates.
    """
    if style == "iso":
        return "/".join(_iso(d) + (f"T{t}" if t else "") for d, t in zip(dates, times, strict=True))
    words = [_text(d, style == "seed") + (f" {t}" if t else "") for d, t in zip(dates, times, strict=True)]
    return (" to " if style == "text" else " - ").join(words)


def ordinal(day: int) -> str:
    """Return a day as `13th`."""
    return f"{day}{'th' if day // 10 == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _text(date: PartialDate, long: bool) -> str:
    parts = [date.qualifier] if date.qualifier else []
    if date.weekday is not None:
        parts.append(WEEKDAYS[date.weekday] if long else WEEKDAYS[date.weekday][:3])
    alone = date.month is None and date.year is None
    if date.day is not None:
        parts.append(ordinal(date.day) if alone else str(date.day))
    if date.season:
        parts.append(date.season)
    if date.month is not None:
        name = MONTHS[date.month - 1]
        parts.append(name if long or (date.day is None and date.year is None) else name[:3])
    if date.year is not None:
        parts.append(f"{date.year:04d}")
    if date.decade is not None:
        parts.append(f"{date.decade}s")
    text = " ".join(parts)
    return text.upper() if long else text


def _iso(date: PartialDate) -> str:
    if date.day is not None and date.month is None:
        return f"XXXX-XX-{date.day:02d}"
    return date.iso()
