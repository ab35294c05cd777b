"""All types of a type system by name, checked, with their classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .annotation import TYPES, FeatureStructure
from .description import BUILTIN, DOCUMENT_ANNOTATION, TypeDescription, declared, describe, nearest
from .errors import TypeSystemError
from .foreign import ClassSpec, make_class
from .merging import ancestors, is_value, merged_order, union
from .types import TYPE_PRIORITY

_DEFAULT_RANK = {t.uima_name: i for i, t in enumerate(TYPE_PRIORITY)}


def rank_among_equals(name: str) -> tuple[int, str]:
    """Return the sort key of a type among annotations of equal span, by caspipe's own priorities, then by name."""
    return _DEFAULT_RANK.get(name, len(_DEFAULT_RANK)), name


class ResolvedTypes:
    """All types of a type system by name, checked. Nothing is added later; classes and plans are made on demand and cached.

    Raises TypeSystemError if definitions or priorities contradict each other.
    """

    def __init__(
        self, definitions: Sequence[tuple[TypeDescription, str]], priorities: Iterable[tuple[str, ...]]
    ) -> None:
        self.declared_count = len(TYPES)
        """The number of declared classes at the time: a class declared later requires another resolution."""
        ours = [
            (describe(c), "caspipe" if c.__module__.startswith("caspipe.") else c.__module__)
            for c in declared().values()
        ]
        self.types, self.defined_at = union([*ours, *definitions])
        self.ranks = merged_order(priorities, self.types)
        self.plans: dict[Any, Any] = {}
        """The cache of readers and writers for these types."""
        self._classes: dict[str, type[FeatureStructure]] = {}

    def describe(self, name: str) -> TypeDescription:
        """Return the description of a type. Raises TypeSystemError, which suggests the nearest name."""
        if name not in self.types:
            raise TypeSystemError(f"no type called {name}{nearest(name, self.types)}")
        return self.types[name]

    def class_of(self, name: str) -> type[Any]:
        """Return the class of a type. Raises TypeSystemError if the type is unknown or has plain values as instances."""
        cls = self._classes.get(name)
        if cls is None:
            self.describe(name)
            if name == "uima.cas.Sofa" or is_value(self.types, name):
                raise TypeSystemError(f"{name} is a type of values, not of feature structures")
            cls = self._classes[name] = self._make_class(name)
        return cls

    def _make_class(self, name: str) -> type[FeatureStructure]:
        this = self.types[name]
        ours = TYPES.get(name)
        if ours is not None and name in BUILTIN and name != DOCUMENT_ANNOTATION:
            return ours
        parent = self.class_of(this.supertype)
        inherited = {
            f.name for t in [this.supertype, *ancestors(self.types, this.supertype)] for f in self.types[t].features
        }
        features = [f for f in this.features if f.name not in inherited]
        if ours is None:
            return make_class(ClassSpec(name, (_spec_of(parent),), tuple(features), self._is_extensible(name)))
        known = {f.name for f in describe(ours).features}
        extra = tuple(f for f in features if f.name not in known)
        if not extra and issubclass(ours, parent):
            return ours
        bases = (ours,) if issubclass(ours, parent) else (ours, _spec_of(parent))
        try:
            return make_class(ClassSpec(name, bases, extra, self._is_extensible(name)))
        except TypeError:
            raise TypeSystemError(
                f"type {name}: supertype {this.supertype} ({self.defined_at.get(name, 'UIMA itself')}) cannot be joined with "
                "the class of that name"
            ) from None

    def _is_extensible(self, name: str) -> bool:
        """Return whether a declared class must derive from the run-time class of this type as well."""
        return any(name in ancestors(self.types, d) for d in declared() if d in self.types)

    def changes_since(self, before: ResolvedTypes) -> set[str]:
        """Return the names of the types of `before` that have another supertype or other features here, with their subtypes."""
        changed = {n for n, t in self.types.items() if n in before.types and _form(t) != _form(before.types[n])}
        return (
            changed | {n for n in self.types if changed.intersection(ancestors(self.types, n))} if changed else changed
        )

    def rank(self, name: str) -> tuple[int, int, str]:
        """Return the sort key of a type among annotations of equal span: priority lists, caspipe's own order, the name."""
        if self.ranks:
            for t in (name, *ancestors(self.types, name)) if name in self.types else (name,):
                if t in self.ranks:
                    return 0, self.ranks[t], name
        return 1, *rank_among_equals(name)

    def closure(self, names: Iterable[str]) -> set[str]:
        """Return the names of types with everything they refer to: supertypes, ranges and element types."""
        todo, reached = [DOCUMENT_ANNOTATION, *names], set[str]()
        while todo:
            current = self.describe(todo.pop())
            if current.name in reached:
                continue
            reached.add(current.name)
            todo += [r for f in current.features for r in (f.range, f.element) if r]
            todo += [current.supertype] if current.supertype else []
        return reached


def _form(this: TypeDescription) -> tuple[str, set[str]]:
    """Return what of a type its instances depend on."""
    return this.supertype, {f.name for f in this.features}


def _spec_of(cls: type[FeatureStructure]) -> Any:
    return cls.__dict__.get("_spec", cls)
