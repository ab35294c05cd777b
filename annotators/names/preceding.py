"""What the words before a name say of it: a title, a role, a label, `my name is`, `reported by`."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind
from . import cues, words
from .cues import listed
from .shape import CAPITAL, LETTER, SMALL
from .token_context import TokenContext


class PrecedingCue(NamedTuple):
    """What stands before a name: how strong it is, whom it speaks of, and its rule."""

    strength: float
    kind: PhiKind
    rule: str


NO_CUE = PrecedingCue(0.0, PhiKind.PERSON, "")
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


def preceding_cue(doc: TokenContext, i: int) -> PrecedingCue:
    """What the words before token i say of it."""
    title = doc.title_before(i)
    facts = doc.facts(i)
    if title is not None:
        found = _titled(doc, title, i, facts)
        if found.strength:
            return found
    k = doc.before(i)
    if k < 0:
        line = _line_before(doc, i)
        return line if line else NO_CUE
    form, low, bits = doc.forms[k], doc.forms[k].lower(), doc.bits[k]
    if form == ":":
        if doc.form(k - 1).lower() == "by" and doc.form(k - 2).lower() in _BY_VERBS:
            return (
                PrecedingCue(0.85, _BY_VERBS[doc.form(k - 2).lower()], "label")
                if facts & (words.NAME | words.UNKNOWN)
                else NO_CUE
            )
        return _label(doc, k - 1, i)
    if form == "?" and doc.form(k - 1).lower() in ("name", "surname") and facts & (words.NAME | words.UNKNOWN):
        return PrecedingCue(0.8, PhiKind.PERSON, "name is")
    if form == "," and k:
        k -= 1
        low, bits = doc.forms[k].lower(), doc.bits[k]
        if bits & (cues.RELATIVE | cues.PATIENT) and facts & words.NAME and facts >> words.LEVEL < 2:
            kind = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else PhiKind.PERSON_PATIENT
            return PrecedingCue(0.75, kind, "role before")
        if bits & cues.GREETING:
            return PrecedingCue(0.7, PhiKind.PERSON, "greeting") if facts & words.GIVEN else NO_CUE
        return NO_CUE
    if form in _STAFF and facts & words.NAME and facts >> words.LEVEL < 2 and not _is_credential(doc, k):
        return PrecedingCue(0.75, PhiKind.PERSON_DOCTOR, "credential before")
    if bits & cues.RELATIVE and (facts & (words.GIVEN | words.UNKNOWN)) and not doc.starts(i):
        return PrecedingCue(0.85 if facts & words.GIVEN else 0.6, PhiKind.PERSON_RELATIVE, "relative before")
    if bits & cues.PATIENT and facts & words.NAME:
        return PrecedingCue(0.75, PhiKind.PERSON_PATIENT, "patient before")
    if bits & cues.PATIENT and doc.bit(i) & LETTER:
        return PrecedingCue(0.85, PhiKind.PERSON_PATIENT, "patient before")
    if low == "initials":
        return PrecedingCue(0.9, PhiKind.PERSON_INITIALS, "label")
    if low in ("him", "her", "me", "them", "us", "it") and k and doc.forms[k - 1].lower() in _NAMING:
        k -= 1
        low, bits = doc.forms[k].lower(), cues.NAMED | SMALL
    if bits & cues.NAMED and bits & SMALL:
        sure = facts & words.GIVEN or (facts & (words.NAME | words.UNKNOWN) and low in _NAMING_SURELY)
        return PrecedingCue(0.85 if sure else 0.3, PhiKind.PERSON, "named")
    if low in ("is", "'s", "was", "name") and name_is(doc, k):
        return PrecedingCue(0.9, PhiKind.PERSON, "name is")
    if (
        low in ("am", "'m", "’m")
        and doc.form(k - 1) in ("I", "i")
        and facts & (words.GIVEN | words.UNKNOWN)
        and facts >> words.LEVEL < 2
    ):
        return PrecedingCue(0.8 if facts & words.GIVEN else 0.45, PhiKind.PERSON, "I am")
    if low == "by" and k and doc.forms[k - 1].lower() in _BY_VERBS:
        strength = 0.8 if facts & words.NAME else 0.55 if facts & words.UNKNOWN else 0.0
        return PrecedingCue(strength, _BY_VERBS[doc.forms[k - 1].lower()], "by") if strength else NO_CUE
    if bits & cues.GREETING and (facts & words.NAME or (facts & words.UNKNOWN and doc.form(i + 1) in (",", ":"))):
        return PrecedingCue(0.8 if facts & words.NAME else 0.6, PhiKind.PERSON, "greeting")
    return NO_CUE


def _is_credential(doc: TokenContext, k: int) -> bool:
    """Whether `RN` at token k belongs to the name before it: `Tamika RN Johnson`, `Jane Roe, RN`."""
    before = doc.form(k - 1)
    return before == "," or bool(doc.bit(k - 1) & CAPITAL and doc.facts(k - 1) & words.NAME)


def _titled(doc: TokenContext, title: int, i: int, facts: int) -> PrecedingCue:
    bits = doc.bits[title]
    kind = PhiKind.PERSON_DOCTOR if bits & cues.DOCTOR else PhiKind.PERSON
    if bits & cues.TITLE:
        return PrecedingCue(0.97, kind, "title")
    relation = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else kind
    if facts & words.BLOCKED or facts >> words.LEVEL > 1:
        return NO_CUE
    if doc.starts(i) and doc.lowers[title] not in _SHORT_TITLES:
        return NO_CUE
    if facts & (words.GIVEN | words.OFTEN_SURNAME) or (facts & words.NAME and doc.lowers[title] in _SURE_TITLES):
        return PrecedingCue(0.85, relation, "title")
    if (doc.bits[title] & CAPITAL or bits & cues.DOCTOR) and facts & (words.SURNAME | words.UNKNOWN):
        return PrecedingCue(0.8 if doc.lowers[title] in _SURE_TITLES else 0.5, relation, "title")
    return NO_CUE


def _label(doc: TokenContext, k: int, i: int) -> PrecedingCue:
    """A label with a colon: `Patient name: ...`, `Attending: ...`."""
    if k < 0 or not doc.bits[k] & (cues.LABEL | cues.REPORTER):
        return NO_CUE
    low = doc.forms[k].lower()
    if doc.bits[k] & cues.RELATIVE and not doc.facts(i) & words.NAME:  # `Mother: Non-Hodgkin lymphoma`
        return NO_CUE
    if low in ("name", "names", "surname", "initials") and k and doc.forms[k - 1].lower() in _LABEL_KINDS:
        low = doc.forms[k - 1].lower()
    kind = PhiKind.PERSON_INITIALS if low == "initials" else PhiKind.PERSON
    return PrecedingCue(0.88, _LABEL_KINDS.get(low, kind), "label")


def _line_before(doc: TokenContext, i: int) -> PrecedingCue | None:
    """`Sincerely,` or `Signed by:` on the line before."""
    k = i - 1
    if k < 0 or "\n" not in doc.text[doc.ends[k] : doc.begins[i]]:
        return None
    if doc.forms[k] == "," and doc.bit(k - 1) & cues.GREETING:
        return PrecedingCue(0.85, PhiKind.PERSON, "signature")
    return None


def name_is(doc: TokenContext, k: int) -> bool:
    """Whether `name is`, `name's`, `this is` ends at token k."""
    if doc.forms[k].lower() == "name":
        return doc.form(k - 1).lower() in _WHOSE
    return doc.form(k - 1).lower() in ("name", "surname", "names")
