"""A type system guessed from a document that came without one, or with more than its type system says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..annotation import TYPES, Feature
from ..arrays import ELEMENTS
from ..builtin_mapping import edge_features
from ..description import ANNOTATION, BUILTIN, LISTS, STRING, TOP, TypeDescription
from ..errors import CaspipeError, FormatError
from ..inferred_types import joined, known_below, legal, owner, value_range
from ..markup.safe_xml import read_bytes
from ..typesystem import TypeSystem, own_types
from .decode import Floats
from .parse import NULL, SOFA, VIEW, Rows, parse, type_name
from .plan import LIST_OF, Field
from .repair import fits

_IDS = re.compile(r"(0|[1-9][0-9]*)( (0|[1-9][0-9]*))*\Z", re.ASCII)
_MOST = 2_000
"""No type that anybody wrote has as many features."""
_SAYS_NOTHING = frozenset((TOP, "uima.cas.Sofa", "uima.cas.AnnotationBase", *ELEMENTS))
"""Ranges that any feature structure may be in, or none of a document's own types."""
_ID = re.compile(r"[+-]?\d+\Z")
_OFFSET = re.compile(r"[+-]?\d{1,10}\Z")


@dataclass(slots=True)
class _Seen:
    """What occurs of one type."""

    count: int = 0
    spans: int = 0
    """Those with a Sofa, and with offsets that are numbers."""
    placed: int = 0
    """Those with a Sofa."""
    offsets: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    collections: dict[str, bool] = field(default_factory=dict)
    """Features given as elements; whether they are references."""
    several: set[str] = field(default_factory=set)
    """Features given as several elements of one feature structure."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """What those elements hold."""


def infer_types(xmi: bytes | str | Path) -> TypeSystem:
    """Infer a type system from an XMI document that came without one.

    A type with begin, end and sofa is an annotation. A value is a string unless all values of its feature are clearly numbers,
    truth values or references. Raises FormatError if the document is not XMI.
    """
    data, where = read_bytes(xmi)
    return extended(own_types(), parse(data, where))


def extended(types: TypeSystem, rows: Rows) -> TypeSystem:
    """The type system with what the document has beyond it; the same object where that is nothing.

    Where values do not fit the range that a file gives a feature, its range becomes one that fits, with a note in the rows.
    """
    survey = _survey(rows, types)
    if rows.lenient:
        types = _fitting(types, rows, survey)
    unindexed = _unindexed(rows)
    ids = _ids(rows)
    where = f"{rows.where} (inferred)"
    wanted = _wanted(types, rows, survey)
    above: dict[str, str] = {}
    new: dict[str, set[str]] = {}
    for name, seen in survey.items():
        if not legal(name, where) or (name in types and types.range_kind(name)):
            continue  # reading names the element and its place
        above[name] = types.describe(name).supertype if name in types else wanted.get(name) or _supertype(seen)
        known = set(types.features(name)) if name in types else set()
        builtin = set() if name in types or above[name] == TOP else {"begin", "end", "sofa"}
        new[name] = {f for f in {*seen.values, *seen.collections} - known - builtin if legal(name, where, f)}

    def supertypes(name: str) -> list[str]:
        return types.supertypes(name) if name in types else [above[name], *types.supertypes(above[name])]

    owned: dict[str, dict[str, list[str]]] = {name: {} for name in new}
    for name in new:
        for f in new[name]:
            owned[owner(name, f, new, supertypes)].setdefault(f, []).append(name)
    added = []
    for name, found in owned.items():
        features = [
            known_below(types, name, f) or _feature(f, _merged(survey, f, found[f]), ids, unindexed)
            for f in sorted(found)
        ]
        if features or name not in types:
            added.append(TypeDescription(name, above[name], tuple(features)))
    return joined(types, added, where)


def _wanted(types: TypeSystem, rows: Rows, survey: dict[str, _Seen]) -> dict[str, str]:
    """By new type, the known type that features referring to its instances ask for: other tools' POS below POS."""
    features = {
        name: {
            n: f.range
            for n, f in types.features(name).items()
            if f.range not in _SAYS_NOTHING and not types.range_kind(f.range)
        }
        for name in survey
        if name in types and not types.range_kind(name)
    }
    new = {name for name in survey if name not in types}
    if not new or not any(features.values()):
        return {}
    type_of: dict[str, str] = {}
    for element, flat in rows.elements:
        if (name := type_name(element)) in new and name is not None and rows.id_name in flat[::2]:
            type_of[flat[2 * flat[::2].index(rows.id_name) + 1]] = name
    asked: dict[str, set[str]] = {}
    for element, flat in rows.elements:
        ranges = features.get(type_name(element) or "", {})
        for key, value in zip(flat[::2], flat[1::2], strict=True) if ranges else ():
            if key in ranges and value in type_of:
                asked.setdefault(type_of[value], set()).add(ranges[key])
    found: dict[str, str] = {}
    for name, several in asked.items():
        nearest = max(sorted(several), key=lambda r: len(types.supertypes(r)))
        base = _supertype(survey[name])
        if all(types.subsumes(r, nearest) for r in several) and types.subsumes(base, nearest):
            found[name] = nearest
    return found


