"""Builds a document from the rows of XMI: ids, Sofas and arrays."""

from __future__ import annotations

from typing import Any

from ..arrays import ARRAYS, ELEMENTS
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP
from ..text import Sofa
from ..typesystem import TypeSystem
from .cas_builder import CasBuilder
from .decode import FloatCache, ValueFault, integer, list_of
from .loss import restore_text
from .parse import Rows, type_name
from .plan import Field

OLD_VIEW = "_DefaultTextSofaName"
"""The name of the initial view before version 2 of UIMA."""
SOFA_FEATURES = frozenset(("sofaNum", "sofaID", "mimeType", "sofaString", "sofaURI", "sofaArray"))


class XmiBuilder(CasBuilder):
    """The state of reading XMI."""

    def __init__(self, rows: Rows, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        super().__init__(types, given, lenient)
        self.notes += rows.notes
        self.rows = rows
        self.floats = FloatCache()
        self.array_ids: dict[int, int] = {}
        """The ids of arrays by row."""
        self._array_rows: dict[int | None, int] | None = None
        """The rows of arrays by id, computed once."""

    def place(self, row: int) -> str:
        return self.rows.place(row)

    def current_type(self) -> str:
        return type_name(self.rows.elements[self.row][0]) or "annotation"

    def safe_name(self, name: str) -> str:
        return name.rpartition(" ")[2]

    def row_with_id(self, number: int) -> int:
        ids = (i for i in range(len(self.rows.elements)) if self.rows.get(i, self.rows.id_name) == str(number))
        return next(ids, 0)

    def number(self, text: str | None, of: str) -> int:
        """Return the id of an element. Raises FormatError."""
        if text is None:
            raise self.fault(f"{of} without xmi:id")
        number = xmi_id(text)
        if number is None or number < 0:
            raise self.fault(f"{of}: expected xmi:id as a number below 2147483648")
        return number

    def attributes(self, row: int) -> dict[str, str]:
        """Return the features of a row, whether they are attributes or elements."""
        return {**self.rows.elements[row][1], **{c.feature: c.value for c in self.rows.children.get(row, ())}}

    def read_sofas(self, cas: Cas, rows: list[int], lost: dict[str, str]) -> None:
        """Add the Sofas. `lost`: the records of characters that texts lost when they were written, by view."""
        for self.row in rows:
            attributes = self.attributes(self.row)
            key = attributes.pop(self.rows.id_name, None)
            number = self.number(key, "Sofa")
            name = attributes.get("sofaID")
            if name is None:
                raise self.fault("Sofa without sofaID")
            name = INITIAL_VIEW if name == OLD_VIEW else name
            unknown = attributes.keys() - SOFA_FEATURES
            if unknown and not self.lenient:
                raise self.fault(f"uima.cas.Sofa has no feature {min(unknown)}")
            text = attributes.get("sofaString")
            if text is not None and name in lost:
                text = restore_text(text, lost[name])
            array = self._sofa_array(attributes.get("sofaArray", ""))
            self.add_sofa(
                cas, key, number, name, text, attributes.get("mimeType", ""), attributes.get("sofaURI"), array
            )
        self.complete_sofas("", "0")

    def sofa_with_id(self, text: str) -> Sofa | None:
        return self.sofa_ids.get(xmi_id(text) or 0)

    def _sofa_array(self, text: str) -> Any:
        if text in ("", "0"):
            return None
        if self._array_rows is None:
            arrays = [i for i, (name, _) in enumerate(self.rows.elements) if type_name(name) in ARRAYS]
            self._array_rows = {xmi_id(self.rows.get(i, self.rows.id_name) or ""): i for i in arrays}
        row = self._array_rows.get(xmi_id(text))
        if row is None:
            self.fault_or_note("sofaArray: expected the xmi:id of an array")
            return None
        if row not in self.array_ids:
            before, self.row = self.row, row
            self.read_array(ARRAYS[type_name(self.rows.elements[row][0]) or ""], row)
            self.row = before
        return self.by_id[self.array_ids[row]]

    def read_array(self, cls: type[Any], row: int) -> None:
        """Add an array that is an element of its own."""
        attributes = dict(self.rows.elements[row][1])
        number = self.number(attributes.pop(self.rows.id_name, None), cls.uima_name)
        text = attributes.pop("elements", None)
        if attributes and not self.lenient:
            raise self.fault(f"{cls.uima_name} has no feature {min(attributes).rpartition(' ')[2]}")
        children = self.rows.children.get(row, [])
        texts = [c.value for c in children]
        element, array = ELEMENTS[cls.uima_name], cls()
        try:
            if element == TOP:
                self.references.append((array, Field("elements", "", "elements", TOP), text or " ".join(texts)))
            elif element == STRING:
                array.extend([None if c.null else c.text for c in children] if children else (text or "").split())
            else:
                if children:
                    text = self.hexadecimal(texts, cls.uima_name) if element == "uima.cas.Byte" else " ".join(texts)
                array.extend(list_of(text or "", element, self.floats))
        except ValueFault as e:
            raise self.fault(f"{cls.uima_name}: {e}") from None
        if number in self.by_id:
            self.check_reused_id(number)
        self.by_id[number] = array
        self.array_ids[row] = number

    def hexadecimal(self, texts: list[str], name: str) -> str:
        """Return bytes that are elements of their own as an attribute has them."""
        try:
            return bytes(int(t) & 0xFF for t in texts if -128 <= int(t) <= 255).hex()
        except ValueError:
            raise self.fault(f"{name}: expected bytes as numbers") from None


def xmi_id(text: str) -> int | None:
    """Return an xmi:id as Java reads it, or None if the text is not an id."""
    try:
        return integer(text, "uima.cas.Integer") if text else None
    except ValueFault:
        return None
