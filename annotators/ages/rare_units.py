"""Ages in rare units, phrases and languages: `over a century old`, `four score and fourteen`, `Age (months): 1128`, `93 éves`.

A family is tried only if the text contains one of its words. Most families take only ages over 89, which must never stay
(45 CFR 164.514(b)(2)(i)(C)) and which few other numbers are as great as.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.numerals import CARDINAL, cardinal
from ..dates.windows import before
from . import cues
from .foreign_ages import FOREIGN, ForeignAges
from .match import AgeMatch

_NUM = rf"(?:\d{{1,3}}(?:\.\d{{1,2}})?|{CARDINAL})"
_MODIFIER = "about around some over nearly almost more_than well_over at_least roughly exactly approximately just"
_MODIFIERS = rf"(?:(?:{_MODIFIER.replace('_', '[ ]').replace(' ', '|')})[ ]){{0,2}}".replace("[|]", "[ ]")
_IN_YEARS = {"y": 1.0, "s": 1.0, "w": 1.0, "d": 10.0, "c": 100.0}
"""Years by the first letter: years, summers, winters, decades, centuries."""
_OVER, _MOST = 89.0, 125.0
_WINDOW = 48
_PERSON = (
    r"(?:he|she|who|patient|pt|woman|man|lady|gentleman|gentlewoman|female|male|mother|father|mom|dad|grandmother|grandfather"
    r"|aunt|uncle|widow|widower|resident|husband|wife)"
)
_THINGS = (
    "building home hospital clinic church school tree tradition practice firm institution town city bridge device "
    "instrument law problem debate museum ward book vaccine drug remedy technique theory"
)
_OF_A_THING = before(rf"\b<<{_THINGS}>>s?\b[^.\n]{{0,24}}")
_PART = before(r"\b<<half quarter third of>>[ -](?:an?[ ])?")
_CENTURY_PERSON = lazy_regex(rf"[ -]{_PERSON}\b", re.IGNORECASE)


class Family(NamedTuple):
    """A notation: words of which its text contains one, its pattern, and what reads the lowest and highest age of a match."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    years: Callable[[re.Match[str]], tuple[float, float] | None]


def _value(text: str) -> float:
    return float(text) if text[0].isdigit() else float(cardinal(text) or 0)


def _ago(m: re.Match[str]) -> tuple[float, float] | None:
    number = 1.0 if m["n"].lower() in ("a", "one") else _value(m["n"])
    years = number * _IN_YEARS[m["unit"][0].lower()]
    return (years, years) if 1 <= years <= _MOST else None


def _over(years: float, last: float | None = None) -> tuple[float, float] | None:
    high = years if last is None else last
    return (years, high) if high > _OVER and years <= _MOST else None


def _lived(m: re.Match[str]) -> tuple[float, float] | None:
    unit = m["unit"][0].lower()
    years = _value(m["n"]) * _IN_YEARS[unit]
    return _over(years, years + 9 if unit == "d" and years % 10 == 0 else None)


def _around(m: re.Match[str]) -> tuple[str, str]:
    begin, end = m.span("span")
    return m.string[max(0, begin - _WINDOW) : begin], m.string[end : end + _WINDOW]


def _century(m: re.Match[str]) -> tuple[float, float] | None:
    """`over a century old`, `a century-old woman`, `has lived a century`: not of a thing, not a part of a century."""
    left, right = _around(m)
    if _OF_A_THING.search(left) or _PART.search(left):
        return None
    if not m["old"]:
        return (100.0, 109.0) if m["lived"] else None
    if cues.THING.match(right) or (m["bare"] and not _CENTURY_PERSON.match(right)):
        return None
    return 100.0, 109.0


def _score(m: re.Match[str]) -> tuple[float, float] | None:
    """`four score and fourteen`, `fourscore years`: not the FOUR score, not the score of a test."""
    if "FOUR" in m[0] or not (m["n"] or m["years"]):
        return None
    years = 20 * _value(m["k"]) + (_value(m["n"]) if m["n"] else 0)
    return (years, years) if years <= _MOST else None


