"""Scores runs of words as names, by the words themselves and by their context."""

from __future__ import annotations

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, SMALL, listed
from .non_names import owns
from .token_context import TokenContext

_ARTICLES = listed("the a an this that la le un une el der die das au du of")
_DISEASES = listed("wort disease syndrome palsy sign phenomenon lymphoma sarcoma thyroiditis criteria score maneuver")


def by_words(doc: TokenContext, names: list[int], letters: bool, first: int) -> tuple[float, str]:
    """Return the confidence in a run by its words alone, and the rule."""
    facts = [doc.facts(i) for i in names]
    levels = [f >> words.LEVEL for f in facts]
    start = doc.starts(first)
    one = facts[0]
    if len(names) == 1:
        if letters:
            known = one & words.SURNAME or one & words.GIVEN
            return (0.85 if known and levels[0] < 2 else 0.6), "initial and name"
        base, rule = _single(one, levels[0], start, _is_camel(doc.forms[names[0]]))
        foreign = one & words.UNKNOWN and not doc.forms[names[0]].isascii() and _stands_free(doc, names[0], start)
        return base + (0.25 if foreign else 0.0), rule
    if len(names) > 5:
        return 0.25, "capitalised words"
    given, often = bool(one & words.GIVEN), bool(one & words.OFTEN_GIVEN)
    sure_rest = any(
        f & words.NAME and lv < 2 and not f & words.TERM for f, lv in zip(facts[1:], levels[1:], strict=True)
    )
    unknown_rest = any(f & words.UNKNOWN for f in facts[1:])
    if given and levels[0] < 2:
        base = 0.92 if sure_rest and often else 0.85 if sure_rest else 0.75 if often else 0.65 if unknown_rest else 0.55
        return base, "given name and surname"
    if given:
        base = 0.75 if sure_rest else 0.45 if unknown_rest else 0.35
        return base - (0.1 if start else 0.0), "given name and surname"
    if any(f & words.OFTEN_GIVEN and lv < 2 for f, lv in zip(facts[1:], levels[1:], strict=True)):
        return (0.65 if one & words.SURNAME else 0.5) + (0.1 if letters else 0), "surname and given name"
    if one & words.SURNAME and levels[0] < 2 and sure_rest:
        return (0.6 if letters else 0.45), "two surnames"
    if sure_rest:
        return (0.65 if letters else 0.5 if not start else 0.35), "unknown word and surname"
    foreign = not all(doc.forms[i].isascii() for i in names)
    return (0.55 if letters else 0.5 if foreign else 0.35 if not start else 0.25), "capitalised words"


def _single(facts: int, level: int, start: bool, camel: bool) -> tuple[float, str]:
    if facts & words.GIVEN and level < 2:
        base = 0.55 if facts & words.OFTEN_GIVEN and level == 0 else 0.4
        return base - (0.15 if start else 0.0), "given name"
    if facts & words.SURNAME and level < 2:
        base = 0.4 if facts & words.OFTEN_SURNAME and level == 0 else 0.3
        return base - (0.1 if start else 0.0), "surname"
    if facts & words.NAME and not facts & words.BLOCKED:
        return (0.25 if not start else 0.1), "name that is also a word"
    return (0.31 if not start else 0.16) - (0.2 if camel else 0.0), "unknown word"


def _is_camel(form: str) -> bool:
    """Return True for a brand or identifier with a capital inside: `DermaClose`, but not `McDonald`, `DeAndre`, `O'Neil`."""
    return any(c.isupper() for c in form[4:]) and "-" not in form and not form.startswith(("Mac", "Fitz", "Van", "Des"))


def _stands_free(doc: TokenContext, i: int, start: bool) -> bool:
    """Return True if the capital of token i suggests a name: inside a sentence without an article, or before a verb of people."""
    if not start:
        return doc.form(i - 1).lower() not in _ARTICLES
    after = doc.bit(i + 1)
    if doc.form(i + 1) in (",", "and", "&") and doc.bit(i + 2) & CAPITAL and doc.facts(i + 2) & words.NAME:
        return True
    return bool(after & cues.PERSON_VERB and after & SMALL) or doc.form(i + 1) in ("'s", "’s")


