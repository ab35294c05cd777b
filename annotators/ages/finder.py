"""The component `ages`: one fast pass for offsets at which an age could begin, then rules and guards there."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from ...pipeline.contract.component import Annotator, component
from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiCandidate, PhiKind, View
from ..dates.numerals import CARDINAL, TENS
from ..dates.windows import compile_linear, spans
from ..reading import as_read
from . import cues, long_lives, rules
from .bare import find_bare_ages
from .guards import AgeContext
from .match import AgeMatch, read_age
from .misread import as_digits
from .ordinals import ORDINALS, SMALL
from .rare_units import find_rare_units
from .rules import AgeRule

_START = lazy_regex(r"(?<![^\W_])[^\W_]")
_WORD = lazy_regex(r"[^\W\d_]+")
_NUMBER_WORD = lazy_regex(rf"{CARDINAL}\b", re.IGNORECASE)
_VERBS = "turn turns turned turning when since while until till before older younger i he she who pt you".split()
_WORDS: dict[str, tuple[AgeRule, ...]] = {
    **dict.fromkeys(("age", "aged", "ages", "a"), rules.FROM_CUE + long_lives.FROM_CUE),
    **dict.fromkeys(rules.ONE, rules.FROM_SEX + rules.FROM_GENDER),
    **dict.fromkeys(("child", "infant"), rules.FROM_GENDER),
    **dict.fromkeys(("m", "f", *cues.KIN), (rules.NEAR_SEX,)),
    **dict.fromkeys(rules.EVENTS, rules.FROM_EVENT),
    "born": rules.FROM_BORN,
    "at": rules.FROM_AT,
    "was": rules.FROM_WAS,
    **dict.fromkeys(("aet", "aetat", "aetatis", "æt", "ætat", "ætatis", "y", "yo"), long_lives.FROM_CUE),
    **dict.fromkeys(("over", "under"), rules.FROM_LIMIT + long_lives.FROM_LIMIT),
    **dict.fromkeys(("above", "past"), long_lives.FROM_LIMIT),
    **dict.fromkeys({re.split("[ -]", words)[0] for words in (*ORDINALS, *SMALL)}, long_lives.FROM_NUMBER),
    "will": long_lives.FROM_WILL,
    "lived": long_lives.FROM_LIVED,
    **dict.fromkeys(_VERBS, rules.FROM_VERB),
    "patient": rules.FROM_SEX + rules.FROM_GENDER + rules.FROM_VERB,
    "pt": (rules.NEAR_SEX, *rules.FROM_VERB),
}
"""Rules by the first word of their matches."""


@functools.cache
def _trigger() -> Any:
    """Return one google-re2 pattern that matches wherever an age could begin."""
    dash = "(?:[-–—‐‑])"
    gap = rf"[\s\x{{A0}}]{{0,2}}{dash}?[\s\x{{A0}}]{{0,2}}"
    digits = r"(?:\d{1,2},\d{3}|\d{1,5})(?:[.,]\d{1,2})?(?:[ -]?(?:[½¼¾]|\d/\d\d?))?(?:\(\d{1,2}/\d{1,2}\))?"
    number = rf"(?:{digits}|\b{CARDINAL})(?:[ -]and[ -]a[ -]half)?"
    joint = rf"(?:{dash}?\s?(?:{dash}|&|to|and|or|through)[\s-]?)"
    short = rf"(?:mo|week|wk|day|hour|hr)[a-z]{{0,6}}\.?{gap}(?:o|and|,|\d)"
    one = "|".join(rules.ONE)
    places = (
        rf"{number}(?:{joint}{number})?{gap}(?:y|eyar|{short}|m\.?\s?/\s?o|m\.o)",
        rf"{number}{gap}mo?s?[a-z]{{0,6}}[-,\s]\s?(?:\S{{0,5}}term\s)?(?:{one}|infant|baby|child)",
        rf"{number}\s(?:or|and)\s(?:older|younger)",
        rf"{number}\+\s?y|\b\d{{1,3}}(?:st|nd|rd|th)\sb(?:irth)?-?day|\bborn\s(?:about\s|around\s)?{number}",
        rf"\b(?:{'|'.join(TENS)})(?:[-\s][a-z]{{3,5}})?\s(?:{one})\b",
        rf"\b\d{{1,3}}[\s-]?/?\s?(?:m|f|{one})\b",
        r"\b[1-9]0['’]?s\b",
        r"\b(?:aged?|ages|a\.o\.?)\b",
        rf"\b{rules.TENS}\b|\b(?:quinqua|sexa|septua|octo|nona)gen[ae]rians?\b|\b(?:super)?cent[ei]n[ae]rians?\b",
        *long_lives.PLACES,
        rf"\b(?:{one}|m|f|patient|pt)\s?(?:/|,|\()?\s?\d|\b(?:{'|'.join(cues.KIN)})\s?[,(/]\s?\d",
        rf"\b(?:{one}|patient|child|infant)\sof\s|\b(?:over|under)[ -]\d\d['’]?s\b",
        rf"\b(?:{'|'.join(rules.EVENTS)})\sat\s\d",
        r"\bat\s\d\d,?\s(?:back\s)?in\s(?:19|20)\d\d\b|\b(?:19|20)\d\d,?\sat\s\d\d\b",
        r"\b(?:at|was)\s\d\d,?\swhen\s(?:he|she|his|her)\b",
        r"\bturn(?:s|ed|ing)?\s|\b(?:older|younger)\sthan\s",
        r"\b(?:when|since|while|until|till|before)\s(?:i|he|she|they)\s(?:was|were|is|am|turned)\s",
        rf"\b(?:i|he|she|who|patient|pt|you)(?:\s(?:am|is|was|are|will\sbe|would\sbe)|['’](?:m|s|re|ll\sbe))\s(?:(?:now|only|just|about|almost|currently)\s)?{number}\b",
    )
    return compile_linear("|".join(places))


def find_ages(text: str) -> list[AgeMatch]:
    """Return all ages of people in `text`, disjoint and in order. Linear in the length of the text."""
    text = as_digits(as_read(text))
    ages = _stated(text)
    return merged([*find_bare_ages(text), *find_rare_units(text), *ages])


def merged(ages: list[AgeMatch]) -> list[AgeMatch]:
    """Return the ages in order; of overlapping ones the longest, and of equally long ones the last."""
    kept: list[AgeMatch] = []
    for age in sorted(ages, key=lambda a: (a.begin, a.end)):
        if kept and age.begin < kept[-1].end:
            if age.end - age.begin >= kept[-1].end - kept[-1].begin:
                kept[-1] = age
        else:
            kept.append(age)
    return kept


def _stated(text: str) -> list[AgeMatch]:
    """Return the ages that their own words tell."""
    ages: list[AgeMatch] = []
    done = 0
    for begin, end in spans(_trigger(), text):
        for start in _START.finditer(text, max(begin, done), end):
            if start.start() >= done:
                age = _at(text, start.start(), done)
                if age is not None:
                    ages.append(age)
                    done = age.end
    return ages


def _at(text: str, begin: int, done: int) -> AgeMatch | None:
    """Return the longest age at `begin` that its guard accepts and that is after `done`."""
    best: AgeMatch | None = None
    for rule in _rules(text, begin):
        match = rule.pattern.match(text, begin)
        if match is None or match.start("span") < done or (best is not None and match.end("span") <= best.end):
            continue
        age = read_age(match, rule.name)
        if age is not None and rule.guard(AgeContext(text, age, match)):
            best = age
    return best


def _rules(text: str, begin: int) -> tuple[AgeRule, ...]:
    if text[begin].isdigit():
        return () if _cut_out(text, begin) else (*rules.FROM_NUMBER, *long_lives.FROM_NUMBER, rules.DECADE)
    word = _WORD.match(text, begin)
    low = word[0].lower() if word else ""
    candidates = _WORDS.get(low, ())
    if low == "a" or (len(low) > 2 and _NUMBER_WORD.match(text, begin)):
        candidates += (*rules.FROM_NUMBER, *long_lives.FROM_NUMBER)
    if low.endswith("ish"):
        candidates += long_lives.FROM_NUMBER
    if low.endswith(("ies", "teens")):
        candidates += rules.FROM_TENS
    if low.removesuffix("s").endswith(("arian", "erian")):
        candidates += rules.FROM_LATIN
    return candidates


def _cut_out(text: str, begin: int) -> bool:
    """Return True if the digits at `begin` are part of a longer number, an amount of money or a code."""
    left = text[begin - 1 : begin] if begin else ""
    inside = left in (".", "/", ":", ",") and begin > 1 and text[begin - 2].isdigit()
    return inside or left in ("$", "#", "€", "£")


@component("ages", outputs=[PhiCandidate])
class AgeAnnotator(Annotator):
    """Marks ages of people with their unit words; durations, gestational ages and the age of things are not marked.

    `value` is the age in digits with its unit: `65 years`, `11 months`, `18-25 years`. Ages over 89 years have the kind
    `AGE_OVER_89` (45 CFR 164.514(b)(2)(i)(C)). `confidence` is 1, or the measured share of ages (0.8 or 0.9) where only the
    place of a number tells that it is an age.
    """

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for age in find_ages(view.text):
            kind = PhiKind.AGE_OVER_89 if age.over_89 else PhiKind.AGE
            yield PhiCandidate(age.begin, age.end, kind=kind, confidence=age.confidence, value=age.value, rule=age.rule)
