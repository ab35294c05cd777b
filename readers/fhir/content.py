"""The content of a FHIR resource: structured values, free texts, unreadable data, and strings that are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...typesystem import PhiKind
from ..record_document import KnownValue
from . import elements as E


class Value(NamedTuple):
    """A structured value. `path` is a JSON pointer in the file."""

    kind: PhiKind
    path: str
    value: str


class Text(NamedTuple):
    """Free text. `form`: `plain` or `xhtml`, prefixed with `base64:<charset>:` for the data of an attachment."""

    path: str
    form: str
    source: str


class Context(NamedTuple):
    """The position of an object. `owner`: type of its resource; `name`: its element, for `value[x]` without `value`; `hint`:
    PHI kind of the strings in it, if known."""

    owner: str
    name: str = ""
    hint: PhiKind | None = None


@dataclass(slots=True)
class Content:
    """The content of one resource, including contained resources."""

    values: list[Value] = field(default_factory=list)
    known: list[KnownValue] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """Paths of data without text: pictures, PDF, signatures, unknown types."""
    kept: list[Text] = field(default_factory=list)
    """Names of codes, and URIs, which are kept unless they contain known PHI."""
    references: list[str] = field(default_factory=list)

    def add_value(self, kind: PhiKind, path: str, value: object) -> None:
        self.values.append(Value(kind, path, str(value)))

    def add_identifying(self, kind: PhiKind, path: str, value: object, owner: str, name: str) -> None:
        """Add a value that is also searched for in the texts, unless it is a placeholder."""
        self.add_value(kind, path, value)
        self.add_known(kind, str(value), owner, name)

    def add_known(self, kind: PhiKind, value: str, owner: str, name: str) -> None:
        if len(value.strip()) > 1 and value.strip(" .*?-").casefold() not in E.PLACEHOLDERS:
            self.known.append(KnownValue(kind, value, role_of(owner), f"{owner}.{name}"))

    def add_text(self, path: str, form: str, source: str) -> None:
        self.texts.append(Text(path, form, source))


def role_of(owner: str) -> str:
    """Return the role of the person that a resource describes."""
    return "relative" if owner == "relative" else E.PEOPLE.get(owner, (None, ""))[1]


def person_kind(owner: str) -> PhiKind:
    """Return the PHI kind of the names in a resource."""
    return PhiKind.PERSON_RELATIVE if owner == "relative" else E.PEOPLE.get(owner, (PhiKind.PERSON, ""))[0]
