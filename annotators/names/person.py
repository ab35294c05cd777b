"""Finds people: runs of capitalized words, scored by lists and context, and names in lower case after strong cues."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, lowercase, words
from .cues import CAPITAL, CASELESS, LETTER, SHOUT, SHOWN
from .non_names import is_other, is_sized
from .preceding import PrecedingCue, preceding_cue
from .runs import after_title, run_end, with_particles
from .scoring import around, by_words, credential_after, is_doubtful, is_eponym
from .token_context import NameSpan, TokenContext, span_of

_PLACE = words.CITY | words.STATE | words.COUNTRY
_CUES = cues.TITLE | cues.WEAK_TITLE | cues.RELATIVE | cues.NAMED | cues.GREETING
_NOT_INITIALS = frozenset(word for word, bits in cues.CUES.items() if bits & cues.NOT_INITIALS)


def find_people(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield spans with their confidence, in text order; they may overlap."""
    done = 0
    for i, facts in doc.hot_facts:
        if i < done:
            continue
        bits = doc.bits[i]
        hopeless = (
            facts & words.BLOCKED and not facts & words.NAME and not bits & LETTER
        )  # capitalized at the start of a sentence
        if bits & SHOWN and not hopeless:
            last = run_end(doc, i)
            if last > i:
                yield from _run(doc, i, last)
                done = last
                continue
        if bits & CASELESS and i:
            last = _caseless(doc, i)
            if last > i:
                cue = preceding_cue(doc, i)
                yield span_of(doc, i, last, cue.kind, cue.strength, cue.rule)
                done = last
            continue
        if bits & _CUES and i + 1 < doc.size:
            j = after_title(doc, i)
            last = run_end(doc, j) if j else 0
            if last > j:
                kind = PhiKind.PERSON_DOCTOR if bits & cues.DOCTOR else PhiKind.PERSON
                yield span_of(doc, i + 1 + (doc.forms[i + 1] == "."), last, kind, 0.95, "title")
                done = last
            elif bits & cues.TITLE and (letter := _letter(doc, i)):
                yield span_of(doc, letter, letter + 1, PhiKind.PERSON_INITIALS, 0.85, "title")
                done = letter + 1
            else:
                yield from lowercase.after_cue(doc, i)
    yield from lowercase.bare(doc)


def _letter(doc: TokenContext, i: int) -> int:
    """Return the single letter that is a name after the title at token i, `Mr. K`; 0 if there is none."""
    k = i + 1 + (doc.form(i + 1) == ".")
    if not doc.bit(k) & LETTER or doc.forms[k] == "I" or doc.title_before(k) != i:
        return 0
    dotted = doc.form(k + 1) == "." and doc.near(k)
    after = doc.bit(k + 2) if dotted else doc.bit(k + 1)
    return 0 if after & SHOWN and doc.near(k + dotted) and k + 1 + dotted not in doc.sentence_starts else k


def _caseless(doc: TokenContext, i: int) -> int:
    """Return the end of the name at token i in a script without capitals; i unless a strong cue precedes it."""
    if doc.bits[i - 1] & CASELESS or preceding_cue(doc, i).strength < 0.85:
        return i
    last = i + 1
    while last < min(doc.size, i + 4) and doc.bits[last] & CASELESS and doc.near(last - 1):
        last += 1
    return last


def _run(doc: TokenContext, first: int, last: int) -> Iterator[NameSpan]:
    """Yield the people in a run of name-like tokens."""
    names = [i for i in range(first, last) if doc.bits[i] & (CAPITAL | SHOUT)]
    if not names:
        yield from _initials_alone(doc, first, last)
        return
    cue = preceding_cue(doc, first)
    if is_eponym(doc, names, last) and cue.strength < 0.9:
        return
    shouts = sum(1 for i in names if doc.bits[i] & SHOUT)
    if shouts == len(names):
        yield from _shouted(doc, first, last, names, cue)
        return
    if cue.strength < 0.9 and (
        is_sized(doc, first, names) or (cue.strength < 0.8 and is_other(doc, first, last, names))
    ):
        return
    inverted = _inverted(doc, first, last, names, cue)
    if inverted:
        yield inverted
        return
    letters = any(doc.bits[i] & LETTER for i in range(first, last))
    last, kind, after = credential_after(doc, last)
    confidence, rule = by_words(doc, names, letters, first)
    if cue.strength:
        confidence = max(confidence, cue.strength - (0.25 if is_doubtful(doc, names[0]) else 0.0))
        rule = cue.rule
    if after > 0:
        confidence, rule = max(confidence, after), "credential after"
    elif len(names) == 1 and not letters and not cue.strength:
        confidence += around(doc, names[0], last)
        if doc.bit(last) & cues.FOLLOWS_BRAND and doc.near(last - 1):
            confidence -= 0.4
    if len(names) == 1 and not letters and cue.rule == "" and after <= 0:
        confidence -= _place_doubt(doc, names[0])
    if confidence > 0.05:
        kind = kind if cue.kind is PhiKind.PERSON else cue.kind
        yield span_of(doc, with_particles(doc, first), last, kind, min(confidence, 0.99), rule)


def _place_doubt(doc: TokenContext, i: int) -> float:
    """Return how much the confidence in a single name decreases because it is also a place."""
    facts, inside = doc.facts(i), doc.bit(i - 1) & cues.IN
    if not facts & _PLACE:
        return 0.0
    if facts & words.OFTEN_GIVEN and not facts & (words.STATE | words.COUNTRY):
        return 0.0 if not inside else 0.2 if not facts & words.BIG_CITY else 0.4
    return 0.5 if inside else 0.2


