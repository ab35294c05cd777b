"""Finds organizations that can locate a person: hospitals, pharmacies, schools, employers; by lists and by cue words."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL, listed
from .non_names import is_product
from .token_context import NameSpan, TokenContext, span_of

_KINDS = {
    "hospital": PhiKind.LOCATION_HOSPITAL,
    "pharmacy": PhiKind.ORGANIZATION_PHARMACY,
    "store": PhiKind.ORGANIZATION_PHARMACY,
    "school": PhiKind.ORGANIZATION_SCHOOL,
    "university": PhiKind.ORGANIZATION_SCHOOL,
}
_GENERIC = listed(
    "regional general community county city local memorial university children's childrens central national state "
    "medical health emergency urgent walk-in walk in family primary specialty speciality women's womens men's public "
    "private outpatient inpatient covid covid-19 vaccine vaccination vaccinations testing dental eye pain wound sleep "
    "cancer heart stroke trauma rehabilitation rehab mental behavioral psychiatric surgical surgery teaching referral "
    "district rural acute long term care home nursing veterans skilled senior assisted living allergy cardiology flu "
    "travel immunization occupational employee student drive through thru mobile pop-up mass retail specialist "
    "diabetes infusion retirement another other nearest nearby same new main big small large military us our my their "
    "his her the a an this that and of at to from for department dept patient doctor pediatric pediatrics internal "
    "medicine neurology radiology high middle elementary secondary primary grade nursery preschool business trade "
    "parent holding drug grocery food"
)
_LINKS = listed("of and & the for at de la du del di st . 's ’s")
_AT = listed("at from to in by via through near outside inside")
_WORK = listed("works worked working work employed employee job employer")
_SHORT_FOR = listed("general memorial regional baptist presbyterian methodist lutheran mercy children's medical")
_WORK_AT = frozenset(["at", "for", "by", "with"])
_KNOWN = words.ORGANIZATION | words.ORGANIZATIONS_BEGIN
_CUED = words.ORGANIZATION_CUE | words.CUES_BEGIN
_BEGINS = _KNOWN | _CUED
_WEAK_KINDS = frozenset(["company", "public", "society"])


def find_organizations(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield spans with their confidence; they may overlap."""
    bits, last = doc.bits, doc.size - 5
    for i, f in doc.hot_facts:
        if f & words.SURNAME and i <= last and doc.forms[i + 1] == "," and bits[i] & CAPITAL:
            yield from _partners(doc, i)
        if not f & _BEGINS:
            continue
        small = bits[i] & SMALL
        if f & _KNOWN and not (small and f >> words.LEVEL > 1 and not doc.small):
            yield from _listed(doc, i, f)
        if f & _CUED and i and (not small or bits[i - 1] & (CAPITAL | SHOUT) or doc.forms[i - 1] in ("'s", "’s")):
            yield from _cued(doc, i, f)
    for i in doc.shown:
        if i > 1 and doc.lowers[i - 1] in _WORK_AT and bits[i] & (CAPITAL | SHOUT) and doc.lowers[i - 2] in _WORK:
            yield from _employer(doc, i, doc.facts(i))
        if doc.lowers[i] in _SHORT_FOR and i > 1 and doc.near(i - 1):
            yield from _short(doc, i)


def _listed(doc: TokenContext, i: int, facts: int) -> Iterator[NameSpan]:
    """Yield an organization of the list, the longest name first."""
    if doc.bit(i - 1 - (doc.form(i - 1) == ".")) & cues.TITLE:
        return
    length, entry = doc.lists.longest("organizations", doc.tokens(i, 6 if facts & words.ORGANIZATIONS_BEGIN else 1))
    if entry is not None:
        last = i + length
        if is_product(doc, last):
            return
        if last == i + 1 and doc.forms[i] == "CVS" and _is_organ_system(doc, i):
            return
        capital = doc.bits[i] & (CAPITAL | SHOUT)
        if last == i + 1 and (entry.ambiguous or facts >> words.LEVEL >= 2):
            before = doc.form(i - 1).lower()
            confidence = 0.6 if capital and before in _AT and not doc.starts(i) else 0.25 if capital else 0.0
        elif capital:
            confidence = 0.85
        else:
            confidence = 0.7 if last > i + 1 or not facts >> words.LEVEL else 0.0
        if confidence:
            yield span_of(doc, i, last, _KINDS.get(entry.kind, PhiKind.ORGANIZATION), confidence, "known organisation")


