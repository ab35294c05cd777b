"""Clinical terms of records: reactions, indications, tests, units. What finders of names see in them are not names.

In such a text only what the record knows of people, and what is given as Phi or listed by the site, counts as a name. Dates, ages
and numbers count as in other texts, numbers if they have digits enough: `COVID-19` and `HbA1c` are none.
"""

from __future__ import annotations

from ...typesystem import PhiCandidate, PhiKind
from .candidates import VETOED, SourceSet

_NAMES = (PhiKind.PERSON, PhiKind.ORGANIZATION, PhiKind.LOCATION, PhiKind.PROFESSION, PhiKind.OTHER)
_NUMBERS = (PhiKind.ID, PhiKind.PHONE, PhiKind.FAX)
_CERTAIN = SourceSet(("known_phi", "site"))
_DIGITS = 4
NO_NAME = f"{VETOED}: a clinical term of the record"
"""The reason of such candidates."""


def is_term(candidate: PhiCandidate, given: str) -> bool:
    """Return whether a candidate in a clinical term is a part of it. `given`: the rule of candidates that were given as Phi."""
    if candidate.source in _CERTAIN or candidate.rule == given:
        return False
    top = candidate.kind.top
    return top in _NAMES or (top in _NUMBERS and sum(map(str.isdecimal, candidate.covered_text)) < _DIGITS)
