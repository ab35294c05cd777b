"""Finds names by the word before or after them: a role, kin, a label, `per`, `w/`, in any letter case."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, CASELESS, LETTER, SHOUT, SMALL, listed
from .non_names import is_sized
from .roles import AFTER, ROLES, Role
from .scoring import is_eponym
from .sequences import is_subject, may_begin, name_end
from .token_context import NameSpan, TokenContext, span_of

_COLONS = frozenset([":", "="])
_LEADS = frozenset(['"', "“", "(", "'", "‘", "-", "–", "."])
_JOINTS = frozenset(["/", "&", ",", "+", "and", ";"])
_VOWELS = frozenset("aeiouyáéíóúàèìòùäëïöüâêîôûāēīōū")
_ENDINGS = ("ed", "ing", "ly", "es", "tion", "ness", "ity", "ous", "able", "ment", "'t", "n't", "ism")
_VERBS = listed(
    "rose drew sue rob grant chase pierce mark bill will may can grace dawn long is has was had con said says"
)
_CUES = frozenset([*ROLES, "/", "w"])
"""The words in small letters before names: roles, and parts of `w/` and `d/w`; most tokens are none of them."""
_WITH = Role(PhiKind.PERSON, 0.5, small=False, colon=False)


def find_cued(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield the names that a cue announces, with the names that a slash or `and` adds to them."""
    for i in [i for i, low in enumerate(doc.lowers) if low in _CUES]:
        low = doc.lowers[i]
        role = ROLES.get(low)
        if role is None:
            if low == "/" and i and doc.lowers[i - 1] in ("w", "c") and (doc.form(i - 2) != "/"):
                yield from _named(doc, i, i + 1 + (doc.form(i + 1) == "o" and doc.lowers[i - 1] == "c"), _WITH, False)
            elif low == "w" and doc.form(i - 1) == "/" and doc.form(i - 2) == "d":
                yield from _named(doc, i, i + 1, _WITH, False)
            continue
        k = i + 1
        if doc.form(k) == "." and doc.between(i) == "" and k + 1 < doc.size and not doc.breaks(k):
            k += 1
        labeled = doc.form(k) in _COLONS
        if labeled:
            k += 1
        elif role.colon or (
            doc.bits[i] & SHOUT and len(low) < 3 and low not in ("rn", "np", "pa", "dr", "mr", "ms", "sr", "gp", "pi")
        ):
            continue
        yield from _named(doc, i, k, role, labeled)


def _named(doc: TokenContext, i: int, k: int, role: Role, labeled: bool) -> Iterator[NameSpan]:
    """Yield the name at token k that the cue at token i announces."""
    if k >= doc.size:
        return
    if doc.forms[k] in _LEADS and doc.near(k) and (labeled or doc.forms[k] not in ("-", "–", ".")):
        k += 1
    while doc.bit(k) & cues.TITLE and role.strength < 0.9:  # `Attending: Dr. May`
        k += 1 + (doc.form(k + 1) == ".")
    while (
        doc.lowers[k : k + 1]
        and doc.lowers[k] in ROLES
        and doc.bits[k] & CAPITAL
        and doc.facts(k + 1) & words.OFTEN_GIVEN
    ):
        k += 1  # `HCP: Son Raymond Kowalski`
    if k >= doc.size or not _reaches(doc, i, k, labeled):
        return
    strong = role.strength > 0.65 or labeled
    if not doc.bits[k] & SMALL:
        if not may_begin(doc, k, strong) or _is_heading(doc, i, k, labeled):
            return
        confidence = role.strength + (0.1 if labeled else 0.0)
        facts = doc.facts(k)
        if facts >> words.LEVEL > 1 or facts & words.BLOCKED:
            confidence -= 0.2
        elif facts & words.UNKNOWN and not labeled:
            confidence -= 0.15
        end = name_end(doc, k)
        announced = role.kind is PhiKind.PERSON_DOCTOR or doc.bit(end) & cues.PERSON_VERB != 0
        eponym = not labeled and role.strength < 0.9 and is_eponym(doc, [end - 1], end, announced)
        if eponym or is_sized(doc, k, [k]) or (doc.lowers[i] == "fr" and is_sized(doc, i, [i, k])):
            return
        yield span_of(doc, k, end, role.kind, min(confidence, 0.95), "cue before")
        yield from _others(doc, end, role)
    elif role.small and not doc.bits[k] & CASELESS:
        yield from _small(doc, i, k, role)


def _reaches(doc: TokenContext, i: int, k: int, labeled: bool) -> bool:
    """Return True if token k is in the line of the cue, or in the next one of a wrapped sentence."""
    gap = doc.text[doc.ends[i] : doc.begins[k]]
    if "\n" in gap:
        return gap.count("\n") == 1 and not labeled and not doc.breaks(k - 1) and doc.bits[i] & SMALL != 0
    return len(gap) < (30 if labeled else 4)


