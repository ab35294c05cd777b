"""The feature structures of one view by class; annotations in UIMA order and searched by bisection, behind `View.select`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from operator import attrgetter, lt, sub
from typing import Any, Generic, TypeVar

from .annotation import Annotation, FeatureStructure

A = TypeVar("A", bound=Annotation)


class Index(Generic[A]):
    """The annotations of one type: appended in any order, sorted on first access.

    UIMA order is begin ascending, end descending, then (within a type) insertion. Spans that were added as columns stay
    columns until an annotation object is needed.
    """

    __slots__ = ("_begins", "_columns", "_features", "_items", "_longest", "_make", "_sorted", "type")

    def __init__(self, type_: type[A]) -> None:
        self.type = type_
        self._items: list[A] = []
        self._sorted = True
        self._begins: list[int] | None = None
        self._longest = 0
        self._columns: tuple[list[int], list[int], str, object] | None = None
        self._features: dict[str, list[Any]] = {}
        """Features set by column on spans that are still columns."""

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else len(self._items)

    def append(self, item: A) -> None:
        if self._columns:
            _ = self.items
        self._items.append(item)
        self._sorted = False
        self._begins = None

    def set_columns(self, begins: list[int], ends: list[int], source: str, sofa: object) -> None:
        """Set disjoint sorted spans, without copying the lists. The index must be empty."""
        self._columns = (begins, ends, source, sofa)

    @property
    def has_only_spans(self) -> bool:
        """True if the spans are still columns without features."""
        return self._columns is not None and not self._features

    @property
    def spans_only(self) -> tuple[list[int], list[int], str, object] | None:
        """Begins, ends, source and Sofa of spans that are still columns without features, else None."""
        return None if self._features else self._columns

    def set_feature(self, name: str, values: list[Any]) -> None:
        """Set a feature of every annotation, in UIMA order."""
        if self._columns:
            self._features[name] = values
            return
        for item, value in zip(self.items, values, strict=True):
            setattr(item, name, value)

    def feature(self, name: str) -> list[Any]:
        """Return a feature of every annotation, in UIMA order."""
        if self._columns:
            set_ = self._features.get(name)
            return [self.type.features[name].default] * len(self) if set_ is None else set_
        return [getattr(a, name) for a in self.items]

    def columns(self) -> tuple[list[int], list[int]]:
        """Return begins and ends in UIMA order, without making objects if the spans are columns."""
        if self._columns:
            return self._columns[0], self._columns[1]
        items = self.items
        return [a._begin for a in items], [a._end for a in items]

    @property
    def items(self) -> list[A]:
        """All annotations in UIMA order. This is the index's own list: copy it before changing it."""
        if self._columns:
            begins, ends, source, sofa = self._columns
            self._columns = None
            make = self.type
            self._items = [make(b, e) for b, e in zip(begins, ends, strict=True)]
            for a in self._items:
                a._sofa = sofa  # type: ignore[assignment]
                a._source = source
            for name, values in self._features.items():
                for item, value in zip(self._items, values, strict=True):
                    setattr(item, name, value)
            self._features = {}
        if not self._sorted:
            begins = list(map(_by_begin, self._items))
            if all(map(lt, begins, begins[1:])):  # usually added in order of text: nothing to sort
                self._keep(begins)
            else:
                self._items.sort(key=_by_end, reverse=True)
                self._items.sort(key=_by_begin)
                self._begins = None
            self._sorted = True
        return self._items

    def _keep(self, begins: list[int]) -> list[int]:
        self._begins = begins
        self._longest = max(map(sub, map(_by_end, self._items), begins), default=0)
        return begins

    def _ready(self) -> list[int]:
        items = self.items
        return self._keep(list(map(_by_begin, items))) if self._begins is None else self._begins

    def covered_by(self, begin: int, end: int) -> list[A]:
        """Return the annotations within `begin:end`."""
        begins, items = self._ready(), self._items
        return [a for a in items[bisect_left(begins, begin) : bisect_right(begins, end)] if a._end <= end]

    def covering(self, begin: int, end: int) -> list[A]:
        """Return the annotations that contain `begin:end`."""
        begins, items = self._ready(), self._items
        low = bisect_left(begins, end - self._longest)
        return [a for a in items[low : bisect_right(begins, begin)] if a._end >= end]

    def overlapping(self, begin: int, end: int) -> list[A]:
        """Return the annotations that share a code point with `begin:end`, and empty ones strictly inside it."""
        begins, items = self._ready(), self._items
        low = bisect_left(begins, begin - self._longest)
        return [a for a in items[low : bisect_left(begins, end)] if a._end > begin]

    def remove(self, item: A) -> bool:
        """Remove one annotation, by identity. Return False if it is not in the index."""
        begins, items = self._ready(), self._items
        for i in range(bisect_left(begins, item._begin), bisect_right(begins, item._begin)):
            if items[i] is item:
                del items[i], begins[i]
                return True
        return False

    @staticmethod
    def of(type_: type[A], items: list[A]) -> Index[A]:
        """Return an index that keeps the list itself."""
        index: Index[A] = Index(type_)
        index._items = items
        index._sorted = False
        return index

    def remove_from_source(self, source: str) -> bool:
        """Remove all annotations of one source. Return False if there are none."""
        if self._columns is not None:
            if self._columns[2] != source:
                return False
            self._columns = None
            self._features = {}
            self._begins = None
            return True
        kept = [a for a in self._items if a._source != source]
        if len(kept) == len(self._items):
            return False
        self._items = kept
        self._begins = None
        return True

    @staticmethod
    def merged(indexes: Iterable[Index[A]], type_: type[A]) -> Index[A]:
        """Return one index over several types, given in order of type priority."""
        whole: Index[A] = Index(type_)
        for index in indexes:
            whole._items.extend(index.items)
        whole._sorted = False  # stable sort: equal spans keep the order of types, then of insertion
        return whole


class LazyIndex(Index[A]):
    """An index whose annotations are made on first access; an ordinary index from then on."""

    __slots__ = ()

    def __init__(self, type_: type[A], make: Callable[[], Index[A]]) -> None:
        self.type = type_
        self._make: Callable[[], Index[A]] = make

    def __getattr__(self, name: str) -> Any:
        """Make the annotations when a method needs one of the attributes that `__init__` left out."""
        if name not in Index.__slots__ or name == "_make":
            raise AttributeError(name)
        index = self._make()
        for slot in ("_begins", "_columns", "_features", "_items", "_longest", "_sorted"):
            setattr(self, slot, getattr(index, slot))
        del self._make  # frees what the annotations were made from
        return getattr(self, name)


_by_begin = attrgetter("_begin")  # stays in C: no Python frame per annotation
_by_end = attrgetter("_end")


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
