"""Finds names as registers write them: `Surname, Given M.`, `SURNAME Given`, `JONES^WILLIAM^A^III`, rosters in capitals."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL
from .preceding import preceding_cue
from .roles import ROLES
from .sequences import is_credential, name_end
from .token_context import NameSpan, TokenContext, span_of

_WORD = CAPITAL | SHOUT
_BAD = cues.TITLE | cues.CREDENTIAL | cues.NEVER
_CELLS = frozenset(["|", '"', "“", ":", "=", "/", ")", ".", "#", ";", "^", ">", "-", "–", "(", "@"])
_PARTICLES = frozenset("van von der den de la del al el bin o mac st ter ten le da dos di".split())
_AFTER = frozenset(["|", '"', "”", "(", ")", "/", "-", "–", ";", ":", "]", "@"])


def find_inverted(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield surnames with the given names after them."""
    done = 0
    for i in doc.shown:
        if i < done or not doc.bits[i] & _WORD:
            continue
        after = doc.form(i + 1)
        if after == ",":
            end = _with_comma(doc, i)
        elif after == "^":
            end = _with_carets(doc, i)
        else:
            end = _mixed(doc, i)
        if end:
            first, last, confidence, rule = end
            cue = preceding_cue(doc, first)
            kind = cue.kind if cue.strength and cue.kind is not PhiKind.PERSON_INITIALS else PhiKind.PERSON
            yield span_of(doc, first, last, kind, confidence, rule)
            done = last


def _with_comma(doc: TokenContext, i: int) -> tuple[int, int, float, str] | None:
    """Return `Surname, Given M.`, with its confidence: at the begin of a line or cell, or with a name known as a given name."""
    k = i + 2
    bits, facts = doc.bits[i], doc.facts(i)
    if k >= doc.size or not doc.near(i + 1) or (doc.near(i + 1) and "\n" in doc.between(i + 1)):
        return None
    first = _surname(doc, i)
    given, given_bits = doc.facts(k), doc.bit(k)
    if (
        not given_bits & (_WORD | LETTER)
        or given_bits & _BAD
        or given & (words.STATE | words.COUNTRY | words.TERM | words.MONTH)
    ):
        return None
    if bits & _BAD or facts & (words.TERM | words.MONTH | words.STATE | words.COUNTRY) or doc.lowers[i] in ROLES:
        return None
    if not facts & (words.NAME | words.UNKNOWN | words.CITY) or facts >> words.LEVEL > 2:
        return None
    if is_credential(doc, k) or (len(doc.forms[k]) < 4 and given_bits & SHOUT and not bits & SHOUT):
        return None
    if given_bits & LETTER:
        return _with_initial(doc, first, i, k)
    if bits & SHOUT and not given_bits & (SHOUT | CAPITAL):
        return None
    known = given & words.OFTEN_GIVEN or (given & words.GIVEN and given >> words.LEVEL < 2)
    if (given >> words.LEVEL > 1 and not known) or given & words.ORGANIZATION_CUE:
        return None
    opened = _opens(doc, first)
    end = name_end(doc, k)
    if (
        (
            doc.form(end) == ","
            and doc.bit(end + 1) & _WORD
            and not doc.bit(end + 1) & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL)
        )
        and not doc.facts(end + 1) & words.MONTH
        and not doc.breaks(end)
    ):
        return None  # an enumeration
    if doc.lowers[end - 1] in ("and", "or") or doc.form(end).lower() in ("and", "or", "&"):
        return None
    if opened and (known or given & (words.UNKNOWN | words.NAME)):
        level = facts >> words.LEVEL
        sure = bool(facts & words.NAME) + bool(known)
        confidence = 0.45 + 0.2 * sure - (0.1 if level > 1 else 0.0)
        return (first, end, confidence, "surname, given name") if sure or _closes(doc, end) else None
    both = known and facts & (words.SURNAME | words.UNKNOWN) and facts >> words.LEVEL < 2
    shout = bits & SHOUT and not doc.shouted and len(doc.forms[i]) > 2
    return (first, end, 0.6 if shout else 0.4, "surname, given name") if both and (shout or _closes(doc, end)) else None


def _with_initial(doc: TokenContext, first: int, i: int, k: int) -> tuple[int, int, float, str] | None:
    """Return `Lindqvist, K.`, `EARLY, D` at the begin of a line or cell, or with a surname in capitals."""
    facts = doc.facts(i)
    if doc.form(i - 1) == "." and doc.bit(i - 2) & LETTER:
        return None
    end = k
    while doc.bit(end) & LETTER and end < k + 4:
        end += 1 + (doc.form(end + 1) == ".")
    opened = _opens(doc, first)
    if not facts & (words.SURNAME | words.UNKNOWN) or not (
        opened or doc.bits[i] & SHOUT or facts & words.OFTEN_SURNAME
    ):
        return None
    if facts >> words.LEVEL > 1 and not opened:
        return None
    return first, end, 0.65 if opened else 0.45, "surname, initials"


