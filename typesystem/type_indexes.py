"""Everything indexed in one view, by type."""

from __future__ import annotations

from typing import Any

from .annotation import Annotation, FeatureStructure
from .growth import Class, GrowingIndexes
from .index import Index, MergedIndex
from .resolved_types import rank_among_equals
from .typesystem import TypeSystem


class TypeIndexes(GrowingIndexes):
    """Annotations in one sorted index per type, other feature structures in one list per type.

    Instances of classes that the type system replaced, because their type grew, are in the index of the class that it has now.
    """

    __slots__ = ("_known", "_over", "_parts", "_whole")

    def __init__(self, typesystem: TypeSystem | None = None) -> None:
        self._known: set[int] | None = None
        """`id()` of everything in `others`, computed when something is added."""
        self._whole: dict[Class, Index[Any]] = {}
        """The index over a type and its subtypes."""
        self._over: dict[Class, list[MergedIndex]] = {}
        """The merged indexes over a class; always the same list, which `add_all` holds while others may look."""
        self._parts: dict[Class, list[Class]] = {}
        """The classes with instances of a type and its subtypes, in order of type priority."""
        super().__init__(typesystem)  # last: from now on, the type system may call

    def changed(self) -> None:
        self._forget_merged()
        self._parts.clear()

    def _forget_merged(self) -> None:
        self._whole.clear()
        for merged in self._over.values():
            merged.clear()

    # -- changing ------------------------------------------------------------------------------------------------

    def receiver(self, cls: Class) -> tuple[Index[Any], list[MergedIndex], Class]:
        """Return the index for annotations of a class, the merged indexes over it, and the class that instances get there."""
        key = self._key(cls)
        if key not in self.annotations:
            self.put(key, Index(key))
        become = self._stand_in(cls, key)
        return self.annotations[key], self._over.setdefault(key, []), become

    def add_other(self, item: Any) -> None:
        """Index a feature structure without a span, unless it is indexed already."""
        if self._known is None:
            self._known = {id(x) for items in self.others.values() for x in items}
        if id(item) in self._known:
            return
        self._known.add(id(item))
        key = self._key(type(item))
        self._convert(item, key)
        if key not in self.others:
            self.others[key] = []
            self.changed()
        self.others[key].append(item)

    def put(self, type_: Class, index: Index[Any]) -> None:
        """Use `index` for the annotations of exactly this class."""
        self.annotations[type_] = index
        self.changed()

    def fill(self, type_: type[FeatureStructure], items: list[Any]) -> None:
        """Index instances of one class, without checks."""
        self.changed()
        if not issubclass(type_, Annotation):
            self.others.setdefault(type_, []).extend(items)
            self._known = None
        elif len(index := self.annotations.setdefault(type_, Index(type_))):
            for item in items:
                index.append(item)
        else:
            self.put(type_, Index.of(type_, items))

    def remove(self, item: FeatureStructure) -> bool:
        """Remove a feature structure, by identity. Return False if it is not indexed."""
        key = self._key(type(item))
        if isinstance(item, Annotation):
            index = self.annotations.get(key)
            if index is None or not index.remove(item):
                return False
            over = self._over.get(key, [])
            if any(merged.is_behind for merged in over):
                self._forget_merged()
            for merged in over:
                merged.remove(item)
            return True
        items = self.others.get(key, [])
        kept = [x for x in items if x is not item]
        if len(kept) == len(items):
            return False
        self.others[key] = kept
        if self._known is not None:
            self._known.discard(id(item))
        return True

    def remove_from_source(self, type_: type[FeatureStructure], source: str) -> bool:
        """Remove the annotations of exactly this type that one component made. Return False if there are none."""
        removed = [index.remove_from_source(source) for index in self.exactly(type_)]
        if any(removed):
            self._forget_merged()
        return any(removed)

    # -- looking -------------------------------------------------------------------------------------------------

    def __contains__(self, item: FeatureStructure) -> bool:
        key = self._key(type(item))
        if isinstance(item, Annotation):
            return key in self.annotations and item in self.annotations[key]
        return any(x is item for x in self.others.get(key, ()))

    def has(self, type_: Class) -> bool:
        """Return whether a type has instances, without its subtypes."""
        return any(map(len, self.exactly(type_)))

    def exactly(self, type_: type[FeatureStructure]) -> list[Index[Any]]:
        """Return the indexes of a type without its subtypes."""
        name = type_.uima_name
        return [index for cls, index in self.annotations.items() if cls is type_ or cls.uima_name == name]

    def rank(self, cls: Class) -> Any:
        """Return the sort key of a class among annotations of equal span."""
        return rank_among_equals(cls.uima_name) if self.typesystem is None else self.typesystem.rank(cls)

    def parts(self, type_: Class) -> list[Class]:
        """Return the classes with instances of a type and its subtypes, in order of type priority.

        The names decide, so classes of one type that differ in their features are all found.
        """
        self.refresh()
        parts = self._parts.get(type_)
        if parts is None:
            name = type_.uima_name if "uima_name" in type_.__dict__ else None  # a subclass without a type of its own
            every = dict.fromkeys((*self.annotations, *self.others))
            parts = [cls for cls in every if issubclass(cls, type_) or name in self._names(cls)]
            self._parts[type_] = parts = sorted(parts, key=self.rank)
        return parts

    def _names(self, cls: Class) -> set[str]:
        """Return the names of the type of a class and its supertypes."""
        names = {c.uima_name for c in cls.__mro__ if issubclass(c, FeatureStructure)}
        if self.typesystem is not None and cls.uima_name in self.typesystem:
            names.update(self.typesystem.supertypes(cls.uima_name))
        return names

    def of(self, type_: Class) -> Index[Any]:
        """Return the index of the annotations of a type and its subtypes."""
        self.refresh()
        whole = self._whole.get(type_)
        if whole is None or whole.is_behind:
            parts = [cls for cls in self.parts(type_) if cls in self.annotations]
            if len(parts) == 1:
                whole = self.annotations[parts[0]]
            else:
                position = {cls: i for i, cls in enumerate(parts)}
                position.update({cls: position[key] for cls, key in self.moved.items() if key in position})
                behind, whole = whole, MergedIndex(type_, [self.annotations[cls] for cls in parts], position)
                for cls in parts:
                    over = self._over.setdefault(cls, [])
                    over[:] = [*(m for m in over if m is not behind), whole]
            self._whole[type_] = whole
        return whole

    def others_of(self, type_: Class) -> list[Any]:
        """Return the feature structures without a span of a type and its subtypes."""
        return [x for cls in self.parts(type_) if cls in self.others for x in self.others[cls]]

    def count(self, type_: Class) -> int:
        parts = self.parts(type_)
        return sum(len(self.annotations.get(cls, ())) + len(self.others.get(cls, ())) for cls in parts)

    def types(self) -> list[type[FeatureStructure]]:
        """Return the types that have instances, in order of type priority."""
        return [c for c in self.parts(FeatureStructure) if len(self.annotations.get(c, ())) or self.others.get(c)]

    def __getstate__(self) -> tuple[Any, ...]:
        return self.annotations, self.others, self.moved

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__()  # type: ignore[misc]  # the document restores its type system
        self.annotations, self.others, self.moved = state


def in_both(items: list[Any], further: list[Any]) -> list[Any]:
    """Return the items that both lists contain, by identity."""
    allowed = {id(a) for a in further}
    return [a for a in items if id(a) in allowed]
