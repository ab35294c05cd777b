"""Finds places: cities with their states or after `in`, states, counties, countries."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..lexicon import Entry
from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL, listed
from .non_names import is_scale
from .token_context import NameSpan, TokenContext, span_of

_SHOWN = CAPITAL | SHOUT | LETTER
_LISTED = words.CITY | words.STATE | words.COUNTRY | words.PLACES_BEGIN
_MATERIALS = frozenset("ink nut nuts pig pigs worm worms".split())
"""`India ink`, `Brazil nuts`, `Guinea pig`."""
_LISTS = "us_states countries provinces cities us_counties"
_KINDS = {
    "us_states": PhiKind.LOCATION_STATE,
    "provinces": PhiKind.LOCATION_STATE,
    "countries": PhiKind.LOCATION_COUNTRY,
    "cities": PhiKind.LOCATION_CITY,
    "us_counties": PhiKind.LOCATION_COUNTY,
}
_INNER = frozenset(["of", "the", "and", "de", "del", "la", "los", "las", "do", "da", "am", "."])
_LIVED = listed(
    "lives lived living resides residing resident moved born travelled traveled travelling traveling flew originally "
    "based hometown"
)
_ZIP = lazy_regex(r"\d{5}")
_BEFORE_US = listed("the in from within to")
_OTHER_FORMS = "code abbreviation demonym"


def find_places(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield spans with their confidence; they may overlap."""
    done = 0
    for i, facts in doc.hot_facts:
        if i < done or not doc.bits[i] & _SHOWN:
            continue
        if doc.forms[i] == "US" and not doc.shouted and doc.form(i - 1).lower() in _BEFORE_US:
            yield span_of(doc, i, i + 1, PhiKind.LOCATION_COUNTRY, 0.6, "country in initials")
            continue
        if doc.forms[i] == "U" and doc.form(i + 1) == ".":
            last = i + 4 + 2 * (doc.forms[i + 2 : i + 6 : 2] == ["S", "A"])
            if doc.form(i + 2) in ("S", "K") and doc.forms[i + 3 : last : 2] == ["."] * ((last - i - 2) // 2):
                yield span_of(doc, i, last, PhiKind.LOCATION_COUNTRY, 0.6, "country in initials")
                done = last
            continue
        if facts & _LISTED and not (doc.form(i - 1) == "V" and doc.form(i - 2).lower() == "factor"):
            last, entry = _longest(doc, i, facts)
            if entry is not None:
                yield from _weigh(doc, i, last, entry)
                done = last
                continue
        if facts & (words.NAME | words.UNKNOWN):
            yield from _by_shape(doc, i)
    if doc.small:
        for i in range(1, doc.size):
            if doc.bits[i - 1] & cues.IN and doc.bits[i] & SMALL and doc.facts(i) & _LISTED:
                yield from _small(doc, i)


def _longest(doc: TokenContext, i: int, facts: int) -> tuple[int, Entry | None]:
    """Return the end of the longest listed place at token i, and its entry."""
    size = 1
    if facts & words.PLACES_BEGIN:
        while size < 5 and doc.near(i + size - 1):
            if not doc.bits[i + size] & (CAPITAL | SHOUT) and doc.forms[i + size] not in _INNER:
                break
            size += 1
        while size > 1 and not doc.bits[i + size - 1] & (CAPITAL | SHOUT):
            size -= 1
    length, entry = doc.lists.longest(_LISTS, doc.forms[i : i + size], _OTHER_FORMS)
    return i + max(length, 1), entry


def _weigh(doc: TokenContext, first: int, last: int, entry: Entry) -> Iterator[NameSpan]:
    """Yield a listed place, scored by its other meanings and by its context."""
    facts, count = doc.facts(first), last - first
    level = facts >> words.LEVEL if count == 1 else 0
    kind = _KINDS[entry.list]
    if doc.form(last) in ("County", "Parish") and doc.near(last - 1) and kind is not PhiKind.LOCATION_COUNTRY:
        yield span_of(doc, first, last + 1, PhiKind.LOCATION_COUNTY, 0.9, "county")
        state = _state_after(doc, last + 1)
        if state:
            yield span_of(doc, *state, PhiKind.LOCATION_STATE, 0.9, "county and state")
        return
    state = _state_after(doc, last)
    if state and kind is PhiKind.LOCATION_COUNTY:
        yield span_of(doc, *state, PhiKind.LOCATION_STATE, 0.9, "county and state")
    if state and kind is PhiKind.LOCATION_CITY and level < 3 and not (count == 1 and facts & words.MONTH):
        if doc.bits[state[0]] & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL) and _after_given(doc, first):
            return  # `Beatrice Holloway, MD`
        yield span_of(doc, first, last, kind, 0.9, "city and state")
        yield span_of(doc, *state, PhiKind.LOCATION_STATE, 0.9, "city and state")
        return
    if count == 1 and facts & (words.TERM | words.MONTH) and not _lived(doc, first):
        return
    if doc.bit(last) & cues.FOLLOWS_EPONYM or _followed_by_name(doc, last):
        return
    inside = _inside(doc, first)
    if not inside and is_scale(doc, last, bool(facts & words.EPONYM)):
        return
    person = count == 1 and bool(facts & words.OFTEN)
    unsure = count == 1 and bool(facts & words.UNSURE_PLACE or person or level)
    if entry.list == "countries":
        if doc.form(last).lower() in _MATERIALS:
            return
        confidence = 0.85 if not unsure else 0.65 if inside else 0.2
    elif entry.list == "us_states":
        confidence = 0.85 if not unsure else 0.75 if inside and not level else 0.4
    elif entry.list == "provinces":
        confidence = 0.75 if inside and not level else 0.4
    elif entry.list == "us_counties":
        confidence = 0.9
    else:
        confidence = _city(doc, first, entry.population >= 100_000, inside, unsure, person, level, count)
    if _lived(doc, first) and level < 2:
        confidence = max(confidence, 0.75)
    abbreviation = entry.form.isupper() and entry.form == doc.forms[first]
    if count == 1 and doc.bits[first] & SHOUT and not doc.shouted and len(doc.forms[first]) < 5 and not abbreviation:
        confidence = min(confidence, 0.25)
    if confidence > 0.05:
        rule = f"{'in ' if inside else ''}{entry.list.removeprefix('us_')}"
        yield span_of(doc, first, last, kind, confidence, rule)


