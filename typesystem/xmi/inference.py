"""Infer a type system from a document that came without one, or that contains more than its type system defines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..annotation import TYPES, Feature
from ..arrays import ELEMENTS
from ..builtin_mapping import features_in_files
from ..description import ANNOTATION, BUILTIN, LISTS, STRING, TOP, TypeDescription
from ..errors import CaspipeError, FormatError
from ..inferred_types import infer_definitions, value_range
from ..markup.safe_xml import read_bytes
from ..typesystem import TypeSystem, own_types
from .decode import FloatCache
from .parse import NULL, SOFA, VIEW, Rows, parse, type_name
from .plan import LIST_OF, Field
from .repair import fits

_IDS = re.compile(r"(0|[1-9][0-9]*)( (0|[1-9][0-9]*))*\Z", re.ASCII)
_MOST_ATTRIBUTES = 2_000
_UNSPECIFIC = frozenset((TOP, "uima.cas.Sofa", "uima.cas.AnnotationBase", *ELEMENTS))
"""Ranges that say nothing about the type of a feature's values."""
_ID = re.compile(r"[+-]?\d+\Z")
_OFFSET = re.compile(r"[+-]?\d{1,10}\Z")


@dataclass(slots=True)
class _Occurrences:
    """The instances of one type, counted, with the values of their features."""

    count: int = 0
    spans: int = 0
    """The number of instances with a Sofa, and with numbers as offsets."""
    with_sofa: int = 0
    with_offsets: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    collections: dict[str, bool] = field(default_factory=dict)
    """Features written as elements; whether all of these are references."""
    repeated: set[str] = field(default_factory=set)
    """Features written as several elements of one feature structure."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The content of these elements."""

    def supertype(self) -> str:
        """Return the supertype: annotations have a Sofa and offsets, an AnnotationBase only a Sofa."""
        if self.with_sofa < self.count:
            return TOP
        if self.spans == self.count:
            return ANNOTATION
        return TOP if self.with_offsets else "uima.cas.AnnotationBase"


def infer_types(xmi: bytes | str | Path) -> TypeSystem:
    """Infer a type system from an XMI document that came without one.

    A type with begin, end and sofa is an annotation. A value is a string unless all values of its feature are clearly numbers,
    truth values or references. Raises FormatError if the document is not XMI.
    """
    data, where = read_bytes(xmi)
    return extend_types(own_types(), parse(data, where))


def extend_types(types: TypeSystem, rows: Rows) -> TypeSystem:
    """Return the type system with what the document contains beyond it; the same object if that is nothing.

    In lenient reading, a feature whose values do not fit the range in the file gets a range that fits, with a note in the rows.
    """
    document = _Document(rows)
    if rows.lenient:
        types = _with_fitting_ranges(types, document)
    requested = document.requested_supertypes(types)
    supertypes = {n: requested.get(n) or seen.supertype() for n, seen in document.types.items() if n not in types}
    occurring = {name: {*seen.values, *seen.collections} for name, seen in document.types.items()}
    return infer_definitions(types, supertypes, occurring, document.feature, f"{rows.where} (inferred)")


