"""The feature structures of one view, indexed by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .annotation import Annotation, FeatureStructure
from .index import Index

Rank = Callable[[type[Any]], Any]
"""The sort key of a class among annotations of equal span."""


class TypeIndexes:
    """Annotations in one sorted index per class, other feature structures in one list per class.

    Call `changed()` after a direct change of `annotations`.
    """

    __slots__ = ("_merged", "annotations", "others")

    def __init__(self) -> None:
        self.annotations: dict[type[Annotation], Index[Any]] = {}
        self.others: dict[type[FeatureStructure], list[Any]] = {}
        self._merged: dict[type[FeatureStructure], Index[Any]] = {}
        """Indexes over a class and its subclasses."""

    def changed(self) -> None:
        if self._merged:
            self._merged.clear()

    def put(self, type_: type[Annotation], index: Index[Any]) -> None:
        """Use `index` for the annotations of exactly this class."""
        self.annotations[type_] = index
        self._merged.clear()

    def fill(self, type_: type[FeatureStructure], items: list[Any]) -> None:
        """Index instances of one class; keep the list itself if they are the first annotations of that class."""
        if not issubclass(type_, Annotation):
            self.others.setdefault(type_, []).extend(items)
        elif len(index := self.annotations.setdefault(type_, Index(type_))):
            for item in items:
                index.append(item)
            self._merged.clear()
        else:
            self.put(type_, Index.of(type_, items))

    def of(self, type_: type[Any], rank: Rank) -> Index[Any]:
        """Return the index of the annotations of a class and its subclasses."""
        merged = self._merged.get(type_)
        if merged is not None:
            return merged
        parts = [t for t in self.annotations if issubclass(t, type_)]
        if len(parts) == 1:
            return self.annotations[parts[0]]
        parts.sort(key=rank)
        merged = self._merged[type_] = Index.merged((self.annotations[t] for t in parts), type_)
        return merged

    def others_of(self, type_: type[Any], rank: Rank) -> list[Any]:
        """Return the feature structures without a span of a class and its subclasses."""
        return [x for t in sorted(self.others, key=rank) if issubclass(t, type_) for x in self.others[t]]

    def remove(self, item: FeatureStructure) -> bool:
        """Remove a feature structure, by identity. Return False if it is not indexed."""
        if isinstance(item, Annotation):
            index = self.annotations.get(type(item))
            self._merged.clear()
            return index is not None and index.remove(item)
        items = self.others.get(type(item), [])
        kept = [x for x in items if x is not item]
        if kept:
            self.others[type(item)] = kept
        else:
            self.others.pop(type(item), None)
        return len(kept) < len(items)

    def remove_from_source(self, type_: type[Any], source: str) -> bool:
        """Remove the annotations of exactly this class that one component made. Return False if there are none."""
        index = self.annotations.get(type_)
        removed = index is not None and index.remove_from_source(source)
        if removed:
            self._merged.clear()
        return removed

    def count(self, type_: type[FeatureStructure]) -> int:
        return sum(len(index) for t, index in self.annotations.items() if issubclass(t, type_)) + sum(
            len(items) for t, items in self.others.items() if issubclass(t, type_)
        )

    def types(self, rank: Rank) -> list[type[FeatureStructure]]:
        """Return the classes that have instances, in order of type priority."""
        indexed: list[type[FeatureStructure]] = [t for t, index in self.annotations.items() if len(index)]
        return sorted([*indexed, *(t for t, items in self.others.items() if items)], key=rank)

    def __getstate__(self) -> tuple[Any, Any]:
        return self.annotations, self.others

    def __setstate__(self, state: tuple[Any, Any]) -> None:
        self.annotations, self.others = state
        self._merged = {}


def in_both(items: list[Any], further: list[Any]) -> list[Any]:
    """Return the items that both lists contain, by identity."""
    allowed = {id(a) for a in further}
    return [a for a in items if id(a) in allowed]
