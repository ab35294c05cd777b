"""Walk through a FHIR resource and sort its values: identifying values and dates, free text, attachments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...pipeline.errors import ReaderError
from ...typesystem import PhiKind
from . import elements as E
from .content import Content, Context, Text, age, person_kind, special
from .elements import cue, of_extension, of_uri

_STRINGS = frozenset(("valueString", "valueMarkdown"))
_INHERITING = ("extension", "modifierExtension", "answer", "low", "high")
"""Elements that, like those beginning with `value` or `_`, have the PHI kind of the object around them."""
_RANGES = ("agerange", "onsetrange", "abatementrange", "deceasedrange")
_AGES = ("onsetString", "abatementString", "deceasedString")
"""Strings that may be an age in years."""
_NUMBERS = ("ID", "PHONE", "FAX", "LOCATION")


@dataclass(slots=True)
class Walk:
    """Collects the content of one resource, including contained resources."""

    resource: dict[str, Any]
    path: str
    type_of: Callable[[str], str]
    """Returns the type of the resource that a reference leads to; empty if unknown."""
    content: Content = field(default_factory=Content)
    subject: str = ""
    """Reference to the patient."""

    def run(self) -> Walk:
        """Collect the content and return self. Raises ReaderError for invalid FHIR."""
        kind = self.resource.get("resourceType")
        if not isinstance(kind, str) or not E.TYPE_NAME.fullmatch(kind):
            raise ReaderError(f"{self.path or '/'}: expected a resourceType")
        for name in E.SUBJECTS:
            target = self.resource.get(name)
            target = target[0] if isinstance(target, list) and target else target
            reference = target.get("reference") if isinstance(target, dict) else None
            if isinstance(reference, str) and self.type_of(reference) == "Patient":
                self.subject = reference
                break
        too_deep = False
        try:
            self._object(self.resource, self.path, Context(kind))
        except RecursionError:
            too_deep = True
        if too_deep:
            raise ReaderError(f"{self.path or '/'}: nested too deeply")
        return self

    # -- the tree ------------------------------------------------------------------------------------------------

    def _object(self, item: dict[str, Any], path: str, context: Context) -> None:
        if isinstance(item.get("resourceType"), str) and E.TYPE_NAME.fullmatch(item["resourceType"]):
            context = Context(item["resourceType"])
        if context.name.endswith("extension"):
            context = context._replace(unknown=E.is_unknown(str(item.get("url", "")), context.unknown))
        done, inside = special(self.content, item, path, context) or (frozenset(), None)
        hint = inside or context.hint or self._hint(item, context)
        for key, value in item.items():
            if not E.PROPERTY.fullmatch(key):
                raise ReaderError(f"{path or '/'}: a property name that FHIR cannot have")
            if key not in done:
                self._value(value, f"{path}/{key}", key, item, context._replace(hint=hint))

    def _hint(self, item: dict[str, Any], context: Context) -> PhiKind | None:
        """Return the PHI kind of an object's own value, by the URL of an extension, the name of a parameter, the question of
        a form, or the code of an observation."""
        if isinstance(item.get("url"), str) and context.name.endswith("extension"):
            kind = of_extension(item["url"])
            unknown = (
                kind is None
                and not context.unknown
                and context.owner in E.PEOPLE
                and item["url"].rpartition("/")[2] not in E.FREE
            )
            return PhiKind.OTHER if unknown and not item.keys().isdisjoint(_STRINGS) else kind
        if context.name in _RANGES:
            return PhiKind.AGE
        if context.name in ("parameter", "part") and isinstance(item.get("name"), str):
            return cue(item["name"])
        if isinstance(item.get("linkId"), str):
            return cue(str(item.get("text", "")))
        code = item.get("code")
        if isinstance(code, dict):
            coding = code.get("coding")
            codes = [c for c in coding if isinstance(c, dict)] if isinstance(coding, list) else []
            names = [str(code.get("text", "")), *(str(c.get("display", "")) for c in codes)]
            if any(str(c.get("code")) in E.AGE_CODES for c in codes) or any(cue(name) is PhiKind.AGE for name in names):
                return PhiKind.AGE
        return None

    def _value(self, value: Any, path: str, key: str, parent: dict[str, Any], context: Context) -> None:
        """`context` is that of the object with this property."""
        if isinstance(value, dict):
            inner = "relative" if context.owner == "Patient" and key == "contact" else context.owner
            inherits = key in _INHERITING or key.startswith(("_", "value"))
            self._object(value, path, Context(inner, _bare(key), context.hint if inherits else None, context.unknown))
        elif isinstance(value, list):
            for n, entry in enumerate(value):
                self._value(entry, f"{path}/{n}", key, parent, context)
        elif isinstance(value, str):
            if value.strip():
                self._string(value, path, key, parent, context)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._number(value, path, key, parent, context)

    # -- single values -------------------------------------------------------------------------------------------

    def _number(self, value: float, path: str, key: str, parent: dict[str, Any], context: Context) -> None:
        own = key.startswith("value") and key != "value"
        kind = E.PLAIN.get(key) or (context.hint if own else None) or (cue(key) if not own else None)
        if kind is PhiKind.AGE:
            self.content.add_value(kind, path, age(value, parent))
        elif kind is not None and kind.top.name in _NUMBERS:
            self.content.add_value(kind, path, value)
        elif context.unknown:
            self.content.add_value(PhiKind.OTHER, path, value)
        elif "date" in key.lower():  # dates of the standard are strings: a number cannot be shifted
            self.content.add_value(PhiKind.OTHER, path, "")

    def _string(self, value: str, path: str, key: str, parent: dict[str, Any], context: Context) -> None:
        content = self.content
        if context.unknown and key not in E.KEPT_UNKNOWN:
            self._unknown(value, path, key, context)
        elif key in E.STRICT or (key == "name" and context.name in ("parameter", "part")):
            return
        elif key == "display" and _is_coding(parent, context):
            coded = "code" in parent or "system" in parent
            (content.kept if coded else content.texts).append(Text(path, "plain", value))
        elif self._date(value, path, key, context.owner):
            return
        elif key == "reference":
            content.references.append(value)
            self._name(value, path, key, context)
        elif key == "url" and context.name.endswith("extension"):
            content.kept.append(Text(path, "uri", value))
        elif key in E.NAMES:
            self._name(value, path, key, context)
        elif key in E.PLAIN:
            content.add_identifying(E.PLAIN[key], path, value, context.owner, key)
        elif key == "div":
            content.add_text(path, "xhtml", value)
        elif key == "display":
            self._display(value, path, parent, context)
        elif key == "text" and (value in _displays(parent) or "linkId" in parent):
            if "linkId" in parent:
                content.add_text(path, "plain", value)
            else:
                content.kept.append(Text(path, "plain", value))
        elif key in ("query", "valueBase64Binary", "blob") or E.BASE64.fullmatch(value):
            content.unreadable.append(path)
        elif key == "data" and E.SAMPLES.fullmatch(value):
            return
        elif key.startswith("value") and key not in ("value", *_STRINGS):
            return  # valueTime and similar elements cannot identify a person
        else:
            self._free(value, path, key, context)

    def _unknown(self, value: str, path: str, key: str, context: Context) -> None:
        """Add a string in an extension that no standard defines: nothing says what it is, so it is masked."""
        if key == "reference":
            self.content.references.append(value)
            self._name(value, path, key, context)
        elif not self._date(value, path, key, context.owner):
            kind = self._kind(key, context)
            if kind in (None, PhiKind.OTHER, PhiKind.AGE):
                self.content.add_value(PhiKind.OTHER, path, value)
            else:
                self.content.add_identifying(kind, path, value, context.owner, key)

    def _free(self, value: str, path: str, key: str, context: Context) -> None:
        """Add a string that the standard does not specify further: by its name or position, or as free text."""
        kind = self._kind(key, context)
        if kind is PhiKind.AGE:
            if value.strip().isdecimal() and int(value):
                self.content.add_value(kind, path, f"{int(value)} years")
            else:
                self.content.add_text(path, "plain", value)
        elif kind is PhiKind.OTHER:
            self.content.add_value(kind, path, value)
        elif kind is not None:
            self.content.add_identifying(kind, path, value, context.owner, key)
        else:
            self.content.add_text(path, "plain", value)

    def _kind(self, key: str, context: Context) -> PhiKind | None:
        if context.hint is not None:
            return context.hint
        if key in _AGES:
            return PhiKind.AGE
        if key in ("name", "alias") and context.name == "" and context.owner in E.NAMED:
            return E.NAMED[context.owner]
        if key == "name" and (context.name == "devicename" or (context.name == "" and context.owner in E.DEFINITIONS)):
            return None
        if context.owner == "AuditEvent" and key in ("address", "site"):
            return PhiKind.IP if key == "address" else PhiKind.ORGANIZATION
        if context.owner == "Coverage" and key in ("network", "value", "name"):
            return PhiKind.ORGANIZATION if key != "value" else PhiKind.ID_HEALTH_PLAN
        kind = cue(key)
        if kind is PhiKind.PERSON:
            return PhiKind.PERSON_RELATIVE if context.owner == "FamilyMemberHistory" else person_kind(context.owner)
        return kind

    def _date(self, value: str, path: str, key: str, owner: str) -> bool:
        date = E.DATE.fullmatch(value)
        if date is None and not (E.PARTIAL.fullmatch(value) and int(value[:4]) in E.YEARS and key not in E.NO_DATES):
            if E.DATED.search(key) is None:
                return False
            self.content.add_value(PhiKind.OTHER, path, value)  # a date that cannot be shifted
            return True
        kind = {"birthDate": PhiKind.DATE_BIRTH, "deceasedDateTime": PhiKind.DATE_DEATH}.get(key, PhiKind.DATE)
        iso = date[1] if date else value
        self.content.add_value(kind, path, iso)
        if kind is not PhiKind.DATE and owner in E.PEOPLE:
            self.content.add_known(kind, iso, owner, key)
        return True

    def _name(self, value: str, path: str, key: str, context: Context) -> None:
        """Add a URI, which is kept unless it is an address of a person or a file, or a search for a person. Ids and references
        are the consumer's task; the ids of people are searched for in the texts."""
        elsewhere = key == "url" and context.owner not in E.DEFINITIONS and context.owner != "Bundle"
        kind = PhiKind.URL if key == "ifNoneExist" or elsewhere else of_uri(value)
        if kind is not None:
            self.content.add_value(kind, path, value)
        elif key == "id" and context.name == "" and context.owner in E.PEOPLE and E.TELLING_ID.fullmatch(value):
            self.content.add_known(PhiKind.ID, value, context.owner, "id")
        elif key not in E.REPLACED:
            self.content.kept.append(Text(path, "uri", value))

    def _display(self, value: str, path: str, parent: dict[str, Any], context: Context) -> None:
        target = parent.get("type") if isinstance(parent.get("type"), str) else ""
        target = target or self.type_of(str(parent.get("reference", "")))
        kind = E.PEOPLE[target][0] if target in E.PEOPLE else E.NAMED.get(target) or E.PARTIES.get(context.name)
        thing = target not in E.PEOPLE and target not in E.NAMED and (target or context.name in E.THINGS)
        if thing:
            self.content.add_text(path, "plain", value)
        else:
            self.content.add_identifying(kind or PhiKind.OTHER, path, value, target, "display")


def _bare(name: str) -> str:
    """Return the datatype or element of a property in lower case: `humanname` for `valueHumanName`."""
    return name.removeprefix("value").lower() if name.startswith("value") and name != "value" else name.lower()


def _is_coding(parent: dict[str, Any], context: Context) -> bool:
    return "reference" not in parent and ("code" in parent or "system" in parent or context.name in E.CODINGS)


def _displays(parent: dict[str, Any]) -> list[str]:
    """Return the displays of a CodeableConcept; if its text equals one of them, it adds no information."""
    coding = parent.get("coding")
    return [str(c.get("display", "")) for c in coding if isinstance(c, dict)] if isinstance(coding, list) else []
