"""Read formats in which every feature structure, including arrays and lists, is a row with an id: JSON CAS and XCAS."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..annotation import TYPES
from ..arrays import ARRAYS, ELEMENTS, ArrayBase, ByteArray, ListBase, ListNode
from ..cas import INITIAL_VIEW, Cas
from ..description import LISTS, TOP
from ..text import Sofa, shown
from ..typesystem import TypeSystem
from ..xmi.builtin_features import resolve_pos_links
from ..xmi.cas_builder import CasBuilder
from ..xmi.decode import ValueFault
from ..xmi.loss import lost_texts, restore_text
from ..xmi.plan import Field, Plan
from .flat_decode import Row, decoder, element_of, kind_of, repair_values
from .type_table import array_type, safe

SOFA = "uima.cas.Sofa"
_SOFA_KEYS = frozenset(
    ("%ID", "%TYPE", "%FLAGS", "sofaNum", "sofaID", "mimeType", "sofaString", "sofaURI", "@sofaArray", "sofaArray")
)
_RECORDS = frozenset(("caspipe.Metadata", "caspipe.OffsetMap"))
_ELEMENTS = Field("elements", "", "elements", TOP)
ArrayClass = type[Any]


@dataclass(slots=True)
class FlatDocument:
    """A parsed document: rows, and by name the views with their Sofa's id (0 for none) and members."""

    rows: list[Row]
    views: list[tuple[str, int, list[int]]] = field(default_factory=list)


def array_class(name: str) -> ArrayClass | None:
    """Return the class of an array type, `X[]` or `uima.cas.XArray`, or None for other types."""
    return ARRAYS.get(array_type(name[:-2]) if name.endswith("[]") else name)


