"""XMI as rows: each element with its attributes, before anything is understood of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .errors import FormatError
from .safe_xml import is_xml_11, parser_for, run

CAS = "http:///uima/cas.ecore "
SOFA, VIEW, NULL = CAS + "Sofa", CAS + "View", CAS + "NULL"
_XMI_URIS = re.compile(r"http://(www\.omg\.org/XMI|schema\.omg\.org/spec/XMI/[\d.]+)\Z")
_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")


@dataclass(slots=True)
class Child:
    """A feature given as an element: its text, or the id its href names."""

    feature: str
    text: str = ""
    href: str | None = None
    null: bool = False


@dataclass(slots=True)
class Rows:
    """A parsed document. Element names are `uri local`; attributes are flat: name, value, name, value."""

    where: str
    data: bytes
    id_name: str
    """How xmi:id is called here, with its namespace."""
    elements: list[tuple[str, list[str]]] = field(default_factory=list)
    children: dict[int, list[Child]] = field(default_factory=dict)

    def place(self, row: int) -> str:
        """`file:line:column` of an element; parses the document again, so for messages only."""
        parser = parser_for(self.where)
        count = -2  # the root is no row
        found = self.where

        def start(name: str, _: list[str]) -> None:
            nonlocal count, found
            count += " " in name or count == -2
            if count == row and found == self.where:
                found = f"{self.where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"

        parser.StartElementHandler = start
        run(parser, _readable(self.data)[0], self.where)
        return found


def parse(data: bytes, where: str) -> Rows:
    """The rows of an XMI document. Raises FormatError for damaged XML, a document type, or what is no XMI."""
    readable, controls = _readable(data)
    parser = parser_for(where)
    elements: list[tuple[str, list[str]]] = []
    children: dict[int, list[Child]] = {}
    append = elements.append
    root: list[str] = []
    current: Child | None = None

    def fail(message: str) -> FormatError:
        return FormatError(f"{where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}: {message}")

    def first(name: str, attributes: list[str]) -> None:
        uri, _, local = name.rpartition(" ")
        if local == "CAS" and not uri:
            raise fail("this is XCAS, UIMA's older form; expected xmi:XMI")
        if local != "XMI" or not _XMI_URIS.match(uri):
            raise fail(f"expected xmi:XMI as root, got {local}")
        root.append(uri)
        parser.StartElementHandler = start

    def start(name: str, attributes: list[str]) -> None:
        if " " in name:
            append((name, attributes))
            if current is not None:
                raise fail(f"element {name.rpartition(' ')[2]} inside a feature; expected text")
        else:
            child(name, attributes)

    def child(name: str, attributes: list[str]) -> None:
        nonlocal current
        if current is not None or not elements:
            raise fail(f"element {name} here; expected a type with a namespace")
        current = Child(name)
        for key, value in zip(attributes[::2], attributes[1::2], strict=True):
            if key == "href":
                if not value.startswith("#"):
                    raise fail('href to another file; expected href="#id"')
                current.href = value[1:]
            elif key.endswith(" nil"):
                current.null = value == "true"
        children.setdefault(len(elements) - 1, []).append(current)
        parser.CharacterDataHandler = text
        parser.EndElementHandler = end

    def text(data: str) -> None:
        if current is not None:
            current.text += data

    def end(_: str) -> None:
        nonlocal current
        current = None
        parser.CharacterDataHandler = None
        parser.EndElementHandler = None

    parser.StartElementHandler = first
    run(parser, readable, where)
    rows = Rows(where, data, root[0] + " id", elements, children)
    if controls:
        _bring_back(rows, controls)
    return rows


def _readable(data: bytes) -> tuple[bytes, dict[int, int]]:
    """XML 1.1 may refer to control characters, which expat refuses: private characters stand in for them."""
    if not is_xml_11(data):
        return data, {}
    codes = sorted({c for m in _REFERENCE.finditer(data) if 0 < (c := _code(m)) < 32 and c not in (9, 10, 13)})
    if not codes:
        return data, {}
    text = data.decode("utf-8", "replace")
    spare = (c for c in range(0xE000, 0xF8FF) if chr(c) not in text and f"&#{c};" not in text)
    stand_in = {code: next(spare) for code in codes}
    readable = _REFERENCE.sub(lambda m: b"&#%d;" % stand_in[c] if (c := _code(m)) in stand_in else m.group(), data)
    return readable, {new: old for old, new in stand_in.items()}


def _code(match: re.Match[bytes]) -> int:
    return int(match.group(1), 16) if match.group(1) else int(match.group(2))


def _bring_back(rows: Rows, controls: dict[int, int]) -> None:
    table: Any = controls
    for _, attributes in rows.elements:
        attributes[1::2] = [v.translate(table) for v in attributes[1::2]]
    for several in rows.children.values():
        for child in several:
            child.text = child.text.translate(table)


def type_name(element: str) -> str | None:
    """The UIMA type of an element name, None where its namespace is not one of UIMA's."""
    uri, _, local = element.rpartition(" ")
    if uri == "http:///uima/noNamespace.ecore":
        return local
    if uri.startswith("http:///") and uri.endswith(".ecore"):
        return f"{uri[8:-6].replace('/', '.')}.{local}"
    return None
