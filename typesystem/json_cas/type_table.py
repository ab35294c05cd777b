"""The types of a document in JSON CAS: `%TYPES`, written like UIMA for Java, and types inferred from rows in lenient reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ..annotation import Feature
from ..arrays import ELEMENTS
from ..description import (
    ANNOTATION,
    ARRAYS,
    BUILTIN,
    DOCUMENT_ANNOTATION,
    INTEGER,
    PRIMITIVES,
    STRING,
    TOP,
    TypeDescription,
    is_legal_name,
)
from ..errors import FormatError, TypeSystemError
from ..inferred_types import infer_definitions
from ..typesystem import TypeSystem
from .flat_decode import split

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
    if not is_legal_name(name, of):
        raise TypeSystemError(f"{place}: a name that UIMA does not allow")
    return name


def safe(name: str) -> str:
    """Return a name as messages may show it: an illegal name of a type or feature could be text of the document."""
    return name if is_legal_name(name) else "(a name that UIMA does not allow)"


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


@dataclass(slots=True)
class _Occurrences:
    """The instances of one type, counted, with the values of their features."""

    count: int = 0
    spans: int = 0
    """The number of instances with a Sofa, begin and end."""
    values: dict[str, list[Any]] = field(default_factory=dict)
    """By key, with its mark."""

    def supertype(self) -> str:
        if self.spans == self.count:
            return ANNOTATION
        return "uima.cas.AnnotationBase" if "@sofa" in self.values and "begin" not in self.values else TOP


def extend_types(types: TypeSystem, rows: list[Any], where: str) -> TypeSystem:
    """Return the type system with what the rows contain beyond it; the same object if that is nothing.

    Types with Sofa, begin and end are annotations. References to arrays or lists of one type have that range, others TOP;
    values have the range of their JSON type. Raises FormatError if types contradict each other.
    """
    seen: dict[str, _Occurrences] = {}
    type_of: dict[Any, str] = {}
    for row in rows:
        name = row.get("%TYPE") if isinstance(row, dict) else None
        if not isinstance(name, str):
            continue  # a fault that the reader reports
        if row.get("%ID").__class__ is int:
            type_of[row["%ID"]] = name
        if name.startswith("uima.cas.") or name.endswith("[]"):
            continue
        occurrences = seen.setdefault(name, _Occurrences())
        occurrences.count += 1
        features = {split(k)[1] for k in row}
        occurrences.spans += features >= {"begin", "end"} and row.get("@sofa").__class__ is int
        for key, value in row.items():
            if not key.startswith("%"):
                occurrences.values.setdefault(key, []).append(value)

    def make_feature(name: str, owners: list[str]) -> Feature:
        marked = [(*split(key), values) for t in owners for key, values in seen[t].values.items()]
        return Feature(name, _range([(mark, v) for mark, n, values in marked if n == name for v in values], type_of))

    supertypes = {name: occurrences.supertype() for name, occurrences in seen.items()}
    occurring = {name: [split(key)[1] for key in occurrences.values] for name, occurrences in seen.items()}
    try:
        return infer_definitions(types, supertypes, occurring, make_feature, where)
    except TypeSystemError as e:
        raise FormatError(str(e)) from None


def _range(values: list[tuple[str, Any]], type_of: dict[Any, str]) -> str:
    values = [(mark, v) for mark, v in values if v is not None]
    marks, classes = {mark for mark, _ in values}, {v.__class__ for _, v in values}
    if "@" in marks:
        ranges = {_range_of_references(type_of.get(v, TOP)) for _, v in values if v.__class__ is int and v}
        return next(iter(ranges)) if len(ranges) == 1 else TOP
    if "#" in marks or (float in classes and classes <= {int, float}):
        return "uima.cas.Double"
    if classes == {int}:
        return INTEGER if all(-(2**31) <= v < 2**31 for _, v in values) else "uima.cas.Long"
    return "uima.cas.Boolean" if classes == {bool} else STRING


def _range_of_references(name: str) -> str:
    """Return the range of a feature that refers to instances of a type."""
    local = name.removeprefix("uima.cas.").removeprefix("NonEmpty").removeprefix("Empty")
    if name.endswith("[]"):
        return array_type(name[:-2])
    if name in ARRAYS or name == "uima.cas.Sofa":
        return name
    return f"uima.cas.{local}" if name.startswith("uima.cas.") and local.endswith("List") else TOP