class _Document:
    """The occurrences of all types of a document."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.types: dict[str, _Occurrences] = {}
        sofas = rows.ids(SOFA)
        for i, (element, _) in enumerate(rows.elements):
            name = type_name(element)
            is_builtin = name in BUILTIN and not (name or "").startswith("uima.tcas.Document")
            if name is not None and not is_builtin and element not in (SOFA, VIEW, NULL):
                self._count(i, self.types.setdefault(name, _Occurrences()), sofas)

    def _count(self, row: int, seen: _Occurrences, sofas: set[str]) -> None:
        rows, children = self.rows, self.rows.children.get(row, ())
        attributes = dict(rows.elements[row][1])
        if len(attributes) > _MOST_ATTRIBUTES:
            raise FormatError(
                f"{rows.place(row)}: an element with {len(attributes):,} attributes; expected at most {_MOST_ATTRIBUTES:,}"
            )
        for key, value in attributes.items():
            if " " not in key:
                seen.values.setdefault(key, []).append(value)
        for child in children:
            attributes.setdefault(child.feature, child.value)
            seen.collections[child.feature] = seen.collections.get(child.feature, True) and child.href is not None
            seen.texts.setdefault(child.feature, []).append(child.value)
        seen.repeated.update(name for name, n in Counter(c.feature for c in children).items() if n > 1)
        seen.count += 1
        if attributes.get("sofa") in sofas:
            offsets = [attributes[edge] for edge in ("begin", "end") if edge in attributes]
            seen.with_sofa += 1
            seen.with_offsets += bool(offsets)
            seen.spans += bool(offsets) and all(map(_OFFSET.match, offsets))

    @cached_property
    def ids(self) -> set[str]:
        return self.rows.ids()

    @cached_property
    def unindexed(self) -> set[str]:
        """The ids that no view lists: a feature must refer to them."""
        members = (self.rows.get(i, "members") for i, (name, _) in enumerate(self.rows.elements) if name == VIEW)
        return self.ids - {m for text in members if text for m in text.split()} - self.rows.ids(SOFA, NULL)

    def requested_supertypes(self, types: TypeSystem) -> dict[str, str]:
        """Return for each new type the known type that features with such values require: other tools' POS below POS."""
        new = {name for name in self.types if name not in types}
        if not new:
            return {}
        ranges = {name: _specific_ranges(types, name) for name in self.types if name not in new}
        if not any(ranges.values()):
            return {}
        elements, id_name = self.rows.elements, self.rows.id_name
        type_of = {self.rows.get(i, id_name): n for i, (e, _) in enumerate(elements) if (n := type_name(e)) in new}
        required: dict[str, set[str]] = {}
        for element, attributes in elements:
            specific = ranges.get(type_name(element) or "", {})
            for key, value in attributes.items() if specific else ():
                if key in specific and (name := type_of.get(value)) is not None:
                    required.setdefault(name, set()).add(specific[key])
        supertypes: dict[str, str] = {}
        for name, several in required.items():
            lowest = max(sorted(several), key=lambda r: len(types.supertypes(r)))
            if types.subsumes(self.types[name].supertype(), lowest) and all(types.subsumes(r, lowest) for r in several):
                supertypes[name] = lowest
        return supertypes

    def feature(self, name: str, owners: list[str]) -> Feature:
        """Return a feature with a range for all its values in some types."""
        seen = self._merged(name, owners)
        values = seen.values.get(name, [])
        if name in seen.collections:
            if name in seen.repeated or not any(
                values
            ):  # otherwise written sometimes as an attribute, sometimes as an element
                return Feature(
                    name, "uima.cas.FSArray" if seen.collections[name] else "uima.cas.StringArray", None, False
                )
            values = values + seen.texts[name]
        ids = [v.split(" ") for v in values if v]
        if ids and "0" not in values and all(_IDS.match(v) for v in values if v):  # a null reference is left out
            are_ids = all(i in self.ids or i == "0" for several in ids for i in several)
            if are_ids and any(i in self.unindexed for several in ids for i in several):
                if all(len(several) == 1 for several in ids):
                    return Feature(name, TOP)
                return Feature(name, "uima.cas.FSArray", TOP, False)
        return Feature(name, value_range(values, always=len(values) == seen.count))

    def _merged(self, feature: str, names: list[str]) -> _Occurrences:
        """Return the occurrences of one feature in several types."""
        if len(names) == 1:
            return self.types[names[0]]
        merged = _Occurrences()
        for seen in (self.types[name] for name in names):
            merged.count += seen.count
            merged.values.setdefault(feature, []).extend(seen.values.get(feature, ()))
            merged.texts.setdefault(feature, []).extend(seen.texts.get(feature, ()))
            merged.repeated |= seen.repeated & {feature}
            if feature in seen.collections:
                merged.collections[feature] = seen.collections[feature] and merged.collections.get(feature, True)
        return merged


