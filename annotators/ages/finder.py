"""Finds the ages of people in text: one fast pass for places where an age could begin, then patterns and guards there."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ..dates.numerals import CARDINAL, cardinal
from . import cues, rules
from .rules import AgeRule, Guard

_LOOK = 48
_START = re.compile(r"(?<![^\W_])[^\W_]")
_WORDS = {
    **dict.fromkeys(("age", "aged", "ages", "a"), rules.FROM_CUE),
    **dict.fromkeys("male female man woman boy girl patient".split(), rules.FROM_SEX + rules.FROM_GENDER),
    **dict.fromkeys("child infant lady gentleman".split(), rules.FROM_GENDER),
    **dict.fromkeys("m f".split(), rules.FROM_SEX),
    **dict.fromkeys(rules.KIN.split("|"), rules.FROM_SEX[:1]),
    **dict.fromkeys(rules.EVENTS.split("|"), rules.FROM_EVENT),
    **dict.fromkeys(("over", "under"), rules.FROM_LIMIT),
    **dict.fromkeys(
        "turn turns turned turning when since while until till before older younger".split(), rules.FROM_VERB
    ),
    **dict.fromkeys("i he she who pt".split(), rules.FROM_VERB),
}
_NUMBER_WORD = re.compile(rf"{CARDINAL}\b", re.IGNORECASE)
_TENS = re.compile(rf"(?:(?:{rules.TENS})ies|teens)\b", re.IGNORECASE)
_LATIN = {"quinqua": 50, "sexa": 60, "septua": 70, "octo": 80, "nona": 90}
_TENS_VALUE = {
    "twenties": 20, "thirties": 30, "forties": 40, "fourties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90, "teens": 10,
}  # fmt: skip
_PER_YEAR = {"years": 1.0, "months": 12.0, "weeks": 365.25 / 7, "days": 365.25, "hours": 8766.0}
_UNITS = {"y": "years", "e": "years", "m": "months", "w": "weeks", "d": "days", "h": "hours"}
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_MOST = {"years": 125, "months": 300, "weeks": 300, "days": 1000, "hours": 200}
_FULL_STOP = re.compile(r"(?<![a-z.]\.[a-z])(?<!\.[ ][a-z])\.\Z", re.IGNORECASE)
"""A full stop that ends the sentence, or stands for one: not that of `y.o.`."""
_UPWARD = re.compile(r">|≥|\b(?:over|above|older|up)\b|\+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AgeHit:
    """An age: code points `begin:end`, the rule, and the lowest and highest age it names in `unit` (years, months, weeks,
    days, hours). `upward`: or more."""

    begin: int
    end: int
    rule: str
    low: float
    high: float
    unit: str
    upward: bool = False

    @property
    def over_89(self) -> bool:
        """Whether the words name or allow an age over 89 years beyond doubt (45 CFR 164.514(b)(2)(i)(C))."""
        years = self.high / _PER_YEAR[self.unit]
        return years >= 90 or (self.upward and years >= 89)

    @property
    def value(self) -> str:
        """`65 years`, `18-25 years`, `11 months`."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        unit = self.unit.removesuffix("s") if low == high == "1" else self.unit
        return f"{low} {unit}" if low == high else f"{low}-{high} {unit}"

    def __repr__(self) -> str:
        return f"<AgeHit {self.begin}:{self.end} {self.rule}>"


