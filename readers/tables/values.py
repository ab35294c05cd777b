"""Convert values of tables (dates, decimals, bytes, structs) to values of JSON, and structured fields to the form of maskers."""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from ...typesystem import PhiKind


def plain(value: Any) -> Any:
    """Convert a value to one that JSON can represent.

    Dates and times become ISO 8601, midnight without a time zone only the date; decimals become integers or strings of digits.
    Bytes stay bytes, so that the reader can report them.
    """
    if value is None or isinstance(value, str | bool | int | bytes):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dt.datetime):
        midnight = value.tzinfo is None and value.time() == dt.time()
        return (value.date() if midnight else value).isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else str(value)
    if isinstance(value, uuid.UUID | dt.timedelta):
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Sequence):
        return [plain(v) for v in value]
    return bytes(value) if isinstance(value, bytearray | memoryview) else str(type(value).__name__)


_TIME = r"(?:[T\s]+\d{1,2}:\d{2}.*|[T\s]+\d{4,6}.*)?"
_YMD = re.compile(rf"(\d{{4}})(?:[-/.](\d{{1,2}})(?:[-/.](\d{{1,2}}){_TIME})?)?", re.DOTALL)
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})[-/.](\d{{1,2}})[-/.](\d{{4}}){_TIME}", re.DOTALL)
_CLOCK = re.compile(r"(?<!\d)\d{1,2}(?::\d\d)+(?:[.,]\d+)?(?!\d)")
_COLON = re.compile(r"(?<=\d{4}):(?=\d\d:\d\d)")
"""Between date and time in SAS: `14APR1960:10:30:00`."""
_NUMBERS = re.compile(r"(?=.*(?<!\d)(?:1[89]|20|21)\d\d(?!\d))\D*\d+(?:\D+\d+)?\D*", re.DOTALL)
"""One or two numbers, one of them a year of four digits."""
_DEFAULTS = dt.datetime(2001, 3, 5), dt.datetime(2004, 10, 20)
"""Two days that differ in every part."""
_AGE = re.compile(r"(\d{1,3})(?:\.\d+)?\s*(?:(years|months|weeks|days)|y|yrs?|years? old)?", re.IGNORECASE)


def normal_field(kind: PhiKind, value: str, order: Literal["YMD", "MDY", "DMY"] = "YMD") -> str:
    """Return the value of a RecordField: a date as ISO 8601, an age as `64 years`, other kinds unchanged.

    A date with the English name of its month and a year of four digits needs no order: `14-APR-1960`, `April 14, 1960`,
    `Thu Apr 14 00:00:00 EST 1960`. Returns an empty string, which becomes null, for a date or age that cannot be parsed.
    """
    if kind.top is PhiKind.DATE:
        return _date(value.strip(), order) or _date_with_month_name(value.strip())
    if kind.top is PhiKind.AGE:
        match = _AGE.fullmatch(value.strip())
        return f"{int(match[1])} {(match[2] or 'years').lower()}" if match else ""
    return value


def _date(value: str, order: str) -> str:
    year: str | None
    if order == "YMD":
        match = _YMD.fullmatch(value) or _DIGITS.fullmatch(value)
        year, month, day = match.groups()[:3] if match else (None, None, None)
    else:
        match = _YEAR_LAST.fullmatch(value)
        first, second, year = match.groups() if match else (None, None, None)
        month, day = (first, second) if order == "MDY" else (second, first)
    if year is None:
        return ""
    try:
        dt.date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])


def _date_with_month_name(value: str) -> str:
    """Return what dateutil finds in the value with every default, in ISO 8601; empty if that is not at least month and year."""
    value = _COLON.sub(" ", value)
    if not value.isascii() or len(value) > 60 or not _NUMBERS.fullmatch(_CLOCK.sub(" ", value)):
        return ""
    from dateutil import parser

    words = parser.parserinfo()
    if not any(words.month(word) for word in re.findall("[A-Za-z]+", value)):
        return ""
    try:  # an unknown time zone would be a warning that repeats the word
        a, b = (parser.parse(value, default=day, ignoretz=True) for day in _DEFAULTS)
    except (ValueError, ArithmeticError):
        return ""
    if (a.year, a.month) != (b.year, b.month):
        return ""
    return a.date().isoformat() if a.day == b.day else f"{a.year:04d}-{a.month:02d}"