def _inverted(doc: TokenContext, first: int, last: int, names: list[int], cue: PrecedingCue) -> NameSpan | None:
    """Return `Smith, John A.`: surname, comma, given name."""
    k = last + 1
    if doc.form(last) != "," or k >= doc.size or not doc.near(last) or len(names) > 2:
        return None
    surname = doc.facts(names[-1])
    if surname & (words.STATE | words.COUNTRY) or (
        surname & words.CITY and not surname & words.OFTEN_SURNAME and cue.strength < 0.55
    ):
        return None
    end = run_end(doc, k)
    given = [i for i in range(k, end) if doc.bits[i] & CAPITAL]
    if len(given) == 1 and doc.bits[k] & CAPITAL:
        facts = doc.facts(k)
        if facts & words.OFTEN_GIVEN and facts >> words.LEVEL < 2 and not facts & (words.STATE | words.COUNTRY):
            known = surname & words.SURNAME or surname & words.UNKNOWN
            if known and not (doc.form(end) == "," or doc.form(end).lower() in ("and", "or")):
                confidence = 0.8 if surname >> words.LEVEL < 2 else 0.6
                start = doc.starts(first)
                confidence = max(confidence - (0.0 if start or end > k + 1 else 0.15), cue.strength)
                begin = with_particles(doc, first)
                return span_of(doc, begin, end, cue.kind, confidence, cue.rule or "surname, given name")
    letters = "".join(doc.forms[i] for i in range(k, end) if doc.bits[i] & LETTER)
    initials = not given and letters and letters not in cues.CREDENTIALS
    if initials and surname & words.NAME and surname >> words.LEVEL < 2:
        return span_of(doc, first, end, cue.kind, max(0.75, cue.strength), cue.rule or "surname, initials")
    return None


def _shouted(doc: TokenContext, first: int, last: int, names: list[int], cue: PrecedingCue) -> Iterator[NameSpan]:
    """Yield a run in capitals: only with a cue, or a given name with its surname."""
    facts = [doc.facts(i) for i in names]
    sure = [
        f & words.NAME and f >> words.LEVEL < 2 and len(doc.forms[i]) > 2 for i, f in zip(names, facts, strict=True)
    ]
    last, kind, after = credential_after(doc, last)
    kind = kind if cue.kind is PhiKind.PERSON else cue.kind
    end = last
    labeled = cue.strength >= 0.85 and len(doc.forms[names[0]]) > 1 and bool(facts[0] & (words.NAME | words.UNKNOWN))
    if doc.form(last) == "," and len(names) == 1 and doc.bit(last + 1) & SHOUT and (sure[0] or labeled):
        given = doc.facts(last + 1)
        if given & words.OFTEN_GIVEN and given >> words.LEVEL < 2 and (labeled or not given & _PLACE):
            end = run_end(doc, last + 1)
            yield span_of(doc, first, end, kind, max(0.75, cue.strength - 0.1), cue.rule or "surname, given name")
            return
    if cue.strength and len(names) < 4 and (any(sure) or _is_unknown_name(doc, names[0], cue)):
        yield span_of(doc, first, end, kind, max(0.6, cue.strength - 0.15), cue.rule)
    elif after > 0.9 and any(sure):
        yield span_of(doc, first, end, kind, 0.85, "credential after")
    elif len(names) in (2, 3) and all(sure) and facts[0] & words.OFTEN_GIVEN and facts[-1] & words.OFTEN_SURNAME:
        yield span_of(doc, first, end, kind, 0.6 if doc.shouted else 0.7, "given name and surname")
    elif len(names) == 2 and sure[0] and facts[0] & words.OFTEN_GIVEN and facts[1] & words.SURNAME and not doc.shouted:
        yield span_of(doc, first, end, kind, 0.5, "given name and surname")


def _is_unknown_name(doc: TokenContext, i: int, cue: PrecedingCue) -> bool:
    """Return True if an unlisted word in capitals is a name after this cue, not an abbreviation."""
    long = cue.rule == "title" and len(doc.forms[i]) > 5
    return (cue.strength >= 0.85 or long) and bool(doc.facts(i) & words.UNKNOWN)


def _initials_alone(doc: TokenContext, first: int, last: int) -> Iterator[NameSpan]:
    """Yield dotted initials: `patient J.S.`, `(A.B.)`; never `U.S.`, `i.v.`"""
    letters = [doc.forms[i] for i in range(first, last) if doc.bits[i] & LETTER]
    if not 2 <= len(letters) <= 4:
        return
    cue = preceding_cue(doc, first)
    if "".join(letters).lower() in _NOT_INITIALS and cue.kind is not PhiKind.PERSON_INITIALS:
        return
    before = doc.form(first - 1).lower()
    if cue.strength:
        kind = cue.kind if cue.kind is not PhiKind.PERSON else PhiKind.PERSON_INITIALS
        yield span_of(doc, first, last, kind, max(0.75, cue.strength), "initials after a cue")
    elif before == "(" and doc.form(last) == ")":
        yield span_of(doc, first, last, PhiKind.PERSON_INITIALS, 0.55, "initials in brackets")
    else:
        yield span_of(doc, first, last, PhiKind.PERSON_INITIALS, 0.35, "initials")
