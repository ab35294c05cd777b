"""Shared patterns for all engines that take patterns, in the common syntax of Python, google-re2 and Java."""

from __future__ import annotations

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
LONG_MONTHS = "january february march april june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)

PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("numeric_date", "DATE", r"\b[0-9]{1,2}[/.-][0-9]{1,2}[/.-](?:[0-9]{4}|[0-9]{2})\b"),
    ("iso_date", "DATE", r"\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\b"),
    ("day_of_month", "DATE", r"\b[0-9]{1,2}/[0-9]{1,2}\b"),
    ("day_month", "DATE", rf"\b[0-9]{{1,2}}(?:st|nd|rd|th)?[ -]?{_MONTH}(?:[., -]{{0,2}}(?:[0-9]{{4}}|[0-9]{{2}}))?\b"),
    ("month_day", "DATE", rf"\b{_MONTH}[.]?[ ][0-9]{{1,2}}(?:st|nd|rd|th)?(?:,?[ ][0-9]{{4}})?\b"),
    ("month_year", "DATE", rf"\b{_MONTH}[ -]?[0-9]{{4}}\b"),
    ("weekday", "DATE", r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"),
    ("age", "AGE", r"\b[0-9]{1,3}[ -]?(?:years?|yrs?)[ -]?old\b|\b[0-9]{1,3}[ ]?y[./]?o\b"),
    ("phone", "PHONE", r"(?:\b1[ .-])?(?:\([0-9]{3}\)[ ]?|\b[0-9]{3}[ .-])[0-9]{3}[ .-][0-9]{4}\b"),
    ("email", "EMAIL", r"\b[a-z0-9][a-z0-9._%+-]*@[a-z0-9][a-z0-9.-]*[.][a-z]{2,}\b"),
    ("url", "URL", r"\b(?:https?://|www[.])[^ \t\r\n<>\"]+"),
    ("ssn", "ID", r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b"),
    ("record_number", "ID", r"\b(?:mrn|case|record|patient id)[ ]?(?:number|no[.]?|#)?[ ]?[:#]?[ ]?[0-9]{5,12}\b"),
)
"""(name, kind, pattern); patterns ignore case."""
