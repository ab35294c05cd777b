"""The types a document may contain: those declared by Python classes, and foreign ones read from UIMA type system files."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from weakref import WeakSet, WeakValueDictionary

from . import typesystem_xml
from .annotation import TYPES, Annotation, Feature, FeatureStructure
from .description import (
    ANNOTATION,
    BUILTIN,
    DOCUMENT_ANNOTATION,
    TypeDescription,
    check_feature_name,
    check_type_name,
)
from .errors import TypeSystemError
from .merging import ancestors, is_value
from .resolved_types import ResolvedTypes

_WATCHING = Lock()
"""Held while watchers are added or copied: threads may create documents with one type system."""


class Watcher(Protocol):
    """The indexes of a document, which follow changes of its types."""

    def types_changed(self, typesystem: TypeSystem, names: set[str]) -> None:
        """Follow the type system after the named types have changed."""


Ref = str | Path
Definition = tuple[TypeDescription, str]
"""A definition of a type and its place: a file with its line, or a package."""


class TypeSystem:
    """Types by UIMA name: every class declared with `@uima_type`, and the types read from files or created at run time.

    `ts["org.example.Badge"]` is the class. Foreign types get classes made at run time. If a file defines one of caspipe's own
    names with more features, its class derives from caspipe's, so that `view.select(Token)` finds other tools' tokens.
    """

    __slots__ = ("__weakref__", "_definitions", "_pickled", "_resolution", "_watchers", "priorities")

    def __init__(self, types: Iterable[Definition] = (), priorities: Iterable[Sequence[str]] = ()) -> None:
        """`types`: descriptions, each with the place it was read from. Raises TypeSystemError if they contradict each other."""
        self._definitions: list[Definition] = list(types)
        self.priorities: tuple[tuple[str, ...], ...] = tuple(tuple(p) for p in priorities)
        self._pickled: tuple[str, bytes] | None = None
        self._watchers: WeakSet[Watcher] = WeakSet()
        """The indexes of documents with these types."""
        self._resolution = ResolvedTypes(self._definitions, self.priorities)

    def _resolve(self, definitions: list[Definition], priorities: tuple[tuple[str, ...], ...]) -> None:
        """Add the definitions and priorities if they agree with each other; change nothing otherwise."""
        resolution = ResolvedTypes(definitions, priorities)
        self._definitions, self.priorities = definitions, priorities
        self._pickled = None
        self._use(resolution)

    def _use(self, resolution: ResolvedTypes) -> None:
        before, self._resolution = self._resolution, resolution
        names = resolution.changes_since(before)
        declared = list(TYPES)[before.declared_count : resolution.declared_count]
        if names or resolution.ranks != before.ranks or any(name in before.types for name in declared):
            with _WATCHING:
                watchers = list(self._watchers)
            for watcher in watchers:
                watcher.types_changed(self, names)

    @property
    def _resolved(self) -> ResolvedTypes:
        if self._resolution.declared_count != len(TYPES):
            self._use(ResolvedTypes(self._definitions, self.priorities))
        return self._resolution

    # -- documents with these types ------------------------------------------------------------------------------

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` when a type changes, as long as it exists."""
        with _WATCHING:
            self._watchers.add(watcher)

    def refresh(self) -> None:
        """Take in the classes that were declared in the meantime."""
        _ = self._resolved

    def changes_since(self, before: TypeSystem) -> set[str]:
        """Return the names of the types of `before` that have another supertype or other features here, with their subtypes."""
        return self._resolved.changes_since(before._resolved)

    # -- reading and changing ------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Ref, *, search: Iterable[Ref] = (), files: typesystem_xml.Files | None = None) -> TypeSystem:
        """Read a type system file (or a list of type priorities) and everything it imports.

        `search`: folders for imports by name; the file's own folder comes last. `files`: how to read files that are not on
        disk. Raises TypeSystemError, FormatError (damaged XML), OSError.
        """
        parsed = typesystem_xml.load(str(path), [str(s) for s in search], files or typesystem_xml.Disk())
        return cls([t for f in parsed for t in f.types], [p for f in parsed for p in f.priorities])

    @classmethod
    def from_xml(cls, data: bytes, *, where: str = "(bytes)") -> TypeSystem:
        """Read a self-contained type system. Raises TypeSystemError if it imports others, FormatError for damaged XML."""
        parsed = typesystem_xml.parse(data, where)
        if parsed.imports:
            raise TypeSystemError(f"{where}: imports are resolved relative to a file: use TypeSystem.load(path)")
        return cls(parsed.types, parsed.priorities)

    def merge(self, *others: TypeSystem) -> TypeSystem:
        """Return the union. Raises TypeSystemError, which names both definitions of a contradiction and their files."""
        definitions, known = list(self._definitions), _by_name(self._definitions)
        for t, where in (definition for other in others for definition in other._definitions):
            if t not in known.setdefault(t.name, []):
                known[t.name].append(t)
                definitions.append((t, where))
        return TypeSystem(definitions, dict.fromkeys(p for ts in (self, *others) for p in ts.priorities))

    def includes(self, other: TypeSystem) -> bool:
        """Return whether merging with `other` would add nothing."""
        known = _by_name(self._definitions)
        return set(other.priorities) <= set(self.priorities) and all(
            t in known.get(t.name, ()) for t, _ in other._definitions
        )

    def create_type(
        self,
        name: str,
        supertype: str | type[FeatureStructure] = ANNOTATION,
        features: dict[str, str | type[FeatureStructure]] | Iterable[Feature] = (),
        *,
        description: str = "",
        allowed_values: Iterable[str] | None = None,
    ) -> type[Any]:
        """Add a type and return its class. `features`: name to range, or `Feature` objects for arrays and lists.

        Raises TypeSystemError for illegal names, unknown ranges, and contradictions with a type of that name.
        """
        where = f"create_type({name})"
        check_type_name(name, where)
        given = [Feature(n, _name(r)) for n, r in features.items()] if isinstance(features, dict) else list(features)
        for f in given:
            check_feature_name(f.name, name, where)
        allowed = None if allowed_values is None else tuple((v, "") for v in allowed_values)
        added = TypeDescription(name, _name(supertype), tuple(given), description, allowed)
        self._resolve([*self._definitions, (added, where)], self.priorities)
        return str if allowed is not None else self[name]

    def add_priority(self, *types: str | type[Annotation]) -> None:
        """Add the order in which types come among annotations of equal span. Raises TypeSystemError for a contradiction."""
        self._resolve(self._definitions, (*self.priorities, tuple(map(_name, types))))

    # -- types and their features --------------------------------------------------------------------------------

    def __contains__(self, name: object) -> bool:
        return name in self._resolved.types

    def __iter__(self) -> Iterator[str]:
        """Iterate over all names except UIMA's own, sorted."""
        return iter(sorted(n for n in self._resolved.types if n not in BUILTIN))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> type[Any]:
        """Return the class of a type. Raises TypeSystemError if the type is unknown or has plain values as instances."""
        return self._resolved.class_of(name)

    def get(self, name: str, default: type[Any]) -> type[Any]:
        """Return the class of a type, or `default` for an unknown type."""
        resolved = self._resolved
        return resolved.class_of(name) if name in resolved.types else default

    def describe(self, name: str) -> TypeDescription:
        """Return the union of all definitions of a type. Raises TypeSystemError."""
        return self._resolved.describe(name)

    def features(self, name: str) -> dict[str, Feature]:
        """Return the features of a type as files contain them, inherited ones first."""
        return {f.name: f for t in [*reversed(self.supertypes(name)), name] for f in self._resolved.types[t].features}

    def where(self, name: str) -> str:
        """Return where a type is defined: a file with its line, or the package of its class."""
        self.describe(name)
        return self._resolved.defined_at.get(name, "UIMA itself")

    def foreign(self) -> list[Definition]:
        """Return the definitions from files and `create_type`, with their places."""
        return list(self._definitions)

    def defines(self, name: str) -> bool:
        """Return whether a file or `create_type` defines the type, rather than only a class of this process."""
        return any(t.name == name for t, _ in self._definitions)

    def subsumes(self, supertype: str, name: str) -> bool:
        """Return whether `name` is `supertype` or one of its subtypes."""
        self.describe(supertype)
        return supertype == name or supertype in self.supertypes(name)

    def supertypes(self, name: str) -> list[str]:
        """Return the supertypes of a type, nearest first."""
        self.describe(name)
        return ancestors(self._resolved.types, name)

    def subtypes(self, name: str) -> list[str]:
        """Return the subtypes of a type, sorted."""
        self.describe(name)
        types = self._resolved.types
        return sorted(t for t in types if name in ancestors(types, t))

    def range_kind(self, range_: str) -> str:
        """Return the primitive of a range (String for its subtypes), or "" for feature structures, arrays and lists."""
        self.describe(range_)
        return is_value(self._resolved.types, range_)

    def allowed_values(self, name: str) -> tuple[str, ...]:
        """Return the values of a subtype of String; empty for other types."""
        return tuple(v for v, _ in self.describe(name).allowed_values or ())

    def rank(self, type_: type[FeatureStructure]) -> tuple[int, int, str]:
        """Return the sort key among annotations of equal span: priority lists first, then caspipe's order, then the name."""
        return self._resolved.rank(type_.uima_name)

    @property
    def plans(self) -> dict[Any, Any]:
        """The cache of what readers and writers computed for these types; a new one after every change."""
        return self._resolved.plans

    # -- writing -------------------------------------------------------------------------------------------------

    def to_xml(
        self,
        types: Iterable[str | type[FeatureStructure]] | None = None,
        *,
        name: str = "caspipe",
        description: str = "Types of a caspipe document",
    ) -> bytes:
        """Write a UIMA type system file, deterministically: all types, or the given ones with everything they refer to."""
        known = self._resolved.types
        wanted = set(known) if types is None else self.closure(types)
        chosen = [known[n] for n in sorted(wanted) if n not in BUILTIN]
        document_annotation = known[DOCUMENT_ANNOTATION]
        if len(document_annotation.features) > 1 and DOCUMENT_ANNOTATION in wanted:
            chosen.append(document_annotation)
        return typesystem_xml.write(chosen, name, description)

    def closure(self, types: Iterable[str | type[FeatureStructure]]) -> set[str]:
        """Return the names of types with everything they refer to: supertypes, ranges and element types."""
        return self._resolved.closure(map(_name, types))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypeSystem):
            return NotImplemented
        return self._resolved.types == other._resolved.types and self.priorities == other.priorities

    __hash__ = None  # type: ignore[assignment]  # types can be added

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as bytes that are made once: many documents share a type system, and each process builds it once."""
        if self._pickled is None:
            data = pickle.dumps((self._definitions, self.priorities), protocol=5)
            self._pickled = hashlib.sha256(data).hexdigest(), data
        return _restore, self._pickled

    def __repr__(self) -> str:
        return f"<TypeSystem of {len(self)} types>"


_RESTORED: WeakValueDictionary[str, TypeSystem] = WeakValueDictionary()


def _restore(digest: str, data: bytes) -> TypeSystem:
    types = _RESTORED.get(digest)
    if types is None or types._pickled is None or types._pickled[0] != digest:  # a type was added to it
        types = TypeSystem(*pickle.loads(data))
        types._pickled = digest, data
        _RESTORED[digest] = types
    return types


def _by_name(definitions: Iterable[Definition]) -> dict[str, list[TypeDescription]]:
    grouped: dict[str, list[TypeDescription]] = {}
    for t, _ in definitions:
        grouped.setdefault(t.name, []).append(t)
    return grouped


def _name(type_: str | type[FeatureStructure]) -> str:
    return type_ if isinstance(type_, str) else type_.uima_name


@cache
def own_types() -> TypeSystem:
    """Return the type system of the declared classes alone; shared, so do not add to it."""
    return TypeSystem()
