"""The ground of a document that is read: numbers and places of its rows, its Sofas with their offsets, its arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arrays import ARRAYS, ELEMENTS
from .cas import Cas
from .description import STRING, TOP
from .errors import FormatError
from .text import Sofa
from .typesystem import TypeSystem
from .utf16 import Utf16
from .xmi_decode import Floats, ValueFault, list_of
from .xmi_loss import restore_text
from .xmi_parse import Rows, type_name
from .xmi_plan import Field

Place = tuple[Sofa | None, int, Callable[[int, int], tuple[int, int]] | None]
"""A Sofa, the length of its text, and how its offsets become code points where that is not nothing."""


class Reading:
    """What is known of a document while it is read: its rows, what its numbers stand for, its Sofas, what was noted."""

    def __init__(self, rows: Rows, types: TypeSystem, given: TypeSystem | None, lenient: bool) -> None:
        self.rows, self.types, self.given, self.lenient = rows, types, given, lenient
        self.notes: list[str] = []
        self.by_id: dict[int, Any] = {0: None}
        """What each xmi:id stands for; Sofas too while reading."""
        self.row_of: dict[int, int] = {}
        self.fixes: list[tuple[Any, Field, str]] = []
        self.gone: set[int] = set()
        """`id()` of POS annotations that became `Token.pos`."""
        self.sofas: dict[str, Place] = {}
        self.sofa_ids: dict[int, Sofa] = {}
        self.floats = Floats()
        self.at = 0

    # -- messages ------------------------------------------------------------------------------------------------

    def fault(self, message: str, row: int | None = None) -> FormatError:
        return FormatError(f"{self.rows.place(self.at if row is None else row)}: {message}")

    def note(self, message: str) -> None:
        self.notes.append(message)

    def number(self, text: str | None, what: str) -> int:
        if text is None:
            raise self.fault(f"{what} without xmi:id")
        if text.isdecimal() and text.isascii() and len(text) <= 10:
            number = int(text)
            if 0 <= number <= 2**31 - 1:
                return number
        raise self.fault(f"{what}: expected xmi:id as a number below 2147483648")

    def read_sofas(self, cas: Cas, found: list[int], lost: dict[str, str]) -> None:
        for self.at in found:
            attributes = self.attributes(self.at)
            number = self.number(attributes.pop(self.rows.id_name, None), "Sofa")
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
        if len(self.sofas) == 1 or (self.lenient and self.sofas):
            self.sofas[""] = next(iter(self.sofas.values()))
        elif not self.sofas:
            self.sofas[""] = None, 2**31, self._mover(Utf16(""), 2**31) if self.lenient else None
        if "" in self.sofas:
            self.sofas.setdefault("0", self.sofas[""])  # null, as UIMA for C++ writes it

    def _place(self, sofa: Sofa) -> Place:
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
                    self.read_array(kind, i)
                    self.at = before
                    return self.by_id[int(id_)]
        raise self.fault("sofaArray: expected the xmi:id of an array of values")

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

    def twice(self, number: int) -> int:
        if number <= 0:
            raise self.fault("xmi:id 0 means null; expected a number above it")
        if not self.lenient or number in self.sofa_ids:
            raise self.fault(f"xmi:id {number} is used twice")
        self.note(f"xmi:id {number} is used twice, the later element counts")
        return number
