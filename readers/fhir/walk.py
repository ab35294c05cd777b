"""Goes through a FHIR resource and sorts its values: structured ones that identify or are dates, free text, attachments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...pipeline.errors import ReaderError
from ...typesystem import PhiKind
from . import elements as E
from .cues import cue, of_extension, of_uri
from .datatypes import age, special
from .found import At, Found, Text, person

_STRINGS = frozenset(("valueString", "valueMarkdown"))
_INHERITING = ("extension", "modifierExtension", "answer", "low", "high")
"""Elements that are what the object around them is; those that begin with `value` or `_` are, too."""
_RANGES = ("agerange", "onsetrange", "abatementrange")
_NUMBERS = ("ID", "PHONE", "FAX", "LOCATION")


@dataclass(slots=True)
class Walk:
    """What one resource holds, those contained in it too."""

    resource: dict[str, Any]
    path: str
    type_of: Callable[[str], str]
    """The resource type that a reference leads to; empty where that cannot be told."""
    found: Found = field(default_factory=Found)
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
        deep = False
        try:
            self._object(self.resource, self.path, At(kind))
        except RecursionError:
            deep = True
        if deep:
            raise ReaderError(f"{self.path or '/'}: nested too deeply")
        return self

    # -- the tree ------------------------------------------------------------------------------------------------

    def _object(self, item: dict[str, Any], path: str, at: At) -> None:
        if isinstance(item.get("resourceType"), str) and E.TYPE_NAME.fullmatch(item["resourceType"]):
            at = At(item["resourceType"])
        done, inside = special(self.found, item, path, at) or (frozenset(), None)
        hint = inside or at.hint or self._hint(item, at)
        for key, value in item.items():
            if not E.PROPERTY.fullmatch(key):
                raise ReaderError(f"{path or '/'}: a property name that FHIR cannot have")
            if key not in done:
                self._value(value, f"{path}/{key}", key, item, at._replace(hint=hint))

    def _hint(self, item: dict[str, Any], at: At) -> PhiKind | None:
        """What an object says about its own value: by the URL of an extension, the name of a parameter, the question of a
        form, the code of an observation."""
        if isinstance(item.get("url"), str) and at.name.endswith("extension"):
            kind = of_extension(item["url"])
            stranger = kind is None and at.owner in E.PEOPLE and item["url"].rpartition("/")[2] not in E.FREE
            return PhiKind.OTHER if stranger and not item.keys().isdisjoint(_STRINGS) else kind
        if at.name in _RANGES:
            return PhiKind.AGE
        if at.name in ("parameter", "part") and isinstance(item.get("name"), str):
            return cue(item["name"])
        if isinstance(item.get("linkId"), str):
            return cue(str(item.get("text", "")))
        code = item.get("code")
        if isinstance(code, dict):
            coding = code.get("coding")
            codes = [c for c in coding if isinstance(c, dict)] if isinstance(coding, list) else []
            said = [str(code.get("text", "")), *(str(c.get("display", "")) for c in codes)]
            if any(str(c.get("code")) in E.AGE_CODES for c in codes) or any(cue(s) is PhiKind.AGE for s in said):
                return PhiKind.AGE
        return None

    def _value(self, value: Any, path: str, key: str, parent: dict[str, Any], at: At) -> None:
        """`at` is the object's whose property this is."""
        if isinstance(value, dict):
            inner = "relative" if at.owner == "Patient" and key == "contact" else at.owner
            inherits = key in _INHERITING or key.startswith(("_", "value"))
            self._object(value, path, At(inner, _bare(key), at.hint if inherits else None))
        elif isinstance(value, list):
            for n, entry in enumerate(value):
                self._value(entry, f"{path}/{n}", key, parent, at)
        elif isinstance(value, str):
            if value.strip():
                self._string(value, path, key, parent, at)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._number(value, path, key, parent, at)

    # -- single values -------------------------------------------------------------------------------------------

    def _number(self, value: float, path: str, key: str, parent: dict[str, Any], at: At) -> None:
        own = key.startswith("value") and key != "value"
        kind = E.PLAIN.get(key) or (at.hint if own else None) or (cue(key) if not own else None)
        if kind is PhiKind.AGE:
            self.found.value(kind, path, age(value, parent))
        elif kind is not None and kind.top.name in _NUMBERS:
            self.found.value(kind, path, value)
        elif "date" in key.lower():  # no date of the standard is a number: nobody can move it
            self.found.value(PhiKind.OTHER, path, "")

    def _string(self, value: str, path: str, key: str, parent: dict[str, Any], at: At) -> None:
        found = self.found
        if key in E.STRICT or (key == "name" and at.name in ("parameter", "part")):
            return
        if key == "display" and _is_coding(parent, at):
            self._display_of_code(value, path, parent)
        elif self._date(value, path, key, at.owner):
            return
        elif key == "reference":
            found.references.append(value)
            self._name(value, path, key, at)
        elif key == "url" and at.name.endswith("extension"):
            return
        elif key in E.NAMES:
            self._name(value, path, key, at)
        elif key in E.PLAIN:
            found.identifying(E.PLAIN[key], path, value, at.owner, key)
        elif key == "div":
            found.text(path, "xhtml", value)
        elif key == "display":
            self._display(value, path, parent, at)
        elif key == "text" and (value in _displays(parent) or "linkId" in parent):
            if "linkId" in parent:
                found.text(path, "plain", value)
            else:
                found.kept.append(Text(path, "plain", value))
        elif key in ("query", "valueBase64Binary", "blob") or E.BASE64.fullmatch(value):
            found.sealed.append(path)
        elif key == "data" and E.SAMPLES.fullmatch(value):
            return
        elif key.startswith("value") and key not in ("value", *_STRINGS):
            return  # valueTime and its like: the standard says what they hold
        else:
            self._free(value, path, key, at)

    def _free(self, value: str, path: str, key: str, at: At) -> None:
        """A string that the standard does not say more about: what its name or place says, or free text."""
        kind = self._kind(key, at)
        if kind is PhiKind.AGE:
            if value.strip().isdecimal() and int(value):
                self.found.value(kind, path, f"{int(value)} years")
            else:
                self.found.text(path, "plain", value)
        elif kind is PhiKind.OTHER:
            self.found.value(kind, path, value)
        elif kind is not None:
            self.found.identifying(kind, path, value, at.owner, key)
        else:
            self.found.text(path, "plain", value)

    def _kind(self, key: str, at: At) -> PhiKind | None:
        if at.hint is not None:
            return at.hint
        if key in ("name", "alias") and at.name == "" and at.owner in E.NAMED:
            return E.NAMED[at.owner]
        if key == "name" and (at.name == "devicename" or (at.name == "" and at.owner in E.MADE_FOR_MACHINES)):
            return None
        if at.owner == "AuditEvent" and key in ("address", "site"):
            return PhiKind.IP if key == "address" else PhiKind.ORGANIZATION
        if at.owner == "Coverage" and key in ("network", "value", "name"):
            return PhiKind.ORGANIZATION if key != "value" else PhiKind.ID_HEALTH_PLAN
        kind = cue(key)
        if kind is PhiKind.PERSON:
            return PhiKind.PERSON_RELATIVE if at.owner == "FamilyMemberHistory" else person(at.owner)
        return kind

    def _date(self, value: str, path: str, key: str, owner: str) -> bool:
        date = E.DATE.fullmatch(value)
        if date is None and not (E.PARTIAL.fullmatch(value) and int(value[:4]) in E.YEARS and key not in E.NO_DATES):
            if E.DATED.search(key) is None:
                return False
            self.found.value(PhiKind.OTHER, path, value)  # a date that nobody can move
            return True
        kind = {"birthDate": PhiKind.DATE_BIRTH, "deceasedDateTime": PhiKind.DATE_DEATH}.get(key, PhiKind.DATE)
        iso = date[1] if date else value
        self.found.value(kind, path, iso)
        if kind is not PhiKind.DATE and owner in E.PEOPLE:
            self.found.know(kind, iso, owner, key)
        return True

    def _name(self, value: str, path: str, key: str, at: At) -> None:
        """A URI, id or reference: it stays, unless it is an address of somebody or asks for somebody."""
        kind = PhiKind.URL if key == "ifNoneExist" else of_uri(value)
        if kind is not None:
            self.found.value(kind, path, value)
        else:
            stays = key in ("id", "reference", "fullUrl", "versionId")
            self.found.kept.append(Text(path, "id" if stays else "uri", value))

    def _display_of_code(self, value: str, path: str, parent: dict[str, Any]) -> None:
        coded = "code" in parent or "system" in parent
        (self.found.kept if coded else self.found.texts).append(Text(path, "plain", value))

    def _display(self, value: str, path: str, parent: dict[str, Any], at: At) -> None:
        target = parent.get("type") if isinstance(parent.get("type"), str) else ""
        target = target or self.type_of(str(parent.get("reference", "")))
        kind = E.PEOPLE[target][0] if target in E.PEOPLE else E.NAMED.get(target) or E.PARTIES.get(at.name)
        thing = target not in E.PEOPLE and target not in E.NAMED and (target or at.name in E.THINGS)
        if thing:
            self.found.text(path, "plain", value)
        else:
            self.found.identifying(kind or PhiKind.OTHER, path, value, target, "display")


def _bare(name: str) -> str:
    """The datatype or element an object is: `valueHumanName` is a `humanname`, `_birthDate` what `birthDate` is."""
    return name.removeprefix("value").lower() if name.startswith("value") and name != "value" else name.lower()


def _is_coding(parent: dict[str, Any], at: At) -> bool:
    return "reference" not in parent and ("code" in parent or "system" in parent or at.name in E.CODINGS)


def _displays(parent: dict[str, Any]) -> list[str]:
    """The displays of a CodeableConcept: its text says no more where it is one of them."""
    coding = parent.get("coding")
    return [str(c.get("display", "")) for c in coding if isinstance(c, dict)] if isinstance(coding, list) else []