class FlatReader(CasBuilder):
    """Builds the document from rows. Subclasses know the positions of rows in the file."""

    id_name = "%ID"

    def __init__(self, flat: FlatDocument, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        super().__init__(types, given, lenient)
        self.flat, self.rows = flat, flat.rows
        self.row_types: list[str] = []
        self.elements: list[tuple[Any, list[int | None], int]] = []
        """Arrays of feature structures with the ids of their elements, and their rows."""
        self.sofa_arrays: set[int] = set()
        self._array_rows: dict[int, int] | None = None
        """The rows of arrays by id, computed once."""

    def current_type(self) -> str:
        return self.row_types[self.row]

    def safe_name(self, name: str) -> str:
        return safe(name)

    def row_with_id(self, number: int) -> int:
        return next((i for i, row in enumerate(self.rows) if row.get("%ID") == number), self.row)

    def read(self, name: str) -> Cas:
        cas = Cas(typesystem=self.given)
        self.row_types = [self._type(i, row) for i, row in enumerate(self.rows)]
        with_records = not _RECORDS.isdisjoint(self.row_types)
        self._read_sofas(cas, self._lost_texts() if with_records else {})
        self._decode()
        self._resolve()
        self._fill_views(cas)
        return self.finish(cas, name, with_records)

    def _type(self, i: int, row: Any) -> str:
        if row.__class__ is not dict:
            raise self.fault("expected an object", i)
        name: Any = row.get("%TYPE")
        if name.__class__ is not str:
            raise self.fault("expected an object with %TYPE as a string", i)
        return str(name)

    def _number(self, row: Row) -> int:
        number: Any = row.get("%ID")
        if number.__class__ is not int:
            raise self.fault(f"expected a whole number as {self.id_name}")
        return int(number)

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _read_sofas(self, cas: Cas, lost: dict[str, str]) -> None:
        for i in [i for i, name in enumerate(self.row_types) if name == SOFA]:
            self.row = i
            row = self.rows[i]
            number = self._number(row)
            unknown = [k for k in row if k not in _SOFA_KEYS]
            if unknown and not self.lenient:
                raise self.fault(f"{SOFA} has no feature {safe(unknown[0])}")
            name, text, mime, uri = (self._text(row, k) for k in ("sofaID", "sofaString", "mimeType", "sofaURI"))
            if name is None:
                raise self.fault("Sofa without sofaID")
            if text is not None and name in lost:
                text = restore_text(text, lost[name])
            array_id = row.get("@sofaArray", row.get("sofaArray"))
            array = None if array_id in (None, 0) else self._sofa_array(array_id)
            self.add_sofa(cas, number, number, name, text, mime or "", uri, array)
        self.complete_sofas(None, 0)

    def _text(self, row: Row, key: str) -> str | None:
        value = row.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self.fault(f"{SOFA}: feature {key}: expected a string, got {kind_of(value)}")

    def _sofa_array(self, number: Any) -> Any:
        if self._array_rows is None:
            rows = enumerate(zip(self.rows, self.row_types, strict=True))
            self._array_rows = {r["%ID"]: i for i, (r, t) in rows if array_class(t) and r.get("%ID").__class__ is int}
        row = self._array_rows.get(number) if number.__class__ is int else None
        cls = None if row is None else array_class(self.row_types[row])
        if row is None or cls is None or cls is ARRAYS["uima.cas.FSArray"]:
            raise self.fault("feature sofaArray: expected the number of an array of values")
        if number not in self.by_id:
            before, self.row = self.row, row
            self._read_array(cls)
            self.row = before
        self.sofa_arrays.add(number)
        return self.by_id[number]

    def _lost_texts(self) -> dict[str, str]:
        """Return the record of characters that the text of each view lost when it was written."""
        lost: dict[str, str] = {}
        arrays: dict[Any, list[Any]] = {}
        for row, name in zip(self.rows, self.row_types, strict=True):
            elements = row.get("%ELEMENTS")
            if isinstance(elements, list) and row.get("%ID").__class__ is int and array_class(name):
                arrays[row["%ID"]] = elements
        for row, name in zip(self.rows, self.row_types, strict=True):
            ids = (row.get("@keys"), row.get("@values"))
            if name == "caspipe.Metadata" and all(n.__class__ is int for n in ids):
                lost.update(lost_texts(zip(*(arrays.get(n, []) for n in ids), strict=False)))
        return lost

    # -- feature structures --------------------------------------------------------------------------------------

    def _decode(self) -> None:
        plans: dict[str, Plan | ArrayClass] = {}
        i = 0
        while i < len(self.rows):
            self.row, name = i, self.row_types[i]
            if name == SOFA:
                i += 1
                continue
            plan = plans.get(name)
            if plan is None:
                plan = plans[name] = array_class(name) or self.plan_named(name)
            if isinstance(plan, Plan):
                i = self._decode_rows(plan, i)
                continue
            number = self.rows[i].get("%ID")
            if number.__class__ is not int or number not in self.sofa_arrays:
                self._read_array(plan)
            i += 1

    def _decode_rows(self, plan: Plan, i: int) -> int:
        """Decode rows from `i` on with the same type; return the first row that was not decoded."""
        rows, stop, decode = self.rows, len(self.rows), decoder(plan, self.lenient)
        add = self.references.append
        return self.decode_rows(plan, lambda i: decode(rows, i, stop, self.by_id, self.sofas, add), i)

    def repair_row(self, plan: Plan) -> bool:
        """Drop the values of the current row that do not fit, with a note for each, if reading is lenient."""
        features = repair_values(plan, self.rows[self.row]) if self.lenient else []
        for name in features:
            self.note(f"{plan.name}: a value of feature {name} does not fit")
        return bool(features)

    def sofa_fault(self) -> str:
        if self.sofas and self.rows[self.row].get("@sofa") is None:
            return " without sofa, in a document with several"
        return super().sofa_fault()

    def _read_array(self, cls: ArrayClass) -> None:
        row = self.rows[self.row]
        number = self._number(row)
        if number <= 0 or number in self.by_id:
            self.by_id.pop(self.check_reused_id(number))
        unknown = [k for k in row if k not in ("%ID", "%TYPE", "%FLAGS", "%ELEMENTS")]
        if unknown and not self.lenient:
            raise self.fault(f"{cls.uima_name} has no feature {safe(unknown[0])}")
        array, given, element = cls(), row.get("%ELEMENTS"), ELEMENTS[cls.uima_name]
        if given is None:
            given = []
        if cls is ByteArray:
            array.extend(self._bytes(given))
        elif not isinstance(given, list):
            raise self.fault(f"{cls.uima_name}: expected %ELEMENTS as an array, got {kind_of(given)}")
        elif element == TOP:
            if not all(v is None or v.__class__ is int for v in given):
                raise self.fault(f"{cls.uima_name}: expected %ELEMENTS as numbers of feature structures, or null")
            self.elements.append((array, given, self.row))
        else:
            try:
                array.extend(element_of(v, element) for v in given)
            except ValueFault as e:
                raise self.fault(f"{cls.uima_name}: {e}") from None
        self.by_id[number] = array

    def _bytes(self, given: Any) -> bytes:
        if isinstance(given, str):
            try:
                return b64decode(given, validate=True)
            except (Base64Error, ValueError):
                raise self.fault("uima.cas.ByteArray: expected %ELEMENTS in Base64") from None
        if isinstance(given, list) and all(v.__class__ is int and -128 <= v <= 255 for v in given):
            return bytes(v & 0xFF for v in given)
        raise self.fault(f"uima.cas.ByteArray: expected %ELEMENTS as a string in Base64, got {kind_of(given)}")

    # -- references ----------------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Set the features that refer to other feature structures."""
        uses = Counter(n for _, _, n in self.references)
        uses.update(n for _, numbers, _ in self.elements for n in numbers if n)
        links = [(item, f, n) for item, f, n in self.references if f.kind == "pos" and n]
        if links:
            known = [(token, n) for token, f, n in links if self._target(n, token, f) is not None]
            linked = Counter(n for _, _, n in links)
            self.absorbed = resolve_pos_links(self.by_id, known, [str(n) for n in uses if uses[n] > linked[n]])
        for array, numbers, row in self.elements:
            self.row = row
            array.extend(None if not n else self._target(n, array, _ELEMENTS) for n in numbers)
        by_id = self.by_id
        for item, f, n in self.references:
            if n and f.kind not in ("pos", "array"):
                target = by_id.get(n)
                if target is None or not isinstance(target, f.target):
                    target = self._target(n, item, f)
                setattr(item, f.attribute, target)
        collections = [reference for reference in self.references if reference[1].kind == "array"]
        if collections:
            kept = self.sofa_arrays.union(*(members for _, _, members in self.flat.views))
            CollectionInliner(by_id, uses, kept, self._target, self.fault_or_note_of).set_features(collections)

    def _target(self, number: int, item: Any, f: Field) -> Any:
        """Return the feature structure with an id. A dangling id, or one of another type, is a fault, or null with a note."""
        target = (self.sofa_ids if f.target is Sofa else self.by_id).get(number)
        if target is not None and isinstance(target, f.target):
            return target
        self.mismatch(item, f, number, target)
        return None

    # -- views ---------------------------------------------------------------------------------------------------

    def _fill_views(self, cas: Cas) -> None:
        self.row = 0
        for name, number, members in self.flat.views:
            is_empty = name == INITIAL_VIEW and not members and number not in self.sofa_ids
            if number == 0 or is_empty:  # UIMA for Java leaves out the Sofa of an empty document
                view = cas.view(name) if cas.has_view(name) else cas.create_view(name, None, mime="")
            elif number not in self.sofa_ids:
                raise self.fault(f"view {shown(name)}: its Sofa {number} is not in the document")
            else:
                view = cas.view(self.sofa_ids[number].name)
                if view.name != name and not self.lenient:
                    raise self.fault(f"view {shown(name)}: its Sofa {number} is that of view {shown(view.name)}")
            self.fill(view, members)


Reference = tuple[Any, Field, int]


class CollectionInliner:
    """Sets the features that hold arrays and lists. Collections with other references to them stay objects."""

    def __init__(
        self,
        by_id: dict[int, Any],
        uses: Counter[int],
        kept: set[int],
        target: Callable[[int, Any, Field], Any],
        fault_or_note: Callable[[Any, str], None],
    ) -> None:
        """`uses`: the number of references by id; `kept`: ids that views or Sofas refer to."""
        self.by_id, self.uses, self.kept = by_id, uses, kept
        self.target, self.fault_or_note = target, fault_or_note
        self.inlined: set[int] = set()
        self.end_uses: Counter[int] = Counter()
        self.node_ids: dict[int, int] = {}
        """`id()` of list nodes to their ids in the file."""

    def set_features(self, references: Iterable[Reference]) -> None:
        """Set the features, and remove the inlined collections from `by_id`."""
        references = list(references)
        if any(f.range in LISTS for _, f, _ in references):
            self.node_ids = {id(x): n for n, x in self.by_id.items() if isinstance(x, ListBase)}
        for item, f, n in references:
            if n:
                setattr(item, f.attribute, self._value(item, f, n))
        self.inlined.update(n for n, times in self.end_uses.items() if times == self.uses[n])  # lists can share an end
        for n in self.inlined:
            del self.by_id[n]

    def _value(self, item: Any, f: Field, n: int) -> Any:
        value, expected = self.by_id.get(n), TYPES[f.range]
        if value is None or not isinstance(value, expected):
            return self.target(n, item, replace(f, kind="ref", target=expected))
        if not isinstance(value, ArrayBase):
            return self._list(value, item, f)
        if self.uses[n] > 1 or n in self.kept:
            return value
        self.inlined.add(n)
        return bytes(value) if isinstance(value, ByteArray) else list(value)  # type: ignore[call-overload]

    def _list(self, head: Any, item: Any, f: Field) -> Any:
        nodes = list(_nodes(head))
        if nodes and isinstance(nodes[-1].tail, ListNode):
            self.fault_or_note(item, f"{type(item).uima_name}: feature {f.name}: a circular list")
            return None
        end = self.node_ids.get(id(nodes[-1].tail if nodes else head))  # None if the last node has no end
        numbers = [self.node_ids[id(x)] for x in nodes]
        if any(self.uses[n] > 1 or n in self.kept for n in numbers) or end in self.kept:
            return head
        self.inlined.update(numbers)
        if end is not None:
            self.end_uses[end] += 1
        return [x.head for x in nodes]


def _nodes(head: Any) -> Iterator[Any]:
    """Iterate over the nodes of a list, each once."""
    seen: set[int] = set()
    while isinstance(head, ListNode) and id(head) not in seen:
        seen.add(id(head))
        yield head
        head = head.tail
