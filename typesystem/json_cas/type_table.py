"""The type system inside JSON CAS (`%TYPES`): written like UIMA for Java, read with what it adds to known types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..annotation import Feature
from ..arrays import ELEMENTS
from ..description import (
    ARRAYS,
    BUILTIN,
    DOCUMENT_ANNOTATION,
    PRIMITIVES,
    STRING,
    TOP,
    TypeDescription,
    check_feature_name,
    check_type_name,
)
from ..errors import TypeSystemError
from ..typesystem import TypeSystem

_ARRAY_OF = {element: array for array, element in ELEMENTS.items() if array in ARRAYS and element != TOP}


def array_type(element: str) -> str:
    """Return the type of an array written as `X[]`."""
    return _ARRAY_OF.get(element, "uima.cas.FSArray")


def to_json(types: TypeSystem, names: Iterable[str]) -> dict[str, Any]:
    """Return the named types, sorted, without UIMA's own, except a DocumentAnnotation with further features."""
    described: dict[str, Any] = {}
    for name in sorted(names):
        this = types.describe(name)
        features = [f for f in this.features if name != DOCUMENT_ANNOTATION or f.name != "language"]
        if name in BUILTIN and not (name == DOCUMENT_ANNOTATION and features):
            continue
        body: dict[str, Any] = {"%NAME": name, "%SUPER_TYPE": this.supertype}
        if this.description:
            body["%DESCRIPTION"] = this.description
        if this.allowed_values is not None:  # an extension: others skip unknown keywords
            body["%ALLOWED_VALUES"] = dict(this.allowed_values)
        body.update((f.name, _feature(f)) for f in features)
        described[name] = body
    return described


def _feature(f: Feature) -> dict[str, Any]:
    body: dict[str, Any] = {"%NAME": f.name, "%RANGE": f.range}
    if f.range in ARRAYS:
        body["%RANGE"] = (
            f"{f.element or ELEMENTS[f.range]}[]" if f.range == "uima.cas.FSArray" else f"{ELEMENTS[f.range]}[]"
        )
    if f.description:
        body["%DESCRIPTION"] = f.description
    if f.multiple is not None:
        body["%MULTIPLE_REFERENCES_ALLOWED"] = f.multiple
    if f.element and f.range not in ARRAYS:
        body["%ELEMENT_TYPE"] = f.element
    return body


class EmbeddedTypes:
    """Reads `%TYPES`. `note` gets contradictions with known types; it raises if reading is strict."""

    def __init__(self, where: str, base: TypeSystem, note: Callable[[str], None]) -> None:
        self.where, self.base, self.note = where, base, note

    def beyond(self, data: Any) -> list[TypeDescription]:
        """Return the definitions of a document beyond the known types. Raises TypeSystemError."""
        definitions: list[TypeDescription] = []
        if not isinstance(data, dict):
            raise TypeSystemError(f"{self.where}: expected an object")
        for name, body in data.items():
            place = f"{self.where}.{_legal(name, self.where)}"
            if not isinstance(body, dict):
                raise TypeSystemError(f"{place}: expected an object")
            supertype = _legal(_text(body, "%SUPER_TYPE", place) or TOP, f"{place}.%SUPER_TYPE")
            features = [self._feature(f, name, d, place) for f, d in body.items() if not f.startswith("%")]
            if name in self.base:
                features = self._new(name, supertype, features, place)
                supertype = self.base.describe(name).supertype
                if not features:
                    continue
            given = body.get("%ALLOWED_VALUES")
            allowed = None
            if name not in self.base and supertype == STRING:
                allowed = _allowed(given, place)
            definitions.append(
                TypeDescription(name, supertype, tuple(features), _text(body, "%DESCRIPTION", place), allowed)
            )
        return definitions

    def _feature(self, name: str, of: str, body: Any, where: str) -> Feature:
        place = f"{where}.{_legal(name, where, of)}"
        range_ = _text(body, "%RANGE", place) if isinstance(body, dict) else ""
        if not range_:
            raise TypeSystemError(f"{place}: expected an object with %RANGE")
        _legal(range_.removesuffix("[]"), f"{place}.%RANGE")
        element = _text(body, "%ELEMENT_TYPE", place) or None
        if element:
            _legal(element, f"{place}.%ELEMENT_TYPE")
        if range_.endswith("[]"):
            element = range_.removesuffix("[]")
            range_ = array_type(element)
            element = None if element == TOP or element in PRIMITIVES else element
        multiple = body.get("%MULTIPLE_REFERENCES_ALLOWED")
        if multiple not in (None, True, False):
            raise TypeSystemError(f"{place}.%MULTIPLE_REFERENCES_ALLOWED: expected true or false")
        return Feature(name, range_, element, multiple, description=_text(body, "%DESCRIPTION", place))

    def _new(self, name: str, supertype: str, features: list[Feature], place: str) -> list[Feature]:
        """Return the features that a known type does not have yet."""
        known = self.base.features(name)
        known_supertype = self.base.describe(name).supertype
        if supertype != known_supertype and not (supertype in self.base and self.base.subsumes(supertype, name)):
            self.note(f"{place}: supertype is {supertype}, in the type system {known_supertype}")
        for f in features:
            if f.name in known and known[f.name].range != f.range:
                self.note(f"{place}.{f.name}: range is {f.range}, in the type system {known[f.name].range}")
        new = [f for f in features if f.name not in known]
        if name not in BUILTIN:
            new += [f for f in (_enriched(known[f.name], f) for f in features if f.name in known) if f is not None]
        if new and name in BUILTIN and name != DOCUMENT_ANNOTATION:
            raise TypeSystemError(f"{place}: UIMA's own type has no further features")
        return new


def _enriched(known: Feature, here: Feature) -> Feature | None:
    """Return a known feature with what only the document contains about it, or None if that is nothing."""
    multiple = here.multiple if known.multiple is None and not here.multiple else known.multiple
    more = replace(
        known,
        element=known.element or here.element,
        multiple=multiple,
        description=known.description or here.description,
    )
    same = (more.element, more.multiple, more.description) == (known.element, known.multiple, known.description)
    return None if same or known.range != here.range else more


def _legal(name: str, place: str, of: str = "") -> str:
    """Return a legal name of a type, or of a feature. Raises TypeSystemError without the name, which could be any text."""
    try:
        if of:
            check_feature_name(name, of, "")
        else:
            check_type_name(name, "")
    except TypeSystemError:
        raise TypeSystemError(f"{place}: a name that UIMA does not allow") from None
    return name


def safe(name: str) -> str:
    """Return a name as messages may show it: an illegal name of a type or feature could be text of the document."""
    try:
        return _legal(name, "")
    except TypeSystemError:
        return "(a name that UIMA does not allow)"


def _text(body: dict[str, Any], key: str, place: str) -> str:
    value = body.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeSystemError(f"{place}.{key}: expected a string")
    return value


def _allowed(given: Any, place: str) -> tuple[tuple[str, str], ...] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise TypeSystemError(f"{place}.%ALLOWED_VALUES: expected an object of strings")
    return tuple(given.items())