def _labelled(m: re.Match[str]) -> tuple[float, float] | None:
    per_year = {"m": 12.0, "w": 365.25 / 7, "d": 365.25, "y": 1.0}[m["unit"][0].lower()]
    unit = m["unit"].lower()
    years = float(m["n"].replace(",", "")) * 10 if unit.startswith("dec") else float(m["n"].replace(",", "")) / per_year
    return (years, years) if 0 < years <= _MOST else None


def _tens(m: re.Match[str]) -> tuple[float, float] | None:
    left, _ = _around(m)
    return None if cues.VITAL.search(left) else (90.0, 99.0)


def _near(m: re.Match[str]) -> tuple[float, float] | None:
    _, right = _around(m)
    if cues.COUNTED.match(right) or _MEASURE.match(right):
        return None
    return _over(_value(m["n"]) + (1 if m["n"] in ("90", "ninety") else 0))


def _at(m: re.Match[str]) -> tuple[float, float] | None:
    years = _value(m["n"])
    return (years, years) if 4 <= years <= _MOST else None


_MEASURE = lazy_regex(
    r"[ ]?(?:%|mg|mcg|ml|kg|lbs?|cm|mm|bpm|degrees?|percent|/|mmhg|units?|beats?|minutes?|hours?|days?|weeks?)",
    re.IGNORECASE,
)


def _family(
    name: str, hints: str, years: Callable[[re.Match[str]], tuple[float, float] | None], pattern: str
) -> Family:
    return Family(name, tuple(hints.split("|")), lazy_regex(pattern, re.IGNORECASE), years)


_FAMILIES = (
    _family(
        "born n ago", "born ", _ago,
        rf"\bborn[ ]{_MODIFIERS}(?P<span>(?P<n>{_NUM}|a)[ -](?P<unit>years?|yrs?|decades?|centur(?:y|ies)))[ ]ago\b",
    ),
    _family(
        "lived n", "lived|life|old|young", _lived,
        rf"\blived[ ](?:for[ ])?{_MODIFIERS}(?P<span>(?P<n>{_NUM})[ -](?P<unit>years|decades|summers|winters|centuries))(?!\w)",
    ),
    _family(
        "n units young", "decade|summers|winters|young|centur", _lived,
        rf"(?<![\w.,/-])(?P<span>(?P<n>{_NUM})[ -](?P<unit>years?|decades?|summers|winters"
        rf"|centuries)[ -](?:old|young|of[ ](?:life|age)))(?!\w)",
    ),
    _family(
        "century", "century", _century,
        r"(?<!\w)(?P<lived>lived[ ](?:for[ ])?(?:over[ ]|more[ ]than[ ]|nearly[ ]|almost[ ])?)?"
        r"(?P<span>(?:(?P<article>(?:an?|one)[ -](?!century-old))|(?P<bare>))century(?P<old>[ -]?(?:old|young"
        r"|of[ ]life))?)(?!\w)",
    ),
    _family(
        "scores", "score", _score,
        rf"(?<![\w-])(?P<span>(?P<k>two|three|four|five|six"
        rf"|[2-6](?=[ ]))[- ]?score(?:[- ]years)?(?:[- ]and[- ](?P<n>{CARDINAL})(?![a-z]))?"
        r"(?P<years>[- ]years?(?:[- ](?:old|of[ ]age))?|[- ]old)?)(?!\w|[ ](?:points?|of|out|items?|on|in)\b)",
    ),
    _family(
        "age (unit): n", "month|mos|day|week|wks|decade|mo)", _labelled,
        r"\bage[ ]?(?:\([ ]?|\[|in[ ]|,[ ]?)(?:in[ ])?(?P<unit>months?|mos?|days?|weeks?|wks?"
        r"|decades?)[ ]?[)\]]?[ ]{0,2}[:=|]?[ ]{0,2}"
        r"(?P<span>(?P<n>\d{1,2},\d{3}|\d{1,5}(?:\.\d)?))(?![\w%]|[.,]\d)",
    ),
    _family(
        "tens of a person", "nineties|90", _tens,
        rf"\b{_PERSON}(?:,[ ]|[ ])(?:is[ ]|was[ ])?(?:now[ ])?(?:in[ ])?(?:(?:his|her"
        rf"|their)[ ])?(?:(?:very[ ])?(?:late|mid|early)[ -])?"
        r"(?P<span>nineties|90['’]?s)(?!\w)",
    ),
    _family(
        "tens before a person", "nineties|90", _tens,
        rf"(?<!the[ ])(?<![\w.,/-])(?P<span>nineties|90['’]?s)(?:,[ ]|[ ]|-)(?:year[ -]old[ ])?(?:old[ ])?{_PERSON}\b",
    ),
    _family(
        "nearly n", "pushing|approaching|nearing|going on|shy of|close to|nearly|almost|past|wrong side|north of", _near,
        rf"\b{_PERSON}(?:['’]s|[ ]is|[ ]was|,)?[ ](?:now[ ]|just[ ]|well[ ])?"
        r"(?:pushing|approaching|nearing|going[ ]on|(?:just[ ])?shy[ ]of|close[ ]to|nearly|almost|past"
        r"|on[ ]the[ ]wrong[ ]side[ ]of|north[ ]of)[ ]"
        rf"(?P<span>(?P<n>\d{{2,3}}|{CARDINAL}))(?![\w%°/]|[.,]\d)",
    ),
    _family(
        "event n years ago at n", " ago", _at,
        rf"\b(?:{_NUM})[ -](?:years?|yrs?)[ ](?:ago|back|earlier)[ ,]{{1,2}}(?:at|aged|at[ ]the[ ]age[ ]of"
        rf"|when[ ](?:he|she)[ ]was)[ ]"
        rf"(?P<span>(?P<n>\d{{1,2}}|{CARDINAL}))(?![\w%°/:]|[.,]\d|[ ](?:am|pm|mg|o['’]?clock|weeks|months|days)\b)",
    ),
)  # fmt: skip
_WHOLE = lazy_regex(
    rf"\W*(?:(?:aged?|at|in|about|over|around|nearly|almost|his|her|their|the|late|mid|early|a)[ :]{{1,2}}){{0,4}}"
    rf"(?P<span>(?P<decades>{_NUM})[ -]decades?|(?P<tens>nineties|90['’]?s)|(?P<century>century)"
    r"|(?P<k>two|three|four|five|six)[- ]?score(?:[- ]and[- ](?P<n>[a-z-]+))?"
    r"|(?P<misread>(?-i:[\dlI][\dOolI]{1,2}))(?:[ ](?:years?|yrs?))?"
    r"|(?P<years>\d{2,3})[ ](?:jahre?|ans|anni|años|anos|jaar|år|lat|let|ani))(?:[ ](?:old|of[ ]age))?\W*",
    re.IGNORECASE,
)
_LONGEST_WHOLE = 40


