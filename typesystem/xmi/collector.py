"""Collect what is written of a document: the indexed feature structures of its views, everything they refer to, and the ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..annotation import AnnotationBase, FeatureStructure
from ..arrays import ARRAYS, ArrayBase, FSArray, linked
from ..builtin_mapping import OffsetMapRecord, Pos
from ..cas import INITIAL_VIEW, Cas
from ..errors import CasError
from ..index import Rows
from ..text import MANY
from ..types import DocumentAnnotation
from ..typesystem import TypeSystem
from ..view import View
from .builtin_features import document_annotations, pos_links
from .graph import Batch, Graph, Registry
from .plan import Plan, plan_for

NO_VIEW = -1


def document_name(cas: Cas) -> str:
    """Return the name of a document for messages."""
    return f"document {cas.id}" if cas.id else "document without id"


def _has_twins(items: Sequence[Any]) -> bool:
    """Return whether a list has the same feature structure twice."""
    if len(items) < MANY:
        return len(set(map(id, items))) < len(items)
    import numpy as np

    ids = np.sort(np.fromiter(map(id, items), np.uint64, len(items)))  # a set would take ten times as much memory
    return bool((ids[1:] == ids[:-1]).any())


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
        self.alias: dict[int, Any] = {}
        """`id()` of a feature structure or list to the feature structure that is written in its place."""
        self.batches: list[Batch] = []
        self.known = Registry(self.batches)
        self.arrays: list[Any] = []
        self.keep: list[Any] = []
        self.members: list[list[Any]] = [[] for _ in self.views]
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
                self.known.add_batch(batch)
        for item in (*self.alias.values(), *self.tag_of.values(), *self._single_members()):
            self.known.add_type(type(item))
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
                items: Any
                if index is None:
                    items = view.indexes.others[cls]
                else:
                    plan = plan_for(cls, self.types)
                    alone = not (self.every_id or plan.is_token or plan.references)  # no instance is needed twice
                    items = index.rows if alone else index.items
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

    def _add(self, cls: type[Any], i: int, items: Sequence[Any]) -> None:
        """Add the indexed instances of a class in a view."""
        if not isinstance(items, Rows) and _has_twins(items):  # indexed twice
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

    def _pos_annotations(self, tokens: Sequence[Any]) -> list[Any]:
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
        if self.known.has(item) or id(item) in self.alias:
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
