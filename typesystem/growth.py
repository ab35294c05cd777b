"""The feature structures of a view by class, which follow the types of their document: nothing is lost if a type grows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .annotation import TYPES
from .errors import TypeSystemError
from .foreign import ForeignType, grown_class
from .index import Index
from .references import may_refer, reachable
from .typesystem import TypeSystem

Class = type[Any]


class GrowingIndexes:
    """The indexes of a view by class. A class that the type system replaces gives its instances to the class that it has now.

    The instances stay the same objects; their class becomes one with the further features.
    """

    __slots__ = ("__weakref__", "_declared", "annotations", "moved", "others", "typesystem")

    def __init__(self, typesystem: TypeSystem | None = None) -> None:
        self.annotations: dict[Class, Index[Any]] = {}
        self.others: dict[Class, list[Any]] = {}
        self.moved: dict[Class, Class] = {}
        """The class in whose index instances of a replaced class are."""
        self._follow(typesystem)

    def _follow(self, typesystem: TypeSystem | None) -> None:
        self.typesystem = typesystem
        self._declared = len(TYPES)
        if typesystem is not None:
            typesystem.watch(self)

    def set_typesystem(self, typesystem: TypeSystem | None) -> None:
        """Use another type system: it decides names and type priorities."""
        before = self.typesystem
        self._follow(typesystem)
        self.changed()
        self._grow(set() if before is None or typesystem is None else typesystem.changes_since(before))

    def types_changed(self, typesystem: TypeSystem, names: set[str]) -> None:
        """Follow the type system after some of its types have changed."""
        if typesystem is self.typesystem:
            self.changed()
            self._grow(names)

    def refresh(self) -> None:
        """Follow the classes that were declared in the meantime."""
        if self.typesystem is not None:
            self.typesystem.refresh()
        elif self._declared != len(TYPES):
            self._declared = len(TYPES)
            self.changed()
            self._grow(set())

    def changed(self) -> None:
        """Forget what was computed from the types and their indexes. Call it after a direct change of `annotations`."""

    def _grow(self, names: set[str]) -> None:
        """Give the instances of run-time classes, and of the named types, the features that their types have now."""
        for cls in (*self.annotations, *self.others):
            if (isinstance(cls, ForeignType) or cls.uima_name in names) and (key := self._class_now(cls)) is not cls:
                self._move(cls, key)
        for name in sorted(names & TYPES.keys()):  # instances of a declared class may come later
            if (key := self._class_now(TYPES[name])) is not TYPES[name]:
                self.moved[TYPES[name]] = key
        if names:
            for item in reachable(self.roots()):
                cls = type(item)
                if cls.uima_name in names and (key := self._class_now(cls)) is not cls:
                    self._convert(item, key)

    def _class_now(self, cls: Class) -> Class:
        """Return the class that the type system has now for the type of a class; the class itself if it has all its features."""
        if "uima_name" not in cls.__dict__:  # a subclass without a type of its own
            return cls
        try:
            source: Any = TYPES if self.typesystem is None else self.typesystem
            now: Class = source.get(cls.uima_name, cls)
        except TypeSystemError:  # no class can be made: the instances stay as they are
            return cls
        return cls if issubclass(cls, now) else now

    def _move(self, cls: Class, key: Class) -> None:
        """Move the instances of a class to the index of another."""
        self.moved = {c: key if k is cls else k for c, k in self.moved.items() if c is not key}
        self.moved[cls] = key
        self.changed()
        if cls in self.annotations:
            index = self.annotations.pop(cls)
            for item in index.items:
                self._convert(item, key)
            if key in self.annotations:
                for item in index.items:
                    self.annotations[key].append(item)
            else:
                index.type = key
                self.annotations[key] = index
        if cls in self.others:
            items = self.others.pop(cls)
            for item in items:
                self._convert(item, key)
            self.others.setdefault(key, []).extend(items)

    def _convert(self, item: Any, key: Class) -> None:
        cls = self._stand_in(type(item), key)
        if cls is not type(item):
            item.__class__ = cls

    def _stand_in(self, cls: Class, key: Class) -> Class:
        """Return the class with the features of `key` that instances of `cls` can get."""
        if cls is key:
            return cls
        become = grown_class(cls, key)
        for c in (cls, become):
            if self.moved.get(c) is not key:
                self.moved[c] = key
                self.changed()
        return become

    def _key(self, cls: Class) -> Class:
        """Return the class in whose index instances of a class are."""
        if cls in self.annotations or cls in self.others:
            return cls
        key = self.moved.get(cls)
        if key is None:
            self.refresh()
            key = self._class_now(cls) if isinstance(cls, ForeignType) else cls
        return key

    def roots(self) -> Iterable[Any]:
        """Return everything indexed that may refer to something."""
        for cls, index in self.annotations.items():
            if may_refer(cls):
                yield from index.items
        for items in self.others.values():
            yield from items
