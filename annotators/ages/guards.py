"""Decides whether an expression is an age in its context, or a duration, a pregnancy, a count, a temperature."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.windows import BEFORE
from . import cues
from .match import AgeMatch

_WIDEST = 40
"""Maximum size of catheters, in French."""
_RANGE_BEFORE = lazy_regex(r"\d[-–]\Z|\bq\Z")
_OLD = 60
"""In years; few things that notes name are older."""
_FEVER, _HIGH_FEVER = 95, 100
"""In degrees Fahrenheit; few women reach this age in years."""


class AgeContext:
    """An age and the text around it: before and after the age, and before and after the whole match of its rule."""

    def __init__(self, text: str, age: AgeMatch, match: re.Match[str]) -> None:
        self.age = age
        self.lead = text[match.start() : age.begin].lower()
        """The part of the match before the age."""
        self.before = text[max(0, age.begin - BEFORE) : age.begin]
        self.after = text[age.end : age.end + BEFORE]
        self.outer_before = text[max(0, match.start() - BEFORE) : match.start()]
        self.outer_after = text[match.end() : match.end() + BEFORE]
        self.text = match[0]
        self.words = not text[age.begin].isdigit()


def none(ctx: AgeContext) -> bool:
    """Exclude only numbers that are too small."""
    return ctx.age.low >= (13 if ctx.words else 1)


def birthday(ctx: AgeContext) -> bool:
    """Exclude nothing: only people have birthdays that notes count."""
    return ctx.age.low >= 1


def bare(ctx: AgeContext) -> bool:
    """Exclude a temperature, a pulse, a weight, a score."""
    before = ctx.outer_before + " "
    measured = cues.HEAT_BEFORE.search(before) or cues.VITAL.search(before)
    least = 4 if ctx.words else 1
    return ctx.age.low >= least and measured is None


def cued(ctx: AgeContext) -> bool:
    """Exclude a gestational age."""
    return not (cues.PREGNANCY_BEFORE.search(ctx.outer_before) or cues.PREGNANCY_AFTER.match(ctx.after))


def old(ctx: AgeContext) -> bool:
    """Exclude the age of a thing or a pregnancy; people of 90 years or more are neither."""
    years = ctx.age.unit == "years"
    if ctx.age.over_89 or (years and ctx.age.low >= _OLD and not ctx.text.lower().endswith("old")):
        return True
    if not years and (cues.PREGNANCY_BEFORE.search(ctx.before) or cues.PREGNANCY_AFTER.match(ctx.after)):
        return False
    thing = cues.THING.match(ctx.after)
    person = thing and ctx.age.unit == "years" and cues.GENDER_AFTER.match(ctx.after[: thing.end()])
    return thing is None or bool(person)


def unit(ctx: AgeContext) -> bool:
    """Exclude a duration, unless it is that of a long life."""
    if ctx.age.over_89 and ctx.age.unit == "years":
        return not cues.DURATION_AFTER.match(ctx.after) and not cues.DURATION_BEFORE.search(ctx.before)
    if (
        _RANGE_BEFORE.search(ctx.before)
        or cues.DURATION_AFTER.match(ctx.after)
        or cues.PREGNANCY_AFTER.match(ctx.after)
    ):
        return False
    spoken = cues.PERSON_BEFORE.search(ctx.before) and not cues.DURATION_BEFORE.search(ctx.before)
    return bool(ctx.lead) or bool(spoken)


def sex(ctx: AgeContext) -> bool:
    """Exclude a count of people, a temperature."""
    one = cues.PATIENT_BEFORE.search(ctx.before) or cues.OPENING.search(ctx.before)
    return ctx.age.low >= 10 and bool(one) and not cues.PLURAL_AFTER.match(ctx.outer_after)


def letter(ctx: AgeContext) -> bool:
    """Exclude a temperature, a length, an amount."""
    french = ctx.age.low <= _WIDEST and cues.FRENCH_AFTER.match(ctx.outer_after)
    if ctx.age.low < 2 or cues.HEAT_BEFORE.search(ctx.before) or french:
        return False
    if ctx.age.rule == "n/sex":
        return True
    if cues.HEAT_AFTER.match(ctx.outer_after) or cues.AMOUNT_AFTER.match(ctx.outer_after):
        return False
    degrees = ctx.text.endswith("F")
    fever = degrees and ctx.age.low >= _FEVER
    if degrees and (cues.AIR_BEFORE.search(ctx.before) or (fever and cues.IT_BEFORE.search(ctx.before))):
        return False
    if cues.PATIENT_BEFORE.search(ctx.before) or cues.RELATIVE_BEFORE.search(ctx.before):
        return True
    if fever and (ctx.age.low >= _HIGH_FEVER or cues.FEVERISH_AFTER.match(ctx.outer_after)):
        return False
    opening = cues.OPENING.search(ctx.before) or cues.SUMMARY_BEFORE.search(ctx.before)
    return bool(opening and cues.CLINICAL_AFTER.match(ctx.outer_after))


def decade(ctx: AgeContext) -> bool:
    """Exclude a decade of the century, a pulse."""
    if cues.VITAL.search(ctx.before):
        return False
    owned = cues.OWNER.search(ctx.before) and cues.INTO.search(ctx.before)
    qualified = cues.QUALIFIED.search(ctx.before) and cues.GENDER_AFTER.match(ctx.after)
    return bool(owned or qualified)


def near_sex(ctx: AgeContext) -> bool:
    """Exclude a duration, a count."""
    if ctx.age.low < (10 if ctx.lead.startswith(("patient", "pt")) else 1):
        return False
    if cues.COUNTED.match(ctx.after) or cues.DURATION_AFTER.match(ctx.after):
        return False
    return cues.BOUNDARY.match(ctx.after) is not None


def turned(ctx: AgeContext) -> bool:
    """Exclude degrees, pages."""
    return not cues.COUNTED.match(ctx.after) and cues.TURN_AFTER.match(ctx.after) is not None


_LIVED = lazy_regex(
    rf"\b(?:i|he|she|who|patient|pt|{'|'.join(cues.KIN)}|retired|(?:em|im)migrated|married|divorced|widowed|orphaned|enlisted"
    r"|diagnosed|died)\b[^.;\n]{0,60}\Z",
    re.IGNORECASE,
)
"""A person or an event of a life in the sentence before an age."""


def lived(ctx: AgeContext) -> bool:
    """Exclude a number that belongs to no person, a temperature, a pulse, a score."""
    before = ctx.outer_before
    measured = cues.HEAT_BEFORE.search(before) or cues.VITAL.search(before)
    return ctx.age.low >= 10 and measured is None and _LIVED.search(before) is not None


def opening(ctx: AgeContext) -> bool:
    """Exclude all but a sentence without its subject."""
    return ctx.age.low >= 10 and cues.OPENING.search(ctx.outer_before) is not None
