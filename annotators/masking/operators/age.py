"""`age`: ages above a threshold are masked, others stay readable."""

from __future__ import annotations

import re
from typing import NamedTuple

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ...dates.numerals import CARDINAL, cardinal
from ..operator import KEPT, Context, Fallback, Mention, Operator, Outcome

_NUMBER = re.compile(
    rf"(?P<digits>\d+)(?P<tens>['’]?s\b)?|\b(?P<words>{CARDINAL})\b"
    r"|\b(?P<decade>twen|thir|for|fif|six|seven|eigh|nine)ties\b"
    r"|\b(?P<latin>quadra|quinqua|sexa|septua|octo|nona)genarian|\b(?P<century>(?:super)?centenarian)",
    re.IGNORECASE,
)
_DECADES = {"twen": 20, "thir": 30, "for": 40, "fif": 50, "six": 60, "seven": 70, "eigh": 80, "nine": 90}
_LATIN = {"quadra": 40, "quinqua": 50, "sexa": 60, "septua": 70, "octo": 80, "nona": 90}
_UNIT = re.compile(
    r"(?P<year>y)|(?P<month>months?|mos?\b|mths?\b)|(?P<week>weeks?|wks?\b)|(?P<day>days?)", re.IGNORECASE
)
_JOINT = re.compile(r"\s*(?:[-–/]|to|or|and)\s*", re.IGNORECASE)
_PER_YEAR = {"year": 1.0, "month": 12.0, "week": 365.25 / 7, "day": 365.25}


@part("age")
class Age(Operator):
    """Writes `[AGE > 89]` for ages above the threshold and leaves others as they are; text without a number becomes a
    placeholder. Digits and number words count, each in years unless a month, week or day follows; of several
    numbers the greatest decides, and of a decade (`in her 80s`) its last year.
    """

    threshold: int = 89
    """The greatest age that stays readable, in years."""
    format: str = "[AGE > {threshold}]"
    """Replacement for an age above the threshold."""

    def __post_init__(self) -> None:
        if self.threshold < 0:
            raise ValueError(f"threshold: expected 0 or more, got {self.threshold}")
        try:
            _ = self._above
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError("format: expected text, in which {threshold} is the place of the threshold") from None

    def mask(self, mention: Mention, context: Context) -> Outcome:
        years = years_of(mention.text)
        if years is None:
            return Fallback("no number in the age")
        if years > self.threshold or (mention.kind is PhiKind.AGE_OVER_89 and self.threshold <= 89):
            return self._above
        return KEPT

    def normalize(self, mention: Mention, context: Context) -> str:
        age = read_age(mention.text)
        return "" if age is None else f"{age.number:g} {age.unit}s"

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        years = years_of(value)
        over = kind is PhiKind.AGE_OVER_89 and self.threshold <= 89
        return None if years is None or years > self.threshold or over else value

    @property
    def _above(self) -> str:
        return self.format.format(threshold=self.threshold)


class ReadAge(NamedTuple):
    """An age as a text states it."""

    number: float
    unit: str
    """`year`, `month`, `week` or `day`."""

    @property
    def years(self) -> float:
        return self.number / _PER_YEAR[self.unit]


def read_age(text: str) -> ReadAge | None:
    """Return the greatest age that a text may mean, or None if it contains no number."""
    ages: list[ReadAge] = []
    limit, unit = len(text), "year"
    for number in reversed(
        list(_NUMBER.finditer(text))
    ):  # in `2-3 months` the first number takes the unit of the second
        unit_match = _UNIT.search(text, number.end(), limit)
        if unit_match:
            unit = unit_match.lastgroup or "year"
        elif not _JOINT.fullmatch(text, number.end(), limit):
            unit = "year"
        ages.append(ReadAge(_value(number), unit))
        limit = number.start()
    return max(ages, key=lambda age: age.years, default=None)


def years_of(text: str) -> float | None:
    """Return the greatest age that a text may mean, in years, or None if it contains no number."""
    age = read_age(text)
    return None if age is None else age.years


def _value(match: re.Match[str]) -> float:
    if match["digits"]:
        number = float(match["digits"][:9])
        return number + 9 if match["tens"] and number % 10 == 0 else number
    if match["words"]:
        return float(cardinal(match["words"]) or 0)
    if match["century"]:
        return 109.0
    return 9.0 + (_DECADES[match["decade"].lower()] if match["decade"] else _LATIN[match["latin"].lower()])
