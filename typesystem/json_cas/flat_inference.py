"""Types guessed from rows that know more than the type system says: what lenient reading keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..annotation import Feature
from ..arrays import ARRAYS
from ..description import ANNOTATION, BUILTIN, DOCUMENT_ANNOTATION, INTEGER, STRING, TOP, TypeDescription
from ..errors import FormatError, TypeSystemError
from ..inferred_types import joined, known_below, legal, owner
from ..typesystem import TypeSystem
from .flat_decode import split
from .type_table import array_type

ANNOTATION_BASE = "uima.cas.AnnotationBase"
_BUILTIN = {ANNOTATION: {"begin", "end", "sofa"}, ANNOTATION_BASE: {"sofa"}}


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
    above = {name: _above(name, values, types, spans[name] == counts[name]) for name, values in seen.items()}
    new: dict[str, set[str]] = {}
    for name, values in seen.items():
        if not legal(name, where) or (name in BUILTIN and name != DOCUMENT_ANNOTATION):
            continue  # reading names the row; UIMA's own types take no further features
        known = set(types.features(name)) if name in types else _BUILTIN.get(above[name], set())
        new[name] = {n for n in {split(k)[1] for k in values} - known if legal(name, where, n)}

    def supertypes(name: str) -> list[str]:
        return types.supertypes(name) if name in types else [above[name], *types.supertypes(above[name])]

    grouped: dict[str, dict[str, list[tuple[str, Any]]]] = {name: {} for name in new}
    for name in new:
        for key, several in seen[name].items():
            mark, feature = split(key)
            if feature in new[name]:
                at = grouped[owner(name, feature, new, supertypes)]
                at.setdefault(feature, []).extend((mark, v) for v in several if v is not None)
    added = []
    for name, found in grouped.items():
        features = [known_below(types, name, n) or Feature(n, _range(found[n], kind_of)) for n in sorted(found)]
        if features or name not in types:
            added.append(TypeDescription(name, above[name], tuple(features)))
    try:
        return joined(types, added, where)
    except TypeSystemError as e:
        raise FormatError(str(e)) from None


def _above(name: str, values: dict[str, list[Any]], types: TypeSystem, span: bool) -> str:
    if name in types:
        return types.describe(name).supertype
    if span:
        return ANNOTATION
    return ANNOTATION_BASE if "@sofa" in values and "begin" not in values else TOP


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
