"""Infer types from rows that contain more than the type system defines, for lenient reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..annotation import Feature
from ..arrays import ARRAYS
from ..description import ANNOTATION, INTEGER, STRING, TOP
from ..errors import FormatError, TypeSystemError
from ..inferred_types import infer_definitions
from ..typesystem import TypeSystem
from .flat_decode import split
from .type_table import array_type


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
