"""Names of drugs, lots and codes that may contain what identifies a person: they are read as texts instead of kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...typesystem import PhiKind
from ..record_document import KnownValue
from .standard import Text

_WORD = re.compile(r"\w{3,}")
_SUSPICIOUS = re.compile(
    r"""
    @                                       # an e-mail address
    | (?<!\d) \d{3} \D{0,2} \d{3} \D{0,2} \d{3,}     # a phone number
    | (?<!\d) \d{1,4} [-/.] \d{1,2} [-/.] \d{2,4} (?!\d)    # a date
    | (?<!\d) \d{6,}                         # a number of a person
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"lot|batch|authori[sz]ation|approval|version", re.IGNORECASE)
_KINDS = (PhiKind.PERSON, PhiKind.ID, PhiKind.PHONE, PhiKind.FAX, PhiKind.EMAIL)


def identifying_terms(plain: Iterable[Text], known: Iterable[KnownValue]) -> list[Text]:
    """Return the texts with a word of a known value, a date, an address or a long number; numbers of things may be long."""
    words = {word.casefold() for k in known if k.kind.top in _KINDS for word in _WORD.findall(k.value)}
    return [
        text
        for text in plain
        if not words.isdisjoint(w.casefold() for w in _WORD.findall(text.text))
        or (
            _SUSPICIOUS.search(text.text)
            and not (text.location and _NUMBERED.search(text.location.path.rpartition("/")[2]))
        )
    ]
