"""The content of a FHIR resource, and its identifying datatypes: names, addresses, contacts, identifiers, attachments, ages.

Datatypes are recognized by their properties, in any element. `special` returns the properties that it has processed, or None if
the object has another type.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    PHI kind of the strings in it, if known; `unknown`: whether it is in an extension that no standard defines, None outside of
    extensions."""

    owner: str
    name: str = ""
    hint: PhiKind | None = None
    unknown: bool | None = None


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


_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_TEXTUAL = {"text/plain": "plain", "text/markdown": "plain", "text/html": "xhtml", "application/xhtml+xml": "xhtml"}
_NAME = ("text", "family", "given", "prefix", "suffix")
_DATA = frozenset(("data", "title", "url", "hash", "size"))


def special(
    content: Content, item: dict[str, Any], path: str, context: Context
) -> tuple[frozenset[str], PhiKind | None] | None:
    """Return the processed properties and the PHI kind of strings in the others, such as extensions."""
    if _is_name(item, context):
        return _human_name(content, item, path, context), person_kind(context.owner)
    if _is_contact(item, context):
        kind = E.TELECOM.get(str(item.get("system", "")), PhiKind.PHONE)
        return _one(content, kind, item, path, context, "telecom"), kind
    if context.name.endswith("address") or "postalCode" in item:
        return _address(content, item, path, context), PhiKind.LOCATION_STREET
    if _is_identifier(item, context):
        kind = _identifier(item, context.owner)
        return _one(content, kind, item, path, context, "identifier"), kind
    if "contentType" in item or ("data" in item and "dimensions" not in item):
        return _attachment(content, item, path), None
    if context.hint is PhiKind.AGE or context.name == "age" or context.name.endswith("age"):
        done = _age(content, item, path)
        return (done, None) if done else None
    return None


def _is_name(item: dict[str, Any], context: Context) -> bool:
    if not item.keys().isdisjoint(("family", "given", "_family", "_given")):
        return True
    things = context.owner.startswith(("Substance", "Medicinal"))  # their name is that of a thing
    return context.name in ("name", "humanname") and not things


def _is_contact(item: dict[str, Any], context: Context) -> bool:
    if context.name in ("telecom", "contactpoint"):
        return True
    system = item.get("system")
    return "value" in item and "code" not in item and isinstance(system, str) and system in (*E.TELECOM, "other")


def _is_identifier(item: dict[str, Any], context: Context) -> bool:
    if context.name.endswith("identifier") or context.name == "requisition":
        return True
    has_value = isinstance(item.get("value"), str) and item.keys().isdisjoint(("code", "unit", "url"))
    return has_value and ("system" in item or "assigner" in item)


def _strings(item: dict[str, Any], key: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield (path, value) of a property with one or more strings or numbers."""
    values = item.get(key)
    for n, part in enumerate(values if isinstance(values, list) else [values]):
        if isinstance(part, str | int | float) and not isinstance(part, bool) and str(part).strip():
            yield f"{path}/{key}/{n}" if isinstance(values, list) else f"{path}/{key}", str(part)


def _one(
    content: Content, kind: PhiKind, item: dict[str, Any], path: str, context: Context, name: str
) -> frozenset[str]:
    for place, value in _strings(item, "value", path):
        content.add_identifying(kind, place, value, context.owner, name)
    return frozenset(("value",))


def _human_name(content: Content, item: dict[str, Any], path: str, context: Context) -> frozenset[str]:
    kind = person_kind(context.owner)
    parts: dict[str, list[str]] = {}
    for key in _NAME:
        places = list(_strings(item, key, path))
        parts[key] = [value for _, value in places]
        for place, value in places:
            content.add_value(kind, place, value)
    whole = " ".join([*parts["given"], *parts["family"]])
    for value in dict.fromkeys((whole, *parts["text"])):
        content.add_known(kind, value, context.owner, "name")
    return frozenset(_NAME)


def _address(content: Content, item: dict[str, Any], path: str, context: Context) -> frozenset[str]:
    for key, kind in E.ADDRESS.items():
        for place, value in _strings(item, key, path):
            content.add_identifying(kind, place, value, context.owner, f"address.{key}")
    return frozenset(E.ADDRESS)


def _identifier(item: dict[str, Any], owner: str) -> PhiKind:
    coding = item.get("type", {}).get("coding", []) if isinstance(item.get("type"), dict) else []
    for code in (c.get("code") for c in coding if isinstance(c, dict)) if isinstance(coding, list) else ():
        if isinstance(code, str) and code in E.IDENTIFIERS:
            return E.IDENTIFIERS[code]
    return E.NUMBERED.get(owner, PhiKind.ID_MEDICAL_RECORD if owner == "Patient" else PhiKind.ID)


def _attachment(content: Content, item: dict[str, Any], path: str) -> frozenset[str]:
    media_type = str(item.get("contentType", "")).partition(";")
    form = _TEXTUAL.get(media_type[0].strip().lower())
    data = item.get("data")
    if isinstance(data, str) and data:
        charset = _CHARSET.search(media_type[2])
        name = charset[1] if charset else "utf-8"
        text = decoded(data, name) if form else None
        if form and text is not None:
            content.add_text(f"{path}/data", f"base64:{name}:{form}", text)
        else:
            content.unreadable.append(f"{path}/data")
    for place, value in _strings(item, "title", path):
        content.add_text(place, "plain", value)
    for place, value in _strings(item, "url", path):
        content.add_value(PhiKind.URL, place, value)
    for key in ("hash", "size"):  # of data that will change
        if "data" in item:
            for place, value in _strings(item, key, path):
                content.add_value(PhiKind.OTHER, place, value)
    return _DATA


def _age(content: Content, item: dict[str, Any], path: str) -> frozenset[str]:
    number = item.get("value")
    if isinstance(number, bool) or not isinstance(number, int | float | str):
        return frozenset()
    content.add_value(PhiKind.AGE, f"{path}/value", age(number, item))
    return frozenset(("value",))


def age(number: float | str, item: dict[str, Any]) -> str:
    """Return the value of a RecordField for an age; empty if its unit is not known or it is not a number. Of a decade the last
    year counts; if code and unit contradict each other, the longer one."""
    written = (str(item.get(name) or "").strip().lower() for name in ("code", "unit"))
    named = [unit for text in written if text and (unit := E.AGES.get(text))]
    known = named or ([E.AGES[""]] if not item.get("code") and not item.get("unit") else [])
    try:
        count = float(number)
    except ValueError:
        return ""
    if not known or not math.isfinite(count):
        return ""
    unit = min(known, key=E.LONGEST_FIRST.index)
    return f"{count * 10 + 9:g} years" if unit == "decades" else f"{count:g} {unit}"


def decoded(data: str, charset: str) -> str | None:
    """Return the text of an attachment; None if it cannot be decoded."""
    try:
        return base64.b64decode(re.sub(r"\s", "", data), validate=True).decode(charset)
    except (binascii.Error, UnicodeDecodeError, LookupError, ValueError):
        return None
