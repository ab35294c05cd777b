"""Whether what looks like an age is one where it stands, or a duration, a pregnancy, a count, a temperature."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..dates.windows import BEFORE
from . import cues
from .hit import AgeHit
from .rules import Guard

_WIDEST = 40
"""Of catheters, in French."""
_FEVER, _HIGH_FEVER = 95, 100
"""In degrees Fahrenheit; years that few women reach."""


class Sides:
    """A hit and the text on its sides: before and after the age, and before and after all that its rule matched."""

    def __init__(self, text: str, hit: AgeHit, match: re.Match[str]) -> None:
        self.hit = hit
        self.lead = text[match.start() : hit.begin].lower()
        """What the rule matched before the age."""
        self.before = text[max(0, hit.begin - BEFORE) : hit.begin]
        self.after = text[hit.end : hit.end + BEFORE]
        self.outer_before = text[max(0, match.start() - BEFORE) : match.start()]
        self.outer_after = text[match.end() : match.end() + BEFORE]
        self.text = match[0]
        self.words = not text[hit.begin].isdigit()


def _none(sides: Sides) -> bool:
    return sides.hit.low >= (13 if sides.words else 1)


def _bare(sides: Sides) -> bool:
    before = sides.outer_before + " "
    measured = cues.HEAT_BEFORE.search(before) or cues.VITAL.search(before)
    return _none(sides) and measured is None


def _cued(sides: Sides) -> bool:
    return not (cues.PREGNANCY_BEFORE.search(sides.outer_before) or cues.PREGNANCY_AFTER.match(sides.after))


def _old(sides: Sides) -> bool:
    if cues.PREGNANCY_BEFORE.search(sides.before) or cues.PREGNANCY_AFTER.match(sides.after):
        return False
    thing = cues.THING.match(sides.after)
    person = thing and sides.hit.unit == "years" and cues.GENDER_AFTER.match(sides.after[: thing.end()])
    return thing is None or bool(person)


def _unit(sides: Sides) -> bool:
    if cues.DURATION_AFTER.match(sides.after) or cues.PREGNANCY_AFTER.match(sides.after):
        return False
    spoken = cues.PERSON_BEFORE.search(sides.before) and not cues.DURATION_BEFORE.search(sides.before)
    return bool(sides.lead) or bool(spoken)


def _sex(sides: Sides) -> bool:
    one = cues.PATIENT_BEFORE.search(sides.before) or cues.OPENING.search(sides.before)
    return sides.hit.low >= 10 and bool(one) and not cues.PLURAL_AFTER.match(sides.outer_after)


def _letter(sides: Sides) -> bool:
    french = sides.hit.low <= _WIDEST and cues.FRENCH_AFTER.match(sides.outer_after)
    if sides.hit.low < 2 or cues.HEAT_BEFORE.search(sides.before) or french:
        return False
    if sides.hit.rule == "n/sex":
        return True
    if cues.HEAT_AFTER.match(sides.outer_after) or cues.AMOUNT_AFTER.match(sides.outer_after):
        return False
    degrees = sides.text.endswith("F")
    fever = degrees and sides.hit.low >= _FEVER
    if degrees and (cues.AIR_BEFORE.search(sides.before) or (fever and cues.IT_BEFORE.search(sides.before))):
        return False
    if cues.PATIENT_BEFORE.search(sides.before) or cues.RELATIVE_BEFORE.search(sides.before):
        return True
    if fever and (sides.hit.low >= _HIGH_FEVER or cues.FEVERISH_AFTER.match(sides.outer_after)):
        return False
    opening = cues.OPENING.search(sides.before) or cues.SUMMARY_BEFORE.search(sides.before)
    return bool(opening and cues.CLINICAL_AFTER.match(sides.outer_after))


def _decade(sides: Sides) -> bool:
    if cues.VITAL.search(sides.before):
        return False
    owned = cues.OWNER.search(sides.before) and cues.INTO.search(sides.before)
    qualified = cues.QUALIFIED.search(sides.before) and cues.GENDER_AFTER.match(sides.after)
    return bool(owned or qualified)


def _near_sex(sides: Sides) -> bool:
    if sides.hit.low < (10 if sides.lead.startswith(("patient", "pt")) else 1):
        return False
    if cues.COUNTED.match(sides.after) or cues.DURATION_AFTER.match(sides.after):
        return False
    return cues.BOUNDARY.match(sides.after) is not None


def _turned(sides: Sides) -> bool:
    return not cues.COUNTED.match(sides.after) and cues.TURN_AFTER.match(sides.after) is not None


_GUARDS: dict[Guard, Callable[[Sides], bool]] = {
    Guard.NONE: _none,
    Guard.BARE: _bare,
    Guard.CUED: _cued,
    Guard.OLD: _old,
    Guard.UNIT: _unit,
    Guard.SEX: _sex,
    Guard.LETTER: _letter,
    Guard.DECADE: _decade,
    Guard.NEAR_SEX: _near_sex,
    Guard.TURNED: _turned,
}


def passes(guard: Guard, text: str, hit: AgeHit, match: re.Match[str]) -> bool:
    """Whether the text around a hit leaves it an age."""
    return _GUARDS[guard](Sides(text, hit, match))
