"""Convert documents from dkpro-cassis, object by object."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..annotation import REQUIRED, Annotation, AnnotationBase, Feature
from ..arrays import ARRAYS, ArrayBase, ByteArray
from ..builtin_mapping import MetadataRecord, Pos, coarse, from_text
from ..cas import INITIAL_VIEW, Cas
from ..description import DOCUMENT_ANNOTATION, TypeDescription
from ..errors import CasError
from ..foreign import ZERO
from ..origin import Origin
from ..text import Sofa
from ..types import Token
from ..typesystem import TypeSystem
from ..xmi.builtin_features import document_id, linked_token, read_records
from ..xmi.loss import lost_texts, restore_text
from ..xmi.plan import Field, plan_for
from .to_cassis import NULL, RESERVED

if TYPE_CHECKING:
    import cassis


def from_cassis(source: cassis.Cas) -> Cas:
    """Return the document of a cassis CAS, with its type system.

    Offsets are code points, as in cassis for everything indexed. Raises CasError for offsets outside the text,
    TypeSystemError for a type system that UIMA does not accept.
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
        self.converted: dict[int, Any] = {}
        self.sofas: dict[str, Sofa] = {}
        self.seen: list[Any] = []
        self.todo: list[tuple[Any, Any]] = []
        self.absorbed = _plain_tags(source)
        """`id()` of POS annotations that contain nothing but the tag of one token."""

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
            view_ = cas.create_view(sofa.sofaID, text, mime=sofa.mimeType or "", uri=sofa.sofaURI, array=array)
            self.sofas[sofa.sofaID] = view_.sofa
        members = [(v.sofa.sofaID, [self._get(x) for x in v.get_all_fs() if id(x) not in self.absorbed]) for v in views]
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
        """Return all feature structures by xmi:id; these are kept if they are unique numbers."""
        by_id = {fs.xmiID: self.converted[id(fs)] for fs in self.seen}
        sofas = {v.sofa.sofaID: v.sofa.xmiID for v in views}
        is_unique = len({*by_id, *sofas.values()}) == len(self.converted) + len(sofas)
        if is_unique and all(isinstance(n, int) and n > 0 for n in (*by_id, *sofas.values())):
            self.cas.origin = Origin(by_id, sofas)
            return by_id
        return dict(enumerate(self.converted.values(), 1))

    def _get(self, fs: Any) -> Any:
        if fs is None or fs.type.name == NULL:
            return None
        item = self.converted.get(id(fs))
        if item is None:
            cls: Any = self.types[fs.type.name]
            if cls is Token and fs.pos is not None and id(fs.pos) not in self.absorbed:
                cls = linked_token()
            item = self.converted[id(fs)] = cls() if issubclass(cls, ArrayBase) else cls.__new__(cls)
            self.seen.append(fs)
            self.todo.append((fs, item))
        return item

    def _features(self, fs: Any, item: Any) -> None:
        if isinstance(item, ArrayBase):
            item.extend(self._elements(fs.elements or [], type(item).uima_name))  # type: ignore[attr-defined]
            return
        if isinstance(item, Annotation):
            item._begin, item._end, item._source = fs.begin or 0, fs.end or 0, ""
        if isinstance(item, AnnotationBase):
            item._sofa = self._sofa(fs.sofa)
        for f in plan_for(type(item), self.types).fields:
            value = getattr(fs, f.name + "_" if f.name in RESERVED else f.name, None)
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
        """Return a Sofa by name: feature structures that cassis read but did not index have copies of the Sofa."""
        return self.sofas.get(getattr(value, "sofaID", ""))

    def _elements(self, elements: Any, range_: str) -> Any:
        if range_ == "uima.cas.FSArray":
            return [self._get(v) for v in elements]
        return bytes(b & 0xFF for b in elements) if range_ == ByteArray.uima_name else list(elements)

    def _heads(self, node: Any, f: Field) -> list[Any]:
        heads: list[Any] = []
        seen: set[int] = set()
        while getattr(node, "tail", None) is not None:
            if id(node) in seen:
                raise CasError(f"feature {f.name}: a circular list cannot be held inline")
            seen.add(id(node))
            heads.append(self._get(node.head) if f.range == "uima.cas.FSList" else node.head)
            node = node.tail
        return heads


def _is_empty(view: Any) -> bool:
    """Return whether a view is the empty initial view that cassis always makes."""
    sofa = view.sofa
    data = sofa.sofaString, sofa.sofaURI, sofa.sofaArray, sofa.mimeType
    return sofa.sofaID == INITIAL_VIEW and all(d is None for d in data) and not view.get_all_fs()


def _lost_texts(views: list[Any]) -> dict[str, str]:
    lost: dict[str, str] = {}
    for view in views:
        for fs in view.get_all_fs():
            if fs.type.name == MetadataRecord.uima_name and fs.keys is not None and fs["values"] is not None:
                lost.update(lost_texts(zip(fs["keys"].elements, fs["values"].elements, strict=False)))
    return lost


def _default(f: Field) -> Any:
    if isinstance(f.default, list):
        return []
    if f.default is REQUIRED:
        return "" if f.python is str else ZERO.get(f.range)
    return f.default


def _plain_tags(source: Any) -> set[int]:
    """Return `id()` of the POS annotations that only one token refers to and that contain nothing but its tag."""
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
