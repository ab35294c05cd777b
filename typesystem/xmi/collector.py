"""Collect what is written of a document: the indexed feature structures of its views, everything they refer to, and the ids."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..annotation import AnnotationBase, FeatureStructure
from ..arrays import ARRAYS, ArrayBase, FSArray, linked
from ..builtin_mapping import OffsetMapRecord, Pos
from ..cas import INITIAL_VIEW, Cas
from ..errors import CasError
from ..origin import Origin
from ..types import DocumentAnnotation
from ..typesystem import TypeSystem
from ..view import View
from .builtin_features import document_annotations, pos_links
from .plan import Plan, plan_for

NO_VIEW = -1
MAX_ID = 2**31 - 1
_MANY = 10_000


@dataclass(slots=True)
class Batch:
    """Instances of one type over one Sofa, written together."""

    plan: Plan
    view: int
    """The index of the written view; NO_VIEW for feature structures without a Sofa."""
    items: list[Any]
    numbers: Sequence[int] = ()
    begins: Sequence[int] | None = None
    """The spans, if they are columns: `items` is then one instance that represents all."""
    ends: Sequence[int] = ()
    is_registered: bool = False
    """Whether the ids of its instances can be looked up by `id()`."""


@dataclass(slots=True)
class Graph:
    """Everything that is written, with ids."""

    views: list[View]
    batches: list[Batch]
    arrays: list[Any]
    """Arrays that are elements of their own, and shared plain lists as `(list, array type)`."""
    metadata: dict[str, str]
    tag_of: dict[int, Any]
    """`id()` of a token to the POS annotation made for it."""
    keep: list[Any]
    """Made for this file only; kept alive so that their `id()` stays unique."""
    number: dict[int, int] = field(default_factory=dict)
    """`id()` of a feature structure or shared list to its id in the file."""
    sofa_numbers: list[int] = field(default_factory=list)
    members: list[array[int]] = field(default_factory=list)
    metadata_number: int = 0

    def typed_arrays(self) -> list[tuple[Any, str]]:
        """Return all arrays with their types."""
        return [a if isinstance(a, tuple) else (a, a.uima_name) for a in self.arrays]

    def assign_ids(self, origin: Origin | None, alias: dict[int, Any], members: list[list[Any]]) -> None:
        """Assign an id to everything: the one it was read with, or a new one.

        `alias`: `id()` of a feature structure to the one that is written in its place; `members`: batches and feature
        structures by view.
        """
        old = {id(fs): n for n, fs in origin.items.items()} if origin is not None else {}
        sofas = origin.sofas if origin is not None else {}
        fresh = unused_ids({*(origin.items if origin is not None else ()), *sofas.values()})
        self.sofa_numbers = [sofas.get(v.name) or next(fresh) for v in self.views]
        number = self.number
        for batch in self.batches:
            if batch.begins is not None:
                batch.numbers = array("q", islice(fresh, len(batch.begins)))
                continue
            if old:
                batch.numbers = [old.get(id(item)) or next(fresh) for item in batch.items]
            else:
                batch.numbers = array("q", islice(fresh, len(batch.items)))
            if batch.is_registered:
                number.update(zip(map(id, batch.items), batch.numbers, strict=True))
        for value, _ in self.typed_arrays():
            number[id(value)] = old.get(id(value)) or next(fresh)
        for before, after in alias.items():
            while id(after) in alias:
                after = alias[id(after)]
            if id(after) in number:
                number[before] = number[id(after)]
                if before in old and id(after) not in old:  # the substitute gets the old id
                    self._renumber(after, old[before])
                    number[id(after)] = number[before] = old[before]
        self.members = []
        for several in members:
            ids = array("q")
            for m in several:
                ids.extend(m.numbers if isinstance(m, Batch) else (number[id(m)],))
            self.members.append(ids)
        self.metadata_number = next(fresh)

    def _renumber(self, item: Any, number: int) -> None:
        for batch in [b for b in self.batches if b.begins is None]:
            if any(x is item for x in batch.items):
                batch.numbers = [number if x is item else n for x, n in zip(batch.items, batch.numbers, strict=True)]


def _has_twins(items: list[Any]) -> bool:
    """Return whether a list has the same feature structure twice."""
    if len(items) < _MANY:
        return len(set(map(id, items))) < len(items)
    import numpy as np

    ids = np.sort(np.fromiter(map(id, items), np.uint64, len(items)))  # a set would take ten times as much memory
    return bool((ids[1:] == ids[:-1]).any())


def unused_ids(used: set[int]) -> Iterator[int]:
    """Return new ids above the used ones, or those between them if the highest is too high."""
    first = max(used, default=0) + 1
    if first < MAX_ID // 2:
        return iter(range(first, MAX_ID + 1))
    return (n for n in range(1, MAX_ID + 1) if n not in used)


def document_name(cas: Cas) -> str:
    """Return the name of a document for messages."""
    return f"document {cas.id}" if cas.id else "document without id"


class Collector:
    """Collects the feature structures of one document.

    `views`: names, by default all; `only`: the types to write, by default all; `maps`: whether to write offset maps;
    `every_id`: whether the graph can look up the ids of all instances, or only of types that something refers to, which takes
    much less memory for long documents.
    """

    def __init__(
        self,
        cas: Cas,
        types: TypeSystem,
        views: Iterable[str] | None = None,
        only: Iterable[type[Any]] | None = None,
        maps: bool = False,
        every_id: bool = True,
    ) -> None:
        self.cas, self.types, self.maps, self.every_id = cas, types, maps, every_id
        self.only = None if only is None else (*only, DocumentAnnotation, Pos)
        self.views = cas.views if views is None else [cas.view(name) for name in views]
        names = [v.name for v in self.views]
        self.is_whole = views is None or INITIAL_VIEW in names
        """Otherwise the id and the metadata are not written: they may be PHI."""
        self.first_view = INITIAL_VIEW if INITIAL_VIEW in names else "".join(names[:1])
        self.view_of = {id(v.sofa): i for i, v in enumerate(self.views)}
        self.known: dict[int, int] = {}
        """The ids in the file by `id()`, of all that is registered; 0 until `Graph.assign_ids` sets them."""
        self.alias: dict[int, Any] = {}
        """`id()` of a feature structure or list to the feature structure that is written in its place."""
        self.batches: list[Batch] = []
        self.arrays: list[Any] = []
        self.keep: list[Any] = []
        self.members: list[list[Any]] = [[] for _ in self.views]
        self._registered: set[type[Any]] = set()
        self.tag_of: dict[int, Any] = {}
        self._queue: list[tuple[Any, int]] = []
        self._unindexed: dict[tuple[type[Any], int], list[Any]] = {}
        self._without_view: set[int] = set()
        """`id()` of indexed feature structures without a Sofa."""
        self._read_without_sofa: set[int] | None = None
        """`id()` of annotations that were read from a file without a Sofa, computed once."""

    def collect(self) -> Graph:
        """Return everything that is written, with its ids."""
        self._collect()
        metadata = dict(self.cas.metadata) if self.is_whole else {}
        graph = Graph(self.views, self.batches, self.arrays, metadata, self.tag_of, self.keep, number=self.known)
        graph.assign_ids(self.cas.origin, self.alias, self.members)
        return graph

    def reached(self) -> set[int]:
        """Return `id()` of everything that is written."""
        self._collect()
        return self.known.keys() | {id(x) for batch in self.batches for x in batch.items}

    def _collect(self) -> None:
        for i, view in enumerate(self.views):
            self._add_indexed(i, view)
        unreached = self.cas.origin.unreached if self.is_whole and self.cas.origin is not None else []
        if self.every_id and (unreached or self._has_references()):
            for batch in self.batches:
                self._register_batch(batch)
        for item in (*self.alias.values(), *self.tag_of.values(), *self._single_members()):
            self._register(type(item))
        for batch in list(self.batches):
            if batch.plan.references and batch.begins is None:
                for item in batch.items:
                    self._follow(batch.plan, item, max(batch.view, 0))
        for i, members in enumerate(self.members):
            for indexed in [m for m in members if isinstance(m, FSArray)]:
                self._reach_all(indexed, i)
        for i, view in enumerate(self.views):
            if view.sofa.array is not None:
                self._reach(view.sofa.array, i)
        self._work_off_queue()
        for item in unreached:
            self._reach(item, 0)
        self._work_off_queue()
        for (cls, i), items in self._unindexed.items():
            self.batches.append(Batch(plan_for(cls, self.types), i, items, is_registered=True))

    def _single_members(self) -> Iterator[Any]:
        """Yield the indexed feature structures that are members by themselves, not with their batch."""
        return (m for members in self.members for m in members if not isinstance(m, Batch))

    def _register(self, cls: type[Any]) -> None:
        """Register the indexed instances of a type, without its subtypes."""
        if cls not in self._registered:
            self._registered.add(cls)
            for batch in self.batches:
                if batch.plan.name == getattr(cls, "uima_name", None):
                    self._register_batch(batch)

    def _register_batch(self, batch: Batch) -> None:
        if batch.begins is None and not batch.is_registered:
            batch.is_registered = True
            self.known.update(dict.fromkeys(map(id, batch.items), 0))

    def _is_known(self, item: Any) -> bool:
        """Return whether something is written already."""
        if id(item) not in self.known:
            self._register(type(item))
        return id(item) in self.known

    def _work_off_queue(self) -> None:
        while self._queue:
            item, i = self._queue.pop()
            if isinstance(item, FSArray):
                self._reach_all(item, i)
            else:
                self._follow(self._plan(item), item, i)

    def _has_references(self) -> bool:
        """Return whether anything can refer to anything: otherwise the id of an instance is needed only once."""
        return (
            any(batch.plan.references for batch in self.batches)
            or bool(self.arrays or self.alias or self.tag_of)
            or any(view.sofa.array is not None for view in self.views)
            or any(True for _ in self._single_members())
        )

    def _plan(self, item: Any) -> Plan:
        return plan_for(type(item), self.types)

    def _is_wanted(self, cls: type[Any]) -> bool:
        return self.only is None or issubclass(cls, self.only)

    # -- indexed feature structures ------------------------------------------------------------------------------

    def _add_indexed(self, i: int, view: View) -> None:
        name = self.cas.id if self.is_whole and view.name == self.first_view and view.sofa.text is not None else ""
        documents = document_annotations(self.cas, view, name, self.alias, self.keep)
        for cls in view.types():
            if not self._is_wanted(cls):
                continue
            index = view.indexes.annotations.get(cls)  # None for classes that are not annotations
            columns = index.spans_only if index is not None else None
            if columns is not None:
                sample: Any = cls(0, 0)  # type: ignore[call-arg]
                sample._source, sample._sofa = columns[2], view.sofa
                batch = Batch(plan_for(cls, self.types), i, [sample], begins=columns[0], ends=columns[1])
                self.batches.append(batch)
                self.members[i].append(batch)
            elif documents is None or not issubclass(cls, DocumentAnnotation):
                items = view.indexes.others[cls] if index is None else index.items
                grown = cls in view.indexes.moved.values()  # then some instances were made before the type grew
                for kind in dict.fromkeys(map(type, items)) if grown else (cls,):
                    self._add(kind, i, [x for x in items if type(x) is kind] if grown else items)
        for document in documents or ():
            self._add(type(document), i, [document])
        if self.maps and view.offset_map is not None:
            segments = view.offset_map.segments()
            begins, ends = [s[0] for s in segments], [s[1] for s in segments]
            lengths = [s[3] - s[2] for s in segments]
            self._add(OffsetMapRecord, i, [OffsetMapRecord(view=view.name, begins=begins, ends=ends, lengths=lengths)])

    def _add(self, cls: type[Any], i: int, items: list[Any]) -> None:
        """Add the indexed instances of a class in a view."""
        if _has_twins(items):  # indexed twice
            items = list({id(x): x for x in items}.values())
        if issubclass(cls, ArrayBase):
            self.members[i] += items
            for item in items:
                if id(item) not in self.known:
                    self.known[id(item)] = 0
                    self.arrays.append(item)
            return
        plan = plan_for(cls, self.types)
        fresh = items
        if not plan.in_sofa and len(self.views) > 1:  # may be indexed in another view too
            fresh = [x for x in items if id(x) not in self._without_view]
            self._without_view.update(map(id, fresh))
        batch = Batch(plan, i if plan.in_sofa else NO_VIEW, fresh)
        self.batches.append(batch)
        if len(fresh) == len(items):
            self.members[i].append(batch)
        else:
            self.members[i] += items
        if plan.is_token and (tags := self._pos_annotations(fresh)):
            self._add(Pos, i, tags)

    def _pos_annotations(self, tokens: list[Any]) -> list[Any]:
        links = pos_links(tokens)
        self.tag_of.update(links)
        self.keep += links.values()
        return list(links.values())

    # -- feature structures that others refer to -----------------------------------------------------------------

    def _follow(self, plan: Plan, item: Any, i: int) -> None:
        for f in plan.references:
            value = getattr(item, f.attribute, None)
            if value is None:
                continue
            if f.kind == "array":
                self._reach_all(value, i)
            elif f.kind == "shared":
                self._reach_shared(value, f.range, i)
            else:
                self._reach(value, i)

    def _reach_all(self, values: Iterable[Any], i: int) -> None:
        for value in values:
            if value is not None:
                self._reach(value, i)

    def _reach_shared(self, value: Any, range_: str, i: int) -> None:
        if isinstance(value, FeatureStructure):
            self._reach(value, i)
        elif id(value) not in self.known and id(value) not in self.alias:
            if range_ in ARRAYS:
                self.known[id(value)] = 0
                self.arrays.append((value, range_))
                if range_ == FSArray.uima_name:
                    self._reach_all(value, i)
            else:
                head = linked(range_, value)
                self.alias[id(value)] = head
                self.keep.append(head)
                self._reach(head, i)

    def _reach(self, item: Any, i: int) -> None:
        if not isinstance(item, FeatureStructure):  # a Sofa; for anything else, the writer names type and feature
            return
        if self._is_known(item) or id(item) in self.alias:
            return
        cls = type(item)
        if not isinstance(item, ArrayBase) and not self._is_wanted(cls):
            return
        if isinstance(item, AnnotationBase):
            view = self._view_of(item, i)
            if view is None:
                return
            i = view
        self.known[id(item)] = 0
        if isinstance(item, ArrayBase):
            self.arrays.append(item)
            if isinstance(item, FSArray):
                self._queue.append((item, i))
            return
        plan = self._plan(item)
        self._unindexed.setdefault((cls, i if plan.in_sofa else NO_VIEW), []).append(item)
        if plan.is_token:
            self._reach_all(self._pos_annotations([item]), i)
        if plan.references:
            self._queue.append((item, max(i, 0)))

    def _view_of(self, item: AnnotationBase, referring: int) -> int | None:
        """Return the view that an annotation is written for, or None if it belongs to a view that is not written."""
        if item._sofa is None:  # it belongs to the view that refers to it, unless its file had it without a Sofa
            return NO_VIEW if self._was_read_without_sofa(item) else referring
        if id(item._sofa) in self.view_of:
            return self.view_of[id(item._sofa)]
        if any(item._sofa is v.sofa for v in self.cas.views):
            return None
        raise CasError(f"{document_name(self.cas)}: {item!r} is referred to, but belongs to another document")

    def _was_read_without_sofa(self, item: Any) -> bool:
        if self._read_without_sofa is None:
            items = self.cas.origin.items.values() if self.cas.origin is not None else ()
            self._read_without_sofa = {id(x) for x in items if isinstance(x, AnnotationBase) and x._sofa is None}
        return id(item) in self._read_without_sofa
