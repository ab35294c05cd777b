"""Runs of tokens that can be a name: capitalized words, initials, particles between them."""

from __future__ import annotations

from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL, listed
from .token_context import TokenContext

_ABBREVIATED = listed("St Ste Wm Chas Geo Jos Thos")
_DOTTED = listed("MD DO RN NP PA DDS DMD")
_DEGREES = listed("MCh BCh DCh MSc BSc DSc MPhil DPhil")
"""Degrees that look like an initial and a surname: `M.Ch.`"""
_SURE_PARTICLES = listed("van von der den de la del della di da dos du al el bin")


def run_end(doc: TokenContext, i: int) -> int:
    """Return the end of the run of name-like tokens that begins at i; i if there is none."""
    bits = doc.bits
    j, size = i, doc.size
    seen = False  # a whole word, not only initials
    while j < size and (j == i or (doc.near(j - 1) and j not in doc.sentence_starts)):
        b = bits[j]
        if b & (CAPITAL | SHOUT):
            if not _may_name(doc, j, first=j == i) and not (j > i and _completes(doc, j)):
                break
            seen = True
            j += 1
            if doc.form(j) == "." and doc.form(j - 1) in _ABBREVIATED and doc.bit(j + 1) & (CAPITAL | SHOUT):
                j += 1
        elif b & LETTER:
            dotted = doc.form(j + 1) == "." and doc.near(j)
            if seen and dotted and doc.form(j + 3) == "." and doc.form(j) + doc.form(j + 2) in _DOTTED:
                break
            if dotted and doc.form(j) + doc.form(j + 2) in _DEGREES:
                break
            if not dotted and not (doc.bit(j + 1) & (CAPITAL | SHOUT) or (seen and j > i)):
                break
            if not dotted and doc.forms[j] in "IA" and (not seen or not doc.bit(j + 1) & (CAPITAL | SHOUT)):
                break
            j += 2 if dotted else 1
        elif b & cues.PARTICLE and b & SMALL and seen:
            k = j + 1
            while k < size and k < j + 3 and doc.bits[k] & cues.PARTICLE and doc.bits[k] & SMALL:
                k += 1
            if k < size and doc.bits[k] & CAPITAL and _may_name(doc, k, first=False):
                j = k
            else:
                break
        else:
            break
    return j


def after_title(doc: TokenContext, i: int) -> int:
    """Return the capitalized token after the particles after a title, as in `Mrs. van der Berg`; 0 if there is none."""
    j = i + 1 + (doc.form(i + 1) == ".")
    first = j
    while doc.bit(j) & cues.PARTICLE and doc.bit(j) & (SMALL | SHOUT) and j < first + 3:
        j += 1
    return j if doc.bits[i] & cues.TITLE and j > first and doc.bit(j) & (CAPITAL | SHOUT) else 0


def with_particles(doc: TokenContext, first: int) -> int:
    """Return the first token of a name with the particles before it: `de la Cruz`."""
    j = first
    while j and first - j < 3 and doc.lowers[j - 1] in _SURE_PARTICLES and doc.near(j - 1):
        j -= 1
    return j


def _may_name(doc: TokenContext, i: int, first: bool) -> bool:
    """Return True if a capitalized token can be part of a name: not a term, month, brand, plain word or title."""
    b, facts = doc.bits[i], doc.facts(i)
    if b & (cues.TITLE | cues.CREDENTIAL | cues.NEVER):
        return False
    if (b & (cues.UNSURE_CREDENTIAL | cues.GENERATION) and not first) or (
        b & cues.GENERATION and len(doc.forms[i]) == 2
    ):
        return False
    if facts & words.MONTH and first and not _month_is_name(doc, i):
        return False
    if b & (cues.RELATIVE | cues.PATIENT) and _introduces(doc, i, facts):
        return False
    if facts & words.BLOCKED:
        return first and _may_name_all_the_same(doc, i, facts)
    if b & (cues.WEAK_TITLE | cues.RELATIVE | cues.PATIENT) and not facts & words.OFTEN:
        return False
    sure = facts & words.NAME and facts >> words.LEVEL < 2 and len(doc.forms[i]) > 2
    if b & SHOUT and not doc.shouted and not sure:
        announced = doc.title_before(i) is not None or doc.form(i - 1) == ":"
        return first and bool(facts & (words.NAME | words.UNKNOWN)) and announced
    if facts & (words.COUNTRY | words.STATE | words.DEMONYM) and not facts & words.OFTEN:
        return False
    return bool(facts & (words.NAME | words.UNKNOWN | words.CITY)) or facts >> words.LEVEL == 0