def _supertype(seen: _Seen) -> str:
    """Annotations name a Sofa and offsets; those with the Sofa alone belong to it without being spans."""
    if seen.placed < seen.count:
        return TOP
    if seen.spans == seen.count:
        return ANNOTATION
    return TOP if seen.offsets else "uima.cas.AnnotationBase"


def _survey(rows: Rows, types: TypeSystem) -> dict[str, _Seen]:
    found: dict[str, _Seen] = {}
    sofas = {
        flat[2 * flat[::2].index(rows.id_name) + 1]
        for name, flat in rows.elements
        if name == SOFA and rows.id_name in flat[::2]
    }
    for i, (element, flat) in enumerate(rows.elements):
        name = type_name(element)
        if (
            name is None
            or element in (SOFA, VIEW, NULL)
            or (name.startswith("uima.") and name in BUILTIN and not _open(name))
        ):
            continue
        if len(flat) > 2 * _MOST:
            raise FormatError(
                f"{rows.place(i)}: an element with {len(flat) // 2:,} attributes; expected at most {_MOST:,}"
            )
        seen = found.setdefault(name, _Seen())
        seen.count += 1
        keys = flat[::2]
        attributes = dict(zip(keys, flat[1::2], strict=True))
        children = rows.children.get(i, ())
        for child in children:
            attributes.setdefault(child.feature, child.href if child.href is not None else child.text)
        _count(seen, attributes, sofas)
        for key, value in zip(keys, flat[1::2], strict=True):
            if " " not in key:
                seen.values.setdefault(key, []).append(value)
        here: set[str] = set()
        for child in children:
            seen.collections[child.feature] = seen.collections.get(child.feature, True) and child.href is not None
            seen.texts.setdefault(child.feature, []).append(child.href if child.href is not None else child.text)
            if child.feature in here:
                seen.several.add(child.feature)
            here.add(child.feature)
    return found


def _open(name: str) -> bool:
    """Whether a document may have more features of one of UIMA's own types than UIMA says."""
    return name.startswith("uima.tcas.Document")


def _count(seen: _Seen, attributes: dict[str, str], sofas: set[str]) -> None:
    if attributes.get("sofa") not in sofas:
        return
    seen.placed += 1
    edges = [attributes[e] for e in ("begin", "end") if e in attributes]
    seen.offsets += bool(edges)
    seen.spans += bool(edges) and all(_OFFSET.match(e) for e in edges)


def _ids(rows: Rows) -> set[str]:
    found: set[str] = set()
    for _, flat in rows.elements:
        if rows.id_name in flat[::2]:
            found.add(flat[2 * flat[::2].index(rows.id_name) + 1])
    return found


def _unindexed(rows: Rows) -> set[str]:
    """The ids no view lists: something must refer to them."""
    listed: set[str] = set()
    for name, flat in rows.elements:
        if name == VIEW and "members" in flat[::2]:
            listed.update(flat[2 * flat[::2].index("members") + 1].split())
    sofas = {
        flat[2 * flat[::2].index(rows.id_name) + 1]
        for name, flat in rows.elements
        if name in (SOFA, NULL) and rows.id_name in flat[::2]
    }
    return _ids(rows) - listed - sofas


def _feature(name: str, seen: _Seen, ids: set[str], unindexed: set[str]) -> Feature:
    values = seen.values.get(name, [])
    if name in seen.collections:
        if name in seen.several or not any(values):  # else a plain feature, now as an attribute, now as an element
            return Feature(name, "uima.cas.FSArray" if seen.collections[name] else "uima.cas.StringArray", None, False)
        values = values + seen.texts[name]
    each = [v.split(" ") for v in values if v]
    references = bool(each) and "0" not in values  # null is left out, but for null in an array
    references = (
        references and all(_IDS.match(v) for v in values if v) and all(i in ids or i == "0" for v in each for i in v)
    )
    if references and any(i in unindexed for v in each for i in v):  # surely: nothing else keeps those alive
        if all(len(v) == 1 for v in each):
            return Feature(name, TOP)
        return Feature(name, "uima.cas.FSArray", TOP, False)
    return Feature(name, value_range(values, always=len(values) == seen.count))


