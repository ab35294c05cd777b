"""Reads documents whose every feature structure, arrays and lists too, stands alone under a number: JSON CAS and XCAS."""

from __future__ import annotations

from abc import abstractmethod
from base64 import b64decode
from binascii import Error as Base64Error
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..annotation import TYPES
from ..arrays import ARRAYS, ELEMENTS, ArrayBase, ByteArray, ListBase, ListNode
from ..cas import INITIAL_VIEW, Cas
from ..description import LISTS, TOP, nearest
from ..errors import CasError, TypeSystemError
from ..text import Sofa, shown
from ..typesystem import TypeSystem
from ..xmi.builtin_features import settle_tags
from ..xmi.cas_builder import Ground
from ..xmi.decode import RowFault, Taken, UnknownFeature, ValueFault
from ..xmi.loss import TEXT_KEY, restore_text
from ..xmi.plan import Field, Plan, plan_for
from .flat_decode import BareRow, Row, decoder, element_of, hint, kind_of, mended, tidied, tidy_decoder
from .type_table import array_type, safe

SOFA = "uima.cas.Sofa"
_SOFA_KEYS = frozenset(
    ("%ID", "%TYPE", "%FLAGS", "sofaNum", "sofaID", "mimeType", "sofaString", "sofaURI", "@sofaArray", "sofaArray")
)
_RECORDS = frozenset(("caspipe.Metadata", "caspipe.OffsetMap"))
_ELEMENTS = Field("elements", "", "elements", TOP)
ArrayClass = type[Any]


@dataclass(slots=True)
class Flat:
    """A parsed document: rows, and by name the views with their Sofa's number (0 for none) and members."""

    rows: list[Row]
    views: list[tuple[str, int, list[int]]] = field(default_factory=list)


def array_class(name: str) -> ArrayClass | None:
    """The class of an array type, `X[]` or `uima.cas.XArray`; None for what is no array."""
    return ARRAYS.get(array_type(name[:-2]) if name.endswith("[]") else name)


