"""Pickle documents whose feature structures form long chains as flat rows: pickle itself would recurse too deeply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from .annotation import TYPES, FeatureStructure
from .arrays import ArrayBase, FSArray, ListBase
from .description import ARRAYS, PRIMITIVES
from .index import Index
from .origin import Origin
from .view import View

_MAY_CHAIN: WeakKeyDictionary[type[Any], bool] = WeakKeyDictionary()
_VALUES = PRIMITIVES | (ARRAYS - {"uima.cas.FSArray"})


def may_chain(cls: type[FeatureStructure]) -> bool:
    """Return whether instances can be links of a chain, which may be as long as the document."""
    result = _MAY_CHAIN.get(cls)
    if result is None:
        foreign = "_spec" in cls.__dict__
        result = _MAY_CHAIN[cls] = issubclass(cls, ListBase) or any(
            f.range not in _VALUES and (foreign or f.range not in TYPES or _refers(TYPES[f.range]))
            for f in cls.features.values()
        )
    return result


def _refers(cls: type[FeatureStructure]) -> bool:
    """Return whether a value of this range may hold references: all but declared types with primitive features only."""
    return not cls.features or any(f.range not in _VALUES for f in cls.features.values())


class Ref:
    """A reference to a feature structure by its row."""

    __slots__ = ("row",)

    def __init__(self, row: int) -> None:
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return Ref, (self.row,)


class _Packer:
    """Converts feature structures to rows of (class, state, elements), with a `Ref` for each feature structure they hold."""

    def __init__(self) -> None:
        self._row_of: dict[int, Ref] = {}
        self._queue: list[Any] = []
        self._lists: dict[int, list[Any]] = {}
        self._seen: list[Any] = []
        """The lists of `_lists`, kept alive so that their `id()` stays unique."""

    def pack(self, value: Any) -> Any:
        """Return the value with references in place of feature structures, which are queued. Lists keep their identity."""
        kind = type(value)
        if kind is str or kind is int or value is None:
            return value
        if isinstance(value, FeatureStructure):
            if isinstance(value, ArrayBase) and not isinstance(value, FSArray):
                return value  # holds values only
            ref = self._row_of.get(id(value))
            if ref is None:
                ref = self._row_of[id(value)] = Ref(len(self._row_of))
                self._queue.append(value)
            return ref
        if kind is list:
            copied = self._lists.get(id(value))
            if copied is None:
                self._seen.append(value)
                copied = self._lists[id(value)] = []
                copied.extend([self.pack(v) for v in value])
            return copied
        if kind is dict:
            return {k: self.pack(v) for k, v in value.items()}
        return tuple([self.pack(v) for v in value]) if kind is tuple else value

    def rows(self) -> list[tuple[Any, Any, Any]]:
        """Return the rows of everything packed and everything it refers to."""
        rows: list[tuple[Any, Any, Any]] = []
        for item in self._queue:  # grows during the loop
            _, (cls, *_), state, *further = item.__reduce_ex__(2)
            elements = list(further[0]) if further and further[0] is not None else None
            rows.append((cls, self.pack(state), self.pack(elements)))
        return rows


class _Unpacker:
    """Restores the feature structures from the rows of a `_Packer`."""

    def __init__(self, rows: list[tuple[Any, Any, Any]]) -> None:
        self._items: list[Any] = [cls.__new__(cls) for cls, _, _ in rows]
        self._lists: dict[int, list[Any]] = {}
        for item, (_, state, elements) in zip(self._items, rows, strict=True):
            if elements is not None:
                item.extend(self.unpack(elements))
            for part in state if isinstance(state, tuple) else (state,):
                for name, value in (part or {}).items():
                    setattr(item, name, self.unpack(value))

    def unpack(self, value: Any) -> Any:
        kind = type(value)
        if kind is Ref:
            return self._items[value.row]
        if kind is list:
            copied = self._lists.get(id(value))
            if copied is None:
                copied = self._lists[id(value)] = []
                copied.extend([self.unpack(v) for v in value])
            return copied
        if kind is dict:
            return {k: self.unpack(v) for k, v in value.items()}
        return tuple([self.unpack(v) for v in value]) if kind is tuple else value


def pack(views: Iterable[View], origin: Origin | None) -> tuple[Any, ...] | None:
    """Return views and origin as flat data for pickle, or None if no chain is possible: then pickle itself is faster."""
    views = list(views)
    if not any(may_chain(t) for v in views for t in (*v.indexes.annotations, *v.indexes.others)):
        return None
    packer = _Packer()
    flat = [
        (
            v.sofa,
            v.offset_map,
            {t: index.spans_only or packer.pack(list(index.items)) for t, index in v.indexes.annotations.items()},
            {t: packer.pack(list(items)) for t, items in v.indexes.others.items()},
            v.indexes.moved,
        )
        for v in views
    ]
    numbers = None if origin is None else (packer.pack(origin.items), origin.sofas, packer.pack(origin.unreached))
    return flat, numbers, packer.rows()


def unpack(packed: tuple[Any, ...]) -> tuple[dict[str, View], Origin | None]:
    """Undo `pack`. Return the views by name."""
    flat, numbers, rows = packed
    unpacker = _Unpacker(rows)
    views: dict[str, View] = {}
    for sofa, offset_map, indexes, others, moved in flat:
        view = views[sofa.name] = View(sofa)
        view.offset_map = offset_map
        for type_, content in indexes.items():
            if isinstance(content, tuple):
                index: Index[Any] = Index(type_)
                index.set_columns(*content)
            else:
                index = Index.of(type_, unpacker.unpack(content))
            view.indexes.annotations[type_] = index
        view.indexes.others = {t: unpacker.unpack(items) for t, items in others.items()}
        view.indexes.moved = moved
    if numbers is None:
        return views, None
    return views, Origin(unpacker.unpack(numbers[0]), numbers[1], unpacker.unpack(numbers[2]))
