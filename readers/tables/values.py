"""Convert values of tables (dates, decimals, bytes, structs) to values of JSON, and fields to columns."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...pipeline.errors import ReaderError
from .records import no_such_field


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


def column_of(field: str, columns: Sequence[str]) -> str | None:
    """Return the column of a field, or None: `patient.name` is the column of that name or a field of the column `patient`."""
    while field not in columns:
        field, dot, _ = field.rpartition(".")
        if not dot:
            return None
    return field


def columns_of(fields: Iterable[str], columns: Sequence[str]) -> list[str]:
    """Return the columns of the fields, each once. Raises ReaderError for a missing or repeated column."""
    needed: dict[str, None] = {}
    for field in fields:
        column = column_of(field, columns)
        if column is None:
            raise ReaderError(no_such_field(field, list(columns)))
        if list(columns).count(column) > 1:
            raise ReaderError(f"column {column} occurs twice")
        needed[column] = None
    return list(needed)
