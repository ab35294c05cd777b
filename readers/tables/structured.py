"""Structured fields of a record in the one form that maskers understand: ISO dates, ages with their unit."""

from __future__ import annotations

import datetime
import re
from typing import Literal

from ...typesystem import PhiKind

_TIME = r"(?:[T\s]+\d{1,2}:\d{2}.*|[T\s]+\d{4,6}.*)?"
_YMD = re.compile(rf"(\d{{4}})(?:[-/.](\d{{1,2}})(?:[-/.](\d{{1,2}}){_TIME})?)?", re.DOTALL)
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?")
_OTHER = re.compile(rf"(\d{{1,2}})[-/.](\d{{1,2}})[-/.](\d{{4}}){_TIME}", re.DOTALL)
_AGE = re.compile(r"(\d{1,3})(?:\.\d+)?\s*(?:(years|months|weeks|days)|y|yrs?|years? old)?", re.IGNORECASE)


def normal_field(kind: PhiKind, value: str, order: Literal["YMD", "MDY", "DMY"] = "YMD") -> str:
    """The value of a field in the form of RecordField: a date as ISO 8601, an age as `64 years`; empty for one that cannot be
    read, so that it becomes null. Other kinds stay as they are."""
    if kind.top is PhiKind.DATE:
        return _date(value.strip(), order)
    if kind.top is PhiKind.AGE:
        found = _AGE.fullmatch(value.strip())
        return f"{int(found[1])} {(found[2] or 'years').lower()}" if found else ""
    return value


def _date(value: str, order: str) -> str:
    year: str | None
    if order == "YMD":
        found = _YMD.fullmatch(value) or _DIGITS.fullmatch(value)
        year, month, day = found.groups()[:3] if found else (None, None, None)
    else:
        found = _OTHER.fullmatch(value)
        first, second, year = found.groups() if found else (None, None, None)
        month, day = (first, second) if order == "MDY" else (second, first)
    if year is None:
        return ""
    try:
        datetime.date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])
