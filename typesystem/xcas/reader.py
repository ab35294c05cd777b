"""Reads XCAS, UIMA's older XML form of documents, of version 2 and before it: strictly, or keeping what it does not know."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..arrays import ARRAYS, ELEMENTS
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP
from ..errors import FormatError
from ..inferred_types import value_range
from ..json_cas.flat_decode import Row
from ..json_cas.flat_inference import extended
from ..json_cas.flat_reader import SOFA, Flat, FlatReader
from ..markup.safe_xml import read_bytes
from ..typesystem import TypeSystem, own_types
from ..xmi.decode import Floats, ValueFault, one
from ..xmi.xmi_builder import OLD_VIEW
from .parse import DOCUMENT, Element, parse

_REF = "_ref_"


def read_xcas(
    source: bytes | str | Path,
    typesystem: TypeSystem | None = None,
    *,
    lenient: bool = False,
    infer: bool = False,
    id: str = "",
) -> Cas:
    """A document from XCAS: bytes, or the path of a file.

    `typesystem`: the types beyond caspipe's own. `id`: name of the document; by default what its DocumentMetaData says.
    Strict reading refuses whatever does not fit; with `infer` all but unknown types and features, which are made up from what
    occurs. Lenient reading keeps those too, lets dangling references be null and moves offsets into the text, each with a note
    in `metadata["xcas:notes"]`. XCAS itself has no empty strings in arrays: they are null.

    Raises FormatError naming file, line and column, and OSError. Never shows text of the document.
    """
    data, where = read_bytes(source)
    collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage yet: looking for it again and again takes as long as reading a large document
    try:
        types = typesystem or own_types()
        rows = _Rows(parse(data, where), where, types, lenient, infer or lenient)
        flat = rows.flat()
        if infer or lenient:
            types = extended(types, flat.rows, f"{where} (inferred)")
        reader = _Reader(rows, flat, types, types if types is not own_types() else None)
        return reader.read(id)
    finally:
        if collecting:
            gc.enable()


class _Reader(FlatReader):
    number_name = "_id"
    renumbered = True
    notes_key = "xcas:notes"

    def __init__(self, rows: _Rows, flat: Flat, types: TypeSystem, given: TypeSystem | None) -> None:
        super().__init__(flat, types, given, rows.lenient)
        self.source = rows
        self.notes = rows.notes

    def place(self, row: int) -> str:
        return self.source.place(row)


class _Rows:
    """The elements as rows: values by the ranges of their features, views by the numbers of their Sofas."""

    def __init__(self, elements: list[Element], where: str, types: TypeSystem, lenient: bool, open_: bool) -> None:
        self.elements, self.where, self.types, self.lenient = elements, where, types, lenient
        self.open = open_
        """Whether unknown types and features are welcome."""
        self.notes: list[str] = []
        self.floats = Floats()
        self.ranges: dict[tuple[str, str], str] = {}
        self.sofa_numbers: dict[int, int] = {}
        """By sofaNum."""
        self.taken: set[int] = set()
        self.at = 0

    def place(self, row: int) -> str:
        if row >= len(self.elements):
            return self.where
        return f"{self.where}:{self.elements[row].line}:{self.elements[row].column}"

    def fault(self, message: str) -> FormatError:
        return FormatError(f"{self.place(self.at)}: {message}")

    def flat(self) -> Flat:
        numbers = self._numbers()
        self._sofa_numbers(numbers)
        if self.open:
            self._guess()
        rows: list[Row] = []
        members: dict[int, list[int]] = {}
        for i, (element, number) in enumerate(zip(self.elements, numbers, strict=True)):
            self.at = i
            try:
                rows.append(self._row(element, number))
            except ValueFault as e:
                raise self.fault(f"{element.type}: {e}") from None
            if element.type not in (SOFA, DOCUMENT):
                for index in self._indexed(element):
                    members.setdefault(index, []).append(number)
        names = {r["%ID"]: r.get("sofaID") for r in rows if r["%TYPE"] == SOFA}
        views = [(str(names.get(s, INITIAL_VIEW)), s, numbers_) for s, numbers_ in members.items()]
        return Flat(rows, views)

    # -- numbers -------------------------------------------------------------------------------------------------

    def _numbers(self) -> list[int]:
        """The `_id` of each element, a free number where it has none. The text before version 2 is Sofa 1."""
        found: list[int] = []
        for self.at, element in enumerate(self.elements):  # noqa: B020  for messages
            given = element.attributes.get("_id", "")
            found.append(self._whole(given, "_id") if given else 0)
        self.taken = set(found)
        free = (n for n in range(1, 2**31) if n not in self.taken)
        return [n or next(free) for n in found]

    def _sofa_numbers(self, numbers: list[int]) -> None:
        for self.at, element in enumerate(self.elements):  # noqa: B020  for messages
            if element.type == SOFA:
                self.sofa_numbers[self._whole(element.attributes.get("sofaNum", ""), "sofaNum")] = numbers[self.at]
            elif element.type == DOCUMENT:
                if 1 in self.sofa_numbers:
                    raise self.fault("two texts of one view")
                self.sofa_numbers[1] = numbers[self.at]

    def _whole(self, text: str, what: str) -> int:
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            return int(text)
        raise self.fault(f"expected {what} as a number")

    def _indexed(self, element: Element) -> list[int]:
        """The Sofas in whose views an element is indexed; 0 for the initial view where that has none."""
        found: list[int] = []
        for part in element.attributes.get("_indexed", "").split():
            index = 1 if part == "true" else self._whole(part, "_indexed")
            sofa = self.sofa_numbers.get(index) if index else self.sofa_numbers.get(1)
            if sofa is None and index > 1:
                message = f"{element.type} is indexed in a view that is not in the document"
                if not self.lenient:
                    raise self.fault(message)
                self.notes.append(message)
                continue
            if (sofa or 0) not in found:
                found.append(sofa or 0)
        return found

    # -- values --------------------------------------------------------------------------------------------------

    def _range(self, of: str, feature: str) -> str:
        """The primitive of a feature, TOP for references, empty for what the type system does not know."""
        key = of, feature
        if key not in self.ranges:
            self.ranges[key] = ""
            known = self.types.features(of) if of in self.types else {}
            if feature in known:
                self.ranges[key] = self.types.range_kind(known[feature].range) or TOP
        return self.ranges[key]

    def _guess(self) -> None:
        """Ranges for the values of features the type system does not know."""
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
        """The features of an element, with the one that its content is the value of."""
        found = [(k, v) for k, v in element.attributes.items() if k not in ("_id", "_indexed", "_content")]
        if element.text.strip() and element.type != DOCUMENT and element.type not in ARRAYS:
            found.append((element.attributes.get("_content", "value"), element.text))
        return found

    def _row(self, element: Element, number: int) -> Row:
        if element.type == DOCUMENT:
            named = {"sofaNum": 1, "sofaID": INITIAL_VIEW, "mimeType": "text", "sofaString": element.text}
            return {"%ID": number, "%TYPE": SOFA, **named}
        if element.items and element.type not in ARRAYS:
            raise self.fault("elements <i> in what is no array")
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
        """An array; what has no text is null, 0 or false, and so is what is absent of its size."""
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