def _is_heading(doc: TokenContext, i: int, k: int, labeled: bool) -> bool:
    """Return True if the cue and the word are a heading or a sentence begins with the word: `Resident Note`, `told RN. Seen`."""
    if labeled:
        return doc.form(k + 1) == ":" and doc.facts(k) >> words.LEVEL > 0
    if doc.form(k - 1) == "." and k in doc.sentence_starts and doc.forms[i][:1].islower():
        return not doc.facts(k) & words.NAME or doc.facts(k) >> words.LEVEL > 0 or k - i > 2
    return doc.form(k + 1) == ":" and not doc.facts(k) & words.OFTEN


def _others(doc: TokenContext, end: int, role: Role) -> Iterator[NameSpan]:
    """Yield the names after a slash, an ampersand or a comma: `Price/Nwosu`, `Kylie Doyle & Hoang Nguyen`."""
    while doc.form(end).lower() in _JOINTS and may_begin(doc, end + 1, strong=False) and doc.near(end):
        first = end + 1
        facts = doc.facts(first)
        if doc.bits[first] & LETTER or (doc.forms[end] in (",", ";") and not facts & words.NAME):
            return
        end = name_end(doc, first)
        yield span_of(doc, first, end, role.kind, max(role.strength - 0.2, 0.35), "cue before a row")


def _small(doc: TokenContext, i: int, k: int, role: Role) -> Iterator[NameSpan]:
    """Yield a name in small letters after the cue at token i."""
    facts, low = doc.facts(k), doc.lowers[k]
    level = facts >> words.LEVEL
    if (
        low in ROLES
        or not doc.is_free(k)
        or len(low) < 3
        or (doc.bits[i] & SHOUT and not doc.small and len(doc.lowers[i]) > 2)
    ):
        return
    given = words.GIVEN if role.kind is PhiKind.PERSON_RELATIVE else words.OFTEN_GIVEN
    if facts & words.NAME and not facts & words.BLOCKED and level == 0:
        confidence = 0.7
    elif (
        facts & words.UNKNOWN
        and len(low) > 3
        and low.isalpha()
        and not low.endswith(_ENDINGS)
        and not _VOWELS.isdisjoint(low)
    ):
        confidence = (
            0.35 if not (is_subject(doc, k) or (doc.bit(k + 1) & SMALL and doc.facts(k + 1) & words.UNKNOWN)) else 0.5
        )
    elif facts & given and level < 3 and low not in _VERBS and is_subject(doc, k) and not facts & words.TERM:
        confidence = 0.4
    else:
        return
    end = k + 1
    while end < k + 3 and doc.bit(end) & SMALL and doc.near(end - 1):
        following = doc.facts(end)
        if not following & (words.NAME | words.UNKNOWN) or following >> words.LEVEL or following & words.BLOCKED:
            break
        if doc.lowers[end].endswith(_ENDINGS) or doc.lowers[end] in ROLES or len(doc.lowers[end]) < 3:
            break
        end += 1
    yield span_of(doc, k, end, role.kind, confidence, "small letters after a role")


def find_roled(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield the names before a role: `Tawny RN`, `K. Osei (daughter)`, `lindqvist, k. (mom)`, `tanisha rn`."""
    for i in [i for i, low in enumerate(doc.lowers) if low in AFTER and i]:
        low = doc.lowers[i]
        bracket = doc.forms[i - 1] == "("
        comma = doc.forms[i - 1] == ","
        credential = doc.bits[i] & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL) or low in ("rn", "lpn", "cna", "crna")
        if not (bracket or comma or credential):
            continue
        last = i - 1 if bracket or comma else i
        if last < 1 or not doc.near(last - 1) or doc.breaks(i - 1):
            continue
        first = _begin(doc, last)
        if first == last:
            continue
        if comma and not credential and doc.form(i + 1) not in (",", ".", ")", ";"):
            continue
        facts = doc.facts(first)
        small = doc.bits[first] & SMALL
        if small and not (facts & words.NAME or (credential and facts & words.UNKNOWN)):
            continue
        if doc.starts(first) and last == first + 1 and not facts & (words.NAME | words.UNKNOWN):
            continue
        kind = PhiKind.PERSON_DOCTOR if credential else PhiKind.PERSON_RELATIVE
        yield span_of(doc, first, last, kind, 0.5 if small else 0.7, "role after")


def _begin(doc: TokenContext, last: int) -> int:
    """Return the first token of the name that ends before token `last`; `last` if there is none."""
    first = last
    while first > 0 and last - first < 5 and (first == last or doc.near(first - 1)):
        j = first - 1
        bits, facts = doc.bits[j], doc.facts(j)
        if bits & (cues.TITLE | cues.NEVER | cues.CREDENTIAL) or (
            doc.lowers[j] in ROLES and not facts & words.OFTEN_GIVEN
        ):
            break
        if (doc.forms[j] == "." and doc.bit(j - 1) & LETTER) or (doc.lowers[j] == "." and len(doc.form(j - 1)) == 1):
            first = j - 1
        elif bits & (CAPITAL | SHOUT) and (may_begin(doc, j, strong=True) or (first < last and facts & words.NAME)):
            first = j
        elif (
            bits & SMALL
            and facts & (words.NAME | words.UNKNOWN)
            and not facts & words.BLOCKED
            and not facts >> words.LEVEL
        ):
            if first < last and not doc.bits[first] & (SMALL | LETTER):
                break
            first = j
        else:
            break
    return first
