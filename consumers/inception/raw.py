"""A document as its file has it, before anything is corrected or refused: what the checks look at.

Offsets here are UTF-16 code units, as in the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...typesystem import INITIAL_VIEW, Feature, FormatError, TypeSystemError
from ...typesystem.description import ANNOTATION, ARRAYS, PRIMITIVES, TypeDescription
from ...typesystem.markup.safe_xml import is_xml_11
from ...typesystem.typesystem import TypeSystem
from ...typesystem.utf16 import Utf16
from ...typesystem.xmi.parse import NULL, SOFA, VIEW, Rows, parse, type_name
from .schema import KNOWN


@dataclass(slots=True)
class Item:
    """A feature structure."""

    id: int
    type: str
    sofa: int = 0
    begin: int = 0
    end: int = 0
    refs: dict[str, list[int]] = field(default_factory=dict)
    """What its features refer to; without what stands in arrays."""
    strings: list[str] = field(default_factory=list)
    """Its values that are text."""


@dataclass(slots=True)
class Document:
    """A file's feature structures and views."""

    types: TypeSystem
    items: dict[int, Item] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    """By number of the Sofa."""
    initial: int = 0
    """The Sofa of the initial view, 0 where there is none."""
    indexed: dict[int, list[int]] = field(default_factory=dict)
    """Members of each view, by its Sofa."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Types that the type system lacks, with how many there are of each."""
    ignored: dict[tuple[str, str], int] = field(default_factory=dict)
    """(type, feature) that the type system lacks."""
    twice: list[int] = field(default_factory=list)
    """Numbers that two feature structures have."""
    dangling: list[tuple[int, str]] = field(default_factory=list)
    """(id, feature) of references to what is not in the document."""
    xml_11: bool = False
    _below: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of the initial view."""
        return self.texts.get(self.initial, "")

    def index(self) -> list[Item]:
        """The annotations of the initial view in UIMA's order: begin ascending, end descending."""
        members = [self.items[n] for n in dict.fromkeys(self.indexed.get(self.initial, [])) if n in self.items]
        return sorted((i for i in members if self.is_a(i, ANNOTATION)), key=lambda i: (i.begin, -i.end))

    def is_a(self, item: Item, name: str) -> bool:
        """Whether an item's type is `name` or lies below it."""
        key = item.type, name
        if key not in self._below:
            if item.type in self.types:
                self._below[key] = name in self.types and self.types.subsumes(name, item.type)
            else:  # INCEpTION knows DKPro's types, whether the file defines them or not
                self._below[key] = item.type.startswith(KNOWN) and name in (item.type, ANNOTATION)
        return self._below[key]

    def offsets(self) -> Utf16:
        return Utf16(self.text)


# -- XMI -------------------------------------------------------------------------------------------------------------


def from_xmi(data: bytes, where: str, types: TypeSystem) -> Document:
    """The document of an XMI file. Raises FormatError where it is no XMI or damaged."""
    rows = parse(data, where)
    made = Document(types, xml_11=is_xml_11(data))
    features: dict[str, dict[str, Feature]] = {}
    for row, (element, flat) in enumerate(rows.elements):
        values = dict(zip(flat[::2], flat[1::2], strict=True))
        if element == NULL:
            continue
        if element == VIEW:
            _view(made, values)
        elif element == SOFA:
            _sofa(made, _number(values.pop(rows.id_name, ""), rows, row), values, rows, row)
        else:
            _item(made, rows, row, element, values, features)
    _settle(made)
    return made


def _number(text: str, rows: Rows, row: int) -> int:
    if text.isdecimal() and text.isascii() and len(text) <= 10:
        return int(text)
    raise FormatError(f"{rows.place(row)}: expected an xmi:id as a number")


def _sofa(made: Document, number: int, values: dict[str, str], rows: Rows, row: int) -> None:
    for child in rows.children.get(row, ()):
        values[child.feature] = child.text
    made.texts[number] = values.get("sofaString", "")
    if values.get("sofaID") == INITIAL_VIEW:
        made.initial = number


def _view(made: Document, values: dict[str, str]) -> None:
    sofa = values.get("sofa", "0")
    members = [int(m) for m in values.get("members", "").split() if m.isdecimal()]
    made.indexed.setdefault(int(sofa) if sofa.isdecimal() else 0, []).extend(members)


def _item(
    made: Document, rows: Rows, row: int, element: str, values: dict[str, str], known: dict[str, dict[str, Feature]]
) -> None:
    name = type_name(element) or element.rpartition(" ")[2]
    number = _number(values.pop(rows.id_name, ""), rows, row)
    if number in made.items:
        made.twice.append(number)
    item = made.items[number] = Item(number, name)
    if name in ARRAYS:
        return
    if name not in made.types:
        if not name.startswith(KNOWN):
            made.unknown[name] = made.unknown.get(name, 0) + 1
            return
        values = {k: v for k, v in values.items() if k in ("sofa", "begin", "end")}
    if name not in known:
        known[name] = made.types.features(name if name in made.types else ANNOTATION)
    late: dict[str, list[str]] = {}
    for child in rows.children.get(row, ()) if name in made.types else ():
        late.setdefault(child.feature, []).append(child.href if child.href is not None else child.text)
    given = {**{k: [v] for k, v in values.items()}, **late}
    for feature, texts in given.items():
        found = known[name].get(feature)
        if feature == "sofa":
            item.sofa = int(texts[0]) if texts[0].isdecimal() else 0
        elif feature in ("begin", "end") and found is not None and found.range == "uima.cas.Integer":
            setattr(item, feature, _offset(texts[0], rows, row))
        elif found is None:
            made.ignored[name, feature] = made.ignored.get((name, feature), 0) + 1
        elif not _is_value(made.types, found):
            if _is_reference(found):
                item.refs[feature] = [int(t) for text in texts for t in text.split() if t.isdecimal() and t != "0"]
        else:
            item.strings += texts


