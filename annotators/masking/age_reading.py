"""Reads the ages that a text states, and how long ago a person had them."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ..ages.misread import as_digits
from ..dates.numerals import CARDINAL, cardinal

_NUMBER = lazy_regex(
    rf"(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?P<tens>['’]?s\b)?|\b(?P<words>{CARDINAL})(?:th|st|nd|rd)?\b"
    r"|\b(?P<decade>twen|thir|for|fif|six|seven|eigh|nine)ties\b|\b(?P<tenth>twent|thirt|fort|fift|sixt|sevent|eight|ninet)ieth\b"
    r"|\b(?P<hundredth>hundredth)\b|\b(?P<small>fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh)\b"
    r"|\b(?P<latin>quadra|quinqua|sexa|septua|octo|nona)gen[ae]rian|\b(?P<century>(?:super|semi-?super)?cent[ei]narian)",
    re.IGNORECASE,
)
_DECADES = {"twen": 20, "thir": 30, "for": 40, "fif": 50, "six": 60, "seven": 70, "eigh": 80, "nine": 90}
_TENTHS = {"twent": 20, "thirt": 30, "fort": 40, "fift": 50, "sixt": 60, "sevent": 70, "eight": 80, "ninet": 90}
_SMALL = {word: i for i, word in enumerate("fourth fifth sixth seventh eighth ninth tenth eleventh".split(), 4)}
_LATIN = {"quadra": 40, "quinqua": 50, "sexa": 60, "septua": 70, "octo": 80, "nona": 90}
_UNIT = lazy_regex(
    r"(?P<year>y)|(?P<month>months?|mos?\b|mths?\b)|(?P<week>weeks?|wks?\b)|(?P<decade>decades?)|(?P<day>days?)",
    re.IGNORECASE,
)
_JOINT = lazy_regex(r"\s*(?:[-–/]|to|or|and)\s*", re.IGNORECASE)
_NTH_DECADE = lazy_regex(r"(?:th)?[ -]decade\b", re.IGNORECASE)
_PER_YEAR = {"decade": 0.1, "year": 1.0, "month": 12.0, "week": 365.25 / 7, "day": 365.25}
_SPAN = 9
"""Years between the first and the last age of a decade (`in her 80s`)."""
_PAST = r"(?:about|some|around|almost|nearly|over)?[ ]?"
_AGO = lazy_regex(
    rf"[\s,(]{{0,3}}(?:years?[ ]old[\s,]{{0,2}})?{_PAST}"
    rf"(?P<n>\d{{1,3}}|{CARDINAL})[ -]?(?:years?|yrs?)[ ](?:ago|back|earlier|before)\b",
    re.IGNORECASE,
)
_AGO_BEFORE = lazy_regex(
    rf"\b(?P<n>\d{{1,3}}|{CARDINAL})[ -]?(?:years?|yrs?)[ ](?:ago|back|earlier)[\s,(]{{0,3}}"
    r"(?:(?:at|the|of|an?|she|he|was|when|then|aged?|being)[ ])*\Z",
    re.IGNORECASE,
)
_AT = lazy_regex(
    r"\b(?:at|was|were|turned|when|being|then)(?:[ ]the)?[ ](?:age[ ](?:of[ ])?)?\Z|\baged?[ ](?:of[ ])?\Z",
    re.IGNORECASE,
)
_AGED = lazy_regex(r"aged?\b", re.IGNORECASE)
_WINDOW = 48


class ReadAge(NamedTuple):
    """An age as a text states it."""

    number: float
    unit: str
    """`decade`, `year`, `month`, `week` or `day`."""

    @property
    def years(self) -> float:
        return self.number / _PER_YEAR[self.unit]


def read_age(text: str) -> ReadAge | None:
    """Return the greatest age that a text may mean, or None if it contains no number."""
    return max((age for _, age in _ages(text)), key=lambda age: age.years, default=None)


def years_of(text: str) -> float | None:
    """Return the greatest age that a text may mean, in years, or None if it contains no number."""
    age = read_age(text)
    return None if age is None else age.years


def youngest(text: str) -> float | None:
    """Return the least age that a text may mean, in years, or None if it contains no number: 80 of `in her 80s`."""
    return min((low for low, _ in _ages(text)), default=None)


def years_since(text: str, begin: int, end: int) -> int:
    """Return how many years ago a person had the age at `begin:end`: 15 in `at age 77, 15 years ago`; 0 if the words beside it do
    not say so (`an 85-year-old with surgery 15 years ago`)."""
    before = text[max(0, begin - _WINDOW) : begin]
    past = _AT.search(before) is not None or _AGED.match(text, begin, end) is not None
    match = _AGO_BEFORE.search(before) or (_AGO.match(text, end, end + _WINDOW) if past else None)
    if match is None:
        return 0
    return int(match["n"]) if match["n"].isdigit() else cardinal(match["n"]) or 0


def _ages(text: str) -> list[tuple[float, ReadAge]]:
    """Return the least number of years and the greatest age of each number in the text, last first."""
    ages: list[tuple[float, ReadAge]] = []
    text = as_digits(text)
    limit, unit = len(text), "year"
    for number in reversed(
        list(_NUMBER.finditer(text))
    ):  # in `2-3 months` the first number takes the unit of the second
        unit_match = _UNIT.search(text, number.end(), limit)
        if unit_match:
            unit = unit_match.lastgroup or "year"
        elif not _JOINT.fullmatch(text, number.end(), limit):
            unit = "year"
        low, high = _value(number)
        if unit == "decade" and (
            (_NTH_DECADE.match(text, number.end()) and not number["digits"]) or _nth(text, number)
        ):
            low, high, unit = 10 * (low - 1), 10 * low - 1, "year"
        least = ReadAge(low, unit).years
        ages.append((least, ReadAge(high, unit)))
        limit = number.start()
    return ages


def _nth(text: str, number: re.Match[str]) -> bool:
    """Return whether a number in digits is that of a decade of life: `10th decade`."""
    return re.match("(?:st|nd|rd|th)", text[number.end() :], re.IGNORECASE) is not None


def _value(match: re.Match[str]) -> tuple[float, float]:
    """Return the least and the greatest number that a match means."""
    if match["digits"]:
        number = float(match["digits"].replace(",", "")[:9])
        return number, number + _SPAN if match["tens"] and number % 10 == 0 else number
    if match["words"]:
        number = float(cardinal(match["words"]) or 0)
        return number, number
    if match["tenth"] or match["hundredth"]:
        number = 100.0 if match["hundredth"] else float(_TENTHS[match["tenth"].lower()])
        return number, number
    if match["small"]:
        return (float(_SMALL[match["small"].lower()]),) * 2
    if match["century"]:
        return 100.0, 100.0 + _SPAN
    low = float(_DECADES[match["decade"].lower()] if match["decade"] else _LATIN[match["latin"].lower()])
    return low, low + _SPAN
