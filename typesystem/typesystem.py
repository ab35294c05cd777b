"""The types a document may hold: those declared by classes, and foreign ones read from UIMA's type system files."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from .annotation import TYPES, Annotation, Feature, FeatureStructure
from .description import (
    ANNOTATION,
    BUILTIN,
    DOCUMENT_ANNOTATION,
    TypeDescription,
    check_feature_name,
    check_type_name,
    declared,
    describe,
    nearest,
)
from .errors import TypeSystemError
from .foreign import ClassSpec, make_class
from .merging import ancestors, is_value, union
from .priorities import merged_order
from .types import TYPE_PRIORITY

if TYPE_CHECKING:
    from .typesystem_xml import Files

Ref = str | Path
OURS = "caspipe"


class TypeSystem:
    """Types by UIMA name: every class declared with `@uima_type`, and what was read or created beyond them.

    `ts["org.example.Badge"]` is the class. Foreign types get classes made at run time; where a file defines one of our own
    names with more features, its class derives from ours, so that `view.select(Token)` finds other tools' tokens.
    """

    __slots__ = (
        "__weakref__", "_classes", "_foreign", "_known", "_packed", "_ranks", "_types", "_where", "plans", "priorities",
    )  # fmt: skip

    def __init__(
        self, types: Iterable[tuple[TypeDescription, str]] = (), priorities: Iterable[Sequence[str]] = ()
    ) -> None:
        """`types`: descriptions with the place that defines them. Raises TypeSystemError where they contradict."""
        self._foreign = list(types)
        self.priorities: tuple[tuple[str, ...], ...] = tuple(tuple(p) for p in priorities)
        self._known = -1
        self._refresh()

    # -- making --------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: Ref, *, search: Iterable[Ref] = (), files: Files | None = None) -> TypeSystem:
        """Reads a type system file (or a list of type priorities) and everything it imports.

        `search`: folders for imports by name; the file's own folder comes last. `files`: how files are read that do not lie
        on the disk. Raises TypeSystemError, FormatError (damaged
        XML), OSError.
        """
        from . import typesystem_xml as xml

        found = xml.load(str(path), [str(s) for s in search], files or xml.Disk())
        return cls([t for f in found for t in f.types], [p for f in found for p in f.priorities])

    @classmethod
    def from_xml(cls, data: bytes, *, where: str = "(bytes)") -> TypeSystem:
        """Reads a self-contained type system. Raises TypeSystemError where it imports others, FormatError for damaged XML."""
        from . import typesystem_xml as xml

        parsed = xml.parse(data, where)
        if parsed.imports:
            raise TypeSystemError(f"{where}: imports are resolved relative to a file: use TypeSystem.load(path)")
        return cls(parsed.types, parsed.priorities)

    def merge(self, *others: TypeSystem) -> TypeSystem:
        """The union, a new type system. Raises TypeSystemError naming both definitions and both files of a contradiction."""
        types = list(self._foreign)
        said: dict[str, list[TypeDescription]] = {}
        for t, _ in types:
            said.setdefault(t.name, []).append(t)
        for t, where in [t for other in others for t in other._foreign]:
            if t not in said.setdefault(t.name, []):
                said[t.name].append(t)
                types.append((t, where))
        return TypeSystem(types, dict.fromkeys(p for ts in (self, *others) for p in ts.priorities))

    def includes(self, other: TypeSystem) -> bool:
        """Whether `merge` with it would add nothing."""
        said: dict[str, list[TypeDescription]] = {}
        for t, _ in self._foreign:
            said.setdefault(t.name, []).append(t)
        return all(t in said.get(t.name, ()) for t, _ in other._foreign) and all(
            p in self.priorities for p in other.priorities
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
        """Adds a type and returns its class. `features`: name to range, or `Feature` objects for arrays and lists.

        Raises TypeSystemError for illegal names, unknown ranges, and contradictions with a type of that name.
        """
        where = f"create_type({name})"
        check_type_name(name, where)
        given = (
            [Feature(n, r if isinstance(r, str) else r.uima_name) for n, r in features.items()]
            if isinstance(features, dict)
            else list(features)
        )
        for f in given:
            check_feature_name(f.name, name, where)
        above = supertype if isinstance(supertype, str) else supertype.uima_name
        allowed = None if allowed_values is None else tuple((v, "") for v in allowed_values)
        added = TypeDescription(name, above, tuple(given), description, allowed)
        self._foreign.append((added, where))
        try:
            self._refresh(force=True)
        except TypeSystemError:
            self._foreign.pop()
            self._refresh(force=True)
            raise
        return str if allowed is not None else self[name]

    def add_priority(self, *types: str | type[Annotation]) -> None:
        """Says in which order types come among annotations of equal span. Raises TypeSystemError for a contradiction."""
        order = tuple(t if isinstance(t, str) else t.uima_name for t in types)
        before = self.priorities
        self.priorities = (*before, order)
        try:
            self._refresh(force=True)
        except TypeSystemError:
            self.priorities = before
            self._refresh(force=True)
            raise

    def _refresh(self, *, force: bool = False) -> None:
        if self._known == len(TYPES) and not force:
            return
        ours = [
            (describe(c), OURS if c.__module__.startswith("caspipe.") else c.__module__) for c in declared().values()
        ]
        self._types, self._where = union([*ours, *self._foreign])
        self._classes: dict[str, type[FeatureStructure]] = {}
        self.plans: dict[Any, Any] = {}
        """What readers and writers worked out about these types."""
        self._packed: tuple[str, bytes] | None = None
        self._ranks = merged_order(self.priorities, self._types)
        self._known = len(TYPES)

    # -- looking -------------------------------------------------------------------------------------------------

    def __contains__(self, name: object) -> bool:
        self._refresh()
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        """All names but UIMA's own, sorted."""
        self._refresh()
        return iter(sorted(n for n in self._types if n not in BUILTIN))

    def __getitem__(self, name: str) -> type[Any]:
        """The class of a type. Raises TypeSystemError, with the nearest name, for an unknown one or one of plain values."""
        found = self._classes.get(name) if self._known == len(TYPES) else None
        if found is None:
            self._refresh()
            if name not in self._types:
                raise TypeSystemError(f"no type called {name}{nearest(name, self._types)}")
            if name == "uima.cas.Sofa" or is_value(self._types, name):
                raise TypeSystemError(f"{name} is a type of values, not of feature structures")
            found = self._classes[name] = self._class(name)
        return found

    def describe(self, name: str) -> TypeDescription:
        """What a type is, all definitions taken together. Raises TypeSystemError."""
        self._refresh()
        if name not in self._types:
            raise TypeSystemError(f"no type called {name}{nearest(name, self._types)}")
        return self._types[name]

    def features(self, name: str) -> dict[str, Feature]:
        """The features of a type as they stand in files, inherited ones first."""
        self.describe(name)
        chain = [*reversed(ancestors(self._types, name)), name]
        return {f.name: f for t in chain for f in self._types[t].features}

    def where(self, name: str) -> str:
        """Who defines a type: a file with its line, or the package of its class."""
        self.describe(name)
        return self._where.get(name, "UIMA itself")

    def foreign(self) -> list[tuple[TypeDescription, str]]:
        """The definitions from files and `create_type`, with their places."""
        return list(self._foreign)

    def defines(self, name: str) -> bool:
        """Whether a file or `create_type` defines the type, not only a class of this process."""
        return any(t.name == name for t, _ in self._foreign)

    def subsumes(self, above: str, name: str) -> bool:
        """Whether `name` is `above` or a type below it."""
        self.describe(above)
        self.describe(name)
        return above == name or above in ancestors(self._types, name)

    def supertypes(self, name: str) -> list[str]:
        """The types above one, nearest first."""
        self.describe(name)
        return ancestors(self._types, name)

    def subtypes(self, name: str) -> list[str]:
        """The types below one, sorted."""
        self.describe(name)
        return sorted(t for t in self._types if name in ancestors(self._types, t))

    def range_kind(self, range_: str) -> str:
        """`uima.cas.String` and the like for values (also for value lists), empty for feature structures, arrays and lists."""
        self.describe(range_)
        return is_value(self._types, range_)

    def allowed_values(self, name: str) -> tuple[str, ...]:
        """The values of a subtype of String; empty for other types."""
        return tuple(v for v, _ in self.describe(name).allowed_values or ())

    def rank(self, type_: type[FeatureStructure]) -> tuple[int, int, str]:
        """Sort key among annotations of equal span: priority lists first, then our own order, then the name."""
        name = type_.uima_name
        if self._ranks:
            for t in (name, *ancestors(self._types, name)) if name in self._types else (name,):
                if t in self._ranks:
                    return 0, self._ranks[t], name
        return 1, _DEFAULT_RANK.get(name, len(_DEFAULT_RANK)), name

    def to_xml(
        self,
        types: Iterable[str | type[FeatureStructure]] | None = None,
        *,
        name: str = "caspipe",
        description: str = "Types of a caspipe document",
    ) -> bytes:
        """The type system as a UIMA file: everything, or the given types with all they refer to. The same bytes each time."""
        from .typesystem_xml import write

        self._refresh()
        wanted = set(self._types) if types is None else self.closure(types)
        document_annotation = self._types[DOCUMENT_ANNOTATION]
        chosen = [self._types[n] for n in sorted(wanted) if n not in BUILTIN]
        if len(document_annotation.features) > 1 and DOCUMENT_ANNOTATION in wanted:
            chosen.append(document_annotation)
        return write(chosen, name, description)

    def closure(self, types: Iterable[str | type[FeatureStructure]]) -> set[str]:
        """The names of some types with all that they refer to: supertypes, ranges, element types."""
        todo = [t if isinstance(t, str) else t.uima_name for t in types]
        found = {DOCUMENT_ANNOTATION}
        while todo:
            current = self.describe(todo.pop())
            if current.name in found and current.name != DOCUMENT_ANNOTATION:
                continue
            found.add(current.name)
            refers = [
                current.supertype,
                *(f.range for f in current.features),
                *(f.element or "" for f in current.features),
            ]
            todo += [r for r in refers if r and r not in found]
        return found

    # -- inside --------------------------------------------------------------------------------------------------

    def _class(self, name: str) -> type[FeatureStructure]:
        this = self._types[name]
        ours = TYPES.get(name)
        if ours is not None and name in BUILTIN and name != DOCUMENT_ANNOTATION:
            return ours
        above: type[Any] = self[this.supertype]
        features = [f for f in this.features if f.name not in self.features(this.supertype)]
        if ours is None:
            return make_class(ClassSpec(name, (_ref(above),), tuple(features), self._extensible(name)))
        known = {f.name for f in describe(ours).features}
        extra = tuple(f for f in features if f.name not in known)
        if not extra and issubclass(ours, above):
            return ours
        bases = (ours,) if issubclass(ours, above) else (ours, _ref(above))
        try:
            return make_class(ClassSpec(name, bases, extra, self._extensible(name)))
        except TypeError:
            raise TypeSystemError(
                f"type {name}: supertype {this.supertype} ({self.where(name)}) cannot be joined with the class of that name"
            ) from None

    def _extensible(self, name: str) -> bool:
        """Whether one of our classes must derive from this type's run-time class as well."""
        return any(name in ancestors(self._types, d) for d in declared() if d in self._types)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypeSystem):
            return NotImplemented
        self._refresh()
        other._refresh()
        return self._types == other._types and self.priorities == other.priorities

    __hash__ = None  # type: ignore[assignment]  # types can be added

    def __reduce__(self) -> tuple[Any, ...]:
        """As bytes, packed once: many documents share a type system, and a process builds it once."""
        if self._packed is None:
            data = pickle.dumps((self._foreign, self.priorities), protocol=5)
            self._packed = hashlib.sha256(data).hexdigest(), data
        return _restore, self._packed

    def __repr__(self) -> str:
        return f"<TypeSystem of {len(self)} types>"


_RESTORED: WeakValueDictionary[str, TypeSystem] = WeakValueDictionary()


def _restore(digest: str, data: bytes) -> TypeSystem:
    found = _RESTORED.get(digest)
    if found is None or (found._packed is not None and found._packed[0] != digest):
        found = TypeSystem(*pickle.loads(data))
        found._packed = digest, data
        _RESTORED[digest] = found
    return found


_DEFAULT_RANK = {t.uima_name: i for i, t in enumerate(TYPE_PRIORITY)}


def _ref(cls: type[FeatureStructure]) -> Any:
    return cls.__dict__.get("_spec", cls)


_OWN: TypeSystem | None = None


def own_types() -> TypeSystem:
    """The type system of the declared classes alone; shared, so do not add to it."""
    global _OWN
    if _OWN is None:
        _OWN = TypeSystem()
    return _OWN
