"""Guess the PHI kind of a value by the name of its element, the URL of its extension or the question of a form.

Used for values that the standard does not define (extensions, answers, parameters): `mothersMaidenName`, `Your phone number?`.
"""

from __future__ import annotations

import re

from ...typesystem import PhiKind

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CUES: tuple[tuple[PhiKind, frozenset[str]], ...] = tuple(
    (kind, frozenset(words.split()))
    for kind, words in (
        (PhiKind.EMAIL, "email mail"),
        (PhiKind.PHONE, "phone telephone tel mobile fax pager telecom"),
        (PhiKind.ID, "identifier ssn mrn account licence license passport accession requisition arrangement dependent"),
        (PhiKind.LOCATION_STREET, "address street city town village zip postcode postal residence birthplace county"),
        (PhiKind.LOCATION_COORDINATES, "latitude longitude altitude geolocation gps"),
        (
            PhiKind.PERSON,
            "name names surname firstname lastname fullname username nickname maiden alias initials author",
        ),
        (PhiKind.ORGANIZATION, "employer company organization organisation publisher school workplace"),
        (PhiKind.AGE, "age old"),
    )
)
_THINGS = frozenset(
    "product generic trade brand device model formula drug medication test file code color colour".split()
)
"""Words that make a name that of a thing: `product name`, `device identifier`."""
_NUMBERS = frozenset("lot part model sequence version house batch phone".split())


def cue(name: str) -> PhiKind | None:
    """Return the PHI kind of a value with this name, or None.

    `altId` and `preAuthRef` are identifiers; `lotNumber` and `productName` belong to things.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return None
    unique = set(words)
    for kind, cues in _CUES:
        if not unique.isdisjoint(cues):
            return None if kind is PhiKind.PERSON and not unique.isdisjoint(_THINGS) else kind
    if words == ["id"]:
        return PhiKind.ID
    number = len(words) > 1 and words[-1] in ("id", "no", "nr", "number", "ref", "num")
    return PhiKind.ID if number and unique.isdisjoint(_NUMBERS) and unique.isdisjoint(_THINGS) else None


def of_extension(url: str) -> PhiKind | None:
    """Return the PHI kind of an extension's value, by the last part of its URL."""
    return cue(re.split(r"[/#:|]", url.rstrip("/"))[-1])


_IDENTIFYING = re.compile(
    r"(?:mailto|tel|sms|fax|callto|sip|data|file|blob):|[^?#]*@|[^?]*\?(?!fhir_vs)", re.IGNORECASE
)
_KINDS = (("mailto:", PhiKind.EMAIL), ("tel:", PhiKind.PHONE), ("sms:", PhiKind.PHONE), ("fax:", PhiKind.FAX))


def of_uri(uri: str) -> PhiKind | None:
    """Return the PHI kind of a URI with an e-mail address, a number or a search (`Patient?name=...`); None for others."""
    if _IDENTIFYING.match(uri) is None:
        return None
    lower = uri.lower()
    return next((kind for scheme, kind in _KINDS if lower.startswith(scheme)), PhiKind.URL)
