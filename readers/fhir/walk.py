"""Goes through a FHIR resource and sorts its values: structured ones that identify or are dates, free text, attachments."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...pipeline.errors import ReaderError
from ...typesystem import PhiKind
from . import elements as E

_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_TEXTUAL = {"text/plain": "plain", "text/markdown": "plain", "text/html": "xhtml", "application/xhtml+xml": "xhtml"}


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


@dataclass(slots=True)
class Walk:
    """What one resource holds, those contained in it too."""

    resource: dict[str, Any]
    path: str
    type_of: Callable[[str], str]
    """The resource type that a reference leads to; empty where that cannot be told."""
    values: list[Value] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    sealed: list[str] = field(default_factory=list)
    """Attachments that no text can be read from: pictures, PDF, unknown kinds."""
    subject: str = ""
    """The reference to whom it is about."""

    def go(self) -> Walk:
        """Raises ReaderError for what is no FHIR."""
        kind = self.resource.get("resourceType")
        if not isinstance(kind, str) or not E.TYPE_NAME.fullmatch(kind):
            raise ReaderError(f"{self.path or '/'}: expected a resourceType")
        for name in E.SUBJECTS:
            found = self.resource.get(name)
            found = found[0] if isinstance(found, list) and found else found
            reference = found.get("reference") if isinstance(found, dict) else None
            if isinstance(reference, str) and self.type_of(reference) == "Patient":
                self.subject = reference
                break
        self._object(self.resource, self.path, kind, "")
        return self

    # -- the tree ------------------------------------------------------------------------------------------------

    def _object(self, item: dict[str, Any], path: str, owner: str, name: str) -> None:
        """`owner`: type of the resource it belongs to; `name`: the element it is the value of, `value[x]` without `value`."""
        if isinstance(item.get("resourceType"), str) and E.TYPE_NAME.fullmatch(item["resourceType"]):
            owner = item["resourceType"]
        special = self._special(item, path, owner, name)
        for key, value in item.items():
            if not E.PROPERTY.fullmatch(key):
                raise ReaderError(f"{path or '/'}: a property name that FHIR cannot have")
            if key not in special:
                self._value(value, f"{path}/{key}", owner, key, item)

    def _value(self, value: Any, path: str, owner: str, name: str, parent: dict[str, Any]) -> None:
        if isinstance(value, dict):
            inner = "relative" if owner == "Patient" and name == "contact" else owner
            self._object(value, path, inner, _bare(name))
        elif isinstance(value, list):
            for n, entry in enumerate(value):
                self._value(entry, f"{path}/{n}", owner, name, parent)
        elif isinstance(value, str):
            self._string(value, path, owner, name, parent)
        elif isinstance(value, int | float) and not isinstance(value, bool) and name in E.PLAIN:
            self.values.append(Value(E.PLAIN[name], path, str(value)))

    def _string(self, value: str, path: str, owner: str, name: str, parent: dict[str, Any]) -> None:
        if not value.strip():
            return
        date = E.DATE.fullmatch(value)
        if date or (E.PARTIAL.fullmatch(value) and (E.DATED.search(name) or name == "date")):
            kind = {"birthDate": PhiKind.DATE_BIRTH, "deceasedDateTime": PhiKind.DATE_DEATH}.get(name, PhiKind.DATE)
            iso = date[1] if date else value
            self.values.append(Value(kind, path, iso))
            if kind is not PhiKind.DATE and owner in E.PEOPLE:
                self.known.append(Known(kind, iso, E.PEOPLE[owner][1], f"{owner}.{name}"))
        elif name in E.PLAIN:
            self._identifying(E.PLAIN[name], path, value, owner, name)
        elif name in ("name", "alias") and owner in E.NAMED:
            self._identifying(E.NAMED[owner], path, value, owner, name)
        elif name == "display":
            if "reference" in parent or ("code" not in parent and "system" not in parent):
                self._display(value, path, parent)
        elif name == "div":
            self.texts.append(Text(path, "xhtml", value))
        elif name in E.CODED or (name == "text" and value in _displays(parent)):
            return
        elif name.startswith("value") and name not in ("value", "valueString", "valueMarkdown"):
            return  # valueCode and its like: the standard says what they hold
        else:
            self.texts.append(Text(path, "plain", value))

    # -- datatypes -----------------------------------------------------------------------------------------------

    def _special(self, item: dict[str, Any], path: str, owner: str, name: str) -> frozenset[str]:
        """Handles a datatype as a whole; returns the properties that are done."""
        if name in ("name", "humanname") and not item.keys().isdisjoint(("family", "given", "text")):
            return self._human_name(item, path, owner)
        if name in ("telecom", "contactpoint"):
            kind = E.TELECOM.get(str(item.get("system", "")), PhiKind.PHONE)
            return self._one(kind, item, "value", path, owner, "telecom")
        if name == "address" and not item.keys().isdisjoint(E.ADDRESS):
            return self._address(item, path, owner)
        if name in ("identifier", "masteridentifier", "groupidentifier") and isinstance(item.get("value"), str):
            return self._one(self._identifier(item, owner), item, "value", path, owner, "identifier")
        if "contentType" in item or (
            "data" in item and name in ("attachment", "photo", "presentedform", "content", "image")
        ):
            return self._attachment(item, path)
        if name == "age" or name.endswith("age") or (name == "quantity" and self._is_age()):
            return self._age(item, path)
        return frozenset()

    def _one(
        self, kind: PhiKind, item: dict[str, Any], name: str, path: str, owner: str, provenance: str
    ) -> frozenset[str]:
        if isinstance(item.get(name), str) and item[name].strip():
            self._identifying(kind, f"{path}/{name}", item[name], owner, provenance)
        return frozenset((name,))

    def _identifying(self, kind: PhiKind, path: str, value: str, owner: str, name: str) -> None:
        self.values.append(Value(kind, path, value))
        self.known.append(Known(kind, value, _role(owner), f"{owner}.{name}"))

    def _human_name(self, item: dict[str, Any], path: str, owner: str) -> frozenset[str]:
        kind = PhiKind.PERSON_RELATIVE if owner == "relative" else E.PEOPLE.get(owner, (PhiKind.PERSON, ""))[0]
        parts: dict[str, list[str]] = {}
        for key in ("text", "family", "given", "prefix", "suffix"):
            found = item.get(key)
            listed = found if isinstance(found, list) else [found]
            parts[key] = []
            for n, part in enumerate(listed):
                if isinstance(part, str) and part.strip():
                    self.values.append(
                        Value(kind, f"{path}/{key}/{n}" if isinstance(found, list) else f"{path}/{key}", part)
                    )
                    parts[key].append(part)
        whole = " ".join([*parts["given"], *parts["family"]])
        for value in dict.fromkeys((whole, *parts["text"])):
            if value:
                self.known.append(Known(kind, value, _role(owner), f"{owner}.name"))
        return frozenset(parts)

    def _address(self, item: dict[str, Any], path: str, owner: str) -> frozenset[str]:
        for key, kind in E.ADDRESS.items():
            found = item.get(key)
            for n, part in enumerate(found if isinstance(found, list) else [found]):
                if isinstance(part, str) and part.strip():
                    place = f"{path}/{key}/{n}" if isinstance(found, list) else f"{path}/{key}"
                    self._identifying(kind, place, part, owner, f"address.{key}")
        return frozenset(E.ADDRESS)

    def _identifier(self, item: dict[str, Any], owner: str) -> PhiKind:
        coding = item.get("type", {}).get("coding", []) if isinstance(item.get("type"), dict) else []
        for code in (c.get("code") for c in coding if isinstance(c, dict)):
            if code in E.IDENTIFIERS:
                return E.IDENTIFIERS[code]
        return E.NUMBERED.get(owner, PhiKind.ID_MEDICAL_RECORD if owner == "Patient" else PhiKind.ID)

    def _display(self, value: str, path: str, parent: dict[str, Any]) -> None:
        target = parent.get("type") if isinstance(parent.get("type"), str) else ""
        target = target or self.type_of(str(parent.get("reference", "")))
        kind, role = E.PEOPLE.get(target, (E.NAMED.get(target, PhiKind.OTHER), ""))
        if target and target not in E.PEOPLE and target not in E.NAMED:
            self.texts.append(Text(path, "plain", value))
            return
        self.values.append(Value(kind, path, value))
        self.known.append(Known(kind, value, role, "Reference.display"))

    def _attachment(self, item: dict[str, Any], path: str) -> frozenset[str]:
        content = str(item.get("contentType", "")).partition(";")
        form = _TEXTUAL.get(content[0].strip().lower())
        data = item.get("data")
        if isinstance(data, str) and data:
            charset = _CHARSET.search(content[2])
            decoded = _decoded(data, charset[1] if charset else "utf-8") if form else None
            if form and decoded is not None:
                self.texts.append(Text(f"{path}/data", f"base64:{charset[1] if charset else 'utf-8'}:{form}", decoded))
            else:
                self.sealed.append(f"{path}/data")
        for key, kind in (("title", None), ("url", PhiKind.URL)):
            value = item.get(key)
            if isinstance(value, str) and value.strip():
                if kind is None:
                    self.texts.append(Text(f"{path}/{key}", "plain", value))
                else:
                    self.values.append(Value(kind, f"{path}/{key}", value))
        for key in ("hash", "size"):  # of data that will be others
            if key in item and "data" in item:
                self.values.append(Value(PhiKind.OTHER, f"{path}/{key}", str(item[key])))
        return frozenset(("data", "title", "url", "hash", "size"))

    def _age(self, item: dict[str, Any], path: str) -> frozenset[str]:
        number = item.get("value")
        if isinstance(number, bool) or not isinstance(number, int | float):
            return frozenset()
        unit = E.AGES.get(str(item.get("code") or item.get("unit") or "a"), "years")
        self.values.append(Value(PhiKind.AGE, f"{path}/value", f"{number:g} {unit}"))
        return frozenset(("value",))

    def _is_age(self) -> bool:
        code = self.resource.get("code")
        coding = code.get("coding", []) if isinstance(code, dict) else []
        return any(isinstance(c, dict) and c.get("code") in E.AGE_CODES for c in coding)


def _role(owner: str) -> str:
    return "relative" if owner == "relative" else E.PEOPLE.get(owner, (None, ""))[1]


def _bare(name: str) -> str:
    """The datatype or element an object is: `valueHumanName` is a `humanname`, `_birthDate` what `birthDate` is."""
    return name.removeprefix("value").lower() if name.startswith("value") and name != "value" else name.lower()


def _displays(parent: dict[str, Any]) -> list[str]:
    """The displays of a CodeableConcept: its text says no more where it is one of them."""
    coding = parent.get("coding")
    return [str(c.get("display", "")) for c in coding if isinstance(c, dict)] if isinstance(coding, list) else []


def _decoded(data: str, charset: str) -> str | None:
    """The text of an attachment; None where it is in another encoding than it says."""
    try:
        return base64.b64decode(re.sub(r"\s", "", data), validate=True).decode(charset)
    except (binascii.Error, UnicodeDecodeError, LookupError, ValueError):
        return None
