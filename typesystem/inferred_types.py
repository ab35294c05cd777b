"""Infer types and features from what occurs in a document: the part that is the same for all formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from .annotation import TYPES, Feature
from .description import (
    BUILTIN,
    DOCUMENT_ANNOTATION,
    INTEGER,
    STRING,
    TypeDescription,
    is_legal_name,
)
from .typesystem import TypeSystem

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,9})\Z", re.ASCII)
_DECIMAL = re.compile(
    r"-?(0|[1-9][0-9]*)\.(0|[0-9]*[1-9])(E-?[0-9]+)?\Z", re.ASCII
)  # not 1.50, which is rather a version or a code
_MOST_CACHED = 32
_EXTENDED: dict[tuple[object, ...], tuple[TypeSystem, TypeSystem, int]] = {}


def value_range(texts: list[str], *, always: bool) -> str:
    """Return the range of a feature with these values in XML: String unless all of them are clearly something else.

    `always`: whether every instance has the feature, as is the case for numbers and truth values.
    """
    if always and all(_WHOLE.match(v) and -(2**31) <= int(v) < 2**31 for v in texts):
        return INTEGER
    if always and all(v in ("true", "false") for v in texts):
        return "uima.cas.Boolean"
    return "uima.cas.Double" if always and all(map(_DECIMAL.match, texts)) else STRING


def infer_definitions(
    types: TypeSystem,
    supertypes: Mapping[str, str],
    occurring: Mapping[str, Iterable[str]],
    make_feature: Callable[[str, list[str]], Feature],
    where: str,
) -> TypeSystem:
    """Return the type system extended by the types and features of a document; the same object if there are none.

    `supertypes`: the inferred supertype of each type of the document that is unknown; `occurring`: the features of every type
    of the document; `make_feature`: returns a feature, given its name and the types that have it. A feature belongs to the
    topmost type that has it. Illegal names and further features of UIMA's own types are left to the reader, which names their
    position. Raises TypeSystemError if the definitions contradict each other.
    """
    parents: dict[str, str] = {}
    new: dict[str, set[str]] = {}
    for name, features in occurring.items():
        is_final = (name in BUILTIN and name != DOCUMENT_ANNOTATION) or (name in types and types.range_kind(name))
        if is_final or not is_legal_name(name):
            continue
        parents[name] = types.describe(name).supertype if name in types else supertypes[name]
        known = types.features(name if name in types else parents[name])
        new[name] = {f for f in set(features) - known.keys() if is_legal_name(f, name)}
    having: dict[str, dict[str, list[str]]] = {name: {} for name in new}
    for name, features in new.items():
        chain = types.supertypes(name) if name in types else [parents[name], *types.supertypes(parents[name])]
        for feature in features:
            owner = next((t for t in reversed(chain) if feature in new.get(t, ())), name)
            having[owner].setdefault(feature, []).append(name)
    added = []
    for name, owned in having.items():
        features_ = tuple(_known_below(types, name, f) or make_feature(f, owned[f]) for f in sorted(owned))
        if features_ or name not in types:
            added.append(TypeDescription(name, parents[name], features_))
    return extended(types, added, where)


def _known_below(types: TypeSystem, name: str, feature: str) -> Feature | None:
    """Return the feature if a known subtype has it already, since it cannot have another range then."""
    subtypes = types.subtypes(name) if name in types else []
    return next((f for t in subtypes for f in types.describe(t).features if f.name == feature), None)


def extended(base: TypeSystem, definitions: Iterable[TypeDescription], where: str) -> TypeSystem:
    """Return the type system with further definitions; cached, since most documents of a run bring the same ones.

    Raises TypeSystemError if the definitions contradict each other.
    """
    definitions = tuple(definitions)
    if not definitions:
        return base
    is_inferred = where.endswith("(inferred)")
    key = id(base), len(base.foreign()), base.priorities, len(TYPES), is_inferred, definitions
    cached = _EXTENDED.get(key)
    if cached is None or cached[2] != len(cached[1].foreign()):
        types = TypeSystem([*base.foreign(), *((t, where) for t in definitions)], base.priorities)
        while len(_EXTENDED) >= _MOST_CACHED:
            del _EXTENDED[next(iter(_EXTENDED))]
        cached = _EXTENDED[key] = base, types, len(types.foreign())  # keeps `base` alive, so that its id() stays unique
    return cached[1]
