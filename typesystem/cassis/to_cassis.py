"""Convert documents to dkpro-cassis, object by object."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..annotation import Feature
from ..arrays import ARRAYS, ByteArray, ListNode, linked
from ..builtin_mapping import MetadataRecord
from ..cas import INITIAL_VIEW, Cas
from ..description import DOCUMENT_ANNOTATION, STRING, TypeDescription
from ..errors import CasError
from ..markup.xml_text import Escaper, replace_illegal
from ..text import Sofa
from ..typesystem import TypeSystem, own_types
from ..xmi.collector import NO_VIEW, Collector, document_name
from ..xmi.graph import Graph
from ..xmi.loss import Losses
from ..xmi.plan import Field, Plan, check, plan_for, strings, text_of

if TYPE_CHECKING:
    import cassis

RESERVED = ("self", "type")
NULL = "uima.cas.NULL"


def to_cassis(cas: Cas) -> cassis.Cas:
    """Return the document as a cassis CAS, with the types it uses.

    As in XMI, POS tags are annotations, kinds are strings, metadata and offset maps are records, and the id is in
    DocumentMetaData. Characters that XML cannot express are replaced, since cassis refuses them; subtypes of String become
    String. Raises CasError for values of the wrong type and for features whose names are Python keywords.
    """
    types = cas.typesystem or own_types()
    for view in cas.views:
        for index in view.indexes.annotations.values():
            _ = index.items  # columns become objects
    return _ToCassis(cas, types, Collector(cas, types, maps=True).collect()).make()


class _ToCassis:
    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph) -> None:
        import cassis

        self.cas, self.types, self.graph = cas, types, graph
        self.target_types = cassis.TypeSystem()
        self.by_number: dict[int, Any] = {}
        self.started: list[tuple[Any, Plan, Any]] = []
        self.null: Any = None
        self.esc, self.losses = Escaper(), Losses()
        self.names = {*(b.plan.name for b in graph.batches), MetadataRecord.uima_name}
        self._types()
        self.target = cassis.Cas(self.target_types)

    def make(self) -> cassis.Cas:
        graph = self.graph
        arrays = graph.typed_arrays()
        for value, range_ in arrays:
            number = graph.number[id(value)]
            self.by_number[number] = self.target_types.get_type(range_)(xmiID=number)
        for i, view in enumerate(graph.views):
            self._view(i, view.sofa)
        for batch in graph.batches:
            for item, number in zip(batch.items, batch.numbers, strict=True):
                self._start(item, batch.plan, number, batch.view)
        for item, plan, fs in self.started:
            self._features(item, plan, fs)
        for value, range_ in arrays:
            self.by_number[graph.number[id(value)]].elements = self._elements(value, range_)
        self._metadata(arrays)
        self._index()
        return self.target

    def _metadata(self, arrays: list[tuple[Any, str]]) -> None:
        """Add the record of metadata and of characters that were replaced."""
        graph, lossy = self.graph, self.esc.lossy
        for batch in graph.batches:
            self.losses.features(batch.plan, batch.items, batch.numbers, lossy)
        for value, range_ in arrays:
            if range_ == "uima.cas.StringArray":
                self.losses.array(graph.number[id(value)], value, lossy)
        entries = {**graph.metadata, **self.losses.entries(graph.metadata, graph.metadata_number, self.esc)}
        if entries:
            record = MetadataRecord(keys=list(entries), values=list(entries.values()))
            self._start(record, plan_for(MetadataRecord, self.types), graph.metadata_number, -1)
            self._features(*self.started[-1])
            if graph.members:
                graph.members[0].append((graph.metadata_number,))

    # -- types ---------------------------------------------------------------------------------------------------

    def _types(self) -> None:
        wanted = [self.types.describe(n) for n in sorted(self.types.closure(self.names))]
        chosen = [t for t in wanted if not self.target_types.contains_type(t.name) or t.name == DOCUMENT_ANNOTATION]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cassis warns of features named `self` and `type`, which it renames
            for t in sorted(chosen, key=lambda t: (len(self.types.supertypes(t.name)), t.name)):
                if not self.target_types.contains_type(t.name) and self.types.range_kind(t.name) != STRING:
                    self.target_types.create_type(t.name, t.supertype, t.description)
            for t in chosen:
                for f in t.features:
                    self._feature(t, f)

    def _feature(self, t: TypeDescription, f: Feature) -> None:
        if self.types.range_kind(t.name) == STRING or (t.name == DOCUMENT_ANNOTATION and f.name == "language"):
            return
        range_ = self.types.range_kind(f.range) or f.range
        try:
            self.target_types.create_feature(t.name, f.name, range_, f.element, f.description, f.multiple)
        except (SyntaxError, ValueError) as e:
            raise CasError(f"feature {t.name}:{f.name}: cassis does not support it ({type(e).__name__})") from None

    # -- feature structures --------------------------------------------------------------------------------------

    def _start(self, item: Any, plan: Plan, number: int, view: int) -> None:
        try:
            fs = self.target_types.get_type(plan.name)(xmiID=number)
        except (SyntaxError, ValueError):
            raise CasError(f"type {plan.name}: cassis does not support a feature with such a name") from None
        self.by_number[number] = fs
        if plan.span:
            fs.begin, fs.end = item.begin, item.end
        if plan.in_sofa and view != NO_VIEW:
            fs.sofa = self._sofa(self.graph.views[view].name)
        self.started.append((item, plan, fs))

    def _view(self, i: int, sofa: Sofa) -> None:
        view = self.target if sofa.name == INITIAL_VIEW else self.target.create_view(sofa.name, sofaNum=i + 1)
        view.get_sofa().xmiID = self.graph.sofa_numbers[i]
        if sofa.text is not None:
            view.sofa_string = replace_illegal(sofa.text)[0]
            self.losses.text(sofa.name, sofa.text)
        view.sofa_mime = sofa.mime or None
        if sofa.uri is not None:
            view.sofa_uri = sofa.uri
        if sofa.array is not None:
            view.get_sofa().sofaArray = self._target(sofa.array)

    def _sofa(self, name: str) -> Any:
        return self.target.get_view(name).get_sofa()

    def _features(self, item: Any, plan: Plan, fs: Any) -> None:
        for f in plan.fields:
            if f.kind == "pos":
                value = getattr(item, "_pos_link", None) or self.graph.tag_of.get(id(item))
            else:
                value = getattr(item, f.attribute)
            if value is None or (f.omit_empty and not value):
                continue
            try:
                check(f, value, self.esc)
                setattr(fs, f.name + "_" if f.name in RESERVED else f.name, self._value(f, value))
            except (TypeError, OverflowError, ValueError) as e:
                raise CasError(f"{document_name(self.cas)}: {plan.name}: feature {f.name} ({f.range}): {e}") from None

    def _value(self, f: Field, value: Any) -> Any:
        if f.kind == "text":
            return replace_illegal(text_of(value, f.python))[0]
        if f.kind == "number":
            if f.range == "uima.cas.Boolean":
                return bool(value)
            return float(value) if f.range in ("uima.cas.Float", "uima.cas.Double") else int(value)
        if f.kind in ("ref", "pos", "shared"):
            return self._target(value)
        if f.range in ARRAYS:
            return self.target_types.get_type(f.range)(elements=self._elements(value, f.range))
        return self._list(f.range, value)

    def _target(self, value: Any) -> Any:
        if isinstance(value, Sofa):
            return self._sofa(value.name) if any(v.sofa is value for v in self.graph.views) else None
        return self.by_number.get(self.graph.number.get(id(value), 0))

    def _elements(self, value: Any, range_: str) -> list[Any]:
        if range_ == "uima.cas.FSArray":
            return [self._target(v) or self._null() for v in value]
        if range_ == "uima.cas.StringArray":
            strings([], "", value, self.esc)  # notes what is lost
            return [None if v is None else replace_illegal(text_of(v, type(v)))[0] for v in value]
        if range_ == ByteArray.uima_name:
            return [b & 0xFF for b in value]
        return list(value)

    def _list(self, range_: str, value: Any) -> Any:
        node: Any = linked(range_, list(value))
        nodes: list[Any] = []
        while isinstance(node, ListNode):
            head = node.head
            if range_ == "uima.cas.FSList":
                head = self._target(head) or self._null()
            nodes.append(self.target_types.get_type(node.uima_name)(head=head))
            node = node.tail
        tail = self.target_types.get_type(node.uima_name)()
        for link in reversed(nodes):
            link.tail = tail
            tail = link
        return tail

    def _null(self) -> Any:
        """Return what cassis writes as `cas:NULL`, since it fails for None."""
        if self.null is None:
            if not self.target_types.contains_type(NULL):
                self.target_types.create_type(NULL, "uima.cas.TOP")
            self.null = self.target_types.get_type(NULL)(xmiID=0)
        return self.null

    def _index(self) -> None:
        for i, members in enumerate(self.graph.members):
            view = self.target.get_view(self.graph.views[i].name)
            for number in chain.from_iterable(members):
                view._current_view.add_fs_to_indexes(self.by_number[number])  # add() would overwrite a feature `sofa`
        highest = max([self.graph.metadata_number, *self.by_number, *self.graph.sofa_numbers])
        if all(v.name != INITIAL_VIEW for v in self.graph.views):  # cassis makes one, with a number that may be taken
            self.target.get_sofa().xmiID = highest = highest + 1
        while self.target._xmi_id_generator.generate_id() < highest:
            pass
