"""Filters for street addresses: clinical prose that only looks like one."""

from __future__ import annotations

import re

from .validators import hit_filter

_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_NOT_STREETS = """
am pm jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october
november december mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday day days week weeks
month months year years hour hours minute minutes mg mcg ml mm cm patient patients pt pts subject subjects times time dose
doses tablet tablets capsule capsules unit units lead slice head chest abdominal abdomen pelvis brain spine cardiac repeat
contrast noncontrast hospital admitted seen saw called consulted discharged per by with and or then after before when since
during until the a an of in on at to for from men women people children cases events nurses doctors
"""
_STOP = frozenset(_NOT_STREETS.split())
_CAPITAL_ONLY = """
drive way close place court walk row loop trail park circle grove square gardens garden mews quay parade cres crescent plaza
terrace st dr ct pl sq cir trl ter
"""
_NEED_CAPITAL = frozenset(_CAPITAL_ONLY.split())
_STREET_WORD = re.compile(
    r"\b(street|str|st|avenue|ave|av|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|plaza|square|sq|terrace|parkway"
    r"|pkwy|highway|hwy|freeway|turnpike|circle|cir|trail|way|alley|crescent|cres|close|gardens?|grove|loop|row|walk|mews|quay"
    r"|parade)\b",
    re.IGNORECASE,
)


@hit_filter("street_shape")
def street_shape(text: str) -> bool:
    """The words before the street word could be a name, and the street word is written like one.

    No months, units or clinical words; no word that ends a sentence; `Way`, `Dr`, `Court` only with a capital; `CT` and `ST`
    in capitals only after names in capitals.
    """
    names: list[str] = []
    for word in (m[0] for m in _WORD.finditer(text)):
        bare = word.rstrip(".")
        if names and _STREET_WORD.fullmatch(bare):
            if bare.lower() in _NEED_CAPITAL and bare[0].islower() and not text.islower():
                return False
            return not (bare.isupper() and len(bare) == 2 and not all(n.isupper() for n in names))
        if bare.lower() in _STOP or (word.endswith(".") and len(bare) > 3):
            return False
        names.append(bare)
    return True


@hit_filter("no_stop_word")
def no_stop_word(text: str) -> bool:
    """None of its words is a function word, a time or a clinical word."""
    return not any(word.rstrip(".").lower() in _STOP for word in _WORD.findall(text))


_ENGLISH = """
decade brigade decades arcade cascade barricade blockade investigate aggregate surrogate conjugate mitigate navigate delegate
irrigate propagate castigate fumigate colgate tailgate congregate segregate levorotate playhof
"""
_NOT_FOREIGN = frozenset(_ENGLISH.split())


@hit_filter("foreign_street_shape")
def foreign_street_shape(text: str) -> bool:
    """The word with the street word in it is not an English word (decade 3), and its number is not a year."""
    words = [w for w in _WORD.findall(text) if len(w) > 1]
    return bool(words) and not any(w.lower().rstrip(".") in _NOT_FOREIGN | _STOP for w in words[:2])


_NOT_PLACES = """
pathology radiology emergency er ed icu nicu picu ccu ward clinic unit department dept room bed floor phase stage grade type
level class group cohort arm visit cycle day dose part step zone covid baseline figure table section chapter version dr
doctor nurse hospice rehab surgery cardiology oncology neurology lab laboratory vaers fda cdc pfizer moderna janssen
"""
_PLACES_STOP = frozenset(_NOT_PLACES.split())


@hit_filter("address_words")
def address_words(text: str) -> bool:
    """Its words do not name a ward, phase, dose or company: sent to Pathology 3, moved to Phase 2."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    return bool(words) and not any(
        w in _PLACES_STOP or w in _STOP for w in words[:4] if w not in ("the", "and", "of", "corner")
    )


_NOT_SPANISH = """
oral intravenosa intramuscular subcutanea subcutánea endovenosa rectal venosa aerea aérea biliar urinaria transesofagica cada
central periferica periférica respiratoria sistemica sistémica tópica topica parenteral enteral inhalatoria anterior posterior
abordaje laparoscopica laparoscópica percutanea percutánea vaginal digestiva lagrimal excretora
"""
_SPANISH_STOP = frozenset(_NOT_SPANISH.split())


@hit_filter("spanish_street_shape")
def spanish_street_shape(text: str) -> bool:
    """Its words do not name a route of administration or anatomy (vía oral 5), and it does not begin with `c/o`."""
    if text[:4].lower() == "c/o ":
        return False
    return not any(word.rstrip(".").lower() in _SPANISH_STOP for word in _WORD.findall(text))
