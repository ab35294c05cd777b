"""Types guessed from rows that know more than the type system says: what lenient reading keeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .annotation import Feature
from .arrays import ARRAYS
from .description import (
    ANNOTATION,
    BUILTIN,
    DOCUMENT_ANNOTATION,
    INTEGER,
    STRING,
    TOP,
    TypeDescription,
    check_feature_name,
    check_type_name,
)
from .errors import FormatError, TypeSystemError
from .flat_decode import split
from .jsoncas_types import array_type, joined
from .typesystem import TypeSystem

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,9})\Z", re.ASCII)
_DECIMAL = re.compile(
    r"-?(0|[1-9][0-9]*)\.(0|[0-9]*[1-9])(E-?[0-9]+)?\Z", re.ASCII
)  # 1.50 is rather a version or a code


def value_range(texts: list[str], *, always: bool) -> str:
    """The range of a feature with these values in XML: String unless all of them clearly are something else.

    `always`: every instance has the feature, as is so of numbers and truth values.
    """
    if always and all(_WHOLE.match(v) and -(2**31) <= int(v) < 2**31 for v in texts):
        return INTEGER
    if always and all(v in ("true", "false") for v in texts):
        return "uima.cas.Boolean"
    return "uima.cas.Double" if always and all(map(_DECIMAL.match, texts)) else STRING


def extended(types: TypeSystem, rows: list[Any], where: str) -> TypeSystem:
    """The type system with what the rows have beyond it; the same object where that is nothing.

    Types with Sofa, begin and end are annotations. A reference to arrays or lists of one type has that range, other
    references have TOP; values are what they are in JSON. Raises FormatError where types contradict each other.
    """
    seen: dict[str, dict[str, list[Any]]] = {}
    counts: dict[str, int] = {}
    spans: dict[str, int] = {}
    kind_of: dict[Any, str] = {}
    for row in rows:
        kind = row.get("%TYPE") if isinstance(row, dict) else None
        if not isinstance(kind, str):
            continue  # reading names it
        if row.get("%ID").__class__ is int:
            kind_of[row["%ID"]] = kind
        if kind.startswith("uima.cas.") or kind.endswith("[]"):
            continue
        counts[kind] = counts.get(kind, 0) + 1
        names = {split(k)[1] for k in row}
        spans[kind] = spans.get(kind, 0) + (names >= {"begin", "end"} and row.get("@sofa").__class__ is int)
        values = seen.setdefault(kind, {})
        for key, value in row.items():
            if not key.startswith("%"):
                values.setdefault(key, []).append(value)
    added: list[TypeDescription] = []
    for name, values in seen.items():
        try:
            check_type_name(name, where)
        except TypeSystemError:
            continue  # reading names the row
        if name in BUILTIN and name != DOCUMENT_ANNOTATION:
            continue  # UIMA's own types take no further features
        known = types.features(name) if name in types else {}
        span = spans[name] == counts[name]
        above = types.describe(name).supertype if name in types else ANNOTATION if span else _above(values)
        own = (
            {"begin", "end", "sofa"}
            if above == ANNOTATION
            else {"sofa"}
            if above == "uima.cas.AnnotationBase"
            else set()
        )
        features = _features(values, {*known, *own}, name, kind_of, where)
        if features or name not in types:
            added.append(TypeDescription(name, above, tuple(features)))
    try:
        return joined(types, added, where)
    except TypeSystemError as e:  # a type and one below it have values of different ranges under one name
        raise FormatError(str(e)) from None


def _above(values: dict[str, list[Any]]) -> str:
    return "uima.cas.AnnotationBase" if "@sofa" in values and "begin" not in values else TOP


def _features(
    values: dict[str, list[Any]], known: set[str], of: str, kind_of: dict[Any, str], where: str
) -> list[Feature]:
    grouped: dict[str, list[tuple[str, Any]]] = {}
    for key, several in values.items():
        mark, name = split(key)
        grouped.setdefault(name, []).extend((mark, v) for v in several if v is not None)
    found: list[Feature] = []
    for name in sorted(set(grouped) - known):
        try:
            check_feature_name(name, of, where)
        except TypeSystemError:
            continue
        found.append(Feature(name, _range(grouped[name], kind_of)))
    return found


def _range(values: list[tuple[str, Any]], kind_of: dict[Any, str]) -> str:
    if any(mark == "@" for mark, _ in values):
        return _target({kind_of.get(v, TOP) for _, v in values if v.__class__ is int and v})
    kinds = {v.__class__ for _, v in values}
    if any(mark == "#" for mark, _ in values) or (kinds and kinds <= {int, float} and float in kinds):
        return "uima.cas.Double"
    if kinds == {int}:
        small: Callable[[Any], bool] = lambda v: -(2**31) <= v < 2**31  # noqa: E731  one line of a table
        return INTEGER if all(small(v) for _, v in values) else "uima.cas.Long"
    return "uima.cas.Boolean" if kinds == {bool} else STRING


def _target(kinds: set[str]) -> str:
    ranges = set()
    for kind in sorted(kinds):
        local = kind.removeprefix("uima.cas.").removeprefix("NonEmpty").removeprefix("Empty")
        if kind.endswith("[]"):
            ranges.add(array_type(kind[:-2]))
        elif kind in ARRAYS or kind == "uima.cas.Sofa":
            ranges.add(kind)
        elif kind.startswith("uima.cas.") and local.endswith("List"):
            ranges.add(f"uima.cas.{local}")
        else:
            ranges.add(TOP)
    return next(iter(ranges)) if len(ranges) == 1 else TOP