def _after_given(doc: TokenContext, i: int) -> bool:
    """Return True if a given name or an initial is directly before token i."""
    j = i - 1 - (doc.form(i - 1) == ".")
    return j >= 0 and bool(doc.bits[j] & LETTER or (doc.bits[j] & (CAPITAL | SHOUT) and doc.facts(j) & words.GIVEN))


def _inside(doc: TokenContext, i: int) -> bool:
    """Return True if `in`, `near`, `from`, `in the` is before token i."""
    word, before = doc.form(i - 1).lower(), doc.bit(i - 1)
    if word == "the":
        return bool(doc.bit(i - 2) & cues.IN)
    return bool(before & cues.IN) and (bool(before & SMALL) or word in ("in", "from"))


def _city(
    doc: TokenContext, first: int, big: bool, inside: bool, unsure: bool, person: bool, level: int, count: int
) -> float:
    """Return the confidence in a listed city without its state."""
    if not inside:
        return 0.4 if big and not unsure else 0.25 if count > 1 else 0.1
    if big and not unsure:
        return 0.8
    vague = doc.form(first - 1).lower() in ("for", "of", "via", "to", "into")
    if level:
        return 0.4 if level < 2 and not vague else 0.0
    confidence = 0.65 if big or not person else 0.4
    return confidence - 0.25 if vague and not big else confidence


def _followed_by_name(doc: TokenContext, last: int) -> bool:
    """Return True if the place is the first word of a longer name: `Houston Methodist`, `Paris Jackson`."""
    if not doc.bit(last) & CAPITAL or last >= doc.size or not doc.near(last - 1) or not doc.between(last - 1):
        return False
    facts = doc.facts(last)
    return bool(facts & words.SURNAME and facts >> words.LEVEL < 2 and not facts & words.BLOCKED)


def _state_after(doc: TokenContext, last: int) -> tuple[int, int] | None:
    """Return the state after a comma: its code or its name."""
    k = last
    if doc.form(k) == ",":
        k += 1
    if k >= doc.size or not doc.near(k - 1):
        return None
    form, following = doc.forms[k], doc.forms[k + 1 : k + 2] if doc.near(k) else []
    for name in ("us_states", "provinces"):
        length, entry = doc.lists.longest(name, [form, *following])
        if entry is None or not doc.bits[k] & (CAPITAL | SHOUT):
            continue
        if entry.kind != "code":
            if k > last:
                return k, k + length
        elif form.isupper() and (k > last or (_ZIP.fullmatch(doc.form(k + 1)) and not doc.bits[k] & cues.TITLE)):
            return k, k + length
    return None


def _lived(doc: TokenContext, i: int) -> bool:
    """Return True if `lives in`, `moved to`, `originally from` is before token i."""
    return doc.form(i - 2).lower() in _LIVED and bool(doc.bit(i - 1) & cues.IN)


def _by_shape(doc: TokenContext, i: int) -> Iterator[NameSpan]:
    """Yield an unknown place by its context: `Qwertz, TX`, `Qwertz County`."""
    facts = doc.facts(i)
    if doc.bits[i] & CAPITAL and not facts & words.BLOCKED:
        if doc.form(i + 1) == "County" and doc.near(i) and (facts & (words.NAME | words.UNKNOWN)):
            yield span_of(doc, i, i + 2, PhiKind.LOCATION_COUNTY, 0.85, "county")
            return
        if facts & (words.UNKNOWN | words.SURNAME) and _lived(doc, i) and not facts >> words.LEVEL:
            yield span_of(doc, i, i + 1, PhiKind.LOCATION_CITY, 0.5, "unknown word after lives in")
        if facts & words.UNKNOWN and doc.form(i + 1) == ",":
            state = _state_after(doc, i + 1)
            if state and not doc.bits[state[0]] & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL):
                yield span_of(doc, i, i + 1, PhiKind.LOCATION_CITY, 0.7, "unknown word and state")
                yield span_of(doc, *state, PhiKind.LOCATION_STATE, 0.8, "unknown word and state")


def _small(doc: TokenContext, i: int) -> Iterator[NameSpan]:
    """Yield a place in lower case after `in`, in a text without capitals."""
    facts = doc.facts(i)
    if facts & words.BLOCKED or facts >> words.LEVEL or facts & words.DEMONYM:
        return
    length, entry = doc.lists.longest(_LISTS, doc.forms[i : i + 3], _OTHER_FORMS)
    if entry is None or (entry.list == "cities" and entry.population < 100_000):
        return
    if facts & words.OFTEN_GIVEN and doc.lowers[i - 1] not in ("in", "near"):
        return
    last, rule = i + length, "place in small letters"
    yield span_of(doc, i, last, _KINDS[entry.list], 0.55, rule)
    size, state = doc.lists.longest("us_states", doc.forms[last : last + 2])
    if entry.list == "cities" and state is not None and state.kind == "name":
        yield span_of(doc, last, last + size, PhiKind.LOCATION_STATE, 0.55, rule)
