"""Evidence before a name: a title, a role, a label, `my name is`, `reported by`."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, LETTER, SMALL, listed
from .token_context import TokenContext


class PrecedingCue(NamedTuple):
    """A cue before a name: its strength, the kind of person, and its rule."""

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
_SHORT_TITLES = listed("fr capt sgt lt col gen")  # titles whose full stop does not end a sentence
_STAFF = listed("RN MD NP LPN LVN CNA CRNA PharmD EMT APRN CNM RRT")
_WHOSE = listed("my her his last first full maiden patient the 's")


def preceding_cue(doc: TokenContext, i: int) -> PrecedingCue:
    """Return the cue in the words before token i, `NO_CUE` if there is none."""
    title, facts = doc.title_before(i), doc.facts(i)
    if title is not None:
        cue = _titled(doc, title, i, facts)
        if cue.strength:
            return cue
    k = doc.before(i)
    if k < 0:
        return _line_before(doc, i)
    if doc.forms[k] in (":", "?") or (doc.forms[k] == "," and k):
        return _before_mark(doc, k, i, facts)
    cue = _role(doc, k, i, facts)
    return cue if cue.strength else _phrase(doc, k, i, facts)


def _before_mark(doc: TokenContext, k: int, i: int, facts: int) -> PrecedingCue:
    """Return the cue before the colon, question mark or comma at token k: `Seen by:`, `Name?`, `my husband,`, `Dear`."""
    mark, possible = doc.forms[k], facts & (words.NAME | words.UNKNOWN)
    low, verb, bits = doc.form(k - 1).lower(), doc.form(k - 2).lower(), doc.bit(k - 1)
    if mark == ":" and low == "by" and verb in _BY_VERBS:
        return PrecedingCue(0.85, _BY_VERBS[verb], "label") if possible else NO_CUE
    if mark == ":":
        return _label(doc, k - 1, i)
    if mark == "?" and low in ("name", "surname") and possible:
        return PrecedingCue(0.8, PhiKind.PERSON, "name is")
    if mark == "," and bits & (cues.RELATIVE | cues.PATIENT) and facts & words.NAME and facts >> words.LEVEL < 2:
        kind = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else PhiKind.PERSON_PATIENT
        return PrecedingCue(0.75, kind, "role before")
    if mark == "," and bits & cues.GREETING and facts & words.GIVEN:
        return PrecedingCue(0.7, PhiKind.PERSON, "greeting")
    return NO_CUE


def _role(doc: TokenContext, k: int, i: int, facts: int) -> PrecedingCue:
    """Return the cue of a credential, a relative, a patient or `initials` at token k."""
    bits, name = doc.bits[k], facts & words.NAME
    if doc.forms[k] in _STAFF and name and facts >> words.LEVEL < 2 and not _is_credential(doc, k):
        return PrecedingCue(0.75, PhiKind.PERSON_DOCTOR, "credential before")
    if bits & cues.RELATIVE and (facts & (words.GIVEN | words.UNKNOWN)) and not doc.starts(i):
        return PrecedingCue(0.85 if facts & words.GIVEN else 0.6, PhiKind.PERSON_RELATIVE, "relative before")
    if bits & cues.PATIENT and name:
        return PrecedingCue(0.75, PhiKind.PERSON_PATIENT, "patient before")
    if bits & cues.PATIENT and doc.bit(i) & LETTER:
        return PrecedingCue(0.85, PhiKind.PERSON_PATIENT, "patient before")
    return PrecedingCue(0.9, PhiKind.PERSON_INITIALS, "label") if doc.lowers[k] == "initials" else NO_CUE


def _phrase(doc: TokenContext, k: int, i: int, facts: int) -> PrecedingCue:
    """Return the cue of a phrase that ends at token k: `named`, `name is`, `I am`, `seen by`, `Dear`."""
    low, bits, name, given = doc.lowers[k], doc.bits[k], facts & words.NAME, facts & words.GIVEN
    unknown, verb = facts & words.UNKNOWN, doc.form(k - 1).lower()
    if low in ("him", "her", "me", "them", "us", "it") and verb in _NAMING:
        low, bits, k = verb, cues.NAMED | SMALL, k - 1
    if bits & cues.NAMED and bits & SMALL:
        sure = given or ((name or unknown) and low in _NAMING_SURELY)
        return PrecedingCue(0.85 if sure else 0.3, PhiKind.PERSON, "named")
    if low in ("is", "'s", "was", "name") and name_is(doc, k):
        return PrecedingCue(0.9, PhiKind.PERSON, "name is")
    speaker = low in ("am", "'m", "’m") and doc.form(k - 1) in ("I", "i")
    if speaker and (given or unknown) and facts >> words.LEVEL < 2:
        return PrecedingCue(0.8 if given else 0.45, PhiKind.PERSON, "I am")
    if low == "by" and verb in _BY_VERBS:
        return PrecedingCue(0.8 if name else 0.55, _BY_VERBS[verb], "by") if name or unknown else NO_CUE
    if bits & cues.GREETING and (name or (unknown and doc.form(i + 1) in (",", ":"))):
        return PrecedingCue(0.8 if name else 0.6, PhiKind.PERSON, "greeting")
    return NO_CUE


def _is_credential(doc: TokenContext, k: int) -> bool:
    """Return True if `RN` at token k belongs to the name before it: `Tamika RN Johnson`, `Jane Roe, RN`."""
    before = doc.form(k - 1)
    return before == "," or bool(doc.bit(k - 1) & CAPITAL and doc.facts(k - 1) & words.NAME)


def _titled(doc: TokenContext, title: int, i: int, facts: int) -> PrecedingCue:
    bits = doc.bits[title]
    if doc.lowers[title] == "ms" and title and doc.forms[title - 1].isdecimal():  # PR 210 ms. VF arrest
        return NO_CUE
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
    """Return the cue of a label with a colon: `Patient name: ...`, `Attending: ...`."""
    if k < 0 or not doc.bits[k] & (cues.LABEL | cues.REPORTER):
        return NO_CUE
    low = doc.forms[k].lower()
    if doc.bits[k] & cues.RELATIVE and not doc.facts(i) & words.NAME:  # `Mother: Non-Hodgkin lymphoma`
        return NO_CUE
    if low in ("name", "names", "surname", "initials") and k and doc.forms[k - 1].lower() in _LABEL_KINDS:
        low = doc.forms[k - 1].lower()
    kind = PhiKind.PERSON_INITIALS if low == "initials" else PhiKind.PERSON
    return PrecedingCue(0.88, _LABEL_KINDS.get(low, kind), "label")


def _line_before(doc: TokenContext, i: int) -> PrecedingCue:
    """Return the cue `Sincerely,` on the line before."""
    k = i - 1
    if k < 0 or "\n" not in doc.text[doc.ends[k] : doc.begins[i]]:
        return NO_CUE
    if doc.forms[k] == "," and doc.bit(k - 1) & cues.GREETING:
        return PrecedingCue(0.85, PhiKind.PERSON, "signature")
    return NO_CUE


def name_is(doc: TokenContext, k: int) -> bool:
    """Return True if `name is`, `name's`, `this is` ends at token k."""
    if doc.forms[k].lower() == "name":
        return doc.form(k - 1).lower() in _WHOSE
    return doc.form(k - 1).lower() in ("name", "surname", "names")
