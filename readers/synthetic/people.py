"""People of a document: their names, and the tokens of name patterns."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Person:
    """A person in a document. `role` is a key of KINDS."""

    role: str
    sex: str
    """`female` or `male`."""
    first: str
    middle: str
    last: str
    title: str = ""
    degree: str = ""
    suffix: str = ""
    relation: str = ""
    origin: str = ""
    """Name of the Origin of the given name."""
    number: int = 0
    """A number for user names."""


KINDS = {
    "patient": "PERSON_PATIENT",
    "doctor": "PERSON_DOCTOR",
    "nurse": "PERSON_DOCTOR",
    "relative": "PERSON_RELATIVE",
    "mother": "PERSON_RELATIVE",
    "father": "PERSON_RELATIVE",
    "reporter": "PERSON_REPORTER",
    "other": "PERSON_PATIENT",
}
"""Role of a person -> PHI kind of the name. `other` is another patient."""


def letter(name: str) -> str:
    """Return the initial of a name, ignoring particles: B of `van der Berg`."""
    parts = [p for p in name.replace("-", " ").split() if p[:1].isupper()]
    return next((c for c in (parts or [name])[0] if c.isalpha()), "X").upper()


def plain(name: str) -> str:
    """Return a name in lower-case ASCII letters, as in user names and e-mail addresses."""
    decomposed = unicodedata.normalize("NFD", name.replace("ø", "o").replace("ł", "l").replace("ß", "ss"))
    return "".join(c for c in decomposed.lower() if c.isascii() and c.isalpha()) or "x"


TOKENS: dict[str, Callable[[Person], str]] = {
    "First": lambda p: p.first,
    "FIRST": lambda p: p.first.upper(),
    "first": lambda p: p.first.lower(),
    "Last": lambda p: p.last,
    "LAST": lambda p: p.last.upper(),
    "last": lambda p: p.last.lower(),
    "Middle": lambda p: p.middle,
    "MIDDLE": lambda p: p.middle.upper(),
    "F": lambda p: letter(p.first),
    "M": lambda p: letter(p.middle),
    "L": lambda p: letter(p.last),
    "f": lambda p: plain(p.first)[0],
    "user": lambda p: plain(p.first),
    "surname": lambda p: plain(p.last),
    "short": lambda p: plain(p.last)[:6],
    "number": lambda p: str(p.number),
    "digit": lambda p: str(p.number % 10),
    "Title": lambda p: p.title,
    "degree": lambda p: p.degree,
    "suffix": lambda p: p.suffix,
    "relation": lambda p: p.relation,
}
"""The meaning of `{First}`, `{L}` ... in a name pattern."""