class FlatReader(Ground):
    """Builds the document from rows. Subclasses know where a row stands in their form."""

    number_name = "%ID"

    def __init__(self, flat: Flat, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        super().__init__(types, given, lenient)
        self.flat, self.rows = flat, flat.rows
        self.kinds: list[str] = []
        self.fixes: list[tuple[Any, Field, int]] = []
        self.elements: list[tuple[Any, list[int | None], int]] = []
        self.members: set[int] = set()
        self.nodes: dict[int, int] = {}
        """`id()` of list nodes to their numbers."""
        self._array_rows: dict[int, int] | None = None
        """The rows of arrays by number, looked for once."""
        self.sofa_arrays: set[int] = set()

    @abstractmethod
    def place(self, row: int) -> str:
        """Where a row stands, for messages."""

    def type_here(self) -> str:
        return self.kinds[self.at]

    def read(self, name: str) -> Cas:
        cas = Cas(typesystem=self.given)
        self.kinds = self._kinds()
        with_records = not _RECORDS.isdisjoint(self.kinds)
        for _, _, members in self.flat.views:
            self.members.update(members)
        self._sofas(cas, self._lost() if with_records else {})
        self._instances()
        self._resolve()
        self._views(cas)
        return self.finish(cas, name, with_records)

    def _kinds(self) -> list[str]:
        try:
            kinds = [row["%TYPE"] for row in self.rows]
        except (KeyError, TypeError):
            kinds = [None]
        if {k.__class__ for k in kinds} <= {str} and {row.__class__ for row in self.rows} <= {dict}:
            return kinds
        return [self._kind(i, row) for i, row in enumerate(self.rows)]

    def _kind(self, i: int, row: Any) -> str:
        kind = row.get("%TYPE") if row.__class__ is dict else None
        if kind.__class__ is not str:
            what = "an object" if row.__class__ is not dict else "an object with %TYPE as a string"
            raise self.fault(f"expected {what}", i)
        found: str = kind
        return found

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _sofas(self, cas: Cas, lost: dict[str, str]) -> None:
        for i in [i for i, kind in enumerate(self.kinds) if kind == SOFA]:
            self.at = i
            row = self.rows[self.at]
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
        self.settle_sofas(None, 0)

    def _text(self, row: Row, key: str) -> str | None:
        value = row.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self.fault(f"{SOFA}: feature {key}: expected a string, got {kind_of(value)}")

    def _number(self, row: Row) -> int:
        number: Any = row.get("%ID")
        if number.__class__ is not int:
            raise self.fault(f"expected a whole number as {self.number_name}")
        found: int = number
        return found

    def _sofa_array(self, number: Any) -> Any:
        here = self.at
        if self._array_rows is None:
            kinds = enumerate(zip(self.rows, self.kinds, strict=True))
            self._array_rows = {r["%ID"]: i for i, (r, k) in kinds if array_class(k) and r.get("%ID").__class__ is int}
        row = self._array_rows.get(number) if number.__class__ is int else None
        cls = None if row is None else array_class(self.kinds[row])
        if row is None or cls is None or cls is ARRAYS["uima.cas.FSArray"]:
            raise self.fault("feature sofaArray: expected the number of an array of values")
        if number not in self.by_id:
            self.at = row
            self._array(cls)
            self.at = here
        self.sofa_arrays.add(number)
        return self.by_id[number]

    def _lost(self) -> dict[str, str]:
        """By view, the record of characters its text lost when it was written."""
        found: dict[str, str] = {}
        arrays: dict[int, list[Any]] = {}
        for row, kind in zip(self.rows, self.kinds, strict=True):
            given = row.get("%ELEMENTS")
            if isinstance(given, list) and row.get("%ID").__class__ is int and array_class(kind):
                arrays[row["%ID"]] = given
        for row, kind in zip(self.rows, self.kinds, strict=True):
            if kind == "caspipe.Metadata":
                numbers = [n for n in (row.get("@keys"), row.get("@values")) if n.__class__ is int]
                for entry in zip(*(arrays.get(n, []) for n in numbers), strict=False):
                    if len(entry) == 2 and all(isinstance(s, str) for s in entry) and entry[0].startswith(TEXT_KEY):
                        found[entry[0].removeprefix(TEXT_KEY)] = entry[1]
        return found

    # -- feature structures --------------------------------------------------------------------------------------

    def _instances(self) -> None:
        kinds = self.kinds
        plans: dict[str, Plan | ArrayClass] = {}
        i, n = 0, len(kinds)
        while i < n:
            self.at = i
            kind = kinds[i]
            if kind == SOFA:
                i += 1
                continue
            plan = plans.get(kind)
            if plan is None:
                plan = plans[kind] = array_class(kind) or self._plan(kind)
            if not isinstance(plan, Plan):
                number = self.rows[i].get("%ID")
                if number.__class__ is not int or number not in self.sofa_arrays:
                    self._array(plan)
                i += 1
                continue
            i = self._make(plan, i)

    def _plan(self, name: str) -> Plan:
        try:
            plan = plan_for(self.types[name], self.types)
        except TypeSystemError:
            raise self.fault(f"no type {safe(name)} in the type system{nearest(name, self.types)}") from None
        except CasError as e:
            raise self.fault(str(e)) from None
        return plan

    def _make(self, plan: Plan, i: int) -> int:
        """Makes instances of rows alike from `i` on; returns the first row not done."""
        rows, stop = self.rows, len(self.rows)
        try:
            make = decoder(plan, tuple(rows[i]), self.lenient)
            if make is None:  # one row by itself, brought into order
                make = tidy_decoder(plan, self.lenient)
                rows, stop, i = [tidied(plan, rows[i], self.lenient)], 1, 0
        except UnknownFeature as e:
            raise self.fault(f"{plan.name} has no feature {safe(e.feature)}{hint(e.feature, plan)}") from None
        except ValueFault as e:
            if self._mended(plan):
                return self.at
            raise self.fault(f"{plan.name}: {e}") from None
        except BareRow:
            raise self.fault(f"{plan.name} without {self.number_name}") from None
        offset = self.at - i
        while True:
            try:
                i = make(rows, i, stop, self.by_id, self.sofas, self.fixes.append) + offset
                break
            except RowFault as e:
                i = e.row
                self.at = i + offset
                if isinstance(e.__cause__, ValueFault) and self._mended(plan):
                    return self.at
                self._settle(plan, e.__cause__, rows[i])
        return i

    def _mended(self, plan: Plan) -> bool:
        """Leniently, whether the row can be read now that values it cannot hold were dropped, with a note for each."""
        features = mended(plan, self.rows[self.at]) if self.lenient else []
        for name in features:
            self.note(f"{plan.name}: a value of feature {name} does not fit")
        return bool(features)

    def _settle(self, plan: Plan, cause: BaseException | None, row: Row) -> None:
        """Makes way for the row where lenient reading can; raises the fault where not."""
        if isinstance(cause, Taken):
            del self.by_id[self.twice(cause.args[0])]
        elif isinstance(cause, ValueFault):
            raise self.fault(f"{plan.name}: {cause}") from None
        elif isinstance(cause, ValueError | OverflowError):
            raise self.fault(f"{plan.name}: a number of too many digits") from None
        elif self.sofas and row.get("@sofa") is None:
            raise self.fault(f"{plan.name} without sofa, in a document with several") from None
        else:
            raise self.fault(f"{plan.name}: its sofa is not in the document") from None

    def _array(self, cls: ArrayClass) -> None:
        row = self.rows[self.at]
        number = self._number(row)
        if number <= 0 or number in self.by_id:
            self.by_id.pop(self.twice(number))
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
            self.elements.append((array, given, self.at))
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
        """Sets what refers to other feature structures."""
        by_id = self.by_id
        links = [(item, f, n) for item, f, n in self.fixes if f.kind == "pos" and n]
        if links:
            others = [str(n) for _, f, n in self.fixes if f.kind != "pos"]
            others += [str(n) for _, numbers, _ in self.elements for n in numbers]
            known = [(x, n) for x, f, n in links if self._target(n, x, f) is not None]
            self.gone = settle_tags(by_id, known, others)
        for array, numbers, row in self.elements:
            self.at = row
            array.extend(None if not n else self._target(n, array, _ELEMENTS) for n in numbers)
        inline = []
        for fix in self.fixes:
            item, f, n = fix
            if f.kind == "array":
                inline.append(fix)
            elif f.kind != "pos" and n:
                target = by_id.get(n)
                if target is None or not isinstance(target, f.target):
                    target = self._target(n, item, f)
                setattr(item, f.attribute, target)
        if inline:
            self._inline(inline)

    def _target(self, n: int, item: Any, f: Field) -> Any:
        """What a number stands for. A dangling one, or one of another type, is a fault, or null with a note."""
        target = (self.sofa_ids if f.target is Sofa else self.by_id).get(n)
        if target is not None and isinstance(target, f.target):
            return target
        message = self.misfit(type(item).uima_name, f, n, target)
        if not self.lenient:
            raise self.fault(message, self._row_of(item))
        self.note(message)
        return None

    def _row_of(self, item: Any) -> int:
        number = next((n for n, x in self.by_id.items() if x is item), None)
        return next((i for i, row in enumerate(self.rows) if row.get("%ID") == number), self.at)

    def _inline(self, fixes: list[tuple[Any, Field, int]]) -> None:
        """Features that hold an array or list alone get plain values; what others refer to as well stays an object."""
        uses = Counter(n for _, _, n in self.fixes)
        uses.update(n for _, numbers, _ in self.elements for n in numbers if n)
        dropped: set[int] = set()
        ends: Counter[int] = Counter()
        if any(f.range in LISTS for _, f, _ in fixes):
            self.nodes = {id(x): n for n, x in self.by_id.items() if isinstance(x, ListBase)}
        for item, f, n in fixes:
            if not n:
                continue
            target = self.by_id.get(n)
            wanted = TYPES[f.range]
            if target is None or not isinstance(target, wanted):
                wanted_field = Field(f.name, f.attribute, "ref", f.range, target=wanted)
                target = self._target(n, item, wanted_field)
            elif isinstance(target, ArrayBase):
                if uses[n] == 1 and n not in self.members and n not in self.sofa_arrays:
                    dropped.add(n)
                    target = bytes(target) if isinstance(target, ByteArray) else list(target)  # type: ignore[call-overload]
            else:
                target = self._list(target, uses, dropped, ends, item, f)
            setattr(item, f.attribute, target)
        dropped.update(n for n, times in ends.items() if times == uses[n])  # the end of a list may be that of several
        for n in dropped:
            del self.by_id[n]

    def _list(self, head: Any, uses: Counter[int], dropped: set[int], ends: Counter[int], item: Any, f: Field) -> Any:
        """A plain list of what a linked list holds, where only the feature has it."""
        chain = list(_chain(head))
        if chain and isinstance(chain[-1].tail, ListNode):
            message = f"{type(item).uima_name}: feature {f.name}: a list that runs in a circle"
            if not self.lenient:
                raise self.fault(message, self._row_of(item))
            self.note(message)
            return None
        end = self.nodes.get(id(chain[-1].tail if chain else head))  # None where the last link has no end
        numbers = [self.nodes[id(x)] for x in chain]
        if any(uses[n] > 1 or n in self.members for n in numbers) or end in self.members:
            return head
        dropped.update(numbers)
        if end is not None:
            ends[end] += 1
        return [x.head for x in chain]

    # -- views ---------------------------------------------------------------------------------------------------

    def _views(self, cas: Cas) -> None:
        self.at = 0
        for name, number, members in self.flat.views:
            nothing = name == INITIAL_VIEW and not members and number not in self.sofa_ids
            if number == 0 or nothing:  # UIMA for Java leaves out the Sofa of an empty document
                view = cas.view(name) if cas.has_view(name) else cas.create_view(name, None, mime="")
            elif number not in self.sofa_ids:
                raise self.fault(f"view {shown(name)}: its Sofa {number} is not in the document")
            else:
                view = cas.view(self.sofa_ids[number].name)
                if view.name != name and not self.lenient:
                    raise self.fault(f"view {shown(name)}: its Sofa {number} is that of view {shown(view.name)}")
            self.fill(view, members)


def _chain(head: Any) -> Iterator[Any]:
    """The nodes of a list, up to where it ends or comes round."""
    seen: set[int] = set()
    while isinstance(head, ListNode) and id(head) not in seen:
        seen.add(id(head))
        yield head
        head = head.tail