def find_rare_units(text: str) -> Iterator[AgeMatch]:
    """Yield the ages in such notations, family by family. Linear in the length of the text."""
    low = text.lower()
    for family in (*_FAMILIES, *(_foreign(ages) for ages in FOREIGN if ages.may_occur(low))):
        if family.hints and not any(hint in low for hint in family.hints):
            continue
        for match in family.pattern.finditer(text):
            years = family.years(match)
            if years is not None:
                begin, end = match.span("span")
                yield AgeMatch(begin, end, family.name, *years, "years")
    yield from _whole(text)


def _foreign(ages: ForeignAges) -> Family:
    return Family(
        ages.name, (), ages.pattern, lambda m: _over(float(m["n"])) if m.groupdict().get("n") else (90.0, 109.0)
    )


def _whole(text: str) -> Iterator[AgeMatch]:
    """Yield the age over 89 that a text consists of: a field of a record with `nine decades` or `her 90s`."""
    match = _WHOLE.fullmatch(text) if 1 < len(text) <= _LONGEST_WHOLE else None
    if match is None:
        return
    years: tuple[float, float] | None = (90.0, 109.0)
    if match["decades"]:
        years = _over(10 * _value(match["decades"]), 10 * _value(match["decades"]) + 9)
    elif match["k"]:
        years = _over(20 * _value(match["k"]) + float(cardinal(match["n"] or "") or 0))
    elif match["years"]:
        years = _over(float(match["years"]))
    elif match["misread"]:
        digits = match["misread"].translate(str.maketrans("OolI", "0011"))
        years = None if match["misread"].isdigit() else _over(float(digits))
    if years is not None:
        yield AgeMatch(*match.span("span"), "whole text", *years, "years")
