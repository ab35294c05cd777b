"""Read XCAS, UIMA's older XML format for documents, of version 2 and before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..arrays import ARRAYS, ELEMENTS
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP
from ..errors import FormatError
from ..garbage_collection import garbage_collection_paused
from ..inferred_types import value_range
from ..json_cas.flat_decode import Row
from ..json_cas.flat_reader import SOFA, FlatDocument, FlatReader
from ..json_cas.type_table import extend_types
from ..markup.safe_xml import parser_for, read_bytes, run
from ..typesystem import TypeSystem, own_types
from ..xmi.decode import FloatCache, ValueFault, one
from ..xmi.xmi_builder import OLD_VIEW

DOCUMENT = "uima.tcas.Document"
"""The element with the text in files of UIMA before version 2."""


@dataclass(slots=True)
class Element:
    """A child of the root."""

    type: str
    attributes: dict[str, str]
    line: int
    column: int
    text: str = ""
    items: list[str] = field(default_factory=list)
    """The texts of its `<i>` elements."""


def parse(data: bytes, where: str) -> list[Element]:
    """Return the elements of an XCAS document. Raises FormatError for damaged XML, a document type, or anything but XCAS."""
    parser = parser_for(where, namespaces=False)
    elements: list[Element] = []
    depth = 0
    text: list[str] = []

    def fail(message: str) -> FormatError:
        return FormatError(f"{where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}: {message}")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 1:
            if name.rpartition(":")[2] == "XMI":
                raise fail("this is XMI; expected XCAS, whose root is CAS")
            if name != "CAS":
                raise fail("expected CAS as root")
        elif depth == 2:
            elements.append(Element(_type(name), attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1))
            text.clear()
        elif depth == 3 and name == "i" and not attributes:
            text.clear()
        else:
            raise fail("expected text, or elements <i> of an array")

    def end(_: str) -> None:
        nonlocal depth
        if depth == 3:
            elements[-1].items.append("".join(text))
            text.clear()
        elif depth == 2:
            elements[-1].text = "".join(text)
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text.append
    run(parser, data, where)
    return elements


def _type(name: str) -> str:
    """Return the type of an element: XCAS spells out characters that XML names cannot contain; Sofas had another name."""
    name = name.replace(":", "_colon_").replace("-", "_dash_")
    return "uima.cas.Sofa" if name == "uima.cas.SofA" else name


_REF = "_ref_"


def read_xcas(
    source: bytes | str | Path,
    typesystem: TypeSystem | None = None,
    *,
    lenient: bool = False,
    infer: bool = False,
    id: str = "",
) -> Cas:
    """Return the document of XCAS: bytes, or the path of a file.

    `typesystem`: the types beyond caspipe's own. `id`: name of the document; by default that of its DocumentMetaData.
    Strict reading refuses everything that does not conform; `infer` infers unknown types and features from what occurs. Lenient
    reading does that too, sets dangling references to null and moves offsets into the text, each with a note in
    `metadata["xcas:notes"]`. XCAS cannot express empty strings in arrays: they are null.

    Raises FormatError, which names file, line and column, and OSError. Messages contain no text of the document.
    """
    data, where = read_bytes(source)
    with garbage_collection_paused():
        types = typesystem or own_types()
        rows = _Rows(parse(data, where), where, types, lenient, infer or lenient)
        flat = rows.flat()
        if infer or lenient:
            types = extend_types(types, flat.rows, f"{where} (inferred)")
        reader = _Reader(rows, flat, types, types if types is not own_types() else None)
        return reader.read(id)


class _Reader(FlatReader):
    id_name = "_id"
    renumbered = True
    notes_key = "xcas:notes"

    def __init__(self, rows: _Rows, flat: FlatDocument, types: TypeSystem, given: TypeSystem | None) -> None:
        super().__init__(flat, types, given, rows.lenient)
        self.source = rows
        self.notes = rows.notes

    def place(self, row: int) -> str:
        return self.source.place(row)


class _Rows:
    """Converts elements to rows: values by the ranges of their features, views by the ids of their Sofas."""

    def __init__(self, elements: list[Element], where: str, types: TypeSystem, lenient: bool, infer: bool) -> None:
        self.elements, self.where, self.types, self.lenient = elements, where, types, lenient
        self.infer = infer
        self.notes: list[str] = []
        self.floats = FloatCache()
        self.ranges: dict[tuple[str, str], str] = {}
        self.sofa_numbers: dict[int, int] = {}
        """By sofaNum."""
        self.row = 0

    def place(self, row: int) -> str:
        if row >= len(self.elements):
            return self.where
        return f"{self.where}:{self.elements[row].line}:{self.elements[row].column}"

    def fault(self, message: str) -> FormatError:
        return FormatError(f"{self.place(self.row)}: {message}")

    def flat(self) -> FlatDocument:
        numbers = self._numbers()
        self._sofa_numbers(numbers)
        if self.infer:
            self._infer_ranges()
        rows: list[Row] = []
        members: dict[int, list[int]] = {}
        for i, (element, number) in enumerate(zip(self.elements, numbers, strict=True)):
            self.row = i
            try:
                rows.append(self._row(element, number))
            except ValueFault as e:
                raise self.fault(f"{element.type}: {e}") from None
            if element.type not in (SOFA, DOCUMENT):
                for index in self._indexed(element):
                    members.setdefault(index, []).append(number)
        names = {r["%ID"]: r.get("sofaID") for r in rows if r["%TYPE"] == SOFA}
        views = [(str(names.get(s, INITIAL_VIEW)), s, numbers_) for s, numbers_ in members.items()]
        return FlatDocument(rows, views)

    # -- numbers -------------------------------------------------------------------------------------------------

    def _numbers(self) -> list[int]:
        """Return the `_id` of each element, or an unused one if it has none."""
        given_ids: list[int] = []
        for self.row, element in enumerate(self.elements):  # noqa: B020  for messages
            given = element.attributes.get("_id", "")
            given_ids.append(self._whole(given, "_id") if given else 0)
        used = set(given_ids)
        unused = (n for n in range(1, 2**31) if n not in used)
        return [n or next(unused) for n in given_ids]

    def _sofa_numbers(self, numbers: list[int]) -> None:
        """Map each sofaNum to the id of its Sofa. The text of files before version 2 is Sofa 1."""
        for self.row, element in enumerate(self.elements):  # noqa: B020  for messages
            if element.type == SOFA:
                self.sofa_numbers[self._whole(element.attributes.get("sofaNum", ""), "sofaNum")] = numbers[self.row]
            elif element.type == DOCUMENT:
                if 1 in self.sofa_numbers:
                    raise self.fault("two texts of one view")
                self.sofa_numbers[1] = numbers[self.row]

    def _whole(self, text: str, what: str) -> int:
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            return int(text)
        raise self.fault(f"expected {what} as a number")

    def _indexed(self, element: Element) -> list[int]:
        """Return the Sofas in whose views an element is indexed; 0 for an initial view without a Sofa."""
        sofas: list[int] = []
        for part in element.attributes.get("_indexed", "").split():
            index = 1 if part == "true" else self._whole(part, "_indexed")
            sofa = self.sofa_numbers.get(index) if index else self.sofa_numbers.get(1)
            if sofa is None and index > 1:
                message = f"{element.type} is indexed in a view that is not in the document"
                if not self.lenient:
                    raise self.fault(message)
                self.notes.append(message)
                continue
            if (sofa or 0) not in sofas:
                sofas.append(sofa or 0)
        return sofas

    # -- values --------------------------------------------------------------------------------------------------

    def _range(self, of: str, feature: str) -> str:
        """Return the primitive of a feature, TOP for references, or "" for an unknown feature."""
        key = of, feature
        if key not in self.ranges:
            self.ranges[key] = ""
            known = self.types.features(of) if of in self.types else {}
            if feature in known:
                self.ranges[key] = self.types.range_kind(known[feature].range) or TOP
        return self.ranges[key]

    def _infer_ranges(self) -> None:
        """Infer the ranges of unknown features from their values."""
        values: dict[tuple[str, str], list[str]] = {}
        counts: dict[str, int] = {}
        for element in self.elements:
            counts[element.type] = counts.get(element.type, 0) + 1
            for name, text in self._values(element):
                if not name.startswith(_REF) and not self._range(element.type, name):
                    values.setdefault((element.type, name), []).append(text)
        for (of, name), several in values.items():
            self.ranges[of, name] = value_range(several, always=len(several) == counts[of])

    def _values(self, element: Element) -> list[tuple[str, str]]:
        """Return the features of an element, including the one whose value is its content."""
        values = [(k, v) for k, v in element.attributes.items() if k not in ("_id", "_indexed", "_content")]
        if element.text.strip() and element.type != DOCUMENT and element.type not in ARRAYS:
            values.append((element.attributes.get("_content", "value"), element.text))
        return values

    def _row(self, element: Element, number: int) -> Row:
        if element.type == DOCUMENT:
            named = {"sofaNum": 1, "sofaID": INITIAL_VIEW, "mimeType": "text", "sofaString": element.text}
            return {"%ID": number, "%TYPE": SOFA, **named}
        if element.items and element.type not in ARRAYS:
            raise self.fault("elements <i> outside an array")
        if element.type in ARRAYS:
            return self._array(element, number)
        row: Row = {"%ID": number, "%TYPE": element.type}
        for name, text in self._values(element):
            key, value = self._feature(element.type, name, text)
            if key in row:
                raise self.fault(f"{element.type}: a feature is given twice")
            row[key] = value
        return row

    def _feature(self, of: str, name: str, text: str) -> tuple[str, Any]:
        if name.startswith(_REF):
            return f"@{name.removeprefix(_REF)}", self._reference(text, name.removeprefix(_REF))
        if of == SOFA:
            if name == "sofaNum":
                return name, self._whole(text, "sofaNum")
            return name, INITIAL_VIEW if (name, text) == ("sofaID", OLD_VIEW) else text
        range_ = self._range(of, name)
        if name == "sofa" and (range_ == TOP or not range_):  # before version 2 by sofaNum
            index = self._whole(text, "sofa") or 1
            return "@sofa", self.sofa_numbers.get(index, index)
        if range_ == TOP:
            return f"@{name}", self._reference(text, name)
        if not range_:
            return name, text
        try:
            return name, one(text, range_, self.floats)
        except ValueFault as e:
            raise ValueFault(f"feature {name}: {e}") from None

    def _reference(self, text: str, name: str) -> int | None:
        if text.startswith("-") or text in ("", "0"):
            return None
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            return int(text)
        raise ValueFault(f"feature {name}: expected an _id")

    def _array(self, element: Element, number: int) -> Row:
        """Return an array. Elements without text, and those missing to its size, are null, 0 or false."""
        unknown = set(element.attributes) - {"_id", "_indexed", "size"}
        if unknown or element.text.strip():
            raise self.fault(f"{element.type}: expected _id, _indexed, size and elements <i>")
        size = self._whole(element.attributes.get("size", "0"), "size")
        if size < len(element.items) or size > len(element.items) + 1_000_000:
            raise self.fault(f"{element.type}: size {size}, but {len(element.items)} elements")
        kind = ELEMENTS[element.type]
        convert: Callable[[str], Any] = lambda text: one(text, kind, self.floats)  # noqa: E731  as the one below
        empty: Any = None if kind in (STRING, TOP) else convert("")
        if kind == TOP:
            convert = lambda text: self._reference(text, "elements")  # noqa: E731
        values = [convert(text) if text else empty for text in element.items]
        values += [empty] * (size - len(values))
        return {"%ID": number, "%TYPE": element.type, "%ELEMENTS": values}