_FINDINGS = frozenset("s1 s2 s1s2 hs i+ii nad rrr normal stable regular exam".split())


def _is_organ_system(doc: TokenContext, i: int) -> bool:
    """Return whether `CVS` is the cardiovascular system: `CVS: PDA`, `RS clear, CVS S1S2`; after `at` it is the pharmacy."""
    following = doc.form(i + 1)
    heading = following == ":" and (doc.starts(i) or doc.form(i - 1) in (".", ";", ","))
    return heading or following.lower() in _FINDINGS


def _cued(doc: TokenContext, i: int, facts: int) -> Iterator[NameSpan]:
    """Yield a name that ends with a cue: `Mercy Medical Center`, `St. Mary's Hospital`, `University of Qwertz Hospital`."""
    length, entry = doc.lists.longest("organization_cues", doc.tokens(i, 4 if facts & words.CUES_BEGIN else 1))
    if entry is None:
        return
    last = i + length
    if doc.bits[i] & SMALL and entry.kind in _WEAK_KINDS:
        return
    first, telling = _left(doc, i)
    if doc.forms[i] == "surgery" and (doc.facts(i - 1) & words.EPONYM or doc.form(first - 1).lower() != "at"):
        return  # an operation: `Whipple surgery`
    more = last
    if doc.form(last).lower() in ("of", "at") and doc.bit(last + 1) & CAPITAL and doc.bits[i] & CAPITAL:
        k = last + 1
        while k < doc.size and doc.bits[k] & CAPITAL and _tells(doc, k) and doc.near(k - 1):
            k += 1
        if k > last + 1 and not doc.facts(last + 1) & words.BLOCKED:
            more, telling = k, max(telling, 2)
    if first == i and more == last:
        return
    if not telling or _is_maker(doc, first, more):
        return
    base = 0.85 if telling > 1 else 0.65
    if entry.kind in _WEAK_KINDS:
        base -= 0.1 if not entry.ambiguous else 0.4 if telling < 2 else 0.2
    elif entry.ambiguous:
        base -= 0.1
    yield span_of(doc, first, more, _KINDS.get(entry.kind, PhiKind.ORGANIZATION), base, f"cue {entry.kind}")


def _left(doc: TokenContext, i: int) -> tuple[int, int]:
    """Return the first token of the name before a cue, and its evidence: 2 for a name, 1 for a capitalized word, else 0."""
    first = k = i
    telling = 0
    while k > 0 and i - k < 9 and doc.near(k - 1):
        j = k - 1
        form, bits = doc.forms[j], doc.bits[j]
        if bits & (CAPITAL | SHOUT | LETTER):
            if doc.starts(j) and _plain(doc, j) and not (doc.bits[i] & CAPITAL and _opens_line(doc, j)):
                break
            if bits & (cues.TITLE | cues.CREDENTIAL) and form not in ("St",):
                break
            if bits & SHOUT and _plain(doc, j):
                break
            first = j
            telling = max(telling, 2 if _tells(doc, j) else 0 if _plain_term(doc, j) else 1)
        elif form.lower() in _LINKS and j and (doc.bits[j - 1] & (CAPITAL | SHOUT | LETTER) or form in "'s’s"):
            if form == "." and not (doc.bits[j - 1] & LETTER or doc.forms[j - 1] in ("St", "Mt", "Ste", "Ft")):
                break
            if form in ("and", "&") and doc.facts(j - 1) & words.ORGANIZATION_CUE:
                break
            if form in ("the", "at", "for") or (
                form in ("of", "and", "&") and doc.starts(j - 1) and _plain(doc, j - 1)
            ):
                break
        else:
            break
        k = j
    return first, telling


