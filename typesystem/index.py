"""The annotations of one type in a view: in UIMA order, searched by bisection, and as columns until objects are needed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter, lt, sub
from typing import Any, Generic, TypeVar, overload

from .annotation import Annotation, required
from .text import MANY

A = TypeVar("A", bound=Annotation)
_MOST_INSERTED = 500
"""Up to this number of new annotations, and up to an eighth of the others, each is inserted on its own; more are sorted."""


class Index(Generic[A]):
    """The annotations of one type: appended in any order, brought into order on the next access.

    UIMA order is begin ascending, end descending, then (within a type) insertion. Spans that were added as columns stay
    columns until an annotation object is needed.
    """

    __slots__ = ("_begins", "_columns", "_features", "_items", "_longest", "_make", "_tail", "type")

    def __init__(self, type_: type[A]) -> None:
        self.type = type_
        self._items: list[A] = []
        self._tail: list[A] = []
        """Appended since the last access, in order of insertion; always the same list."""
        self._begins: list[int] | None = None
        self._longest = 0
        self._columns: tuple[list[int], list[int], str, object] | None = None
        self._features: dict[str, list[Any]] = {}
        """Features set by column on spans that are still columns."""

    is_behind = False
    """True if so many annotations were appended that the index must be made again."""

    def covers(self, cls: type[Any]) -> bool:
        """Return whether annotations of a class belong to this index."""
        return cls is self.type or cls.uima_name == self.type.uima_name

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else len(self._items) + len(self._tail)

    @property
    def append(self) -> Callable[[A], None]:
        """The function that appends an annotation. It stays valid while others use the index."""
        if self._columns:
            self._make_objects()
        return self._tail.append

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
        """All annotations in UIMA order. This is the index's own list: copy it before changing it or the index."""
        if self._columns:
            self._make_objects()
        if self._tail:
            if len(self._tail) <= self._most_inserted:
                begins = self._begins or self._keep(list(map(_by_begin, self._items)))
                for item in self._tail:
                    self._insert(item, begins)
            else:
                self._sort(self._tail)
            self._tail.clear()
        return self._items

    @property
    def _most_inserted(self) -> int:
        return min(len(self._items) // 8, _MOST_INSERTED)

    @property
    def rows(self) -> Sequence[A]:
        """All annotations in UIMA order, to be read one after the other: columns stay columns. Do not change or keep them."""
        return Rows(self._made, len(self)) if self._columns else self.items

    def _make_objects(self) -> None:
        self._items = self._made(slice(None))
        self._columns = None
        self._features = {}

    def _made(self, part: slice) -> list[A]:
        """Return new annotations from a part of the columns; the objects if they were made meanwhile."""
        if self._columns is None:
            return self.items[part]
        begins, ends, source, sofa = self._columns
        make: Any = self.type
        needed = [name for name in self._features if name in required(self.type)] if self._features else []
        if needed:
            values = zip(*(self._features[name][part] for name in needed), strict=True)
            spans = zip(begins[part], ends[part], values, strict=True)
            items = [make(b, e, **dict(zip(needed, given, strict=True))) for b, e, given in spans]
        else:
            items = [make(b, e) for b, e in zip(begins[part], ends[part], strict=True)]
        for a in items:
            a._sofa = sofa
            a._source = source
        for name, column in self._features.items():
            if name not in needed:
                for item, value in zip(items, column[part], strict=True):
                    setattr(item, name, value)
        return items

    def _sort(self, tail: list[A]) -> None:
        """Sort everything. The sort is stable, so equal spans keep the order of insertion."""
        self._items += tail
        begins = list(map(_by_begin, self._items))
        if all(map(lt, begins, begins[1:])):  # usually added in order of text: nothing to sort
            self._keep(begins)
        else:
            self._items.sort(key=_by_end, reverse=True)
            self._items.sort(key=_by_begin)
            self._begins = None

    def _insert(self, item: A, begins: list[int]) -> None:
        """Insert one annotation after those of an equal span."""
        begin, end = item._begin, item._end
        at = bisect_right(begins, begin)
        if at and begins[at - 1] == begin:
            at = bisect_right(self._items, -end, bisect_left(begins, begin), at, key=_by_negative_end)
        at = self._after_equals(item, at)
        self._items.insert(at, item)
        begins.insert(at, begin)
        self._longest = max(self._longest, end - begin)

    def _after_equals(self, item: A, at: int) -> int:
        """Return the position of a new annotation, given the position after all equal spans."""
        return at

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

    def _find(self, item: A) -> int:
        """Return the position of an annotation, by identity; -1 if it is not in the index."""
        begins, items = self._ready(), self._items
        low, high = bisect_left(begins, item._begin), bisect_right(begins, item._begin)
        if high - low > 8:
            low = bisect_left(items, -item._end, low, high, key=_by_negative_end)
            high = bisect_right(items, -item._end, low, high, key=_by_negative_end)
        return next((i for i in range(low, high) if items[i] is item), -1)

    def __contains__(self, item: A) -> bool:
        return self._find(item) >= 0

    def remove(self, item: A) -> bool:
        """Remove one annotation, by identity. Return False if it is not in the index."""
        at = self._find(item)
        if at < 0:
            return False
        del self._items[at], self._ready()[at]
        return True

    @staticmethod
    def of(type_: type[A], items: list[A]) -> Index[A]:
        """Return an index of some annotations in any order."""
        index: Index[A] = Index(type_)
        index._tail = items[:]
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
        items = self.items
        kept = [a for a in items if a._source != source]
        if len(kept) == len(items):
            return False
        self._items = kept
        self._begins = None
        return True


class Rows(Sequence[A]):
    """Annotations that are columns, each made when it is read."""

    def __init__(self, make: Callable[[slice], list[A]], count: int) -> None:
        self._make, self._count = make, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> A: ...
    @overload
    def __getitem__(self, at: slice) -> list[A]: ...
    def __getitem__(self, at: int | slice) -> A | list[A]:
        if isinstance(at, slice):
            return self._make(at)
        if not -self._count <= at < self._count:
            raise IndexError(f"{at} of {self._count} annotations")
        at %= self._count
        return self._make(slice(at, at + 1))[0]

    def __iter__(self) -> Iterator[A]:
        for first in range(0, self._count, MANY):
            yield from self._make(slice(first, first + MANY))


class MergedIndex(Index[Any]):
    """The annotations of several types, in UIMA order: of equal spans, those of the type that comes first in priority."""

    __slots__ = ("_position",)

    def __init__(self, type_: type[Any], parts: Iterable[Index[Any]], position: dict[type[Any], int]) -> None:
        """`parts`: in order of type priority; `position`: the index of the part that each class belongs to."""
        super().__init__(type_)
        self._position = position
        self._sort([item for part in parts for item in part.items])

    def covers(self, cls: type[Any]) -> bool:
        return cls in self._position

    @property
    def is_behind(self) -> bool:  # type: ignore[override]
        return len(self._tail) > self._most_inserted

    def _after_equals(self, item: Any, at: int) -> int:
        items, position = self._items, self._position
        own = position[type(item)]
        while at and items[at - 1]._begin == item._begin and items[at - 1]._end == item._end:
            if position[type(items[at - 1])] <= own:
                break
            at -= 1
        return at


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
        for slot in ("_begins", "_columns", "_features", "_items", "_longest", "_tail"):
            setattr(self, slot, getattr(index, slot))
        del self._make  # frees what the annotations were made from
        return getattr(self, name)


_by_begin = attrgetter("_begin")  # stays in C: no Python frame per annotation
_by_end = attrgetter("_end")


def _by_negative_end(item: Annotation) -> int:
    return -item._end
