"""Convert dates of the standards to ISO 8601: `20200304101500+0100` is `2020-03-04`, `202003` is `2020-03`."""

from __future__ import annotations

import datetime
import re

_HL7 = re.compile(r"(\d{4})(?:(\d{2})(?:(\d{2})(?:\d{2}(?:\d{2}(?:\d{2}(?:\.\d+)?)?)?)?)?)?(?:[+-]\d{2,4})?")
_LENGTHS = {"102": 8, "610": 6, "602": 4, "203": 12, "204": 14}
"""Date format of ICH E2B(R2) -> number of digits: CCYYMMDD, CCYYMM, CCYY, with hours and minutes, with seconds."""


def iso(value: str) -> str:
    """Return the date of an HL7 time stamp in ISO 8601, at its precision; empty for an invalid one."""
    match = _HL7.fullmatch(value.strip())
    if match is None:
        return ""
    parts = [part for part in match.groups() if part]
    try:
        datetime.date(int(parts[0]), *map(int, [*parts[1:], "1", "1"][:2]))
    except ValueError:
        return ""
    return "-".join(parts)


def looks_like_date(value: str) -> bool:
    """Return whether digits are almost certainly a date: 8 to 14 of them, in the years 1850 to 2199."""
    written = re.split("[+.-]", value.strip(), maxsplit=1)[0]
    return len(written) in (8, 10, 12, 14) and "1850" <= written[:4] <= "2199" and bool(iso(value))


def iso_of_r2(value: str, form: str) -> str:
    """Return a date of E2B(R2) in ISO 8601; empty if it does not match the code of its format."""
    value, length = value.strip(), _LENGTHS.get(form.strip())
    if length is not None and len(value) != length:
        return ""
    return iso(value) if value.isdecimal() and value.isascii() and len(value) in _LENGTHS.values() else ""


def age(number: str, years_per_unit: float | None) -> str:
    """Return the value of a RecordField for an age: `92 years`, `5 months`, `3 weeks`, `12 days`; empty for an invalid number.

    A decade becomes its last year.
    """
    try:
        count = float(number)
    except ValueError:
        return ""
    if years_per_unit is None or not 0 <= count < 10_000:
        return ""
    if years_per_unit == 10:
        return f"{int(count) * 10 + 9} years"
    if years_per_unit == 1:
        return f"{int(count)} years"
    name, per_year = (
        ("months", 12.0) if years_per_unit > 0.05 else ("weeks", 52.0) if years_per_unit > 0.01 else ("days", 365.0)
    )
    return f"{int(count * years_per_unit * per_year + 1e-6)} {name}"
