"""The ground of XMI that is read: numbers and places of its rows, its Sofas, its arrays."""

from __future__ import annotations

from typing import Any

from ..arrays import ARRAYS, ELEMENTS
from ..cas import INITIAL_VIEW, Cas
from ..description import STRING, TOP
from ..text import Sofa
from ..typesystem import TypeSystem
from .cas_builder import Ground
from .decode import Floats, ValueFault, integer, list_of
from .loss import restore_text
from .parse import Rows, type_name
from .plan import Field

OLD_VIEW = "_DefaultTextSofaName"
"""What UIMA called the initial view before version 2."""


class Reading(Ground):
    """What is known of XMI while it is read: its rows, what its numbers stand for, its Sofas, what was noted."""

    def __init__(self, rows: Rows, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        super().__init__(types, given, lenient)
        self.notes += rows.notes
        self.rows = rows
        self.row_of: dict[int, int] = {}
        self.fixes: list[tuple[Any, Field, str]] = []
        self.floats = Floats()
        self._arrays: dict[int | None, int] | None = None
        """The rows of arrays by xmi:id, looked for once."""

    def place(self, row: int) -> str:
        return self.rows.place(row)

    def type_here(self) -> str:
        return type_name(self.rows.elements[self.at][0]) or "annotation"

    def number(self, text: str | None, what: str) -> int:
        if text is None:
            raise self.fault(f"{what} without xmi:id")
        number = xmi_id(text)
        if number is None or number < 0:
            raise self.fault(f"{what}: expected xmi:id as a number below 2147483648")
        return number

    def read_sofas(self, cas: Cas, found: list[int], lost: dict[str, str]) -> None:
        for self.at in found:
            attributes = self.attributes(self.at)
            key = attributes.pop(self.rows.id_name, None)
            number = self.number(key, "Sofa")
            name = attributes.get("sofaID")
            if name is None:
                raise self.fault("Sofa without sofaID")
            name = INITIAL_VIEW if name == OLD_VIEW else name
            unknown = set(attributes) - {"sofaNum", "sofaID", "mimeType", "sofaString", "sofaURI", "sofaArray"}
            if unknown and not self.lenient:
                raise self.fault(f"uima.cas.Sofa has no feature {min(unknown)}")
            text = attributes.get("sofaString")
            if text is not None and name in lost:
                text = restore_text(text, lost[name])
            array = self._sofa_array(attributes.get("sofaArray", ""))
            mime, uri = attributes.get("mimeType", ""), attributes.get("sofaURI")
            self.add_sofa(cas, key, number, name, text, mime, uri, array)
        self.settle_sofas("", "0")

    def sofa_of(self, text: str) -> Sofa | None:
        """The Sofa an id stands for."""
        number = xmi_id(text)
        return None if number is None else self.sofa_ids.get(number)

    def _sofa_array(self, id_: str) -> Any:
        if id_ in ("", "0"):
            return None
        if self._arrays is None:
            self._arrays = {}
            for i, (name, flat) in enumerate(self.rows.elements):
                if type_name(name) in ARRAYS and self.rows.id_name in flat[::2]:
                    self._arrays[xmi_id(flat[2 * flat[::2].index(self.rows.id_name) + 1])] = i
        row = self._arrays.get(xmi_id(id_))
        if row is None:
            self.stray("sofaArray: expected the xmi:id of an array")
            return None
        if row not in self.row_of:
            before, self.at = self.at, row
            self.read_array(ARRAYS[type_name(self.rows.elements[row][0]) or ""], row)
            self.at = before
        return self.by_id[self.row_of[row]]

    def attributes(self, row: int) -> dict[str, str]:
        flat = self.rows.elements[row][1]
        found = dict(zip(flat[::2], flat[1::2], strict=True))
        for child in self.rows.children.get(row, ()):
            found[child.feature] = child.href if child.href is not None else child.text
        return found

    # -- arrays and numbers ----------------------------------------------------------------------------------------

    def read_array(self, cls: type[Any], row: int) -> None:
        flat = self.rows.elements[row][1]
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        number = self.number(attributes.pop(self.rows.id_name, None), cls.uima_name)
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
                text = self.hexadecimal(texts, cls.uima_name) if element == "uima.cas.Byte" else " ".join(texts)
                array.extend(list_of(text, element, self.floats))
            else:
                array.extend(list_of(text or "", element, self.floats))
        except ValueFault as e:
            raise self.fault(f"{cls.uima_name}: {e}") from None
        if number in self.by_id:
            self.twice(number)
        self.by_id[number] = array
        self.row_of[row] = number

    def hexadecimal(self, texts: list[str], name: str) -> str:
        try:
            return bytes(int(t) & 0xFF for t in texts if -128 <= int(t) <= 255).hex()
        except ValueError:
            raise self.fault(f"{name}: expected bytes as numbers") from None


def xmi_id(text: str) -> int | None:
    """An xmi:id as Java reads it; None for what is none."""
    try:
        return integer(text, "uima.cas.Integer") if text else None
    except ValueFault:
        return None
