"""What the words before a name say of it: a title, a role, a label, `my name is`, `reported by`."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind
from . import cues
from . import words as w
from .cues import listed
from .shape import CAPITAL, LETTER, SMALL
from .sheet import Sheet


class Cue(NamedTuple):
    """What stands before a name: how strong it is, whom it speaks of, and its rule."""

    strength: float
    kind: PhiKind
    rule: str


NO_CUE = Cue(0.0, PhiKind.PERSON, "")
_BY_VERBS = {
    **dict.fromkeys(
        listed(
            "seen treated examined prescribed ordered evaluated managed followed referred assessed diagnosed admitted performed "
            "given administered vaccinated injected attended dictated interpreted read reviewed electronically"
        ),
        PhiKind.PERSON_DOCTOR,
    ),
    **dict.fromkeys(listed("reported submitted sent provided forwarded"), PhiKind.PERSON_REPORTER),
    **dict.fromkeys(listed("signed written accompanied brought completed witnessed"), PhiKind.PERSON),
}
_LABEL_KINDS = {
    **dict.fromkeys(
        listed(
            "attending provider physician doctor pcp nurse surgeon consultant prescriber pharmacist vaccinator practitioner "
            "md gp dictator administrator"
        ),
        PhiKind.PERSON_DOCTOR,
    ),
    **dict.fromkeys(listed("patient pt client recipient"), PhiKind.PERSON_PATIENT),
    **dict.fromkeys(listed("mother father parent guardian"), PhiKind.PERSON_RELATIVE),
    "reporter": PhiKind.PERSON_REPORTER,
}
_NAMING = listed("call calls called named name names naming calling")
_NAMING_SURELY = listed("named alias aka nee née surname")
_SURE_TITLES = listed("professor doctor captain sergeant colonel lieutenant sir lord fr")
_SHORT_TITLES = listed("fr capt sgt lt col gen")
"""Titles with a full stop that ends no sentence."""
_STAFF = listed("RN MD NP LPN LVN CNA CRNA PharmD EMT APRN CNM RRT")
_WHOSE = listed("my her his last first full maiden patient the 's")


def cue_before(sheet: Sheet, i: int) -> Cue:
    """What the words before token i say of it."""
    title = sheet.title_before(i)
    facts = sheet.facts(i)
    if title is not None:
        found = _titled(sheet, title, i, facts)
        if found.strength:
            return found
    k = sheet.before(i)
    if k < 0:
        line = _line_before(sheet, i)
        return line if line else NO_CUE
    form, low, bits = sheet.forms[k], sheet.forms[k].lower(), sheet.bits[k]
    if form == ":":
        if sheet.form(k - 1).lower() == "by" and sheet.form(k - 2).lower() in _BY_VERBS:
            return Cue(0.85, _BY_VERBS[sheet.form(k - 2).lower()], "label") if facts & (w.NAME | w.UNKNOWN) else NO_CUE
        return _label(sheet, k - 1, i)
    if form == "?" and sheet.form(k - 1).lower() in ("name", "surname") and facts & (w.NAME | w.UNKNOWN):
        return Cue(0.8, PhiKind.PERSON, "name is")
    if form == "," and k:
        k -= 1
        low, bits = sheet.forms[k].lower(), sheet.bits[k]
        if bits & (cues.RELATIVE | cues.PATIENT) and facts & w.NAME and facts >> w.LEVEL < 2:
            kind = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else PhiKind.PERSON_PATIENT
            return Cue(0.75, kind, "role before")
        if bits & cues.GREETING:
            return Cue(0.7, PhiKind.PERSON, "greeting") if facts & w.GIVEN else NO_CUE
        return NO_CUE
    if form in _STAFF and facts & w.NAME and facts >> w.LEVEL < 2 and not _is_credential(sheet, k):
        return Cue(0.75, PhiKind.PERSON_DOCTOR, "credential before")
    if bits & cues.RELATIVE and (facts & (w.GIVEN | w.UNKNOWN)) and not sheet.starts(i):
        return Cue(0.85 if facts & w.GIVEN else 0.6, PhiKind.PERSON_RELATIVE, "relative before")
    if bits & cues.PATIENT and facts & w.NAME:
        return Cue(0.75, PhiKind.PERSON_PATIENT, "patient before")
    if bits & cues.PATIENT and sheet.bit(i) & LETTER:
        return Cue(0.85, PhiKind.PERSON_PATIENT, "patient before")
    if low == "initials":
        return Cue(0.9, PhiKind.PERSON_INITIALS, "label")
    if low in ("him", "her", "me", "them", "us", "it") and k and sheet.forms[k - 1].lower() in _NAMING:
        k -= 1
        low, bits = sheet.forms[k].lower(), cues.NAMED | SMALL
    if bits & cues.NAMED and bits & SMALL:
        sure = facts & w.GIVEN or (facts & (w.NAME | w.UNKNOWN) and low in _NAMING_SURELY)
        return Cue(0.85 if sure else 0.3, PhiKind.PERSON, "named")
    if low in ("is", "'s", "was", "name") and name_is(sheet, k):
        return Cue(0.9, PhiKind.PERSON, "name is")
    if (
        low in ("am", "'m", "’m")
        and sheet.form(k - 1) in ("I", "i")
        and facts & (w.GIVEN | w.UNKNOWN)
        and facts >> w.LEVEL < 2
    ):
        return Cue(0.8 if facts & w.GIVEN else 0.45, PhiKind.PERSON, "I am")
    if low == "by" and k and sheet.forms[k - 1].lower() in _BY_VERBS:
        strength = 0.8 if facts & w.NAME else 0.55 if facts & w.UNKNOWN else 0.0
        return Cue(strength, _BY_VERBS[sheet.forms[k - 1].lower()], "by") if strength else NO_CUE
    if bits & cues.GREETING and (facts & w.NAME or (facts & w.UNKNOWN and sheet.form(i + 1) in (",", ":"))):
        return Cue(0.8 if facts & w.NAME else 0.6, PhiKind.PERSON, "greeting")
    return NO_CUE


def _is_credential(sheet: Sheet, k: int) -> bool:
    """Whether `RN` at token k belongs to the name before it: `Tamika RN Johnson`, `Jane Roe, RN`."""
    before = sheet.form(k - 1)
    return before == "," or bool(sheet.bit(k - 1) & CAPITAL and sheet.facts(k - 1) & w.NAME)


def _titled(sheet: Sheet, title: int, i: int, facts: int) -> Cue:
    bits = sheet.bits[title]
    kind = PhiKind.PERSON_DOCTOR if bits & cues.DOCTOR else PhiKind.PERSON
    if bits & cues.TITLE:
        return Cue(0.97, kind, "title")
    relation = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else kind
    if facts & w.BLOCKED or facts >> w.LEVEL > 1:
        return NO_CUE
    if sheet.starts(i) and sheet.lowers[title] not in _SHORT_TITLES:
        return NO_CUE
    if facts & (w.GIVEN | w.OFTEN_SURNAME) or (facts & w.NAME and sheet.lowers[title] in _SURE_TITLES):
        return Cue(0.85, relation, "title")
    if (sheet.bits[title] & CAPITAL or bits & cues.DOCTOR) and facts & (w.SURNAME | w.UNKNOWN):
        return Cue(0.8 if sheet.lowers[title] in _SURE_TITLES else 0.5, relation, "title")
    return NO_CUE


def _label(sheet: Sheet, k: int, i: int) -> Cue:
    """A label with a colon: `Patient name: ...`, `Attending: ...`."""
    if k < 0 or not sheet.bits[k] & (cues.LABEL | cues.REPORTER):
        return NO_CUE
    low = sheet.forms[k].lower()
    if sheet.bits[k] & cues.RELATIVE and not sheet.facts(i) & w.NAME:  # `Mother: Non-Hodgkin lymphoma`
        return NO_CUE
    if low in ("name", "names", "surname", "initials") and k and sheet.forms[k - 1].lower() in _LABEL_KINDS:
        low = sheet.forms[k - 1].lower()
    kind = PhiKind.PERSON_INITIALS if low == "initials" else PhiKind.PERSON
    return Cue(0.88, _LABEL_KINDS.get(low, kind), "label")


def _line_before(sheet: Sheet, i: int) -> Cue | None:
    """`Sincerely,` or `Signed by:` on the line before."""
    k = i - 1
    if k < 0 or "\n" not in sheet.text[sheet.ends[k] : sheet.begins[i]]:
        return None
    if sheet.forms[k] == "," and sheet.bit(k - 1) & cues.GREETING:
        return Cue(0.85, PhiKind.PERSON, "signature")
    return None


def name_is(sheet: Sheet, k: int) -> bool:
    """Whether `name is`, `name's`, `this is` ends at token k."""
    if sheet.forms[k].lower() == "name":
        return sheet.form(k - 1).lower() in _WHOSE
    return sheet.form(k - 1).lower() in ("name", "surname", "names")