@functools.cache
def _trigger() -> object:
    """One alternation that matches wherever an age could begin."""
    import re2

    dash = "[-–—‐‑]"
    gap = rf"[\s\x{{A0}}]{{0,2}}{dash}?[\s\x{{A0}}]{{0,2}}"
    number = rf"(?:\d{{1,3}}(?:[.,]\d{{1,2}})?(?:[ -]?(?:[½¼¾]|\d/\d\d?))?(?:\(\d{{1,2}}/\d{{1,2}}\))?|\b{CARDINAL})(?:[ -]and[ -]a[ -]half)?"
    joint = rf"(?:{dash}?\s?(?:{dash}|&|to|and|or|through)[\s-]?)"
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    return re2.compile(
        "|".join(
            (
                rf"{number}(?:{joint}{number})?{gap}(?:y|eyar|(?:mo|week|wk|day|hour|hr)[a-z]{{0,6}}\.?{gap}(?:o|and|,|\d)|m\.?\s?/\s?o|m\.o)",
                r"\b(?:aged?|ages|a\.o\.?)\b",
                r"\b\d{1,3}[\s-]?/?\s?(?:m|f|male|female|man|woman|boy|girl|lady|gentleman)\b",
                rf"{number}{gap}mo?s?[a-z]{{0,6}}[-,\s]\s?(?:male|female|boy|girl|infant|baby|child)",
                r"\b[1-9]0['’]?s\b",
                rf"\b(?:(?:{rules.TENS})ies|teens)\b",
                r"\b(?:quinqua|sexa|septua|octo|nona)genarians?\b|\b(?:super)?centenarians?\b",
                r"\bturn(?:s|ed|ing)?\s",
                r"\b(?:male|female|man|woman|boy|girl|m|f|patient)\s?(?:/|,|\()?\s?\d",
                rf"\b(?:{rules.KIN})\s?[,(/]\s?\d",
                rf"\b(?:{rules.EVENTS})\sat\s\d",
                rf"\b(?:i|he|she|who|patient|pt)(?:\s(?:am|is|was)|['’][ms])\s(?:now |only |just |about |almost |currently )?{number}\b",
                r"\b(?:when|since|while|until|till|before)\s(?:i|he|she|they)\s(?:was|were|is|am|turned)\s",
                rf"{number}\s(?:or|and)\s(?:older|younger)",
                r"\b(?:older|younger)\sthan\s",
                r"\b(?:male|female|man|woman|boy|girl|patient|child|infant|lady|gentleman)\sof\s",
                r"\b(?:over|under)[ -]\d\d['’]?s\b",
            )
        ),
        options,
    )


def find_ages(text: str) -> list[AgeHit]:
    """Every age of a person in `text`, disjoint and in order. Linear in the length of the text."""
    hits: list[AgeHit] = []
    done = 0
    for match in _trigger().finditer(text):  # type: ignore[attr-defined]
        begin, end = match.span()
        for start in _START.finditer(text, max(begin, done), end):
            if start.start() >= done:
                hit = _at(text, start.start(), done)
                if hit is not None:
                    hits.append(hit)
                    done = hit.end
    return hits


def _at(text: str, begin: int, done: int) -> AgeHit | None:
    best: AgeHit | None = None
    for rule in _rules(text, begin):
        match = rule.pattern.match(text, begin)
        if match is None or match.start("span") < done or (best is not None and match.end("span") <= best.end):
            continue
        hit = _hit(match, rule)
        if hit is not None and _GUARDS[rule.guard](text, hit, match):
            best = hit
    return best


def _rules(text: str, begin: int) -> tuple[AgeRule, ...]:
    if text[begin].isdigit():
        left = text[begin - 2 : begin]
        if left[-1:] in ("$", "#", "€", "£") or (
            left[-1:] in (".", "/", ":", ",") and left[:1].isdigit() and len(left) == 2
        ):
            return ()
        return rules.FROM_NUMBER + rules.FROM_TENS[:1]
    word = cues.WORD.match(text, begin)
    low = word[0].lower() if word else ""
    found = _WORDS.get(low, ())
    if low == "patient":
        found = found + rules.FROM_VERB
    if low in ("a", "one", "hundred") or (len(low) > 2 and _NUMBER_WORD.match(text, begin)):
        found = found + rules.FROM_NUMBER
    if low.endswith(("ies", "teens")) and _TENS.match(text, begin):
        found = found + rules.FROM_TENS[1:]
    if "genarian" in low or "centenarian" in low:
        found = found + rules.FROM_LATIN
    return found


def _hit(match: re.Match[str], rule: AgeRule) -> AgeHit | None:
    groups = match.groupdict()
    begin, end = match.span("span")
    if groups.get("tens"):
        low = float(_TENS_VALUE[groups["tens"].lower()])
        return AgeHit(begin, end, rule.name, low if low > 10 else 13.0, low + 9, "years")
    if groups.get("latin"):
        low = float(_LATIN[groups["latin"].lower()])
        return AgeHit(begin, end, rule.name, low, low + 9, "years")
    if groups.get("century"):
        return AgeHit(begin, end, rule.name, 100.0, 109.0, "years")
    numbers = [v for name in ("n", "n2", "n3") if groups.get(name) and (v := _number(groups[name])) is not None]
    if not numbers or (groups.get("n2") and len(numbers) < 2):
        return None
    unit = _UNITS[(groups.get("unit") or "y")[0].lower()]
    if max(numbers) > _MOST[unit]:
        return None
    low, high = min(numbers), max(numbers)
    if "decade" in rule.name:
        high = low + 9
    if _FULL_STOP.search(match["span"]):
        end -= 1
    return AgeHit(begin, end, rule.name, low, high, unit, bool(_UPWARD.search(match["span"])))


