"""The datatypes of FHIR that say who somebody is: names, addresses, contacts, identifiers, attachments, ages.

They are known by what they hold, wherever they stand. Each function returns the properties that are done, or None where the
object is of another type.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from ...typesystem import PhiKind
from . import elements as E
from .found import At, Found, person

_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_TEXTUAL = {"text/plain": "plain", "text/markdown": "plain", "text/html": "xhtml", "application/xhtml+xml": "xhtml"}
_NAME = ("text", "family", "given", "prefix", "suffix")
_DATA = frozenset(("data", "title", "url", "hash", "size"))


def special(found: Found, item: dict[str, Any], path: str, at: At) -> tuple[frozenset[str], PhiKind | None] | None:
    """The properties that are done, and what the strings of the others are (of extensions, for one)."""
    if _is_name(item, at):
        return _human_name(found, item, path, at), person(at.owner)
    if _is_contact(item, at):
        kind = E.TELECOM.get(str(item.get("system", "")), PhiKind.PHONE)
        return _one(found, kind, item, path, at, "telecom"), kind
    if at.name.endswith("address") or "postalCode" in item:
        return _address(found, item, path, at), PhiKind.LOCATION_STREET
    if _is_identifier(item, at):
        kind = _identifier(item, at.owner)
        return _one(found, kind, item, path, at, "identifier"), kind
    if "contentType" in item or ("data" in item and "dimensions" not in item):
        return _attachment(found, item, path), None
    if at.hint is PhiKind.AGE or at.name == "age" or at.name.endswith("age"):
        done = _age(found, item, path)
        return (done, None) if done else None
    return None


def _is_name(item: dict[str, Any], at: At) -> bool:
    if not item.keys().isdisjoint(("family", "given", "_family", "_given")):
        return True
    things = at.owner.startswith(("Substance", "Medicinal"))  # whose name is one of a thing
    return at.name in ("name", "humanname") and not things


def _is_contact(item: dict[str, Any], at: At) -> bool:
    if at.name in ("telecom", "contactpoint"):
        return True
    system = item.get("system")
    return "value" in item and "code" not in item and isinstance(system, str) and system in (*E.TELECOM, "other")


def _is_identifier(item: dict[str, Any], at: At) -> bool:
    if at.name.endswith("identifier") or at.name == "requisition":
        return True
    found = isinstance(item.get("value"), str) and item.keys().isdisjoint(("code", "unit", "url"))
    return found and ("system" in item or "assigner" in item)


def _strings(item: dict[str, Any], key: str, path: str) -> Iterator[tuple[str, str]]:
    """(path, value) of a property of one value or several; numbers too: whoever wrote a number meant its figures."""
    found = item.get(key)
    for n, part in enumerate(found if isinstance(found, list) else [found]):
        if isinstance(part, str | int | float) and not isinstance(part, bool) and str(part).strip():
            yield f"{path}/{key}/{n}" if isinstance(found, list) else f"{path}/{key}", str(part)


def _one(found: Found, kind: PhiKind, item: dict[str, Any], path: str, at: At, name: str) -> frozenset[str]:
    for place, value in _strings(item, "value", path):
        found.identifying(kind, place, value, at.owner, name)
    return frozenset(("value",))


def _human_name(found: Found, item: dict[str, Any], path: str, at: At) -> frozenset[str]:
    kind = person(at.owner)
    parts: dict[str, list[str]] = {}
    for key in _NAME:
        places = list(_strings(item, key, path))
        parts[key] = [value for _, value in places]
        for place, value in places:
            found.value(kind, place, value)
    whole = " ".join([*parts["given"], *parts["family"]])
    for value in dict.fromkeys((whole, *parts["text"])):
        found.know(kind, value, at.owner, "name")
    return frozenset(_NAME)


def _address(found: Found, item: dict[str, Any], path: str, at: At) -> frozenset[str]:
    for key, kind in E.ADDRESS.items():
        for place, value in _strings(item, key, path):
            found.identifying(kind, place, value, at.owner, f"address.{key}")
    return frozenset(E.ADDRESS)


def _identifier(item: dict[str, Any], owner: str) -> PhiKind:
    coding = item.get("type", {}).get("coding", []) if isinstance(item.get("type"), dict) else []
    for code in (c.get("code") for c in coding if isinstance(c, dict)) if isinstance(coding, list) else ():
        if isinstance(code, str) and code in E.IDENTIFIERS:
            return E.IDENTIFIERS[code]
    return E.NUMBERED.get(owner, PhiKind.ID_MEDICAL_RECORD if owner == "Patient" else PhiKind.ID)


def _attachment(found: Found, item: dict[str, Any], path: str) -> frozenset[str]:
    content = str(item.get("contentType", "")).partition(";")
    form = _TEXTUAL.get(content[0].strip().lower())
    data = item.get("data")
    if isinstance(data, str) and data:
        charset = _CHARSET.search(content[2])
        name = charset[1] if charset else "utf-8"
        text = decoded(data, name) if form else None
        if form and text is not None:
            found.text(f"{path}/data", f"base64:{name}:{form}", text)
        else:
            found.sealed.append(f"{path}/data")
    for place, value in _strings(item, "title", path):
        found.text(place, "plain", value)
    for place, value in _strings(item, "url", path):
        found.value(PhiKind.URL, place, value)
    for key in ("hash", "size"):  # of data that will be others
        if "data" in item:
            for place, value in _strings(item, key, path):
                found.value(PhiKind.OTHER, place, value)
    return _DATA


def _age(found: Found, item: dict[str, Any], path: str) -> frozenset[str]:
    number = item.get("value")
    if isinstance(number, bool) or not isinstance(number, int | float):
        return frozenset()
    found.value(PhiKind.AGE, f"{path}/value", age(number, item))
    return frozenset(("value",))


def age(number: float, item: dict[str, Any]) -> str:
    """An age in the form of RecordField."""
    return f"{number:g} {E.AGES.get(str(item.get('code') or item.get('unit') or '').lower(), 'years')}"


def decoded(data: str, charset: str) -> str | None:
    """The text of an attachment; None where it is in another encoding than it says."""
    try:
        return base64.b64decode(re.sub(r"\s", "", data), validate=True).decode(charset)
    except (binascii.Error, UnicodeDecodeError, LookupError, ValueError):
        return None
