"""Reads XMI, UIMA's XML form of documents: strictly, or keeping what it does not know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from .annotation import AnnotationBase, FeatureStructure
from .arrays import ARRAYS, ELEMENTS, ArrayBase
from .cas import INITIAL_VIEW, Cas, View
from .description import STRING, TOP, nearest
from .errors import FormatError, TypeSystemError
from .origin import Origin
from .safe_xml import read_bytes
from .text import Sofa
from .typesystem import TypeSystem, own_types
from .utf16 import Utf16
from .xmi_decode import Floats, RowFault, Taken, UnknownFeature, ValueFault, decoder, list_of
from .xmi_edge import RECORDS, document_id, lost_texts, read_records, settle_tags
from .xmi_loss import restore_text
from .xmi_parse import NULL, SOFA, VIEW, Child, Rows, parse, type_name
from .xmi_plan import Field, Plan, plan_for


def read_xmi(
    source: bytes | str | Path, typesystem: TypeSystem | None = None, *, lenient: bool = False, id: str = ""
) -> Cas:
    """A document from XMI: bytes, or the path of a file.

    `typesystem`: the types beyond caspipe's own. `id`: name of the document; by default what its DocumentMetaData says.
    Strict reading refuses whatever does not fit. Lenient reading keeps unknown types and features (they are written again),
    lets dangling references be null and moves offsets into the text, each with a note in `metadata["xmi:notes"]`.

    Raises FormatError naming file, line and column, and OSError. Never shows text of the document.
    """
    data, where = read_bytes(source)
    rows = parse(data, where)
    types = typesystem or own_types()
    if lenient:
        from .inference import extended

        types = extended(types, rows)
        typesystem = types if types is not own_types() else None
    return _Reader(rows, types, typesystem, lenient).read(id)


_sofa_of = attrgetter("_sofa")


class _Reader:
    def __init__(self, rows: Rows, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        self.rows, self.types, self.given, self.lenient = rows, types, given, lenient
        self.notes: list[str] = []
        self.by_id: dict[int, Any] = {0: None}
        """What each xmi:id stands for; Sofas too while reading."""
        self.row_of: dict[int, int] = {}
        self.fixes: list[tuple[Any, Field, str]] = []
        self.gone: set[int] = set()
        """`id()` of POS annotations that became `Token.pos`."""
        self.sofas: dict[str, tuple[Sofa | None, int, Callable[[int, int], tuple[int, int]] | None]] = {}
        self.sofa_ids: dict[int, Sofa] = {}
        self.floats = Floats()
        self.at = 0

    # -- messages ------------------------------------------------------------------------------------------------

    def fault(self, message: str, row: int | None = None) -> FormatError:
        return FormatError(f"{self.rows.place(self.at if row is None else row)}: {message}")

    def note(self, message: str) -> None:
        self.notes.append(message)

    # -- the document --------------------------------------------------------------------------------------------

    def read(self, id: str) -> Cas:
        cas = Cas(typesystem=self.given)
        names = [name for name, _ in self.rows.elements]
        with_records = not RECORDS.isdisjoint(names)
        lost = lost_texts(self.rows) if with_records else {}
        self._sofas(cas, [i for i, name in enumerate(names) if name == SOFA], lost)
        self._instances()
        self._resolve()
        self._views(cas, [i for i, name in enumerate(names) if name == VIEW])
        self._forget()
        if self.by_id and not 0 < min(self.by_id) <= max(self.by_id) < 2**31:
            raise self.fault("expected xmi:ids from 1 to 2147483647", 0)
        cas._origin = Origin(self.by_id, {s.name: n for n, s in self.sofa_ids.items()})
        if with_records:
            read_records(cas, self.by_id, self.fault)
        cas.id = id or document_id(cas)
        if self.notes:
            cas.metadata["xmi:notes"] = "; ".join(self.notes)
        return cas

    def _forget(self) -> None:
        """Leaves only feature structures of the document in `by_id`."""
        gone = [n for n, x in self.by_id.items() if id(x) in self.gone] if self.gone else []
        for number in (0, *self.sofa_ids, *gone):
            del self.by_id[number]

    def _number(self, text: str | None, what: str) -> int:
        if text is None:
            raise self.fault(f"{what} without xmi:id")
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            number = int(text)
            if 0 <= number <= 2**31 - 1:
                return number
        raise self.fault(f"{what}: expected xmi:id as a number below 2147483648")

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _sofas(self, cas: Cas, found: list[int], lost: dict[str, str]) -> None:
        for self.at in found:
            attributes = self._attributes(self.at)
            number = self._number(attributes.pop(self.rows.id_name, None), "Sofa")
            name = attributes.get("sofaID")
            if name is None:
                raise self.fault("Sofa without sofaID")
            unknown = set(attributes) - {"sofaNum", "sofaID", "mimeType", "sofaString", "sofaURI", "sofaArray"}
            if unknown and not self.lenient:
                raise self.fault(f"uima.cas.Sofa has no feature {min(unknown)}")
            if number in self.by_id or cas.has_view(name):
                raise self.fault("two Sofas with the same xmi:id or sofaID")
            text = attributes.get("sofaString")
            if text is not None and name in lost:
                text = restore_text(text, lost[name])
            array = self._sofa_array(attributes["sofaArray"]) if "sofaArray" in attributes else None
            view = cas.create_view(
                name, text, mime=attributes.get("mimeType", ""), uri=attributes.get("sofaURI"), array=array
            )
            self.sofa_ids[number] = view.sofa
            self.by_id[number] = view.sofa
            self.sofas[str(number)] = self._place(view.sofa)
        only = next(iter(self.sofas.values())) if len(self.sofas) == 1 else None
        self.sofas[""] = only or (None, 2**31, self._mover(Utf16(""), 2**31) if self.lenient else None)

    def _place(self, sofa: Sofa) -> tuple[Sofa, int, Callable[[int, int], tuple[int, int]] | None]:
        if sofa.text is None:
            return sofa, 2**31, self._mover(Utf16(""), 2**31) if self.lenient else None
        units = Utf16(sofa.text)
        return sofa, len(sofa.text), self._mover(units, units.length) if units or self.lenient else None

    def _mover(self, units: Utf16, limit: int) -> Callable[[int, int], tuple[int, int]]:
        """Converts a pair of UTF-16 offsets, checked."""

        def move(begin: int, end: int) -> tuple[int, int]:
            if not 0 <= begin <= end <= limit:
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} lie outside the text (0:{limit} in UTF-16 code units)")
                self.note(f"{self._type_here()} {begin}:{end} moved into the text (0:{limit})")
                begin, end = max(0, min(begin, end, limit)), min(limit, max(begin, end, 0))
            if units and (units.splits_pair(begin) or units.splits_pair(end)):
                if not self.lenient:
                    raise ValueFault(f"offsets {begin}:{end} (UTF-16 code units) divide a character of two units")
                self.note(f"{self._type_here()} {begin}:{end} widened to whole characters")
            if not units:
                return begin, end
            return units.from_utf16(begin), units.from_utf16(end, up=True)

        return move

    def _type_here(self) -> str:
        return type_name(self.rows.elements[self.at][0]) or "annotation"

    def _sofa_array(self, id_: str) -> Any:
        for i, (name, attributes) in enumerate(self.rows.elements):
            if self.rows.id_name in attributes and attributes[attributes.index(self.rows.id_name) + 1] == id_:
                before, self.at = self.at, i
                kind = ARRAYS.get(type_name(name) or "")
                if kind is not None and kind is not ARRAYS["uima.cas.FSArray"]:
                    self._array(kind, i)
                    self.at = before
                    return self.by_id[int(id_)]
        raise self.fault("sofaArray: expected the xmi:id of an array of values")

    def _attributes(self, row: int) -> dict[str, str]:
        flat = self.rows.elements[row][1]
        found = dict(zip(flat[::2], flat[1::2], strict=True))
        for child in self.rows.children.get(row, ()):
            found[child.feature] = child.href if child.href is not None else child.text
        return found

    # -- feature structures --------------------------------------------------------------------------------------

    def _instances(self) -> None:
        elements, children = self.rows.elements, self.rows.children
        plans: dict[str, Plan] = {}
        i = 0
        while i < len(elements):
            self.at = i
            name, x = elements[i]
            if name in (SOFA, VIEW, NULL):
                i += 1
                continue
            plan = plans.get(name) or plans.setdefault(name, self._plan(name))
            if issubclass(plan.cls, ArrayBase):
                if i not in self.row_of:
                    self._array(plan.cls, i)
                i += 1
            elif i in children:
                flat, late = self._with_children(plan, x, children[i])
                first = len(self.by_id)
                self._make(plan, [(name, flat)], 0, 1)
                item = next(reversed(self.by_id.values())) if len(self.by_id) > first else None
                self.fixes += [(item, f, value) for f, value in late if item is not None]
                i += 1
            else:
                stop = next((c for c in children if c > i), len(elements))
                i = self._make(plan, elements, i, stop)

    def _make(self, plan: Plan, rows: list[tuple[str, list[str]]], i: int, stop: int) -> int:
        """Makes instances of rows alike from `i` on; returns the first row not done."""
        name, x = rows[i]
        make = self._decoder(plan, tuple(x[::2]))
        start = self.at - i
        while True:
            try:
                return make(rows, i, stop, name, self.by_id, self.sofas, self.floats, self.fixes.append)
            except RowFault as e:
                i = e.row
                self.at = start + i
                cause = e.__cause__
                if isinstance(cause, Taken):
                    del self.by_id[self._twice(cause.args[0])]
                elif isinstance(cause, ValueFault):
                    raise self.fault(f"{plan.name}: {cause}") from None
                elif isinstance(cause, ValueError):
                    raise self.fault(f"{plan.name}: a number of too many digits") from None
                else:
                    raise self.fault(f"{plan.name}: its sofa is not in the document") from None

    def _twice(self, number: int) -> int:
        if number <= 0:
            raise self.fault("xmi:id 0 means null; expected a number above it")
        if not self.lenient or number in self.sofa_ids:
            raise self.fault(f"xmi:id {number} is used twice")
        self.note(f"xmi:id {number} is used twice, the later element counts")
        return number

    def _plan(self, element: str) -> Plan:
        name = type_name(element)
        if name is None:
            raise self.fault(
                f"element {element.rpartition(' ')[2]}: its namespace is not one of UIMA's (http:///....ecore)"
            )
        try:
            return plan_for(self.types[name], self.types)
        except TypeSystemError:
            hint = nearest(name, self.types)
            raise self.fault(f"no type {name} in the type system{hint}") from None

    def _decoder(self, plan: Plan, keys: tuple[str, ...]) -> Callable[..., int]:
        if self.rows.id_name not in keys:
            raise self.fault(f"{plan.name} without xmi:id")
        try:
            return decoder(plan, keys, self.rows.id_name, self.lenient)
        except UnknownFeature as e:
            hint = nearest(e.feature, [f.name for f in plan.fields])
            raise self.fault(f"{plan.name} has no feature {e.feature.rpartition(' ')[2]}{hint}") from None

    def _with_children(
        self, plan: Plan, x: list[str], children: list[Child]
    ) -> tuple[list[str], list[tuple[Field, Any]]]:
        """Attributes with the features that came as elements; string collections are set afterwards."""
        fields = {f.name: f for f in plan.fields}
        grouped: dict[str, list[Child]] = {}
        for child in children:
            grouped.setdefault(child.feature, []).append(child)
        x = list(x)
        late: list[tuple[Field, Any]] = []
        for name, several in grouped.items():
            f = fields.get(name)
            texts = [c.href if c.href is not None else c.text for c in several]
            if f is not None and f.kind == "array" and f.element == STRING:
                late.append((f, [None if c.null else c.text for c in several]))
            elif f is not None and f.kind == "array" and f.element == "uima.cas.Byte":
                x += [name, self._hexadecimal(texts, plan.name)]
            elif f is not None and f.kind == "array":
                x += [name, " ".join(texts)]
            elif len(several) > 1:
                raise self.fault(f"{plan.name}: feature {name} is given {len(several)} times")
            elif not several[0].null:
                x += [name, texts[0]]
        return x, late

    def _hexadecimal(self, texts: list[str], name: str) -> str:
        try:
            return bytes(int(t) & 0xFF for t in texts if -128 <= int(t) <= 255).hex()
        except ValueError:
            raise self.fault(f"{name}: expected bytes as numbers") from None

    def _array(self, cls: type[Any], row: int) -> None:
        flat = self.rows.elements[row][1]
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        number = self._number(attributes.pop(self.rows.id_name, None), cls.uima_name)
        text = attributes.pop("elements", None)
        if attributes and not self.lenient:
            raise self.fault(f"{cls.uima_name} has no feature {min(attributes).rpartition(' ')[2]}")
        children = self.rows.children.get(row, [])
        element = ELEMENTS[cls.uima_name]
        array = cls()
        texts = [c.href if c.href is not None else c.text for c in children]
        try:
            if element == TOP:
                self.fixes.append((array, Field("elements", "", "elements", TOP), text or " ".join(texts)))
            elif element == STRING:
                array.extend([None if c.null else c.text for c in children] if children else (text or "").split())
            elif children:
                text = self._hexadecimal(texts, cls.uima_name) if element == "uima.cas.Byte" else " ".join(texts)
                array.extend(list_of(text, element, self.floats))
            else:
                array.extend(list_of(text or "", element, self.floats))
        except ValueFault as e:
            raise self.fault(f"{cls.uima_name}: {e}") from None
        if number in self.by_id:
            self._twice(number)
        self.by_id[number] = array
        self.row_of[row] = number

    # -- references ----------------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Sets what refers to other feature structures."""
        by_id = self.by_id
        links = [(item, text) for item, f, text in self.fixes if f.kind == "pos" and text not in ("", "0")]
        if links:
            others = [text for _, f, text in self.fixes if f.kind != "pos" and isinstance(text, str)]
            self.gone = settle_tags(by_id, self._known_links(links), others)
        for item, f, text in self.fixes:
            if f.kind == "ref" or f.kind == "shared":
                if text:
                    target = by_id.get(int(text)) if text.isdecimal() else None
                    setattr(item, f.attribute, self._target(text, item, f) if target is None else target)
            elif isinstance(text, list):
                setattr(item, f.attribute, text)
            elif f.kind != "pos":
                found = [by_id.get(int(t)) if t.isdecimal() else None for t in text.split()]
                if None in found:
                    found = [self._target(t, item, f) for t in text.split()]
                if f.kind == "elements":
                    item.extend(found)
                else:
                    setattr(item, f.attribute, found)

    def _known_links(self, links: list[tuple[Any, str]]) -> list[tuple[Any, int]]:
        field = Field("pos", "pos", "pos", "")
        return [(token, int(text)) for token, text in links if self._target(text, token, field) is not None]

    def _target(self, text: str, item: Any, f: Field) -> Any:
        """What an id stands for: None for 0. A dangling one is a fault, or null with a note."""
        if text in ("0", ""):
            return None
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            number = int(text)
            if number in self.by_id:
                return self.by_id[number]
        of = type(item).uima_name
        if not (text.isdecimal() and text.isascii()):
            raise self.fault(f"{of}: feature {f.name}: expected one xmi:id", self._row_of(item))
        if self.lenient:
            self.note(f"{of}: feature {f.name} refers to xmi:id {text}, which is not in the document")
            return None
        raise self.fault(
            f"{of}: feature {f.name} refers to xmi:id {text}, which is not in the document", self._row_of(item)
        )

    def _row_of(self, item: Any) -> int:
        number = next((n for n, x in self.by_id.items() if x is item), 0)
        name = self.rows.id_name
        for i, (_, x) in enumerate(self.rows.elements):
            if name in x[::2] and x[2 * x[::2].index(name) + 1] == str(number):
                return i
        return 0

    # -- views ---------------------------------------------------------------------------------------------------

    def _views(self, cas: Cas, found: list[int]) -> None:
        for self.at in found:
            attributes = self._attributes(self.at)
            for feature in ("deleted_members", "reindexed_members"):
                if attributes.get(feature):
                    raise self.fault(f"View with {feature}: expected a whole document, not the changes to one")
            number = attributes.get("sofa", "0")
            if number in ("0", ""):
                view = cas.view() if cas.has_view(INITIAL_VIEW) else cas.create_view(INITIAL_VIEW, None, mime="")
            elif number.isdecimal() and int(number) in self.sofa_ids:
                view = cas.view(self.sofa_ids[int(number)].name)
            else:
                raise self.fault("View of a Sofa that is not in the document")
            self._fill(view, f"{attributes.get('members', '')} {attributes.get('added_members', '')}".split())

    def _fill(self, view: View, members: list[str]) -> None:
        by_id, sofa = self.by_id, view.sofa
        try:
            items: list[Any] = list(map(by_id.get, map(int, members)))
        except ValueError:
            raise self.fault(f"View {view.name}: expected members as xmi:ids") from None
        if self.gone:
            items = [m for m in items if id(m) not in self.gone]
        groups: dict[Any, list[Any]] = defaultdict(list)
        for item in items:
            groups[item.__class__].append(item)
        for cls, group in groups.items():
            if issubclass(cls, AnnotationBase):
                if set(map(_sofa_of, group)) != {sofa}:
                    for m in group:
                        if m._sofa is not sofa:
                            self._stray(members, m, view.name)
                    groups[cls] = [m for m in group if m._sofa is sofa]
            elif not issubclass(cls, FeatureStructure):
                for number in members:
                    if not isinstance(by_id.get(int(number)), FeatureStructure):
                        self._stray([number], None, view.name)
                groups[cls] = []
        for cls, group in groups.items():
            view.fill(cls, group)

    def _stray(self, members: list[str], item: Any, view: str) -> None:
        if item is None:
            message = f"View {view}: member {members[0]} is no feature structure of the document"
        else:
            number = next(m for m in members if self.by_id.get(int(m)) is item)
            message = f"View {view}: member {number} ({type(item).uima_name}) belongs to another Sofa"
        if not self.lenient:
            raise self.fault(message)
        self.note(message)
