"""A document as it is in its file, before anything is corrected or rejected: the input of the checks.

Offsets are UTF-16 code units, as in the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...typesystem import INITIAL_VIEW, Feature, FormatError, TypeSystemError
from ...typesystem.description import ANNOTATION, ARRAYS, PRIMITIVES, TypeDescription
from ...typesystem.markup.safe_xml import is_xml_11
from ...typesystem.typesystem import TypeSystem
from ...typesystem.xmi.parse import NULL, SOFA, VIEW, Rows, parse, type_name

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
TOKEN, SENTENCE = f"{_DKPRO}.segmentation.type.Token", f"{_DKPRO}.segmentation.type.Sentence"
NAMED_ENTITY = f"{_DKPRO}.ner.type.NamedEntity"
KNOWN = (f"{_DKPRO}.", "org.dkpro.core.api.", "de.tudarmstadt.ukp.clarin.webanno.api.type.", "uima.")
"""Packages of types that every INCEpTION project knows."""


@dataclass(slots=True)
class RawStructure:
    """A feature structure."""

    id: int
    type: str
    sofa: int = 0
    begin: int = 0
    end: int = 0
    strings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RawDocument:
    """The feature structures of a file and the members of its views."""

    types: TypeSystem
    structures: dict[int, RawStructure] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    """By id of the Sofa."""
    initial: int = 0
    """The Sofa of the initial view; 0 if there is none."""
    members: dict[int, list[int]] = field(default_factory=dict)
    """By id of the Sofa."""
    unknown_types: Counter[str] = field(default_factory=Counter)
    unknown_features: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(type, feature) -> occurrences."""
    duplicate_ids: list[int] = field(default_factory=list)
    xml_11: bool = False

    @property
    def text(self) -> str:
        """The text of the initial view."""
        return self.texts.get(self.initial, "")

    def index(self) -> list[RawStructure]:
        """Return the annotations of the initial view in UIMA's order: begin ascending, end descending."""
        ids = dict.fromkeys(self.members.get(self.initial, []))
        annotations = (self.structures[n] for n in ids if n in self.structures)
        return sorted((a for a in annotations if self.is_annotation(a.type)), key=lambda a: (a.begin, -a.end))

    def is_annotation(self, name: str) -> bool:
        """Return whether a type is an annotation; DKPro's are, even if the file does not define them."""
        if name in self.types:
            return self.types.subsumes(ANNOTATION, name)
        return name.startswith(KNOWN)

    def is_layer(self, name: str) -> bool:
        """Return whether INCEpTION shows a type as a layer of spans: an annotation whose features all are values."""
        if name in (TOKEN, SENTENCE, NAMED_ENTITY):
            return True
        if name.startswith(KNOWN) or not self.is_annotation(name):
            return False
        own = (f for f in self.types.features(name).values() if f.name != "sofa")
        return all(self._is_value(f) or f.range == "uima.cas.StringArray" for f in own)

    def add(self, id: int, name: str) -> RawStructure:
        """Add a feature structure."""
        if id in self.structures:
            self.duplicate_ids.append(id)
        if not (name in self.types or name.startswith(KNOWN) or name in ARRAYS or name.endswith("[]")):
            self.unknown_types[name] += 1
        structure = self.structures[id] = RawStructure(id, name)
        return structure

    def add_sofa(self, id: int, name: str, text: str) -> None:
        self.texts[id] = text
        if name == INITIAL_VIEW:
            self.initial = id

    def add_view(self, sofa: int, members: list[int]) -> None:
        self.members.setdefault(sofa, []).extend(members)

    def resolve_initial_view(self) -> None:
        """Take the only Sofa for the initial view if none has its name, and members without a Sofa for its members."""
        if not self.initial and len(self.texts) == 1 and not self.members.get(0):
            self.initial = next(iter(self.texts))
        if 0 in self.members and self.initial:
            self.add_view(self.initial, self.members.pop(0))

    def _is_value(self, feature: Feature) -> bool:
        return feature.range in PRIMITIVES or bool(self.types.range_kind(feature.range))


