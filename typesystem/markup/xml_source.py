"""XML with the positions of its elements and attributes, so that values can be replaced without changing any other byte.

Entities and document types with declarations are refused, and the network is never used. Positions refer to the file in UTF-8;
edited files are written in their own encoding, with character references for characters that it lacks.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ..errors import FormatError

_DECLARED = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WIDE = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
_READ = re.compile(
    r"utf-8|utf-16|utf-16-[lb]e|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb2312|gbk|gb18030|big5(?:hkscs)?|shift_jis(?:_2004|x0213)?"
    r"|cp932|euc_(?:jp|kr)|johab|tis-620"
)
"""Python's names of the supported encodings: UTF-16, and those that encode `<` and `>` as in ASCII."""


@dataclass(frozen=True, slots=True)
class XmlEncoding:
    """A codec, and the byte-order mark before the text."""

    name: str
    mark: bytes = b""

    def encoded(self, text: bytes) -> bytes:
        """Convert UTF-8 to this encoding. Characters that it lacks become character references."""
        if self.name == "utf-8":
            return self.mark + text
        return self.mark + text.decode().encode(self.name, "xmlcharrefreplace")


def decoded(data: bytes) -> tuple[bytes, XmlEncoding]:
    """Return the text in UTF-8 and its encoding.

    Raises FormatError if the bytes are not in the declared encoding, or if encoding them again would change them.
    """
    mark, name = next(((m, n) for m, n in _MARKS if data.startswith(m)), (b"", ""))
    if not name:
        name = next((n for begin, n in _WIDE if data.startswith(begin)), "")
    if not name:
        declaration = _DECLARED.match(data[:1000].lstrip())
        name = declaration.group(1).decode() if declaration else "utf-8"
    encoding = XmlEncoding(_codec(name), mark)
    try:
        text = data[len(mark) :].decode(encoding.name)
    except UnicodeDecodeError as error:  # its message would quote the file
        fault = (
            f"expected {encoding.name}, as the file says, found a byte that is not at byte {len(mark) + error.start}"
        )
    else:
        raw = text.encode()
        if encoding.name == "utf-8" or mark + text.encode(encoding.name, "replace") == data:
            return raw, encoding
        fault = f"expected {encoding.name} that can be written again as it is, found bytes that would change"
    raise FormatError(fault)


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not _READ.fullmatch(codec) or codec == "utf-16":  # ambiguous without a byte-order mark
        raise FormatError("expected an encoding that is known, like UTF-8, ISO-8859-1 or UTF-16 with its mark")
    return codec


_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XML = "http://www.w3.org/XML/1998/namespace"
_ATTRIBUTE = rb"""\s+(?P<name>[^\s=/>]+)\s*=\s*(?:"[^"]*"|'[^']*')"""
_TAG = re.compile(rb"<[^\s/>]+(?:" + _ATTRIBUTE.replace(b"?P<name>", b"?:") + rb")*\s*/?>")
_ONE = re.compile(_ATTRIBUTE)
_UNKNOWN_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)")
_STEP = re.compile(r"([^/\[\]]+)\[([1-9][0-9]{0,8})\]")
_DEEPEST = 200