def _specific_ranges(types: TypeSystem, name: str) -> dict[str, str]:
    """Return the features of a known type whose range says what they refer to."""
    if types.range_kind(name):
        return {}
    ranges = {n: f.range for n, f in types.features(name).items() if f.range not in _UNSPECIFIC}
    return {n: r for n, r in ranges.items() if not types.range_kind(r)}


# -- ranges that the values do not fit -----------------------------------------------------------------------------


def _with_fitting_ranges(types: TypeSystem, document: _Document) -> TypeSystem:
    """Return the type system with other ranges for the features whose values do not fit; declared classes keep theirs."""
    floats = FloatCache()
    ranges: dict[tuple[str, str], Feature] = {}
    for name, seen in document.types.items():
        if name not in types or types.range_kind(name):
            continue
        features = types.features(name)
        for feature in sorted({*seen.values, *seen.collections} & set(features)):
            owner = _owner(types, name, feature)
            if owner and not _all_fit(feature, _field(types, features[feature]), seen, floats):
                owners = [t for t in document.types if t in types and types.subsumes(owner, t)]
                ranges[owner, feature] = document.feature(feature, owners)
    if not ranges:
        return types
    for (owner, feature), new in ranges.items():
        document.rows.notes.append(f"{owner}: values of feature {feature} do not fit its range: read as {new.range}")
    changed = [
        (replace(t, features=tuple(_changed(types, t, f, ranges) for f in t.features)), where)
        for t, where in types.foreign()
    ]
    try:
        return TypeSystem(changed, types.priorities)
    except CaspipeError:  # another definition requires the range
        return types


def _owner(types: TypeSystem, name: str, feature: str) -> str:
    """Return the topmost type that has the feature, or "" if UIMA or a declared class defines it."""
    chain = [t for t in (name, *types.supertypes(name)) if any(f.name == feature for f in types.describe(t).features)]
    for t in chain:
        ours = TYPES.get(t)
        if t in BUILTIN and t != "uima.tcas.DocumentAnnotation":
            return ""
        if ours is not None and any(f.name == feature for f in features_in_files(ours)):
            return ""
    return chain[-1]


def _changed(types: TypeSystem, t: TypeDescription, f: Feature, ranges: dict[tuple[str, str], Feature]) -> Feature:
    for (owner, feature), new in ranges.items():
        if f.name == feature and types.subsumes(owner, t.name):
            return replace(f, range=new.range, element=new.element, multiple=new.multiple)
    return f


def _field(types: TypeSystem, f: Feature) -> Field:
    """Return a field with what `fits` needs."""
    value = types.range_kind(f.range)
    whole = LIST_OF.get(f.range, f.range)
    if value:
        return Field(f.name, f.name, "text" if value == STRING else "number", value)
    if whole in ELEMENTS or whole in LISTS:
        return Field(f.name, f.name, "shared" if f.multiple else "array", whole, ELEMENTS[whole])
    return Field(f.name, f.name, "ref", f.range)


def _all_fit(name: str, f: Field, seen: _Occurrences, floats: FloatCache) -> bool:
    values = set(seen.values.get(name, ()))
    are_ids: Callable[[], bool] = lambda: all(_ID.match(i) for v in values for i in v.split())  # noqa: E731
    if f.kind == "ref":
        return name not in seen.repeated and all(_ID.match(v) for v in values if v)
    if f.kind == "array" and f.element == TOP:
        return are_ids()
    if f.kind == "shared":
        inline = replace(f, kind="array")
        return are_ids() if f.element in (TOP, "") else all(_ID.match(v) or fits(v, inline, floats) for v in values)
    if name in seen.repeated and f.kind != "array":
        return False
    return all(fits(v, f, floats) for v in values)