def _opens_line(doc: TokenContext, j: int) -> bool:
    """Return True if a line begins with token j and it can be a name, as in a letterhead."""
    if not doc.facts(j) & (words.CITY | words.NAME | words.UNKNOWN):
        return False
    return j == 0 or "\n" in doc.between(j - 1)


def _tells(doc: TokenContext, j: int) -> bool:
    """Return True if a word is a name, a place or unknown: strong evidence for an organization."""
    facts, form = doc.facts(j), doc.forms[j].lower()
    if form in _GENERIC or facts & (words.BLOCKED | words.DEMONYM):
        return False
    distinctive = facts & (words.OFTEN | words.STATE | words.COUNTRY | words.CITY | words.UNKNOWN)
    return bool(distinctive) and facts >> words.LEVEL < 2 and (not doc.bits[j] & SHOUT or len(form) > 3)


def _plain_term(doc: TokenContext, j: int) -> bool:
    """Return True if a word does not count as evidence: generic, a brand, a term, an abbreviation."""
    form = doc.forms[j]
    if form.lower() in _GENERIC or doc.bits[j] & LETTER:
        return True
    if doc.bits[j] & SHOUT:
        return not doc.shouted
    facts = doc.facts(j)
    entry = doc.makers.has(form)
    return entry or bool(facts & words.TERM) or facts >> words.LEVEL > 2


def _plain(doc: TokenContext, j: int) -> bool:
    """Return True if a word is probably capitalized only because it begins a sentence: `Called Mercy Hospital`."""
    facts = doc.facts(j)
    return facts >> words.LEVEL >= 2 or bool(facts & words.BLOCKED) or doc.forms[j].lower() in _GENERIC


def _is_maker(doc: TokenContext, first: int, last: int) -> bool:
    """Return True if the name contains a drug manufacturer, a brand or a regulator."""
    pieces = [p for i in range(first, last) if "-" in doc.forms[i] for p in doc.forms[i].split("-")]
    return any(map(doc.makers.has, pieces)) or any(
        doc.makers.has(_phrase(doc, i, j)) for i in range(first, last) for j in range(i + 1, min(i + 3, last) + 1)
    )


def _employer(doc: TokenContext, i: int, facts: int) -> Iterator[NameSpan]:
    """Yield `works at Qwertz`, `employed by Qwertz`."""
    last = i
    while last < doc.size and doc.bits[last] & (CAPITAL | SHOUT) and (last == i or doc.near(last - 1)):
        last += 1
    if not _is_maker(doc, i, last) and not facts & words.TERM:
        yield span_of(doc, i, last, PhiKind.ORGANIZATION_EMPLOYER, 0.65, "employer")


def _short(doc: TokenContext, i: int) -> Iterator[NameSpan]:
    """Yield a hospital by the first words of its name: `at Mercy General`."""
    first = i
    while first and doc.bits[first - 1] & CAPITAL and doc.near(first - 1) and i - first < 3:
        first -= 1
    telling = first < i and doc.form(first).lower() not in _GENERIC and not doc.facts(first) & words.TERM
    if telling and doc.form(first - 1).lower() in _AT:
        yield span_of(doc, first, i + 1, PhiKind.LOCATION_HOSPITAL, 0.55, "short name of a hospital")


def _partners(doc: TokenContext, i: int) -> Iterator[NameSpan]:
    """Yield a firm by its partners: `Willis, Hill and Hoffman`."""
    names = (i, i + 2, i + 4)
    if doc.form(i + 3).lower() not in ("and", "&") or i + 4 >= doc.size:
        return
    if not all(doc.bits[j] & CAPITAL and doc.facts(j) & words.SURNAME for j in names):
        return
    if any(doc.facts(j) & words.OFTEN_GIVEN and not doc.facts(j) & words.OFTEN_SURNAME for j in names):
        return
    yield span_of(doc, i, i + 5, PhiKind.ORGANIZATION, 0.6, "partners")


def _phrase(doc: TokenContext, first: int, last: int) -> str:
    return " ".join(doc.text[doc.begins[first] : doc.ends[last - 1]].split())