def _surname(doc: TokenContext, i: int) -> int:
    """Return the first token of a surname of several words that ends at token i: `Van der Zwaan`, `DE GIORGI`."""
    first = i
    while first and i - first < 3 and doc.near(first - 1):
        j = first - 1
        if (doc.lowers[j] in _PARTICLES and doc.bits[j] & (CAPITAL | SHOUT | SMALL | LETTER)) or (
            doc.bits[j] & _WORD and doc.bits[j] & SHOUT == doc.bits[i] & SHOUT and _is_name(doc, j) and _opens(doc, j)
        ):
            first = j
        else:
            break
    return first


def _is_name(doc: TokenContext, j: int) -> bool:
    facts = doc.facts(j)
    free = (
        not facts & (words.TERM | words.MONTH | words.BLOCKED) and not doc.bits[j] & _BAD and doc.lowers[j] not in ROLES
    )
    return free and bool(facts & (words.NAME | words.UNKNOWN)) and facts >> words.LEVEL < 2


def _opens(doc: TokenContext, i: int) -> bool:
    """Return True if a line or a cell begins with token i, perhaps after its number: `13.  SAELEE, NAI`."""
    if i == 0 or "\n" in doc.between(i - 1) or doc.begins[i] - doc.ends[i - 1] > 1:
        return True
    before = doc.forms[i - 1]
    if before == "." and doc.bit(i - 2) & LETTER:
        return False  # `E. Coli`
    return (
        before in _CELLS
        or before[-1:].isdigit()
        or doc.lowers[i - 1] in ROLES
        or doc.lowers[i - 1] in ("bb", "bg", "re")
    )


def _closes(doc: TokenContext, end: int) -> bool:
    """Return True if the line or cell ends before token `end`, or a number follows."""
    if end >= doc.size or "\n" in doc.between(end - 1) or doc.begins[end] - doc.ends[end - 1] > 1:
        return True
    form = doc.forms[end]
    return form in _AFTER or form[:1].isdigit() or form in ("M", "F") or bool(doc.bits[end] & cues.CREDENTIAL)


def _with_carets(doc: TokenContext, i: int) -> tuple[int, int, float, str] | None:
    """Return the name of an HL7 field, after HL7 v2.5 chapter 2A, type XPN: `JONES^WILLIAM^A^III`."""
    if (
        (i and doc.forms[i - 1] == "^")
        or doc.lowers[i] in ROLES
        or doc.facts(i) & (words.TERM | words.ORGANIZATION_CUE)
    ):
        return None
    parts, end = 1, i + 1
    while (
        doc.form(end) == "^"
        and doc.bit(end + 1) & (_WORD | LETTER)
        and parts < 5
        and doc.text[doc.begins[end] + 1] != " "
    ):
        bits = doc.bits[end + 1]
        if bits & (cues.CREDENTIAL | cues.TITLE) or (
            doc.facts(end + 1) & words.TERM and not doc.bits[end + 1] & cues.GENERATION
        ):
            break
        parts, end = parts + 1, end + 2
    if parts < 2:
        return None
    named = any(doc.facts(j) & words.NAME or doc.bits[j] & LETTER for j in range(i, end, 2))
    return (i, end, 0.75, "fields of a name") if named or doc.facts(i) & words.UNKNOWN else None


def _mixed(doc: TokenContext, i: int) -> tuple[int, int, float, str] | None:
    """Return a surname in capitals beside a given name: `THEVARAJAH Ranjan`, `Tremaine GRANT`."""
    j = i + 1
    if doc.shouted or not doc.near(i) or not doc.bit(j) & _WORD or doc.bits[i] & SHOUT == doc.bits[j] & SHOUT:
        return None
    if i and doc.bits[i - 1] & SHOUT and doc.near(i - 1) and doc.bits[i] & SHOUT:
        return None
    loud, soft = (i, j) if doc.bits[i] & SHOUT else (j, i)
    if len(doc.forms[loud]) < 3 or not all(_is_name(doc, t) for t in (i, j)):
        return None
    surname, given = doc.facts(loud), doc.facts(soft)
    if len(doc.forms[loud]) < 5 and not surname & words.SURNAME:
        return None
    sure = bool(given & words.GIVEN) + bool(surname & words.SURNAME)
    if not sure and not (_opens(doc, i) and _closes(doc, j + 1)):
        return None
    end = j + 1
    while doc.bit(end) & _WORD and doc.near(end - 1) and _is_name(doc, end) and end < i + 5:
        end += 1
    return i, end, 0.4 + 0.15 * sure, "surname in capitals"
