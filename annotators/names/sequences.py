"""The end of a name whose beginning is announced: particles, initials, nicknames, surnames in capitals, over a line end."""

from __future__ import annotations

from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL, listed
from .token_context import TokenContext

_NAME_PARTS = CAPITAL | SHOUT | LETTER
_PARTICLES = listed(
    "van von der den de la del della di da dos das du al el bin binti bint ibn ap ab ní ni ó o mac st ter ten te le y e zu zur"
)
_OPENING = frozenset(['"', "“", "(", "‘", "'"])
_CLOSING = frozenset(['"', "”", ")", "’", "'"])
_SHORT = (("v", "/", "d"), ("s", "/", "o"), ("d", "/", "o"), ("w", "/", "o"))
_DOTTED = listed("MD DO RN NP PA DDS DMD JD")
_MOST = 6


def may_begin(doc: TokenContext, i: int, strong: bool) -> bool:
    """Return True if the token at i can begin a name that a cue announces. After a strong cue, words that are names count too."""
    bits, facts = doc.bit(i), doc.facts(i)
    level = facts >> words.LEVEL
    if bits & LETTER:
        return doc.forms[i] not in ("I", "A") and _follows_letter(doc, i)
    if not bits & (CAPITAL | SHOUT) or bits & (cues.TITLE | cues.CREDENTIAL | cues.NEVER):
        return False
    if bits & (cues.RELATIVE | cues.PATIENT | cues.LABEL | cues.WEAK_TITLE) and not facts & words.OFTEN:
        return False
    if facts & words.TERM or (facts & words.MONTH and doc.form(i + 1)[:1].isdigit()):
        return False
    if facts & (words.ORGANIZATION_CUE | words.DEMONYM) and not facts & words.OFTEN:
        return False
    if bits & SHOUT and not doc.shouted:
        known = facts & words.NAME and level < 2
        return len(doc.forms[i]) > 2 and bool(known or (facts & words.UNKNOWN and len(doc.forms[i]) > 4))
    if level == 3:
        return strong and bool(facts & words.GIVEN) and is_subject(doc, i)
    if level == 2 or facts & words.BLOCKED:
        named = words.GIVEN | words.OFTEN_SURNAME if strong else words.OFTEN_GIVEN
        return bool(facts & named) and not (doc.shouted and not strong)
    return bool(facts & (words.NAME | words.UNKNOWN)) or (strong and bool(facts & words.CITY))


def _follows_letter(doc: TokenContext, i: int) -> bool:
    k = i + 1 + (doc.form(i + 1) == ".")
    if doc.form(k) == "-" and doc.bit(k + 1) & LETTER:
        k += 2 + (doc.form(k + 2) == ".")
    facts = doc.facts(k)
    return bool(doc.bit(k) & (CAPITAL | SHOUT)) and doc.near(k - 1) and not facts & words.TERM and len(doc.form(k)) > 1


def is_subject(doc: TokenContext, i: int) -> bool:
    """Return True if a pause, a possessive or a verb of people follows token i."""
    after = doc.form(i + 1)
    return not after or after in ",.;:)(/-'s’s&+|" or after in ("'s", "’s") or bool(doc.bit(i + 1) & cues.PERSON_VERB)


def name_end(doc: TokenContext, i: int) -> int:
    """Return the end of the name that begins at token i; `may_begin` or a cue has accepted its first word."""
    j, count, whole = i, 0, False
    while j < doc.size and count < _MOST:
        if j > i and not doc.near(j - 1):
            break
        if j > i and j in doc.sentence_starts and "\n" not in doc.between(j - 1):
            break
        bits = doc.bits[j]
        if whole and is_credential(doc, j):
            break
        if bits & LETTER and (j == i or doc.forms[j] != "I"):
            j = _after_letter(doc, j)
            count += 1
        elif bits & (CAPITAL | SHOUT) and (j == i or _continues(doc, i, j)):
            whole = True
            j, count = j + 1, count + 1
        elif (j > i and (size := _particles(doc, j))) or (whole and (size := _nickname(doc, j))):
            j += size
        else:
            break
    return j


def is_credential(doc: TokenContext, j: int) -> bool:
    """Return True if a credential with full stops begins at token j: `M.D.`, `R.N.`"""
    return doc.form(j + 1) == "." and doc.form(j) + doc.form(j + 2) in _DOTTED and doc.form(j + 3) == "."


def _after_letter(doc: TokenContext, j: int) -> int:
    """Return the token after an initial, its full stop and its hyphen: `A.-S. Kerleroux`."""
    end = j + 1
    if doc.form(end) == "." and doc.near(j):
        end += 1
    if doc.form(end) == "-" and doc.bit(end + 1) & LETTER and doc.near(end):
        end = _after_letter(doc, end + 1)
    return end


def _continues(doc: TokenContext, first: int, j: int) -> bool:
    """Return True if a capitalized word belongs to the name before it."""
    bits, facts = doc.bits[j], doc.facts(j)
    if bits & (cues.TITLE | cues.CREDENTIAL | cues.NEVER | cues.UNSURE_CREDENTIAL):
        return False
    if bits & cues.GENERATION:
        return True
    if "\n" in doc.between(j - 1) and not (facts & words.NAME and facts >> words.LEVEL < 2):
        return False
    if facts & (words.TERM | words.MONTH) or facts >> words.LEVEL > 2:
        return False
    if bits & (cues.RELATIVE | cues.PATIENT | cues.LABEL | cues.WEAK_TITLE) and not facts & words.OFTEN:
        return False
    if facts & words.ORGANIZATION_CUE and not facts & words.OFTEN:
        return False
    if bits & SHOUT and not doc.shouted:
        known = facts & (words.NAME | words.UNKNOWN) and facts >> words.LEVEL < 2
        return bool(known) and len(doc.forms[j]) > 2 and (len(doc.forms[j]) > 3 or bool(doc.bits[first] & SHOUT))
    if facts >> words.LEVEL == 2:
        return bool(facts & words.NAME)
    return not facts & words.BLOCKED or bool(facts & words.NAME)


def _particles(doc: TokenContext, j: int) -> int:
    """Return the number of tokens of the particles at j before a capitalized word: `van der`, `v/d`, `bin`; else 0."""
    if tuple(doc.lowers[j : j + 3]) in _SHORT:
        return 3 if doc.bit(j + 3) & (CAPITAL | SHOUT) else 0
    k = j
    while k < j + 3 and k < doc.size and doc.lowers[k] in _PARTICLES and doc.near(k) and doc.bits[k] & SMALL:
        k += 1
    return k - j if k > j and doc.bit(k) & (CAPITAL | SHOUT) and not doc.facts(k) & words.TERM else 0


def _nickname(doc: TokenContext, j: int) -> int:
    """Return the number of tokens of a nickname in quotes or brackets before a further name: `"Bluey" Hutchins`."""
    if doc.forms[j] not in _OPENING:
        return 0
    k = j + 1
    while k < j + 4 and doc.bit(k) & (_NAME_PARTS | SMALL) and doc.near(k):
        k += 1
    if k == j + 1 or doc.form(k) not in _CLOSING or not doc.near(k):
        return 0
    after = k + 1
    further = doc.bit(after) & (CAPITAL | SHOUT) or (doc.bit(after) & LETTER and doc.form(after + 1) == ".")
    return after - j if further and (doc.bit(after) & LETTER or _continues(doc, j, after)) else 0
