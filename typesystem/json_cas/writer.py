"""Writes documents as JSON CAS 0.4, UIMA's JSON form: nothing is lost in it, control characters and null strings included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, repeat
from pathlib import Path
from typing import Any, Literal

from ..annotation import FeatureStructure
from ..arrays import ListBase, ListNode, linked
from ..builtin_mapping import MetadataRecord
from ..cas import Cas
from ..description import ARRAYS
from ..errors import CasError
from ..typesystem import TypeSystem, own_types
from ..xmi.collector import MAX_ID, Batch, Collector, Graph, document_name
from ..xmi.graph_writer import GraphWriter
from ..xmi.loss import Losses
from ..xmi.plan import Field, Plan, plan_for
from ..xmi.writer import write_atomically
from .type_table import to_json
from .values import Strings, before, elements, replace_pairs, writer_of

Mode = Literal["minimal", "full", "none"]


def write_jsoncas(
    cas: Cas,
    *,
    typesystem: TypeSystem | None = None,
    views: Iterable[str] | None = None,
    types: Iterable[type[FeatureStructure]] | None = None,
    offset_map: bool = False,
    mode: Mode = "minimal",
) -> bytes:
    """The document as JSON CAS, UTF-8; the same document gives the same bytes.

    `typesystem`: by default the document's own, else caspipe's. `views`, `types`: only these (and subtypes); what refers to
    others then refers to nothing. The document's id and metadata go with the initial view only: they may be PHI.
    `offset_map`: also the way from a masked view's text back to the original. `mode`: the types that go along: those that are
    used with all they refer to, all, or none. One feature structure stands on each line; arrays and lists are feature
    structures of their own.

    Raises CasError that names document, type and feature, never a value.
    """
    ts = typesystem or cas.typesystem or own_types()
    only = None if types is None else tuple(types)
    return _Writer(cas, ts, Collector(cas, ts, views, only, offset_map).collect(), mode).document()


def save_jsoncas(cas: Cas, path: str | Path, **options: Any) -> None:
    """Writes the document to a file, whole or not at all. Options as of `write_jsoncas`. Raises CasError, OSError."""
    write_atomically(Path(path), write_jsoncas(cas, **options))


class _Writer(GraphWriter):
    esc: Strings

    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph, mode: Mode) -> None:
        super().__init__(cas, types, graph, Strings(), Losses(replace_pairs, nulls=False))
        self.mode = mode
        self.late: list[str] = []
        """Arrays and lists that a feature holds alone."""
        self.held: dict[int, int] = {}
        """`id()` of arrays and lists held as objects, to their numbers."""
        self.keep: list[Any] = []
        self.fresh = self._fresh()

    def tag(self, number: int) -> str:
        return f',"@pos":{number}'

    def _fresh(self) -> Iterator[int]:
        graph = self.graph
        taken = [*graph.number.values(), *graph.sofa_numbers, graph.metadata_number]
        taken += [max(b.numbers) for b in graph.batches if b.numbers]
        highest = max(taken)
        if highest < MAX_ID // 2:
            return count(highest + 1)
        every = {*taken, *(n for b in graph.batches for n in b.numbers)}
        return (n for n in range(1, MAX_ID + 1) if n not in every)

    def document(self) -> bytes:
        graph = self.graph
        sofas = self.sofas_needed()
        first: list[Any] = [v.sofa.array for v in graph.views if v.sofa.array is not None]
        for array in first:
            self._array(array, graph.number[id(array)], array.uima_name, self.out)
        for i, has_sofa in enumerate(sofas):
            if has_sofa:
                self._sofa(i)
        for batch in graph.batches:
            self._batch(batch)
        for array in graph.arrays:
            value, range_ = array if isinstance(array, tuple) else (array, array.uima_name)
            if not any(value is x for x in first):
                self._array(value, graph.number[id(value)], range_, self.out)
        names = {b.plan.name for b in graph.batches}
        if self._metadata():
            names.add(MetadataRecord.uima_name)
        begin, end = f'{{{self._types(names)}"%FEATURE_STRUCTURES":[\n', f'\n],\n"%VIEWS":{{{self._views(sofas)}}}}}\n'
        rows = self.out + self.late or [""]
        rows[0] = begin + rows[0]
        rows[-1] += end
        return ",\n".join(rows).encode()

    def _types(self, names: set[str]) -> str:
        if self.mode == "none":
            return ""
        chosen = self.types.closure(sorted(names)) if self.mode == "minimal" else {*self.types, *self.types.closure(())}
        return f'"%TYPES":{json.dumps(to_json(self.types, chosen), separators=(",", ":"))},\n'

    def _views(self, sofas: list[bool]) -> str:
        graph, views = self.graph, []
        for view, number, has_sofa, members in zip(graph.views, graph.sofa_numbers, sofas, graph.members, strict=True):
            listed = ",".join(map(str, members))
            views.append(f'{self.esc[view.name]}:{{"%SOFA":{number if has_sofa else 0},"%MEMBERS":[{listed}]}}')
        return ",\n".join(views)

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _sofa(self, i: int) -> None:
        sofa, esc = self.graph.views[i].sofa, self.esc
        parts = [
            f'{{"%ID":{self.graph.sofa_numbers[i]},"%TYPE":"uima.cas.Sofa","sofaNum":{i + 1},"sofaID":{esc[sofa.name]}'
        ]
        if sofa.mime:
            parts.append(f'"mimeType":{esc[sofa.mime]}')
        if sofa.text is not None:
            parts.append(f'"sofaString":{esc[sofa.text]}')
        if sofa.uri is not None:
            parts.append(f'"sofaURI":{esc[sofa.uri]}')
        if sofa.array is not None:
            parts.append(f'"@sofaArray":{self.graph.number[id(sofa.array)]}')
        self.out.append(",".join(parts) + "}")
        if sofa.text in esc.lossy:
            self.losses.text(sofa.name, sofa.text or "")
            esc.lossy.discard(sofa.text or "")
            del esc[sofa.text or ""]  # a feature with the same string is a loss of its own

    # -- feature structures --------------------------------------------------------------------------------------

    def _batch(self, batch: Batch) -> None:
        plan = batch.plan
        sofa = self.graph.sofa_numbers[batch.view] if batch.view >= 0 else 0
        if batch.begins is not None:
            self._columns(batch, sofa)
            return
        begins: Iterable[int] = repeat(0)
        ends: Iterable[int] = repeat(0)
        if plan.span:
            begins, ends = self.spans(batch, [a._begin for a in batch.items], [a._end for a in batch.items])
        rows = zip(batch.numbers, batch.items, begins, ends)  # noqa: B905  repeat() has no end
        self._write(plan, batch.items, batch.numbers, sofa, rows, self.out)

    def _columns(self, batch: Batch, sofa: int) -> None:
        begins, ends = self.spans(batch, batch.begins or (), batch.ends)
        one: list[str] = []
        self._write(batch.plan, batch.items, (0,), sofa, [(0, batch.items[0], 0, 0)], one)
        rest = one[0][len(before(batch.plan, sofa)) :]
        head = f',"%TYPE":"{batch.plan.name}","@sofa":{sofa},"begin":'
        self.out += [
            f'{{"%ID":{n}{head}{b},"end":{e}{rest}' for n, b, e in zip(batch.numbers, begins, ends, strict=True)
        ]

    def _write(
        self, plan: Plan, items: list[Any], numbers: Sequence[int], sofa: int, rows: Any, out: list[str]
    ) -> None:
        tags = self.tags(items) if plan.is_token else iter(())
        try:
            writer_of(plan, self.types)(out.append, sofa, rows, tags, self.esc, self.ref, self._put)
        except (TypeError, ValueError, OverflowError, AttributeError, KeyError):
            self.explain(plan, items)
            raise
        if self.esc.lossy:
            self.losses.features(plan, items, numbers, self.esc.lossy)

    # -- arrays and lists ----------------------------------------------------------------------------------------

    def _array(self, value: Any, number: int, range_: str, out: list[str]) -> None:
        try:
            inner = elements(value, range_, self.esc, self.ref)
        except (TypeError, ValueError, OverflowError) as e:
            self.refuse(range_, Field("elements", "", "array", range_), e)
            raise
        out.append(f'{{"%ID":{number},"%TYPE":"{range_}","%ELEMENTS":{inner}}}')
        if range_ == "uima.cas.StringArray" and self.esc.lossy:
            self.losses.array(number, value, self.esc.lossy)

    def _put(self, value: Any, f: Field) -> int:
        """The number of the array or list a feature holds; what it holds alone is written here."""
        whole = isinstance(value, FeatureStructure)
        known = (self.graph.number.get(id(value)) or self.held.get(id(value))) if whole else None
        if known:
            return known
        if f.range in ARRAYS:
            inner = elements(value, f.range, self.esc, self.ref)
            number = next(self.fresh)
            self.late.append(f'{{"%ID":{number},"%TYPE":"{f.range}","%ELEMENTS":{inner}}}')
            if whole:
                self.held[id(value)] = number
            return number
        if not isinstance(value, ListBase):
            if isinstance(value, str) or not hasattr(value, "__iter__"):
                raise TypeError(f"expected a list, got {type(value).__name__}")
            value = linked(f.range, value)
            self.keep.append(value)
        return self._list(value)

    def _list(self, head: ListBase) -> int:
        """The number of a list, whose nodes are written as far as they are not yet."""
        nodes: list[Any] = []
        node: Any = head
        while node is not None and not (self.graph.number.get(id(node)) or self.held.get(id(node))):
            self.held[id(node)] = next(self.fresh)
            nodes.append(node)
            node = node.tail if isinstance(node, ListNode) else None
        for node in nodes:
            plan = plan_for(type(node), self.types)
            write = writer_of(plan, self.types)
            write(self.late.append, 0, [(self.held[id(node)], node, 0, 0)], (), self.esc, self.ref, self._put)
        return self.ref(head)

    def ref(self, value: Any) -> int:
        return self.held.get(id(value)) or super().ref(value)

    # -- metadata ------------------------------------------------------------------------------------------------

    def _metadata(self) -> bool:
        """The record of metadata and losses, indexed in the first view; False where there is nothing to record."""
        graph = self.graph
        entries = {**graph.metadata, **self.losses.entries(graph.metadata, graph.metadata_number, self.esc)}
        if not entries:
            return False
        record = MetadataRecord(keys=list(entries), values=list(entries.values()))
        if graph.members:
            graph.members[0].append(graph.metadata_number)
        plan = plan_for(MetadataRecord, self.types)
        rows = [(graph.metadata_number, record, 0, 0)]
        try:
            writer_of(plan, self.types)(self.out.append, 0, rows, (), self.esc, self.ref, self._put)
        except TypeError as e:
            raise CasError(f"{document_name(self.cas)}: metadata: {e}") from None
        return True