def _number(text: str) -> float | None:
    """The value of figures with a fraction (`3 1/2`, `2.5`, `4(3/12)`) or of words; None where it is none."""
    if not text[0].isdigit():
        half = re.search(r"[ -]and[ -]a[ -]half\Z", text, re.IGNORECASE)
        said = cardinal(text[: half.start()] if half else text)
        return None if said is None else said + (0.5 if half else 0.0)
    whole = re.match(r"\d+(?:[.,]\d+)?", text)
    value = float(whole[0].replace(",", ".")) if whole else 0.0
    value += 0.5 if text.endswith("half") else 0.0
    part = re.search(r"(\d+)/(\d+)", text)
    if part and int(part[2]):
        value += int(part[1]) / int(part[2])
    return value + sum(v for sign, v in _FRACTIONS.items() if sign in text)


def _sides(text: str, hit: AgeHit) -> tuple[str, str]:
    return text[max(0, hit.begin - _LOOK) : hit.begin], text[hit.end : hit.end + _LOOK]


def _whatever(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    return hit.low >= 1 and (match["span"][0].isdigit() or hit.low >= 13)


def _cued(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = text[max(0, match.start() - _LOOK) : match.start()], text[hit.end : hit.end + _LOOK]
    return not (cues.PREGNANCY_BEFORE.search(left) or cues.PREGNANCY_AFTER.match(right))


def _old(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = _sides(text, hit)
    if cues.PREGNANCY_BEFORE.search(left) or cues.PREGNANCY_AFTER.match(right):
        return False
    thing = cues.THING.match(right)
    return thing is None or (hit.unit == "years" and bool(cues.GENDER_AFTER.match(right[: thing.end()])))


def _unit(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = _sides(text, hit)
    if cues.DURATION_AFTER.match(right) or cues.PREGNANCY_AFTER.match(right):
        return False
    return not cues.DURATION_BEFORE.search(left) and bool(cues.PERSON_BEFORE.search(left)) or match.start() < hit.begin


def _sex(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = text[max(0, hit.begin - _LOOK) : hit.begin], text[match.end() : match.end() + _LOOK]
    return hit.low >= 10 and bool(cues.ARTICLE_BEFORE.search(left)) and not cues.PLURAL_AFTER.match(right)


def _letter(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = text[max(0, hit.begin - _LOOK) : hit.begin], text[match.end() : match.end() + _LOOK]
    if hit.rule == "n/sex":
        return hit.low >= 2 and not cues.HEAT_BEFORE.search(left)
    if cues.HEAT_BEFORE.search(left) or cues.HEAT_AFTER.match(right) or cues.AMOUNT_AFTER.match(right):
        return False
    return hit.low >= 2 and bool(
        cues.PATIENT_BEFORE.search(left) or (cues.OPENING.search(left) and cues.CLINICAL_AFTER.match(right))
    )


def _decade(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    left, right = _sides(text, hit)
    if cues.VITAL.search(left):
        return False
    if cues.OWNER.search(left) and cues.INTO.search(left):
        return True
    return bool(cues.QUALIFIED.search(left)) and bool(cues.GENDER_AFTER.match(right))


def _near_sex(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    right = text[hit.end : hit.end + _LOOK]
    return (
        hit.low >= 1
        and not cues.COUNTED.match(right)
        and bool(cues.BOUNDARY.match(right))
        and not cues.DURATION_AFTER.match(right)
    )


def _turned(text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    right = text[hit.end : hit.end + _LOOK]
    return not cues.COUNTED.match(right) and bool(cues.TURN_AFTER.match(right))


_GUARDS = {
    Guard.NONE: _whatever, Guard.CUED: _cued, Guard.OLD: _old, Guard.UNIT: _unit, Guard.SEX: _sex, Guard.LETTER: _letter,
    Guard.DECADE: _decade, Guard.NEAR_SEX: _near_sex, Guard.TURNED: _turned,
}  # fmt: skip
