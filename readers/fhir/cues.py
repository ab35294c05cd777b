"""What the name of an element, the URL of an extension or the question of a form says about its value.

What the standard does not name (extensions, answers, parameters) is judged by the words of its name: `mothersMaidenName`,
`Your phone number?`, `dob`.
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
_OWNED = frozenset(
    "product generic trade brand device model formula drug medication test file code color colour".split()
)
"""`product name`, `device identifier`: words that make a name one of a thing."""
_NUMBERS = frozenset("lot part model sequence version house batch phone".split())


def cue(name: str) -> PhiKind | None:
    """What kind of value goes by this name; None where the name does not tell.

    `altId` and `preAuthRef` are numbers, `lotNumber` is that of a thing, and so is `productName`.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return None
    found = set(words)
    for kind, cues in _CUES:
        if not found.isdisjoint(cues):
            return None if kind is PhiKind.PERSON and not found.isdisjoint(_OWNED) else kind
    if words == ["id"]:
        return PhiKind.ID
    number = len(words) > 1 and words[-1] in ("id", "no", "nr", "number", "ref", "num")
    return PhiKind.ID if number and found.isdisjoint(_NUMBERS) and found.isdisjoint(_OWNED) else None


def of_extension(url: str) -> PhiKind | None:
    """What kind of value an extension has: its URL's last part tells."""
    return cue(re.split(r"[/#:|]", url.rstrip("/"))[-1])


_TELLING = re.compile(r"(?:mailto|tel|sms|fax|callto|sip|data|file|blob):|[^?#]*@|[^?]*\?(?!fhir_vs)", re.IGNORECASE)
_KINDS = (("mailto:", PhiKind.EMAIL), ("tel:", PhiKind.PHONE), ("sms:", PhiKind.PHONE), ("fax:", PhiKind.FAX))


def of_uri(uri: str) -> PhiKind | None:
    """What a URI says about somebody: a mail address or number, a search (`Patient?name=...`); None for a mere name."""
    if _TELLING.match(uri) is None:
        return None
    lower = uri.lower()
    return next((kind for scheme, kind in _KINDS if lower.startswith(scheme)), PhiKind.URL)
