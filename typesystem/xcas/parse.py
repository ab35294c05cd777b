"""Parse XCAS into elements: one per feature structure, with its attributes and content as strings."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import FormatError
from ..markup.safe_xml import parser_for, run

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