def from_xmi(data: bytes, where: str, types: TypeSystem) -> RawDocument:
    """Read an XMI file. Raises FormatError if it is damaged or not XMI."""
    rows = parse(data, where)
    document = RawDocument(types, xml_11=is_xml_11(data))
    for row, (element, attributes) in enumerate(rows.elements):
        values = dict(attributes)
        if element == VIEW:
            members = [int(m) for m in values.get("members", "").split() if m.isdecimal()]
            document.add_view(_id(values.get("sofa", "0")) or 0, members)
        elif element != NULL:
            id = _id(values.pop(rows.id_name, ""))
            if id is None:
                raise FormatError(f"{rows.place(row)}: expected an xmi:id as a number")
            values |= {child.feature: child.text for child in rows.children.get(row, ())}
            if element == SOFA:
                document.add_sofa(id, values.get("sofaID", ""), values.get("sofaString", ""))
            else:
                structure = document.add(id, type_name(element) or element.rpartition(" ")[2])
                _add_xmi_values(document, structure, values, rows, row)
    document.resolve_initial_view()
    return document


def _id(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 10 else None


def _add_xmi_values(
    document: RawDocument, structure: RawStructure, values: dict[str, str], rows: Rows, row: int
) -> None:
    known = structure.type in document.types
    if structure.type in ARRAYS or not (known or structure.type.startswith(KNOWN)):
        return
    features = document.types.features(structure.type if known else ANNOTATION)
    for name, text in values.items():
        if name == "sofa":
            structure.sofa = _id(text) or 0
        elif name in ("begin", "end") and name in features and features[name].range == "uima.cas.Integer":
            try:
                setattr(structure, name, int(text))
            except ValueError:
                raise FormatError(f"{rows.place(row)}: expected an offset as a whole number") from None
        elif name in features:
            structure.strings.append(text)
        elif known:
            document.unknown_features[structure.type, name] += 1


def from_json(data: bytes, where: str) -> RawDocument:
    """Read a UIMA JSON CAS 0.4 file. Raises FormatError if it is damaged or another format."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "1:1"
        raise FormatError(f"{where}:{place}: damaged JSON") from None
    if not isinstance(tree, dict) or "%FEATURE_STRUCTURES" not in tree:
        raise FormatError(f"{where}:1:1: expected a UIMA JSON CAS: an object with %FEATURE_STRUCTURES")
    document = RawDocument(_json_types(tree.get("%TYPES") or {}, where))
    for record in _records(tree["%FEATURE_STRUCTURES"], where):
        id, name = record.get("%ID"), record["%TYPE"]
        if type(id) is not int or not isinstance(name, str):
            raise FormatError(f"{where}: expected %ID as a number and %TYPE as a name")
        if name == "uima.cas.Sofa":
            document.add_sofa(id, record.get("sofaID") or "", record.get("sofaString") or "")
        else:
            _add_json_values(document.add(id, name), record)
    for view in (tree.get("%VIEWS") or {}).values():
        document.add_view(int(view.get("%SOFA") or 0), view.get("%MEMBERS") or [])
    document.resolve_initial_view()
    return document


def _records(structures: Any, where: str) -> Iterator[dict[str, Any]]:
    pairs = structures.items() if isinstance(structures, dict) else ((None, x) for x in structures)
    for key, record in pairs:
        if not isinstance(record, dict) or "%TYPE" not in record:
            raise FormatError(f"{where}: expected feature structures as objects with %TYPE")
        yield {"%ID": int(key), **record} if key is not None else record


def _add_json_values(structure: RawStructure, record: dict[str, Any]) -> None:
    for key, value in record.items():
        if key in ("begin", "end", "^begin", "^end") and type(value) is int:
            setattr(structure, key.removeprefix("^"), value)
        elif key == "@sofa" and type(value) is int:
            structure.sofa = value
        elif isinstance(value, str) and not key.startswith(("%", "#")):
            structure.strings.append(value)


def _json_types(described: dict[str, Any], where: str) -> TypeSystem:
    types = []
    for name, body in described.items():
        features = tuple(
            Feature(key, _json_range(f.get("%RANGE", "uima.cas.String")), f.get("%ELEMENT_TYPE"))
            for key, f in body.items()
            if not key.startswith("%")
        )
        types.append((TypeDescription(name, body.get("%SUPER_TYPE") or "uima.cas.TOP", features, ""), where))
    try:
        return TypeSystem(types)
    except TypeSystemError as error:
        raise FormatError(str(error)) from None


def _json_range(name: str) -> str:
    if not name.endswith("[]"):
        return name
    element = name.removesuffix("[]")
    return f"{element}Array" if element in PRIMITIVES else "uima.cas.FSArray"