def around(doc: TokenContext, i: int, last: int) -> float:
    """Return the change of confidence by the words around a single name."""
    added = 0.0
    after, facts = doc.bit(last), doc.facts(i)
    if facts & words.EPONYM and not facts & words.GIVEN and doc.form(i - 1) != ",":
        added -= 0.15
    if doc.form(last) in ("'s", "’s") and doc.near(last - 1):
        added += 0.1
    elif after & cues.PERSON_VERB and after & SMALL:
        added += 0.15 if doc.facts(i) >> words.LEVEL < 2 or not doc.facts(i) & words.OFTEN_GIVEN else 0.25
    if doc.form(i - 1).lower() in ("a", "an") or (doc.form(i - 1) == "the" and doc.facts(i) & words.UNKNOWN):
        added -= 0.2  # `drives a Ford`, `placed a Foley`
    if doc.starts(i) and doc.form(last) in ("of", "about") and not doc.facts(i) & words.GIVEN:
        added -= 0.2  # `Leary of needles`, a misspelled word
    if doc.form(i - 1) == "," and doc.form(last) in (",", "!", "?") and doc.facts(i) & words.OFTEN_GIVEN:
        added += 0.1  # direct address
    before = doc.bit(doc.before(i)) if not doc.starts(i) else 0
    if before & cues.BY and before & SMALL:
        added += 0.1
    return added


def is_doubtful(doc: TokenContext, i: int) -> bool:
    """Return True if a word after a cue is probably not a name: `Patient Care`, `Dr. May 3`."""
    facts = doc.facts(i)
    return bool(facts & words.BLOCKED) or facts >> words.LEVEL >= 2


def credential_after(doc: TokenContext, last: int) -> tuple[int, PhiKind, float]:
    """Return the end of the run with `Jr.`, and the kind and strength of the credentials after it."""
    k = last
    if k < doc.size and doc.form(k) == "," and doc.bit(k + 1) & cues.GENERATION:
        k += 1
    if k < doc.size and doc.bit(k) & cues.GENERATION and doc.forms[k][0].isupper():
        last = k + 1
        if doc.form(last) == "." and doc.forms[k] in ("Jr", "Sr", "Jnr", "Snr"):
            last += 1
    k = last
    while k < doc.size and doc.forms[k] in (",", "(") and k < last + 2:
        k += 1
    form = doc.form(k)
    dotted = form + doc.form(k + 2) if doc.form(k + 1) == "." and len(form) == 1 else form
    bits = doc.bit(k) if dotted == form else cues.CREDENTIALS.get(dotted, 0)
    kind = PhiKind.PERSON_DOCTOR if dotted in cues.MEDICAL_STAFF else PhiKind.PERSON
    if bits & cues.CREDENTIAL:
        return last, kind, 0.95
    if bits & cues.UNSURE_CREDENTIAL and k > last and not doc.facts(last - 1) & words.CITY:
        return last, kind, 0.7
    return last, PhiKind.PERSON, 0.0


def is_eponym(doc: TokenContext, names: list[int], last: int, announced: bool = False) -> bool:
    """Return True if the run names a disease, sign or device: `Parkinson's disease`, `Foley catheter`, `Hodgkin`.

    announced: a person is expected here, so that a surname alone is not an eponym: `Resident Wharton`, unlike `RN Glasgow 15`.
    """
    facts = doc.facts(names[-1])
    k = last
    if doc.form(k) in ("'s", "’s", "'", "’"):
        k += 1
    if not facts & words.EPONYM:
        return doc.form(k).lower() in _DISEASES or owns(doc, names, k)
    if k < doc.size and (
        doc.bits[k] & cues.FOLLOWS_EPONYM
        or owns(doc, names, k)
        or (doc.facts(k) & words.BLOCKED and doc.bits[k] & CAPITAL)
    ):
        return True
    if announced and facts & words.SURNAME and k == last and not doc.form(k)[:1].isdigit():
        return False
    return len(names) == 1 and not facts & words.OFTEN
