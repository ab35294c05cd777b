"""What is found in a FHIR resource: structured values, free texts, data nobody can read, and what stays for now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...typesystem import PhiKind
from . import elements as E


class Value(NamedTuple):
    """A structured value. `path` is a JSON pointer in the file."""

    kind: PhiKind
    path: str
    value: str


class Known(NamedTuple):
    """What a record says about a person or place."""

    kind: PhiKind
    value: str
    role: str
    provenance: str


class Text(NamedTuple):
    """Free text. `form`: `plain` or `xhtml`, behind `base64:<charset>:` where it is the data of an attachment."""

    path: str
    form: str
    source: str


class At(NamedTuple):
    """Where an object stands. `owner`: type of the resource it belongs to; `name`: the element it is the value of, `value[x]`
    without `value`; `hint`: what any string in it is, where that is known."""

    owner: str
    name: str = ""
    hint: PhiKind | None = None


@dataclass(slots=True)
class Found:
    """What one resource holds, those contained in it too."""

    values: list[Value] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    sealed: list[str] = field(default_factory=list)
    """Data that no text can be read from: pictures, PDF, signatures, unknown kinds."""
    kept: list[Text] = field(default_factory=list)
    """Names of codes, and URIs: they stay, unless they hold what the record knows of people."""
    references: list[str] = field(default_factory=list)

    def value(self, kind: PhiKind, path: str, value: object) -> None:
        self.values.append(Value(kind, path, str(value)))

    def identifying(self, kind: PhiKind, path: str, value: object, owner: str, name: str) -> None:
        """A value that is masked where it stands and looked for in the texts, unless it names nobody."""
        self.value(kind, path, value)
        self.know(kind, str(value), owner, name)

    def know(self, kind: PhiKind, value: str, owner: str, name: str) -> None:
        if len(value.strip()) > 1 and value.strip(" .*?-").casefold() not in E.NOBODY:
            self.known.append(Known(kind, value, role(owner), f"{owner}.{name}"))

    def text(self, path: str, form: str, source: str) -> None:
        self.texts.append(Text(path, form, source))


def role(owner: str) -> str:
    """Whose the values of a resource are."""
    return "relative" if owner == "relative" else E.PEOPLE.get(owner, (None, ""))[1]


def person(owner: str) -> PhiKind:
    """Of what kind the names in a resource are."""
    return PhiKind.PERSON_RELATIVE if owner == "relative" else E.PEOPLE.get(owner, (PhiKind.PERSON, ""))[0]
