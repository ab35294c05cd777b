"""What of a document is written: the indexed feature structures of its views, all they refer to, and their numbers."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any

from ..annotation import AnnotationBase, FeatureStructure
from ..arrays import ARRAYS, ArrayBase, FSArray, linked
from ..builtin_mapping import OffsetMapRecord, Pos, coarse
from ..cas import INITIAL_VIEW, Cas
from ..errors import CasError
from ..text import Sofa
from ..types import DocumentAnnotation, DocumentMetaData
from ..typesystem import TypeSystem
from ..view import View
from .plan import Plan, plan_for

NO_VIEW = -1
_pos_of = attrgetter("pos")
MAX_ID = 2**31 - 1


@dataclass(slots=True)
class Batch:
    """Instances of one type over one Sofa, written together."""

    plan: Plan
    view: int
    """Which of the written views; NO_VIEW for feature structures without a Sofa."""
    items: list[Any]
    indexed: bool
    numbers: Sequence[int] = ()
    begins: Sequence[int] | None = None
    """The spans where they are columns: `items` then holds one instance that stands for all."""
    ends: Sequence[int] = ()


@dataclass(slots=True)
class Graph:
    """Everything that is written, numbered."""

    views: list[View]
    batches: list[Batch]
    arrays: list[Any]
    """Arrays that are elements of their own, and shared plain lists as `(list, array type)`."""
    number: dict[int, int]
    """`id()` of a feature structure or shared list to its xmi:id."""
    sofa_numbers: list[int]
    members: list[list[int]]
    metadata_number: int
    metadata: dict[str, str]
    tag_of: dict[int, Any]
    """`id()` of a token to the POS annotation made for it."""
    keep: list[Any] = field(default_factory=list)
    """Made for this file only; held so that `id()` stays theirs."""


class Collector:
    """Builds the graph of one document."""

    def __init__(
        self, cas: Cas, types: TypeSystem, views: Iterable[str] | None, only: tuple[type[Any], ...] | None, maps: bool
    ) -> None:
        self.cas, self.types, self.only, self.maps = cas, types, only, maps
        self.views = cas.views if views is None else [cas.view(name) for name in views]
        names = [v.name for v in self.views]
        self.whole = views is None or INITIAL_VIEW in names
        """Otherwise the id and the metadata stay behind: they may themselves be PHI."""
        self.first = INITIAL_VIEW if INITIAL_VIEW in names else "".join(names[:1])
        self.view_of = {id(v.sofa): i for i, v in enumerate(self.views)}
        self.known: dict[int, int] = {}
        """`id()` of what is written to the view it is written for."""
        self.alias: dict[int, Any] = {}
        self.batches: list[Batch] = []
        self.arrays: list[Any] = []
        self.keep: list[Any] = []
        self.members: list[list[Any]] = [[] for _ in self.views]
        self.queue: list[tuple[Any, int]] = []
        self.loose: dict[tuple[type[Any], int], list[Any]] = {}
        self.tag_of: dict[int, Any] = {}
        self.unplaced: set[int] = set()
        """`id()` of what is indexed and has no Sofa."""
        self.sofaless: set[int] | None = None  # annotations that came from a file without a Sofa

    def collect(self) -> Graph:
        for i, view in enumerate(self.views):
            self._indexed(i, view)
        if self._refers():
            for batch in self.batches:
                if batch.begins is None:
                    self.known.update(dict.fromkeys(map(id, batch.items), batch.view))
        for batch in list(self.batches):
            if batch.plan.references and batch.begins is None:
                for item in batch.items:
                    self._follow(batch.plan, item, max(batch.view, 0))
        for i, members in enumerate(self.members):
            for array in [m for m in members if isinstance(m, FSArray)]:
                self._elements(array, i)
        for i, view in enumerate(self.views):
            if view.sofa.array is not None:
                self._reach(view.sofa.array, i)
        self._work()
        if self.whole and self.cas.origin is not None:
            for item in self.cas.origin.unreached:
                self._reach(item, 0)
            self._work()
        for (cls, i), items in self.loose.items():
            self.batches.append(Batch(plan_for(cls, self.types), i, items, False))
        return self._numbered()

    def _work(self) -> None:
        while self.queue:
            item, i = self.queue.pop()
            if isinstance(item, FSArray):
                self._elements(item, i)
            else:
                self._follow(self._plan(item), item, i)

    def reached(self) -> set[int]:
        """`id()` of all that `collect` found."""
        return self.known.keys() | {id(x) for batch in self.batches for x in batch.items}

    def _refers(self) -> bool:
        """Whether anything refers to anything: otherwise nobody asks for the number of an instance."""
        return (
            any(batch.plan.references for batch in self.batches)
            or bool(self.arrays or self.alias or self.tag_of)
            or any(view.sofa.array is not None for view in self.views)
            or bool(self.cas.origin is not None and self.cas.origin.unreached)
            or any(not isinstance(m, Batch) for members in self.members for m in members)
        )

    def _plan(self, item: Any) -> Plan:
        return plan_for(type(item), self.types)

    def _wanted(self, cls: type[Any]) -> bool:
        return self.only is None or issubclass(cls, (*self.only, DocumentAnnotation, Pos))

    # -- what is indexed -----------------------------------------------------------------------------------------

    def _indexed(self, i: int, view: View) -> None:
        documents = self._documents(view)
        for cls in view.types():
            if not self._wanted(cls):
                continue
            index = view.indexes.annotations.get(cls)  # type: ignore[arg-type]  # None for what is no annotation
            columns = index.spans_only if index is not None else None
            if columns is not None:
                sample: Any = cls(0, 0)  # type: ignore[call-arg]
                sample._source, sample._sofa = columns[2], view.sofa
                batch = Batch(plan_for(cls, self.types), i, [sample], True, begins=columns[0], ends=columns[1])
                self.batches.append(batch)
                self.members[i].append(batch)
                continue
            items: list[Any] = view.indexes.others[cls] if index is None else index.items
            if documents is not None and issubclass(cls, DocumentAnnotation):
                continue
            self._batch(cls, i, items)
        for document in documents or ():
            self._batch(type(document), i, [document])
        offset_map = view.offset_map
        if self.maps and offset_map is not None:
            segments = offset_map.segments()
            columns_ = [[s[0] for s in segments], [s[1] for s in segments], [s[3] - s[2] for s in segments]]
            record = OffsetMapRecord(view=view.name, begins=columns_[0], ends=columns_[1], lengths=columns_[2])
            self._batch(OffsetMapRecord, i, [record])

    def _batch(self, cls: type[Any], i: int, items: list[Any]) -> None:
        if issubclass(cls, ArrayBase):
            items = list({id(x): x for x in items}.values())
            self.members[i] += items
            for item in items:
                if id(item) not in self.known:
                    self.known[id(item)] = i
                    self.arrays.append(item)
            return
        plan = plan_for(cls, self.types)
        unique = items
        if len(set(map(id, items))) < len(items):  # indexed twice
            unique = list({id(x): x for x in items}.values())
        fresh = unique
        if not plan.in_sofa and len(self.views) > 1:  # perhaps indexed in another view too
            fresh = [x for x in unique if id(x) not in self.unplaced]
            self.unplaced.update(map(id, fresh))
        batch = Batch(plan, i if plan.in_sofa else NO_VIEW, fresh, True)
        self.batches.append(batch)
        if len(fresh) == len(unique):
            self.members[i].append(batch)
        else:
            self.members[i] += unique
        if plan.is_token:
            tags = self._tags(fresh)
            if tags:
                self._batch(Pos, i, tags)

    def _tags(self, tokens: list[Any]) -> list[Any]:
        """POS annotations for tokens that have a tag; one that came with its own keeps it, in step with `Token.pos`."""
        made: list[Any] = []
        if not tokens or not (any(map(_pos_of, tokens)) or hasattr(type(tokens[0]), "_pos_link")):
            return made
        for token in tokens:
            tag = token.pos
            link = getattr(token, "_pos_link", None)
            if link is not None:
                if isinstance(link, Pos) and (link.PosValue or "") != tag:
                    link.PosValue = tag or None
                    link.coarseValue = coarse(tag) if tag else None
            elif tag:
                link = Pos(token._begin, token._end, PosValue=tag, coarseValue=coarse(tag))
                link._sofa = token._sofa
                made.append(link)
                self.tag_of[id(token)] = link
        self.keep += made
        return made

    def _documents(self, view: View) -> list[Any] | None:
        """The document annotations to write instead of the indexed ones: one that carries the id; None for no change."""
        there: list[Any] = view.select(DocumentAnnotation)
        changed = False
        if len(there) > 1 and any(type(d) is not DocumentAnnotation for d in there):
            kept = next(d for d in there if type(d) is not DocumentAnnotation)
            read = self.cas.origin.items.values() if self.cas.origin is not None else ()
            from_file = {id(d) for d in read if type(d) is DocumentAnnotation}  # what a file holds is not ours to drop
            for plain in [d for d in there if type(d) is DocumentAnnotation and id(d) not in from_file]:
                self.alias[id(plain)] = kept
                changed = True
            there = [d for d in there if id(d) not in self.alias]
        name = self.cas.id if self.whole and view.name == self.first and view.sofa.text is not None else ""
        if name and not there:
            there = [DocumentMetaData(0, len(view.text), documentId=name)]
            there[0]._sofa = view.sofa
            self.keep += there
            changed = True
        elif name and len(there) == 1:
            changed = self._identify(there, name) or changed
        return there if changed else None

    def _identify(self, there: list[Any], name: str) -> bool:
        old = there[0]
        if isinstance(old, DocumentMetaData) and old.documentId is None:
            new: Any = copy.copy(old)
            new.documentId = name
        elif type(old) is DocumentAnnotation:
            new = DocumentMetaData(old.begin, old.end, language=old.language, documentId=name)
            new._sofa = old.sofa
        else:
            return False
        self.alias[id(old)] = new
        self.keep.append(new)
        there[0] = new
        return True

    # -- what is reached -----------------------------------------------------------------------------------------

    def _follow(self, plan: Plan, item: Any, i: int) -> None:
        for f in plan.references:
            value = getattr(item, f.attribute, None)
            if value is None:
                continue
            if f.kind == "array":
                self._elements(value, i)
            elif f.kind == "shared":
                self._shared(value, f.range, i)
            else:
                self._reach(value, i)

    def _elements(self, values: Iterable[Any], i: int) -> None:
        for value in values:
            if value is not None:
                self._reach(value, i)

    def _shared(self, value: Any, range_: str, i: int) -> None:
        if isinstance(value, FeatureStructure):
            self._reach(value, i)
        elif id(value) not in self.known and id(value) not in self.alias:
            if range_ in ARRAYS:
                self.known[id(value)] = i
                self.arrays.append((value, range_))
                if range_ == FSArray.uima_name:
                    self._elements(value, i)
            else:
                head = linked(range_, value)
                self.alias[id(value)] = head
                self.keep.append(head)
                self._reach(head, i)

    def _reach(self, item: Any, i: int) -> None:
        if isinstance(item, Sofa):
            return
        if not isinstance(item, FeatureStructure):
            return  # the writer's check names type and feature
        if id(item) in self.known or id(item) in self.alias:
            return
        cls = type(item)
        if not isinstance(item, ArrayBase) and not self._wanted(cls):
            return
        if isinstance(item, AnnotationBase):
            if item._sofa is None:  # it belongs where it was reached from, unless its file has it so
                i = NO_VIEW if self._is_sofaless(item) else i
            elif id(item._sofa) in self.view_of:
                i = self.view_of[id(item._sofa)]
            elif any(item._sofa is v.sofa for v in self.cas.views):
                return  # of a view that is not written
            else:
                raise CasError(f"{document_name(self.cas)}: {item!r} is referred to, but belongs to another document")
        self.known[id(item)] = i
        if isinstance(item, ArrayBase):
            self.arrays.append(item)
            if isinstance(item, FSArray):
                self.queue.append((item, i))
            return
        plan = self._plan(item)
        self.loose.setdefault((cls, i if plan.in_sofa else NO_VIEW), []).append(item)
        if plan.is_token:
            for tag in self._tags([item]):
                self._reach(tag, i)
        if plan.references:
            self.queue.append((item, max(i, 0)))

    def _is_sofaless(self, item: Any) -> bool:
        if self.sofaless is None:
            items = self.cas.origin.items.values() if self.cas.origin is not None else ()
            self.sofaless = {id(x) for x in items if isinstance(x, AnnotationBase) and x._sofa is None}
        return id(item) in self.sofaless

    # -- numbers -------------------------------------------------------------------------------------------------

    def _numbered(self) -> Graph:
        origin = self.cas.origin
        old = {id(fs): n for n, fs in origin.items.items()} if origin is not None else {}
        sofas = origin.sofas if origin is not None else {}
        metadata = dict(self.cas.metadata) if self.whole else {}
        fresh = self._fresh({*(origin.items if origin is not None else ()), *sofas.values()})
        number: dict[int, int] = {}
        sofa_numbers = [sofas.get(v.name) or next(fresh) for v in self.views]
        for batch in self.batches:
            if batch.begins is not None:
                batch.numbers = list(islice(fresh, len(batch.begins)))
                continue
            if old:
                batch.numbers = [old.get(id(item)) or next(fresh) for item in batch.items]
            else:
                batch.numbers = list(islice(fresh, len(batch.items)))
            if self.known:
                number.update(zip(map(id, batch.items), batch.numbers, strict=True))
        for array in self.arrays:
            value = array[0] if isinstance(array, tuple) else array
            number[id(value)] = old.get(id(value)) or next(fresh)
        for before, after in self.alias.items():
            while id(after) in self.alias:
                after = self.alias[id(after)]
            if id(after) in number:
                number[before] = number[id(after)]
                if before in old and id(after) not in old:  # the stand-in takes the old number
                    self._renumber(after, old[before], number, before)
        members = [self._members(m, number) for m in self.members]
        return Graph(
            self.views,
            self.batches,
            self.arrays,
            number,
            sofa_numbers,
            members,
            next(fresh),
            metadata,
            self.tag_of,
            self.keep,
        )

    def _fresh(self, taken: set[int]) -> Iterator[int]:
        """Numbers above those of the file; from the gaps between them where there is no room above."""
        after = max(taken, default=0) + 1
        if after < MAX_ID // 2:
            return iter(range(after, MAX_ID + 1))
        return (n for n in range(1, MAX_ID + 1) if n not in taken)

    def _renumber(self, item: Any, n: int, number: dict[int, int], before: int) -> None:
        for batch in [b for b in self.batches if b.begins is None]:
            if any(x is item for x in batch.items):
                batch.numbers = [n if x is item else m for x, m in zip(batch.items, batch.numbers, strict=True)]
        number[id(item)] = number[before] = n

    def _members(self, of: list[Any], number: dict[int, int]) -> list[int]:
        found: list[int] = []
        for member in of:
            if isinstance(member, Batch):
                found += member.numbers
            else:
                found.append(number[id(member)])
        return found


def document_name(cas: Cas) -> str:
    """What to call a document in messages."""
    return f"document {cas.id}" if cas.id else "document without id"