def _offset(text: str, rows: Rows, row: int) -> int:
    try:
        return int(text)
    except ValueError:
        raise FormatError(f"{rows.place(row)}: expected an offset as a whole number") from None


def _is_value(types: TypeSystem, feature: Feature) -> bool:
    return feature.range in PRIMITIVES or bool(types.range_kind(feature.range))


def _is_reference(feature: Feature) -> bool:
    """INCEpTION's check follows references, not what stands in arrays."""
    return feature.range not in ARRAYS


# -- JSON CAS --------------------------------------------------------------------------------------------------------


def from_json(data: bytes, where: str) -> Document:
    """The document of a UIMA JSON CAS 0.4 file. Raises FormatError where it is none."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "1:1"
        raise FormatError(f"{where}:{place}: damaged JSON") from None
    if not isinstance(tree, dict) or "%FEATURE_STRUCTURES" not in tree:
        raise FormatError(f"{where}:1:1: expected a UIMA JSON CAS: an object with %FEATURE_STRUCTURES")
    made = Document(_json_types(tree.get("%TYPES") or {}, where))
    for record in _records(tree["%FEATURE_STRUCTURES"], where):
        _json_item(made, record, where)
    for view in (tree.get("%VIEWS") or {}).values():
        made.indexed.setdefault(int(view.get("%SOFA") or 0), []).extend(view.get("%MEMBERS") or [])
    _settle(made)
    return made


def _records(found: Any, where: str) -> Iterator[dict[str, Any]]:
    pairs = found.items() if isinstance(found, dict) else ((None, x) for x in found)
    for key, record in pairs:
        if not isinstance(record, dict) or "%TYPE" not in record:
            raise FormatError(f"{where}: expected feature structures as objects with %TYPE")
        yield {"%ID": int(key), **record} if key is not None else record


def _json_item(made: Document, record: dict[str, Any], where: str) -> None:
    number, name = record.get("%ID"), record["%TYPE"]
    if type(number) is not int or not isinstance(name, str):
        raise FormatError(f"{where}: expected %ID as a number and %TYPE as a name")
    if name == "uima.cas.Sofa":
        made.texts[number] = record.get("sofaString") or ""
        if record.get("sofaID") == INITIAL_VIEW:
            made.initial = number
        return
    if number in made.items:
        made.twice.append(number)
    item = made.items[number] = Item(number, name)
    if name.endswith("[]") or name in ARRAYS:
        return
    if name not in made.types and not name.startswith(KNOWN):
        made.unknown[name] = made.unknown.get(name, 0) + 1
    for key, value in record.items():
        if key in ("begin", "end", "^begin", "^end") and type(value) is int:
            setattr(item, key.removeprefix("^"), value)
        elif key == "@sofa" and type(value) is int:
            item.sofa = value
        elif key.startswith("@") and type(value) is int:
            item.refs[key[1:]] = [value]
        elif isinstance(value, str) and not key.startswith(("%", "#")):
            item.strings.append(value)


def _json_types(found: dict[str, Any], where: str) -> TypeSystem:
    made = []
    for name, described in found.items():
        features = tuple(
            Feature(key, _json_range(f.get("%RANGE", "uima.cas.String")), f.get("%ELEMENT_TYPE"))
            for key, f in described.items()
            if not key.startswith("%")
        )
        above = described.get("%SUPER_TYPE") or "uima.cas.TOP"
        made.append((TypeDescription(name, above, features, described.get("%DESCRIPTION") or ""), where))
    try:
        return TypeSystem(made)
    except TypeSystemError as error:
        raise FormatError(str(error)) from None


def _json_range(name: str) -> str:
    if not name.endswith("[]"):
        return name
    of = name.removesuffix("[]")
    return f"{of}Array" if of in PRIMITIVES else "uima.cas.FSArray"


# -- both ------------------------------------------------------------------------------------------------------------


def _settle(made: Document) -> None:
    if not made.initial and len(made.texts) == 1 and not made.indexed.get(0):
        made.initial = next(iter(made.texts))
    if 0 in made.indexed and made.initial:
        made.indexed.setdefault(made.initial, []).extend(made.indexed.pop(0))
    for item in made.items.values():
        for feature, ids in item.refs.items():
            made.dangling += [(item.id, feature) for n in ids if n not in made.items and n not in made.texts]


__all__ = ["Document", "Item", "from_json", "from_xmi"]
