"""The match of an age: its span, its numbers, its unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.numerals import cardinal
from .ordinals import ordinal

_LATIN = {"quinqua": 50, "sexa": 60, "septua": 70, "octo": 80, "nona": 90}
_TENS = {
    "teens": 10, "twenties": 20, "thirties": 30, "forties": 40, "fourties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_PER_YEAR = {"years": 1.0, "months": 12.0, "weeks": 365.25 / 7, "days": 365.25, "hours": 8766.0}
_UNITS = {"y": "years", "e": "years", "m": "months", "w": "weeks", "d": "days", "h": "hours"}
_MOST = {"years": 125, "months": 1500, "weeks": 6500, "days": 45700, "hours": 200}
"""Greater numbers cannot be the age of a person in that unit."""
_THOUSANDS = lazy_regex(r"(?<=\d),(?=\d{3})")
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_FULL_STOP = lazy_regex(r"(?<![a-z.]\.[a-z])(?<!\.[ ][a-z])\.\Z", re.IGNORECASE)
"""The full stop at the end of a sentence or of an abbreviation, but not of `y.o.`."""
_UPWARD = lazy_regex(r">|≥|\b(?:over|above|older|up)\b|\+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AgeMatch:
    """An age: code points `begin:end`, the rule, and the lowest and highest number in `unit` (years, months, weeks, days,
    hours). `upward` means "or more"."""

    begin: int
    end: int
    rule: str
    low: float
    high: float
    unit: str
    upward: bool = False
    confidence: float = 1.0

    @property
    def over_89(self) -> bool:
        """True if the words name or allow an age over 89 years (45 CFR 164.514(b)(2)(i)(C))."""
        years = self.high / _PER_YEAR[self.unit]
        return years >= 90 or (self.upward and years >= 89)

    @property
    def value(self) -> str:
        """`65 years`, `18-25 years`, `11 months`."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        unit = self.unit.removesuffix("s") if low == high == "1" else self.unit
        return f"{low} {unit}" if low == high else f"{low}-{high} {unit}"

    def __repr__(self) -> str:
        return f"<AgeMatch {self.begin}:{self.end} {self.rule}>"


def read_age(match: re.Match[str], rule: str) -> AgeMatch | None:
    """Return the age in the match of a rule; None if the numbers are invalid, or too great for a person."""
    groups = match.groupdict()
    begin, end = match.span("span")
    covered = match["span"]
    if groups.get("century"):
        return AgeMatch(begin, end, rule, 100.0, 109.0, "years")
    for name, table in (("tens", _TENS), ("latin", _LATIN)):
        if groups.get(name):
            low = float(table[groups[name].lower()])
            return AgeMatch(begin, end, rule, max(low, 13.0), low + 9, "years")
    if groups.get("ordinal") or groups.get("small") or groups.get("nth_decade") or groups.get("decades"):
        return _life(match, rule)
    written = [groups[name] for name in ("n", "n2", "n3") if groups.get(name)]
    numbers = [value for text in written if (value := _number(text)) is not None]
    unit = _UNITS[(groups.get("unit") or "y")[0].lower()]
    if len(numbers) < len(written) or max(numbers) > _MOST[unit]:
        return None
    low, high = min(numbers), max(numbers)
    if "decade" in rule:
        high = low + 9
    if _FULL_STOP.search(covered):
        end -= 1
    return AgeMatch(begin, end, rule, low, high, unit, bool(_UPWARD.search(covered)))


def _life(match: re.Match[str], rule: str) -> AgeMatch | None:
    """Return the age in an ordinal number in words, or in decades: `ninety-fourth`, `tenth decade`, `9 decades`."""
    groups = match.groupdict()
    words = groups.get("ordinal") or groups.get("small")
    number = float(ordinal(words)) if words else _number(match["n"])
    if number is None or number > (12 if "decade" in rule else _MOST["years"]):
        return None
    low = high = number
    if groups.get("decades"):
        low = high = 10 * number
    elif groups.get("nth_decade"):
        low, high = 10 * number - 10, 10 * number - 1
    return AgeMatch(*match.span("span"), rule, low, high, "years")


def _number(text: str) -> float | None:
    """Return the value of digits with a fraction (`3 1/2`, `2.5`, `4(3/12)`) or of words; None if there is none."""
    half = re.search(r"[ -]and[ -]a[ -]half\Z", text, re.IGNORECASE)
    text, more = (text[: half.start()], 0.5) if half else (text, 0.0)
    if not text[0].isdigit():
        number = cardinal(text)
        return None if number is None else number + more
    text = _THOUSANDS.sub("", text)
    whole = re.match(r"\d+(?:[.,]\d+)?", text)
    value = (float(whole[0].replace(",", ".")) if whole else 0.0) + more
    part = re.search(r"(\d+)/(\d+)", text)
    if part and int(part[2]):
        value += int(part[1]) / int(part[2])
    return value + sum(v for sign, v in _FRACTIONS.items() if sign in text)
