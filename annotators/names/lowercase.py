"""Finds names in lower case: after a title, a role or `my name is`, and given names with their surnames."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, words
from .cues import SHOUT, SMALL, listed
from .preceding import name_is
from .scoring import is_eponym
from .token_context import NameSpan, TokenContext, span_of

_OWNERS = listed("my his her our their your pt's patient's 's ’s")
_VERBS = listed("rose drew sue pat rob grant chase pierce mark bill ray will may can grace dawn august earnest long")
"""Given names that are verbs or nouns after `my mother`."""
_VERB_ENDINGS = ("ed", "ing", "ly", "es", "tion", "d")


def after_cue(doc: TokenContext, i: int) -> Iterator[NameSpan]:
    """Yield the name in lower case after a title, a role, `named`, `name is` or a greeting at token i."""
    first, k = _candidate(doc, i)
    if not k:
        return
    confidence, kind = _confidence(doc, i, k)
    if not confidence:
        return
    last, named = k + 1, doc.bits[i] & cues.NAMED
    while last < doc.size and last < k + 3 and doc.bits[last] & SMALL and doc.near(last - 1):
        following = doc.facts(last)
        known = following & words.NAME or (following & words.UNKNOWN and doc.small and named)
        if not (known and following >> words.LEVEL == 0 and not following & words.BLOCKED and confidence > 0.5):
            break
        last += 1
    yield span_of(doc, min(first, k), last, kind, confidence, "small letters after a cue")


def _candidate(doc: TokenContext, i: int) -> tuple[int, int]:
    """Return the first token of the name after the cue at token i, and its first token behind particles; (0, 0) if none."""
    bits, k = doc.bits[i], i + 1
    if bits & SHOUT and not doc.shouted:  # `MR imaging`
        return 0, 0
    if doc.form(k) == "." and bits & cues.TITLE:
        k += 1
    if bits & cues.NAMED:
        if doc.form(k).lower() in ("is", "'s"):
            if not name_is(doc, k):
                return 0, 0
            k += 1
        elif doc.lowers[i] in ("name", "names"):
            return 0, 0
    first = k
    while bits & cues.TITLE and doc.bit(k) & cues.PARTICLE and k < first + 3 and doc.bit(k + 1) & SMALL:
        k += 1
    if k > first and not doc.facts(k) & (words.NAME | words.UNKNOWN):
        k = first  # `dr de ...`
    lower_case = doc.bit(k) & SMALL and not doc.bit(k) & (cues.TITLE | cues.RELATIVE)
    return (first, k) if lower_case and doc.near(k - 1) else (0, 0)


def _confidence(doc: TokenContext, i: int, k: int) -> tuple[float, PhiKind]:
    """Return the confidence in the name at token k after the cue at token i, and its kind."""
    bits, facts = doc.bits[i], doc.facts(k)
    level, blocked = facts >> words.LEVEL, facts & words.BLOCKED
    given = facts & words.OFTEN_GIVEN
    kind = PhiKind.PERSON_DOCTOR if bits & cues.DOCTOR else PhiKind.PERSON
    relative = PhiKind.PERSON_RELATIVE if bits & cues.RELATIVE else kind
    if bits & cues.TITLE:
        return _after_title(doc, i, k), kind
    if doc.lowers[i] == "miss" and facts & words.OFTEN_SURNAME and level < 3:
        return 0.6 if level < 2 or not doc.bit(k + 1) & SMALL else 0.0, kind
    if bits & cues.NAMED:
        if facts & words.GIVEN and level < 2 and not blocked:
            return 0.8, kind
        introduced = doc.lowers[k - 1] in ("is", "'s") and doc.small
        return 0.6 if facts & (words.UNKNOWN | words.SURNAME) and level < 2 and introduced else 0.0, kind
    if given and level == 0 and not blocked:
        return 0.75, relative
    if bits & cues.GREETING and given and level == 1 and not blocked:
        return 0.6, kind
    if bits & (cues.RELATIVE | cues.WEAK_TITLE) and given and level < 3 and not blocked:
        after = doc.form(k + 1)  # `my son mark was`, but `my mother rose from`
        subject = not after or after in ",.;)'s" or doc.bit(k + 1) & cues.PERSON_VERB
        owned = level < 2 and doc.form(i - 1).lower() in _OWNERS and doc.lowers[k] not in _VERBS
        return 0.5 if subject or owned else 0.2, relative
    if bits & cues.WEAK_TITLE and bits & cues.DOCTOR and facts & words.OFTEN_SURNAME and level == 0:
        return 0.75, kind
    if doc.lowers[i] in ("doctor", "nurse") and _is_subject(doc, k):
        if facts & words.SURNAME and level < 2 and not blocked:
            return 0.6, kind
        low = doc.lowers[k]
        misspelled = "-" not in low and low.endswith(_VERB_ENDINGS)  # `the doctor prescibed`
        return 0.35 if facts & words.UNKNOWN and len(low) > 4 and not misspelled else 0.0, kind
    return 0.0, kind


def _after_title(doc: TokenContext, i: int, k: int) -> float:
    facts = doc.facts(k)
    level, often = facts >> words.LEVEL, facts & words.OFTEN
    if not facts & words.BLOCKED and facts & words.NAME and level < 2:
        return 0.85 if often else 0.6
    if level == 2 and often and (k > i + 1 or not doc.bit(k + 1) & SMALL):
        return 0.6  # `mr. ward`, `dr. young`, but not `dr long term`
    if facts & words.UNKNOWN and len(doc.forms[k]) > 3:
        return 0.3 if doc.bits[i] & cues.DOCTOR or doc.lowers[i] in ("mr", "ms") else 0.6
    return 0.0


def _is_subject(doc: TokenContext, k: int) -> bool:
    """Return True if a verb of people or a pause follows token k."""
    after = doc.form(k + 1)
    return not after or after in ",.;)'s’s" or bool(doc.bit(k + 1) & cues.PERSON_VERB)


def bare(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield given names with surnames in lower case that are not words; in text without capitals also single given names."""
    bits, rule = doc.bits, "given name in small letters"
    for i, facts in doc.hot_facts:
        blocked = facts >> words.LEVEL or facts & (words.BLOCKED | words.MONTH)
        if not facts & words.OFTEN_GIVEN or not bits[i] & SMALL or blocked or is_eponym(doc, [i], i + 1):
            continue
        if i + 1 < doc.size and bits[i + 1] & SMALL and doc.near(i):
            following = doc.facts(i + 1)
            limit = 1 if not doc.small else 2 if doc.bit(i + 2) & SMALL else 3
            if following & words.SURNAME and not following & words.BLOCKED and following >> words.LEVEL < limit:
                sure = following & words.OFTEN_SURNAME
                confidence = (0.75 if sure else 0.5) if doc.small else (0.55 if sure else 0.3)
                yield span_of(doc, i, i + 2, PhiKind.PERSON, confidence, "given name and surname in small letters")
                continue
        verb = doc.bit(i + 1) & cues.PERSON_VERB
        if facts & (words.CITY | words.STATE | words.COUNTRY) and doc.bit(i - 1) & cues.IN and not verb:
            continue
        announced = doc.bit(i - 1) & (cues.GREETING | cues.BY) or verb
        if doc.small:
            yield span_of(doc, i, i + 1, PhiKind.PERSON, 0.55 if announced else 0.4, rule)
        elif announced and not facts & (words.STATE | words.COUNTRY | words.BIG_CITY):
            yield span_of(doc, i, i + 1, PhiKind.PERSON, 0.4, rule)