def _introduces(doc: TokenContext, i: int, facts: int) -> bool:
    """Return True if a role that is also a name precedes a name: `HCP: Son Raymond Kowalski`."""
    following = doc.facts(i + 1)
    return facts >> words.LEVEL > 1 and bool(doc.bit(i + 1) & CAPITAL and following & words.OFTEN_GIVEN)


def _may_name_all_the_same(doc: TokenContext, i: int, facts: int) -> bool:
    """Return True if a word that is rarely a name is one here: `Will Smith`, `Dr. Good`, `Mr. Will`."""
    if facts & words.TERM or not facts & words.NAME or not doc.bits[i] & (CAPITAL | SHOUT):
        return False
    if doc.bits[i] & SHOUT:  # `Patient: DOE, JANE`
        given = doc.facts(i + 2) if doc.bit(i + 2) & SHOUT else 0
        return doc.form(i - 1) == ":" and doc.form(i + 1) == "," and bool(given & words.OFTEN_GIVEN)
    following = doc.facts(i + 1) if doc.bit(i + 1) & CAPITAL and doc.near(i) else 0
    surname = following & words.SURNAME and not following & words.TERM
    title = doc.title_before(i)
    if title is None or not doc.bits[title] & cues.TITLE:
        return bool(facts & words.OFTEN_GIVEN and following & words.OFTEN_SURNAME and following >> words.LEVEL < 2)
    doctor = doc.bits[title] & cues.DOCTOR  # `my Dr. Will see me`: only `Mr` always has a name after it
    if facts >> words.LEVEL == 3 and doctor and not surname and doc.form(i + 1) not in (",", ".", ")", "'s", "’s"):
        return False
    return i not in doc.sentence_starts and not (facts & words.MONTH and doc.form(i + 1)[:1].isdigit())


def _completes(doc: TokenContext, i: int) -> bool:
    """Return True if a plain word is a surname after the given name or initial before it: `Jane Doe`, `J. Short`."""
    facts = doc.facts(i)
    case = doc.bits[i] & (CAPITAL if doc.shouted else CAPITAL | SHOUT)
    if not facts & words.SURNAME or facts & (words.TERM | words.MONTH) or not case:
        return False
    if facts >> words.LEVEL > 2 or len(doc.forms[i]) < 2:
        return False
    if doc.bits[i] & (cues.TITLE | cues.WEAK_TITLE | cues.RELATIVE | cues.PATIENT | cues.NEVER):
        return False
    if doc.forms[i - 1] == "." and doc.bit(i - 2) & LETTER:
        return facts >> words.LEVEL < 2 or bool(facts & words.OFTEN_SURNAME)
    if doc.form(i - 2) == ":" and doc.bit(i - 3) & cues.LABEL:  # `Name: Ngozi Obi`
        return True
    given = doc.facts(i - 1)
    return bool(given & words.OFTEN_GIVEN) and given >> words.LEVEL < 2 and bool(doc.bits[i - 1] & case)


def _month_is_name(doc: TokenContext, i: int) -> bool:
    """Return True if `April`, `Jan` is a person: no number next to it, and a surname after it or a role before it."""
    if doc.form(i - 1)[:1].isdigit() or doc.form(i + 1)[:1].isdigit():
        return False
    following = doc.facts(i + 1) if doc.bit(i + 1) & CAPITAL else 0
    if following & words.SURNAME and not following & (words.MONTH | words.BLOCKED):
        return True
    roles = cues.TITLE | cues.RELATIVE | cues.PATIENT | cues.NAMED | cues.GREETING
    return bool(doc.bit(i - 1) & roles) or doc.title_before(i) is not None
