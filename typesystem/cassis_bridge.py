"""Documents to and from dkpro-cassis, object by object: what other Python tools for UIMA work on."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

from .annotation import REQUIRED, Annotation, AnnotationBase, Feature
from .arrays import ARRAYS, ArrayBase, ByteArray, ListNode, linked
from .cas import INITIAL_VIEW, Cas
from .description import DOCUMENT_ANNOTATION, STRING, TypeDescription
from .edge import MetadataRecord, Pos, coarse, from_text
from .errors import CasError
from .foreign import ZERO
from .origin import Origin
from .text import Sofa
from .types import Token
from .typesystem import TypeSystem, own_types
from .xmi_edge import document_id, linked_token, read_records
from .xmi_graph import Collector, Graph, document_name
from .xmi_loss import TEXT_KEY, Losses, restore_text
from .xmi_plan import Field, Plan, check, plan_for, strings, text_of
from .xml_text import Escaper, replace_illegal

if TYPE_CHECKING:
    import cassis

_RESERVED = ("self", "type")
_NULL = "uima.cas.NULL"


def to_cassis(cas: Cas) -> cassis.Cas:
    """The document as a cassis CAS, with the types it uses.

    It looks as in XMI: POS as annotations, kinds as strings, metadata and offset maps as records, the id in DocumentMetaData.
    Characters that XML cannot carry are replaced, since cassis refuses them; subtypes of String become String. Raises CasError
    for values of the wrong type and for features whose names cassis cannot hold (Python's keywords).
    """
    types = cas.typesystem or own_types()
    for view in cas.views:
        for index in view._indexes.values():
            _ = index.items  # columns become objects
    return _ToCassis(cas, types, Collector(cas, types, None, None, True).collect()).make()


class _ToCassis:
    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph) -> None:
        import cassis

        self.cas, self.types, self.graph = cas, types, graph
        self.there = cassis.TypeSystem()
        self.by_number: dict[int, Any] = {}
        self.done: list[tuple[Any, Plan, Any]] = []
        self.null: Any = None
        self.esc, self.losses = Escaper(), Losses()
        self.names = {*(b.plan.name for b in graph.batches), MetadataRecord.uima_name}
        self._types()
        self.target = cassis.Cas(self.there)

    def make(self) -> cassis.Cas:
        graph = self.graph
        arrays = [a if isinstance(a, tuple) else (a, a.uima_name) for a in graph.arrays]
        for value, range_ in arrays:
            number = graph.number[id(value)]
            self.by_number[number] = self.there.get_type(range_)(xmiID=number)
        for i, view in enumerate(graph.views):
            self._view(i, view.sofa)
        for batch in graph.batches:
            for item, number in zip(batch.items, batch.numbers, strict=True):
                self._start(item, batch.plan, number, batch.view)
        for item, plan, fs in self.done:
            self._features(item, plan, fs)
        for value, range_ in arrays:
            self.by_number[graph.number[id(value)]].elements = self._elements(value, range_)
        self._metadata(arrays)
        self._index()
        return self.target

    def _metadata(self, arrays: list[tuple[Any, str]]) -> None:
        """The record of metadata, and of characters that were replaced."""
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
            self._features(*self.done[-1])
            if graph.members:
                graph.members[0].append(graph.metadata_number)

    # -- types ---------------------------------------------------------------------------------------------------

    def _types(self) -> None:
        wanted = [self.types.describe(n) for n in sorted(self.types.closure(self.names))]
        chosen = [t for t in wanted if not self.there.contains_type(t.name) or t.name == DOCUMENT_ANNOTATION]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cassis tells of features named `self` and `type`, which it renames
            for t in sorted(chosen, key=lambda t: (len(self.types.supertypes(t.name)), t.name)):
                if not self.there.contains_type(t.name) and self.types.range_kind(t.name) != STRING:
                    self.there.create_type(t.name, t.supertype, t.description)
            for t in chosen:
                for f in t.features:
                    self._feature(t, f)

    def _feature(self, t: TypeDescription, f: Feature) -> None:
        if self.types.range_kind(t.name) == STRING or (t.name == DOCUMENT_ANNOTATION and f.name == "language"):
            return
        range_ = self.types.range_kind(f.range) or f.range
        try:
            self.there.create_feature(t.name, f.name, range_, f.element, f.description, f.multiple)
        except (SyntaxError, ValueError) as e:
            raise CasError(f"feature {t.name}:{f.name}: cassis cannot hold it ({type(e).__name__})") from None

    # -- feature structures --------------------------------------------------------------------------------------

    def _start(self, item: Any, plan: Plan, number: int, view: int) -> None:
        try:
            fs = self.there.get_type(plan.name)(xmiID=number)
        except (SyntaxError, ValueError):
            raise CasError(f"type {plan.name}: cassis cannot hold a feature with such a name") from None
        self.by_number[number] = fs
        if plan.span:
            fs.begin, fs.end = item.begin, item.end
        if plan.in_sofa:
            fs.sofa = self._sofa(self.graph.views[view].name)
        self.done.append((item, plan, fs))

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
            value = self._link(item) if f.kind == "pos" else getattr(item, f.attribute)
            if value is None or (f.omit_empty and not value):
                continue
            try:
                check(f, value, self.esc)
                setattr(fs, f.name + "_" if f.name in _RESERVED else f.name, self._value(f, value))
            except (TypeError, OverflowError, ValueError) as e:
                raise CasError(f"{document_name(self.cas)}: {plan.name}: feature {f.name} ({f.range}): {e}") from None

    def _link(self, item: Any) -> Any:
        return getattr(item, "_pos_link", None) or self.graph.tag_of.get(id(item))

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
            return self.there.get_type(f.range)(elements=self._elements(value, f.range))
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
        made: list[Any] = []
        while isinstance(node, ListNode):
            head = node.head
            if range_ == "uima.cas.FSList":
                head = self._target(head) or self._null()
            made.append(self.there.get_type(node.uima_name)(head=head))
            node = node.tail
        tail = self.there.get_type(node.uima_name)()
        for link in reversed(made):
            link.tail = tail
            tail = link
        return tail

    def _null(self) -> Any:
        """What cassis writes as `cas:NULL`: None would make it fail."""
        if self.null is None:
            if not self.there.contains_type(_NULL):
                self.there.create_type(_NULL, "uima.cas.TOP")
            self.null = self.there.get_type(_NULL)(xmiID=0)
        return self.null

    def _index(self) -> None:
        for i, members in enumerate(self.graph.members):
            view = self.target.get_view(self.graph.views[i].name)
            for number in members:
                view._current_view.add_fs_to_indexes(self.by_number[number])  # add() would overwrite a feature `sofa`
        highest = max([self.graph.metadata_number, *self.by_number, *self.graph.sofa_numbers])
        if all(v.name != INITIAL_VIEW for v in self.graph.views):  # cassis makes one, with a number that may be taken
            self.target.get_sofa().xmiID = highest = highest + 1
        while self.target._xmi_id_generator.generate_id() < highest:
            pass


# -- from cassis -------------------------------------------------------------------------------------------------


def from_cassis(source: cassis.Cas) -> Cas:
    """The document of a cassis CAS, with its type system.

    Offsets are taken as code points, as cassis has them for all that is indexed. Raises CasError for offsets outside the
    text, TypeSystemError for a type system that UIMA would not take.
    """
    types = _types_of(source.typesystem)
    cas = Cas(typesystem=types)
    return _FromCassis(source, types, cas).make()


def _types_of(there: Any) -> TypeSystem:
    types = TypeSystem.from_xml(there.to_xml().encode(), where="cassis type system")
    known = types.features(DOCUMENT_ANNOTATION)
    extra = [f for f in there.get_type(DOCUMENT_ANNOTATION).all_features if f.name not in known]
    if not extra:
        return types
    features = tuple(Feature(f.name, f.rangeType.name, getattr(f.elementType, "name", None)) for f in extra)
    whole = TypeDescription(DOCUMENT_ANNOTATION, "uima.tcas.Annotation", features)
    return TypeSystem([*types.foreign(), (whole, "cassis type system")])


class _FromCassis:
    def __init__(self, source: Any, types: TypeSystem, cas: Cas) -> None:
        self.source, self.types, self.cas = source, types, cas
        self.made: dict[int, Any] = {}
        self.sofas: dict[str, Sofa] = {}
        self.seen: list[Any] = []
        self.todo: list[tuple[Any, Any]] = []
        self.gone = _mere_tags(source)
        """`id()` of POS annotations that say no more than `Token.pos`."""

    def make(self) -> Cas:
        cas = self.cas
        views = [v for v in self.source.views if not _is_empty(v)]
        lost = _lost_texts(views)
        for view in views:
            sofa = view.sofa
            array = None if sofa.sofaArray is None else self._get(sofa.sofaArray)
            text = sofa.sofaString
            if text is not None and sofa.sofaID in lost:
                text = restore_text(text, lost[sofa.sofaID])
            made = cas.create_view(sofa.sofaID, text, mime=sofa.mimeType or "", uri=sofa.sofaURI, array=array)
            self.sofas[sofa.sofaID] = made.sofa
        members = [(v.sofa.sofaID, [self._get(x) for x in v.get_all_fs() if id(x) not in self.gone]) for v in views]
        while self.todo:
            self._features(*self.todo.pop())
        for name, items in members:
            self._check(name, items)
            cas.view(name).add_all(items)
        by_id = self._by_id(views)
        read_records(cas, by_id, CasError)
        cas.id = document_id(cas)
        return cas

    def _check(self, name: str, items: list[Any]) -> None:
        limit = len(self.cas.view(name).text)
        text = self.cas.view(name).sofa.text
        for item in items:
            if isinstance(item, Annotation) and not (
                0 <= item._begin <= item._end and (text is None or item._end <= limit)
            ):
                raise CasError(
                    f"{item.uima_name} {item._begin}:{item._end} lies outside the text of view {name} (0:{limit})"
                )

    def _by_id(self, views: list[Any]) -> dict[int, Any]:
        """The xmi:ids, kept where they are numbers that nothing shares."""
        found = {fs.xmiID: self.made[id(fs)] for fs in self.seen}
        sofas = {v.sofa.sofaID: v.sofa.xmiID for v in views}
        whole = len({*found, *sofas.values()}) == len(self.made) + len(sofas)
        if whole and all(isinstance(n, int) and n > 0 for n in (*found, *sofas.values())):
            self.cas._origin = Origin(found, sofas)
            return found
        return dict(enumerate(self.made.values(), 1))

    def _get(self, fs: Any) -> Any:
        if fs is None or fs.type.name == _NULL:
            return None
        found = self.made.get(id(fs))
        if found is None:
            cls: Any = self.types[fs.type.name]
            if cls is Token and fs.pos is not None and id(fs.pos) not in self.gone:
                cls = linked_token()
            found = self.made[id(fs)] = cls() if issubclass(cls, ArrayBase) else cls.__new__(cls)
            self.seen.append(fs)
            self.todo.append((fs, found))
        return found

    def _features(self, fs: Any, item: Any) -> None:
        if isinstance(item, ArrayBase):
            item.extend(self._elements(fs.elements or [], type(item).uima_name))  # type: ignore[attr-defined]
            return
        if isinstance(item, Annotation):
            item._begin, item._end, item._source = fs.begin or 0, fs.end or 0, ""
        if isinstance(item, AnnotationBase):
            item._sofa = self._sofa(fs.sofa)
        for f in plan_for(type(item), self.types).fields:
            value = getattr(fs, f.name + "_" if f.name in _RESERVED else f.name, None)
            if f.kind == "pos":
                item.pos = "" if value is None else value.PosValue or ""
                if hasattr(type(item), "_pos_link"):
                    item._pos_link = self._get(value)
            else:
                setattr(item, f.attribute, _default(f) if value is None else self._value(f, value))

    def _value(self, f: Field, value: Any) -> Any:
        if f.kind == "text":
            return from_text(f.python, value)
        if f.kind == "number":
            return value
        if f.kind in ("ref", "shared"):
            return self._sofa(value) or self._get(value)
        return self._elements(value.elements or [], f.range) if f.range in ARRAYS else self._heads(value, f)

    def _sofa(self, value: Any) -> Sofa | None:
        """By name: what cassis read from XMI but did not index has Sofa objects of its own."""
        return self.sofas.get(getattr(value, "sofaID", ""))

    def _elements(self, elements: Any, range_: str) -> Any:
        if range_ == "uima.cas.FSArray":
            return [self._get(v) for v in elements]
        return bytes(b & 0xFF for b in elements) if range_ == ByteArray.uima_name else list(elements)

    def _heads(self, node: Any, f: Field) -> list[Any]:
        found: list[Any] = []
        seen: set[int] = set()
        while getattr(node, "tail", None) is not None:
            if id(node) in seen:
                raise CasError(f"feature {f.name}: a list that runs in a circle cannot be held inline")
            seen.add(id(node))
            found.append(self._get(node.head) if f.range == "uima.cas.FSList" else node.head)
            node = node.tail
        return found


def _is_empty(view: Any) -> bool:
    """cassis always makes an initial view; one that holds nothing was not meant."""
    sofa = view.sofa
    data = sofa.sofaString, sofa.sofaURI, sofa.sofaArray, sofa.mimeType
    return sofa.sofaID == INITIAL_VIEW and all(d is None for d in data) and not view.get_all_fs()


def _lost_texts(views: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for view in views:
        for fs in view.get_all_fs():
            if fs.type.name == MetadataRecord.uima_name and fs.keys is not None and fs["values"] is not None:
                entries = zip(fs["keys"].elements, fs["values"].elements, strict=False)
                found.update((k.removeprefix(TEXT_KEY), v) for k, v in entries if k and k.startswith(TEXT_KEY))
    return found


def _default(f: Field) -> Any:
    if isinstance(f.default, list):
        return []
    if f.default is REQUIRED:
        return "" if f.python is str else ZERO.get(f.range)
    return f.default


def _mere_tags(source: Any) -> set[int]:
    """The POS annotations of exactly one token that nothing else refers to and that say no more than its tag."""
    uses: Counter[int] = Counter()
    tags: list[tuple[Any, Any]] = []
    todo = [fs for view in source.views for fs in view.get_all_fs()]
    seen: set[int] = set()
    while todo:
        fs = todo.pop()
        if id(fs) in seen:
            continue
        seen.add(id(fs))
        for name in [f.name for f in fs.type.all_features if f.name != "sofa"]:
            value = getattr(fs, name, None)
            for target in value if isinstance(value, list) else [value]:
                if hasattr(target, "type"):
                    uses[id(target)] += 1
                    todo.append(target)
        if fs.type.name == Token.uima_name and getattr(fs, "pos", None) is not None:
            tags.append((fs, fs.pos))
    return {
        id(pos)
        for token, pos in tags
        if pos.type.name == Pos.uima_name
        and uses[id(pos)] == 1
        and pos.PosValue
        and pos.coarseValue == coarse(pos.PosValue)
        and (pos.begin, pos.end, pos.sofa) == (token.begin, token.end, token.sofa)
    }
