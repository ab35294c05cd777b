"""Finds names in small letters: after a title, a role or `my name is`, and given names with their surnames."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues
from . import words as w
from .before import name_is
from .cues import listed
from .found import Found, span_of
from .shape import SHOUT, SMALL
from .sheet import Sheet
from .weight import is_eponym

_OWNERS = listed("my his her our their your pt's patient's 's ’s")
_VERBS = listed("rose drew sue pat rob grant chase pierce mark bill ray will may can grace dawn august earnest long")
"""Given names that a verb or a noun after `my mother` may be."""


_VERB_ENDINGS = ("ed", "ing", "ly", "es", "tion", "d")


def _is_subject(sheet: Sheet, k: int) -> bool:
    """Whether a verb of people or a pause follows token k."""
    after = sheet.form(k + 1)
    return not after or after in ",.;)'s’s" or bool(sheet.bit(k + 1) & cues.PERSON_VERB)


def after_cue(sheet: Sheet, i: int) -> Iterator[Found]:
    """A name in small letters after a title, a role, `named`, `name is` or a greeting at token i."""
    bits, k = sheet.bits[i], i + 1
    if bits & SHOUT and not sheet.shouted:  # `MR imaging`
        return
    if sheet.form(k) == "." and bits & cues.TITLE:
        k += 1
    named = bits & cues.NAMED
    if named and sheet.form(k).lower() in ("is", "'s"):
        if not name_is(sheet, k):
            return
        k += 1
    elif named and sheet.forms[i].lower() in ("name", "names"):
        return
    first = k
    while bits & cues.TITLE and sheet.bit(k) & cues.PARTICLE and k < first + 3 and sheet.bit(k + 1) & SMALL:
        k += 1
    if k > first and not sheet.facts(k) & (w.NAME | w.UNKNOWN):
        k = first  # `dr de ...`
    if (
        k >= sheet.size
        or not sheet.bits[k] & SMALL
        or not sheet.near(k - 1)
        or sheet.bits[k] & (cues.TITLE | cues.RELATIVE)
    ):
        return
    facts = sheet.facts(k)
    level = facts >> w.LEVEL
    often, name = facts & w.OFTEN, facts & w.NAME
    kind = PhiKind.PERSON_DOCTOR if bits & cues.DOCTOR else PhiKind.PERSON
    confidence = 0.0
    if bits & cues.TITLE:
        if not facts & w.BLOCKED and name and level < 2:
            confidence = 0.85 if often else 0.6
        elif level == 2 and often and (k > i + 1 or not sheet.bit(k + 1) & SMALL):
            confidence = 0.6  # `mr. ward`, `dr. young`, but not `dr long term`
        elif facts & w.UNKNOWN and len(sheet.forms[k]) > 3:
            confidence = 0.3 if bits & cues.DOCTOR or sheet.forms[i].lower() in ("mr", "ms") else 0.6
    elif sheet.lowers[i] == "miss" and facts & w.OFTEN_SURNAME and level < 3:
        confidence = 0.6 if level < 2 or not sheet.bit(k + 1) & SMALL else 0.0
    elif bits & cues.NAMED:
        confidence = 0.8 if facts & w.GIVEN and level < 2 and not facts & w.BLOCKED else 0.0
        if facts & (w.UNKNOWN | w.SURNAME) and level < 2 and sheet.forms[k - 1].lower() in ("is", "'s") and sheet.small:
            confidence = max(confidence, 0.6)
    elif facts & w.OFTEN_GIVEN and level == 0 and not facts & w.BLOCKED:
        confidence = 0.75
        kind = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else kind
    elif bits & cues.GREETING and facts & w.OFTEN_GIVEN and level == 1 and not facts & w.BLOCKED:
        confidence = 0.6
    elif bits & (cues.RELATIVE | cues.WEAK_TITLE) and facts & w.OFTEN_GIVEN and level < 3 and not facts & w.BLOCKED:
        after = sheet.form(k + 1)  # `my son mark was`, but `my mother rose from`
        stands = not after or after in ",.;)'s" or sheet.bit(k + 1) & cues.PERSON_VERB
        owned = level < 2 and sheet.form(i - 1).lower() in _OWNERS and sheet.lowers[k] not in _VERBS
        confidence = 0.5 if stands or owned else 0.2
        kind = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else kind
    elif bits & cues.WEAK_TITLE and bits & cues.DOCTOR and facts & w.OFTEN_SURNAME and level == 0:
        confidence = 0.75
    elif sheet.lowers[i] in ("doctor", "nurse") and _is_subject(sheet, k):
        if facts & w.SURNAME and level < 2 and not facts & w.BLOCKED:
            confidence = 0.6
        elif (
            facts & w.UNKNOWN
            and len(sheet.forms[k]) > 4
            and ("-" in sheet.lowers[k] or not sheet.lowers[k].endswith(_VERB_ENDINGS))
        ):
            confidence = 0.35  # no misspelt verb: `the doctor prescibed`
    if confidence:
        last = k + 1
        while last < sheet.size and last < k + 3 and sheet.bits[last] & SMALL and sheet.near(last - 1):
            following = sheet.facts(last)
            known = following & w.NAME or (following & w.UNKNOWN and sheet.small and named)
            if not (known and following >> w.LEVEL == 0 and not following & w.BLOCKED and confidence > 0.5):
                break
            last += 1
        yield span_of(sheet, min(first, k), last, kind, confidence, "small letters after a cue")


def bare(sheet: Sheet) -> Iterator[Found]:
    """Given name and surname in small letters, both no words: everywhere; single given names where no capitals are."""
    bits = sheet.bits
    for i, facts in sheet.hot_facts:
        if not facts & w.OFTEN_GIVEN or not bits[i] & SMALL or facts >> w.LEVEL or facts & (w.BLOCKED | w.MONTH):
            continue
        if is_eponym(sheet, [i], i + 1):
            continue
        if i + 1 < sheet.size and bits[i + 1] & SMALL and sheet.near(i):
            following = sheet.facts(i + 1)
            limit = 1 if not sheet.small else 2 if sheet.bit(i + 2) & SMALL else 3
            if following & w.SURNAME and not following & w.BLOCKED and following >> w.LEVEL < limit:
                sure = following & w.OFTEN_SURNAME
                confidence = (0.75 if sure else 0.5) if sheet.small else (0.55 if sure else 0.3)
                yield span_of(sheet, i, i + 2, PhiKind.PERSON, confidence, "given name and surname in small letters")
                continue
        spoken = sheet.bit(i - 1) & (cues.GREETING | cues.BY) or sheet.bit(i + 1) & cues.PERSON_VERB
        if (
            facts & (w.CITY | w.STATE | w.COUNTRY)
            and sheet.bit(i - 1) & cues.IN
            and not sheet.bit(i + 1) & cues.PERSON_VERB
        ):
            continue
        if sheet.small:
            yield span_of(sheet, i, i + 1, PhiKind.PERSON, 0.55 if spoken else 0.4, "given name in small letters")
        elif spoken and not facts & (w.STATE | w.COUNTRY | w.BIG_CITY):
            yield span_of(sheet, i, i + 1, PhiKind.PERSON, 0.4, "given name in small letters")