class Element:
    """An element: its local name, attributes, content, and the positions of its tags in `XmlSource.data`."""

    __slots__ = ("attributes", "begin", "close", "content", "end", "name", "number", "open_end", "parent", "uri")

    def __init__(
        self, name: str, uri: str, attributes: dict[str, str], parent: Element | None, begin: int, number: int = 1
    ) -> None:
        self.name = name
        self.number = number
        """Its number, from 1, among the children of its parent with the same name."""
        self.uri = uri
        self.attributes = attributes
        """By local name; `xsi:type` and `xml:lang` have these names with any prefix."""
        self.parent = parent
        self.content: list[str | Element] = []
        """Text and elements in document order."""
        self.begin = begin
        """The begin of the start tag; `open_end` is its end, `close` and `end` are those of the end tag."""
        self.open_end = self.close = self.end = begin

    @property
    def children(self) -> Iterator[Element]:
        return (c for c in self.content if isinstance(c, Element))

    @property
    def text(self) -> str:
        """All text in the element and its children."""
        return "".join(c if isinstance(c, str) else c.text for c in self.content)

    @property
    def own_text(self) -> str:
        """The text in the element itself, without that of its children."""
        return "".join(c for c in self.content if isinstance(c, str))

    def walk(self) -> Iterator[Element]:
        """Iterate over this element and everything below it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def child(self, path: str) -> Element | None:
        """Return the first element at a path of names below this one: `code`, `author/assignedEntity/code`."""
        head, _, rest = path.partition("/")
        for one in self.children:
            if one.name == head:
                element = one.child(rest) if rest else one
                if element is not None:
                    return element
        return None

    def path(self) -> str:
        """Return the path from the root: `/ichicsr[1]/safetyreport[2]/patient[1]`."""
        return f"{self.parent.path() if self.parent is not None else ''}/{self.name}[{self.number}]"

    def __repr__(self) -> str:
        return f"<Element {self.name} at {self.begin}>"


@dataclass(slots=True)
class XmlSource:
    """A parsed file: its bytes in UTF-8, its root, and its comments as (begin, end)."""

    data: bytes
    encoding: XmlEncoding
    root: Element
    comments: list[tuple[int, int]] = field(default_factory=list)
    instructions: list[tuple[int, int]] = field(default_factory=list)
    """Processing instructions, as (begin, end)."""
    _below: dict[int, dict[tuple[str, int], Element]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, data: bytes) -> XmlSource:
        """Parse a file. Raises FormatError, with line and column, if it is damaged or in another encoding than it declares,
        has elements nested deeper than 200, or has entities or declarations of its own."""
        text, encoding = decoded(data)
        return _Builder(text, encoding).run()

    def find(self, path: str) -> Element:
        """Return the element at a path from `Element.path`. Raises FormatError if the file has no such element."""
        steps = [(name, int(number)) for name, number in _STEP.findall(path)]
        if not steps or path != "".join(f"/{name}[{number}]" for name, number in steps):
            raise FormatError("expected a path like /ichicsr[1]/safetyreport[1], found another form")
        element = self.root if steps[0] == (self.root.name, 1) else None
        for name, number in steps[1:]:
            element = self._children(element).get((name, number)) if element is not None else None
        if element is None:
            raise FormatError(f"expected an element {steps[-1][0]} at its path, found none")
        return element

    def _children(self, element: Element) -> dict[tuple[str, int], Element]:
        if id(element) not in self._below:
            self._below[id(element)] = {(c.name, c.number): c for c in element.children}
        return self._below[id(element)]

    def attributes(self, element: Element) -> dict[str, tuple[int, int]]:
        """Return (begin, end) of the attributes with the white space before them, by name with its prefix."""
        tag = self.data[element.begin : element.open_end]
        return {m["name"].decode(): (element.begin + m.start(), element.begin + m.end()) for m in _ONE.finditer(tag)}

    def empty(self, element: Element) -> bool:
        """Return whether an element is a single tag: `<a/>`."""
        return self.data[element.open_end - 2 : element.open_end] == b"/>"

    def spliced(self, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
        """Return the file, in its own encoding, with (begin, end, new UTF-8 bytes) replaced. Edits within others are dropped."""
        parts, last = [], 0
        for begin, end, new in sorted(edits, key=lambda e: (e[0], -e[1])):
            if begin >= last:
                parts += [self.data[last:begin], new]
                last = end
        return self.encoding.encoded(b"".join([*parts, self.data[last:]]))


def xml_content(text: str, newline: str = "\n") -> bytes:
    """Escape text for an element."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    return (escaped if newline == "\n" else escaped.replace("\n", newline)).encode()


def xml_attribute(name: str, value: str) -> bytes:
    """Write an attribute with a space before it."""
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    for character, reference in (("\t", "&#9;"), ("\n", "&#10;"), ("\r", "&#13;")):
        escaped = escaped.replace(character, reference)
    return f' {name}="{escaped}"'.encode()


class _Builder:
    """Builds the tree from the events of expat."""

    def __init__(self, data: bytes, encoding: XmlEncoding) -> None:
        self.source = XmlSource(data, encoding, Element("", "", {}, None, 0))
        self.data = data
        self.current: Element | None = None
        self.counts: list[dict[str, int]] = [{}]
        """The number of children of each open element so far, by name."""
        self.doctype = False
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._entity
        self.parser: Any = parser

    def run(self) -> XmlSource:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise FormatError(f"line {error.lineno}, column {error.offset + 1}: damaged XML: {what}") from None
        finally:  # handlers refer to the parser: otherwise only the garbage collector could free the file
            del self.parser
        return self.source

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.counts) > _DEEPEST:
            raise self._fault(f"elements nested deeper than {_DEEPEST:,}")
        uri, _, local = name.rpartition(" ")
        named = {_called(key): value for key, value in attributes.items()}
        number = self.counts[-1][local] = self.counts[-1].get(local, 0) + 1
        element = Element(local, uri, named, self.current, self.parser.CurrentByteIndex, number)
        self.counts.append({})
        tag = _TAG.match(self.data, element.begin)
        if tag is None:
            raise self._fault("a start tag that cannot be taken apart")
        if self.doctype and _UNKNOWN_ENTITY.search(tag.group()):
            raise self._fault("an entity: none is read")
        element.open_end = tag.end()
        if self.current is None:
            self.source.root = element
        else:
            self.current.content.append(element)
        self.current = element

    def _end(self, name: str) -> None:
        element = self.current
        assert element is not None
        if self.source.empty(element):
            element.close = element.end = element.open_end
        else:
            element.close = self.parser.CurrentByteIndex
            element.end = self.data.index(b">", element.close) + 1
        self.counts.pop()
        self.current = element.parent

    def _text(self, text: str) -> None:
        if self.current is not None:
            self.current.content.append(text)

    def _comment(self, text: str) -> None:
        begin = self.parser.CurrentByteIndex
        self.source.comments.append((begin, self.data.index(b"-->", begin + 4) + 3))

    def _instruction(self, target: str, text: str) -> None:
        begin = self.parser.CurrentByteIndex
        self.source.instructions.append((begin, self.data.index(b"?>", begin) + 2))

    def _doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise self._fault("a document type with declarations of its own: none is read")
        self.doctype = True

    def _entity(self, *_: object) -> None:
        raise self._fault("an entity: none is read")

    def _fault(self, what: str) -> FormatError:
        return FormatError(
            f"line {self.parser.CurrentLineNumber}, column {self.parser.CurrentColumnNumber + 1}: found {what}"
        )


def _called(name: str) -> str:
    uri, _, local = name.rpartition(" ")
    return f"xsi:{local}" if uri == _XSI else f"xml:{local}" if uri == _XML else local
