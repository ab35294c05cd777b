"""Write documents as JSON CAS 0.4, UIMA's JSON format, without loss of control characters and null strings."""

from __future__ import annotations

import base64
import json
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, Literal

from ..annotation import FeatureStructure
from ..arrays import ELEMENTS, ListBase, ListNode, linked
from ..builtin_mapping import MetadataRecord
from ..cas import Cas
from ..description import ARRAYS, STRING, TOP
from ..markup.xml_text import SUBSTITUTE, Escaper
from ..phi import PhiKind
from ..typesystem import TypeSystem, own_types
from ..xmi.collector import Collector
from ..xmi.graph import Graph, unused_ids
from ..xmi.graph_writer import GraphWriter, Rows
from ..xmi.loss import Losses
from ..xmi.plan import Field, Plan, number_expression, plan_for, text_expression
from ..xmi.values import boolean, byte_array, double, integer, number, single
from ..xmi.writer import write_atomically
from .type_table import to_json

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def replace_pairs(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Replace each pair of a high and a low surrogate. Return the text and (offset, code) of each replaced character.

    In JSON such a pair is one character, so the text would become shorter. Lone surrogates are kept.
    """
    lost = [(i, ord(text[i])) for m in _PAIR.finditer(text) for i in (m.start(), m.start() + 1)]
    return (_PAIR.sub(SUBSTITUTE * 2, text), lost) if lost else (text, lost)


class Strings(Escaper):
    """A cache from strings to quoted JSON strings. `lossy` collects the strings with a pair of surrogates."""

    __slots__ = ()

    def __missing__(self, text: str) -> str:
        if not isinstance(text, str):
            raise TypeError(f"expected str, got {type(text).__name__}")
        if text.isascii() or not _SURROGATE.search(text):
            quoted = encode_basestring(text)
        else:
            whole, lost = replace_pairs(text)
            if lost:
                self.lossy.add(text)
            quoted = _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", encode_basestring(whole))
        self[text] = quoted
        return quoted


def real(value: Any, name: str, range_: str) -> str:
    """Write a feature of range Float or Double with its key. Raises TypeError, OverflowError."""
    text = single(value) if range_ == "uima.cas.Float" else double(value)
    return f',"#{name}":"{text}"' if text[-1] in "Ny" else f',"{name}":{text}'


def elements(value: Any, range_: str, esc: Strings, ref: Callable[[Any], int]) -> str:
    """Write the elements of an array. Raises TypeError, OverflowError, ValueError for unsuitable elements."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    element = ELEMENTS[range_]
    if element == "uima.cas.Byte":
        return f'"{base64.b64encode(bytes.fromhex(byte_array(value))).decode()}"'
    if element == TOP:
        parts = ["null" if v is None else str(ref(v) or "null") for v in value]
    elif element == STRING:
        parts = ["null" if v is None else esc[v.name if isinstance(v, Enum | PhiKind) else v] for v in value]
    else:
        parts = [f'"{t}"' if t[-1] in "Ny" else t for t in (number(v, element) for v in value)]
    return f"[{','.join(parts)}]"


def writer_of(plan: Plan, types: TypeSystem) -> Callable[..., None]:
    """Return `write(out, sofa, rows, pos, esc, ref, put)` for the instances of a type, compiled once per type system.

    `rows` yields (id, feature structure, begin, end); `pos` yields the key and value that link each token's POS; `esc` quotes
    strings; `ref` returns the id of a feature structure, `put` that of an array or list that only one feature holds.
    """
    write: Callable[..., None] | None = types.plans.get(("jsoncas", plan.cls))
    if write is None:
        write = types.plans["jsoncas", plan.cls] = _compile(plan)
    return write


def _compile(plan: Plan) -> Callable[..., None]:
    scope: dict[str, Any] = {"integer": integer, "boolean": boolean, "real": real}
    body = ["def write(out, sofa, rows, pos, esc, ref, put):", "    for n, a, b, e in rows:"]
    parts: list[str] = []
    for i, f in enumerate(plan.fields):
        parts.append(f"{{s{i}}}")
        scope[f"f{i}"] = f
        if f.kind == "pos":
            body.append(f"        s{i} = next(pos)")
            continue
        get = f"getattr(a, {f.attribute!r})" if keyword.iskeyword(f.attribute) else f"a.{f.attribute}"
        test = "not v" if f.omit_empty else "v is None"
        body.append(f"        v = {get}")
        body.append(f"        s{i} = '' if {test} else {_value(i, f)}")
    place = ',"@sofa":{sofa},"begin":{b},"end":{e}' if plan.span else ',"@sofa":{sofa}' if plan.in_sofa else ""
    body.append(f"""        out(f'{{{{"%ID":{{n}},"%TYPE":"{plan.name}"{place}{"".join(parts)}}}}}')""")
    exec("\n".join(body), scope)
    compiled: Callable[..., None] = scope["write"]
    return compiled


def _value(i: int, f: Field) -> str:
    """Return the expression for key and value."""
    key = f"""',"{f.name}":'"""
    if f.kind == "text":
        return f"{key} + {text_expression(f)}"
    if f.kind == "array":
        return f"""f',"@{f.name}":{{put(v, f{i})}}'"""
    if f.kind != "number":
        return f"""f',"@{f.name}":{{r}}' if (r := ref(v)) else ''"""
    if f.range not in ("uima.cas.Float", "uima.cas.Double"):
        return f"{key} + ({number_expression(f)})"
    plain = "v.__class__ is float and v - v == 0.0" if f.range == "uima.cas.Double" else "False"
    return f"{key} + repr(v) if {plain} else real(v, {f.name!r}, {f.range!r})"


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
    """Return the document as JSON CAS in UTF-8, deterministically, with one feature structure per line.

    `typesystem`: by default the document's own, else caspipe's. `views`, `types`: only these (and subtypes); references to
    others are null. The document's id and metadata are written with the initial view only: they may be PHI.
    `offset_map`: also write the maps from a masked view's text to the original. `mode`: the types to write: the used ones with
    everything they refer to, all, or none. Arrays and lists are feature structures of their own.

    Raises CasError, which names document, type and feature, never a value.
    """
    ts = typesystem or cas.typesystem or own_types()
    return _Writer(cas, ts, Collector(cas, ts, views, types, offset_map).collect(), mode).document()


def save_jsoncas(cas: Cas, path: str | Path, **options: Any) -> None:
    """Write the document to a file, atomically. Options are those of `write_jsoncas`. Raises CasError, OSError."""
    write_atomically(Path(path), write_jsoncas(cas, **options))


class _Writer(GraphWriter):
    esc: Strings

    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph, mode: Mode) -> None:
        super().__init__(cas, types, graph, Strings(), Losses(replace_pairs, nulls=False))
        self.mode = mode
        self.collections: list[str] = []
        """Arrays and lists that only one feature holds."""
        self.held: dict[int, int] = {}
        """`id()` of such arrays and lists that are objects, to their ids in the file."""
        self.keep: list[Any] = []
        used = {*graph.number.values(), *graph.sofa_numbers, graph.metadata_number}
        self.fresh = unused_ids(used.union(*(b.numbers for b in graph.batches)))

    def pos_reference(self, number: int) -> str:
        return f',"@pos":{number}'

    def document(self) -> bytes:
        graph = self.graph
        sofas = self.sofas_needed()
        first: list[Any] = [v.sofa.array for v in graph.views if v.sofa.array is not None]
        for array in first:
            self._array(array, graph.number[id(array)], array.uima_name)
        for i, has_sofa in enumerate(sofas):
            if has_sofa:
                self._sofa(i)
        for batch in graph.batches:
            self.write_batch(batch)
        for value, range_ in graph.typed_arrays():
            if not any(value is x for x in first):
                self._array(value, graph.number[id(value)], range_)
        names = {b.plan.name for b in graph.batches}
        if self.write_metadata():
            names.add(MetadataRecord.uima_name)
        begin, end = f'{{{self._types(names)}"%FEATURE_STRUCTURES":[\n', f'\n],\n"%VIEWS":{{{self._views(sofas)}}}}}\n'
        rows = self.out + self.collections or [""]
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
        for view, sofa, has_sofa, members in zip(graph.views, graph.sofa_numbers, sofas, graph.members, strict=True):
            listed = ",".join(map(str, chain.from_iterable(members)))
            views.append(f'{self.esc[view.name]}:{{"%SOFA":{sofa if has_sofa else 0},"%MEMBERS":[{listed}]}}')
        return ",\n".join(views)

    def _sofa(self, i: int) -> None:
        sofa, esc, number = self.graph.views[i].sofa, self.esc, self.graph.sofa_numbers[i]
        parts = [f'{{"%ID":{number},"%TYPE":"uima.cas.Sofa","sofaNum":{i + 1},"sofaID":{esc[sofa.name]}']
        parts += [f'"mimeType":{esc[sofa.mime]}'] if sofa.mime else []
        parts += [f'"sofaString":{esc[sofa.text]}'] if sofa.text is not None else []
        parts += [f'"sofaURI":{esc[sofa.uri]}'] if sofa.uri is not None else []
        if sofa.array is not None:
            parts.append(f'"@sofaArray":{self.graph.number[id(sofa.array)]}')
        self.out.append(",".join(parts) + "}")
        self.record_text_loss(sofa)

    # -- feature structures --------------------------------------------------------------------------------------

    def write_rows(self, plan: Plan, view: int, rows: Rows, tags: Iterator[str], out: list[str]) -> None:
        write = writer_of(plan, self.types)
        write(out.append, self._sofa_number(view), rows, tags, self.esc, self.ref, self._put)

    def span_frame(self, plan: Plan, view: int) -> tuple[str, str, str]:
        return '{"%ID":', f',"%TYPE":"{plan.name}","@sofa":{self._sofa_number(view)},"begin":', ',"end":'

    def _sofa_number(self, view: int) -> int:
        return self.graph.sofa_numbers[view] if view >= 0 else 0

    # -- arrays and lists ----------------------------------------------------------------------------------------

    def _array(self, value: Any, number: int, range_: str) -> None:
        try:
            inner = elements(value, range_, self.esc, self.ref)
        except (TypeError, ValueError, OverflowError) as e:
            self.refuse(range_, Field("elements", "", "array", range_), e)
            raise
        self.out.append(f'{{"%ID":{number},"%TYPE":"{range_}","%ELEMENTS":{inner}}}')
        if range_ == "uima.cas.StringArray" and self.esc.lossy:
            self.losses.array(number, value, self.esc.lossy)

    def _put(self, value: Any, f: Field) -> int:
        """Return the id of the array or list in a feature; write it if no other feature has it."""
        is_object = isinstance(value, FeatureStructure)
        known = (self.graph.number.get(id(value)) or self.held.get(id(value))) if is_object else None
        if known:
            return known
        if f.range in ARRAYS:
            inner = elements(value, f.range, self.esc, self.ref)
            number = next(self.fresh)
            self.collections.append(f'{{"%ID":{number},"%TYPE":"{f.range}","%ELEMENTS":{inner}}}')
            if is_object:
                self.held[id(value)] = number
            return number
        if not isinstance(value, ListBase):
            if isinstance(value, str) or not hasattr(value, "__iter__"):
                raise TypeError(f"expected a list, got {type(value).__name__}")
            value = linked(f.range, value)
            self.keep.append(value)
        return self._list(value)

    def _list(self, head: ListBase) -> int:
        """Write the nodes of a list that are not written yet; return the id of the first."""
        nodes: list[Any] = []
        node: Any = head
        while node is not None and not (self.graph.number.get(id(node)) or self.held.get(id(node))):
            self.held[id(node)] = next(self.fresh)
            nodes.append(node)
            node = node.tail if isinstance(node, ListNode) else None
        for node in nodes:
            rows = [(self.held[id(node)], node, 0, 0)]
            self.write_rows(plan_for(type(node), self.types), -1, rows, iter(()), self.collections)
        return self.ref(head)

    def ref(self, value: Any) -> int:
        return self.held.get(id(value)) or super().ref(value)
