"""A type system guessed from a document that came without one, or with more than its type system says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from .annotation import Feature
from .description import (
    ANNOTATION,
    INTEGER,
    STRING,
    TOP,
    TypeDescription,
    check_feature_name,
    check_type_name,
)
from .errors import TypeSystemError
from .safe_xml import read_bytes
from .typesystem import TypeSystem, own_types
from .xmi_parse import NULL, SOFA, VIEW, Rows, parse, type_name

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,9})\Z", re.ASCII)
_DECIMAL = re.compile(
    r"-?(0|[1-9][0-9]*)\.(0|[0-9]*[1-9])(E-?[0-9]+)?\Z", re.ASCII
)  # 1.50 is rather a version or a code
_IDS = re.compile(r"(0|[1-9][0-9]*)( (0|[1-9][0-9]*))*\Z", re.ASCII)


@dataclass(slots=True)
class _Seen:
    """What occurs of one type."""

    count: int = 0
    spans: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)
    collections: dict[str, bool] = field(default_factory=dict)
    """Features given as elements; whether they are references."""


def infer(xmi: bytes | str | Path) -> TypeSystem:
    """See `TypeSystem.infer`."""
    data, where = read_bytes(xmi)
    return extended(own_types(), parse(data, where))


def extended(types: TypeSystem, rows: Rows) -> TypeSystem:
    """The type system with what the document has beyond it; the same object where that is nothing."""
    unindexed = _unindexed(rows)
    ids = _ids(rows)
    added: list[tuple[TypeDescription, str]] = []
    for name, seen in _survey(rows, types).items():
        where = f"{rows.where} (inferred)"
        try:
            check_type_name(name, where)
        except TypeSystemError:
            continue  # reading names the element and its place
        known = types.features(name) if name in types else {}
        span = seen.spans == seen.count
        above = types.describe(name).supertype if name in types else ANNOTATION if span else TOP
        builtin = {"begin", "end", "sofa"} if above == ANNOTATION else set()
        features = []
        for feature in sorted({*seen.values, *seen.collections} - set(known) - builtin):
            try:
                check_feature_name(feature, name, where)
            except TypeSystemError:
                continue
            features.append(_feature(feature, seen, ids, unindexed))
        if features or name not in types:
            added.append((TypeDescription(name, above, tuple(features)), where))
    if not added:
        return types
    return TypeSystem([*types.foreign(), *added], types.priorities)


def _survey(rows: Rows, types: TypeSystem) -> dict[str, _Seen]:
    found: dict[str, _Seen] = {}
    sofas = {
        flat[flat.index(rows.id_name) + 1] for name, flat in rows.elements if name == SOFA and rows.id_name in flat
    }
    for i, (element, flat) in enumerate(rows.elements):
        name = type_name(element)
        if name is None or element in (SOFA, VIEW, NULL) or name.startswith("uima.cas."):
            continue
        seen = found.setdefault(name, _Seen())
        seen.count += 1
        keys = flat[::2]
        seen.spans += _is_span(dict(zip(keys, flat[1::2], strict=True)), sofas)
        for key, value in zip(keys, flat[1::2], strict=True):
            if " " not in key:
                seen.values.setdefault(key, []).append(value)
        for child in rows.children.get(i, ()):
            seen.collections[child.feature] = child.href is not None
    return found


def _is_span(attributes: dict[str, str], sofas: set[str]) -> bool:
    begin, end = attributes.get("begin", ""), attributes.get("end", "")
    offsets = begin.isdecimal() and end.isdecimal() and int(begin) <= int(end)
    return offsets and attributes.get("sofa") in sofas


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
    if name in seen.collections:
        if seen.collections[name]:
            return Feature(name, "uima.cas.FSArray", TOP, False)
        return Feature(name, "uima.cas.StringArray", None, False)
    values = seen.values[name]
    each = [v.split(" ") for v in values if v]
    references = each and all(_IDS.match(v) for v in values if v) and all(i in ids or i == "0" for v in each for i in v)
    if references and any(i in unindexed for v in each for i in v):  # surely: nothing else keeps those alive
        if all(len(v) == 1 for v in each):
            return Feature(name, TOP)
        return Feature(name, "uima.cas.FSArray", TOP, False)
    always = len(values) == seen.count
    if always and all(_WHOLE.match(v) and -(2**31) <= int(v) < 2**31 for v in values):
        return Feature(name, INTEGER)
    if always and all(v in ("true", "false") for v in values):
        return Feature(name, "uima.cas.Boolean")
    if always and all(_DECIMAL.match(v) for v in values):
        return Feature(name, "uima.cas.Double")
    return Feature(name, STRING)