def _merged(survey: dict[str, _Seen], feature: str, names: list[str]) -> _Seen:
    """What occurs of one feature in several types."""
    if len(names) == 1:
        return survey[names[0]]
    merged = _Seen()
    for seen in (survey[name] for name in names):
        merged.count += seen.count
        merged.values.setdefault(feature, []).extend(seen.values.get(feature, ()))
        merged.texts.setdefault(feature, []).extend(seen.texts.get(feature, ()))
        merged.several |= seen.several & {feature}
        if feature in seen.collections:
            merged.collections[feature] = seen.collections[feature] and merged.collections.get(feature, True)
    return merged


# -- a type system that says otherwise ------------------------------------------------------------------------------


def _fitting(types: TypeSystem, rows: Rows, survey: dict[str, _Seen]) -> TypeSystem:
    """The type system with other ranges for the features whose values do not fit; our own classes' features stay."""
    floats = Floats()
    wrong: dict[tuple[str, str], _Seen] = {}
    for name, seen in survey.items():
        if name not in types or types.range_kind(name):
            continue
        features = types.features(name)
        for feature in sorted({*seen.values, *seen.collections} & set(features)):
            definer = _definer(types, name, feature)
            if definer and not _all_fit(feature, _field(types, features[feature]), seen, floats):
                wrong[definer, feature] = seen
    if not wrong:
        return types
    ids, unindexed = _ids(rows), _unindexed(rows)
    ranges: dict[tuple[str, str], Feature] = {}
    for definer, feature in wrong:
        merged = _merged(survey, feature, [t for t in survey if t in types and types.subsumes(definer, t)])
        ranges[definer, feature] = new = _feature(feature, merged, ids, unindexed)
        rows.notes.append(f"{definer}: values of feature {feature} do not fit its range: read as {new.range}")
    changed = [
        (replace(t, features=tuple(_changed(types, t, f, ranges) for f in t.features)), where)
        for t, where in types.foreign()
    ]
    try:
        return TypeSystem(changed, types.priorities)
    except CaspipeError:  # another definition holds the range in place
        return types


def _definer(types: TypeSystem, name: str, feature: str) -> str:
    """The uppermost type that has the feature; empty where a class of ours, or UIMA, says what it is."""
    chain = [t for t in (name, *types.supertypes(name)) if any(f.name == feature for f in types.describe(t).features)]
    for t in chain:
        ours = TYPES.get(t)
        if t in BUILTIN and t != "uima.tcas.DocumentAnnotation":
            return ""
        if ours is not None and any(f.name == feature for f in edge_features(ours)):
            return ""
    return chain[-1]


def _changed(types: TypeSystem, t: TypeDescription, f: Feature, ranges: dict[tuple[str, str], Feature]) -> Feature:
    for (definer, feature), new in ranges.items():
        if f.name == feature and (t.name == definer or types.subsumes(definer, t.name)):
            return replace(f, range=new.range, element=new.element, multiple=new.multiple)
    return f


def _field(types: TypeSystem, f: Feature) -> Field:
    """Only what `fits` looks at."""
    value = types.range_kind(f.range)
    whole = LIST_OF.get(f.range, f.range)
    if value:
        return Field(f.name, f.name, "text" if value == STRING else "number", value)
    if whole in ELEMENTS or whole in LISTS:
        return Field(f.name, f.name, "shared" if f.multiple else "array", whole, ELEMENTS[whole])
    return Field(f.name, f.name, "ref", f.range)


def _all_fit(name: str, f: Field, seen: _Seen, floats: Floats) -> bool:
    values = set(seen.values.get(name, ()))
    if f.kind == "ref":
        return name not in seen.several and all(_ID.match(v) for v in values if v)
    if f.kind == "array" and f.element == TOP:
        return all(_ID.match(i) for v in values for i in v.split())
    if f.kind == "shared":
        if f.element in (TOP, ""):
            return all(_ID.match(i) for v in values for i in v.split())
        inline = replace(f, kind="array")
        return all(_ID.match(v) or fits(v, inline, floats) for v in values)
    if name in seen.several and f.kind != "array":
        return False
    return all(fits(v, f, floats) for v in values)
