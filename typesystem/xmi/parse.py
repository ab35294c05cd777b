"""Parse XMI into rows: one per element, with its attributes and features as strings."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import FormatError
from ..markup.safe_xml import parser_for, readable, run

CAS = "http:///uima/cas.ecore "
SOFA, VIEW, NULL = CAS + "Sofa", CAS + "View", CAS + "NULL"
NO_NAMESPACE = "http:///uima/noNamespace.ecore"


@dataclass(slots=True)
class Child:
    """A feature written as an element: its text, or the id in its href."""

    feature: str
    text: str = ""
    href: str | None = None
    null: bool = False

    @property
    def value(self) -> str:
        return self.text if self.href is None else self.href


@dataclass(slots=True)
class Rows:
    """A parsed document. Element names are `uri local`."""

    where: str
    data: bytes
    id_name: str
    """The name of xmi:id with the namespace of this document."""
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    children: dict[int, list[Child]] = field(default_factory=dict)
    """Features written as elements by row, in the order of rows."""
    notes: list[str] = field(default_factory=list)
    """Notes about everything that lenient parsing skipped."""
    lenient: bool = False

    def get(self, row: int, key: str) -> str | None:
        """Return the value of an attribute."""
        return self.elements[row][1].get(key)

    def ids(self, *names: str) -> set[str]:
        """Return the xmi:ids of the elements with these names, or of all elements."""
        ids = {self.get(i, self.id_name) for i, (name, _) in enumerate(self.elements) if not names or name in names}
        return {i for i in ids if i is not None}

    def place(self, row: int) -> str:
        """Return `file:line:column` of an element. Parses the document again, so for messages only."""
        parser = parser_for(self.where)
        depth, count = 0, -1
        place = self.where
        skipped = _skipped_prefix(self.id_name[:-3])

        def start(name: str, _: dict[str, str]) -> None:
            nonlocal count, depth, place
            depth += 1
            if depth == 2 and not (skipped and name.startswith(skipped)):
                count += 1
                if count == row:
                    place = f"{self.where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"

        def end(_: str) -> None:
            nonlocal depth
            depth -= 1

        parser.StartElementHandler, parser.EndElementHandler = start, end
        run(parser, readable(self.data, self.lenient)[0], self.where)
        return place


def parse(data: bytes, where: str, *, lenient: bool = False) -> Rows:
    """Return the rows of an XMI document. Raises FormatError for damaged XML, a document type, or anything but XMI.

    `lenient`: skip what no UIMA reads, with a note in `Rows.notes`: misplaced elements, characters that XML forbids,
    references into other files.
    """
    return _Parser(data, where, lenient).rows()


class _Parser:
    """Elements below the root become rows, and elements below those become their features."""

    def __init__(self, data: bytes, where: str, lenient: bool) -> None:
        self.data, self.where, self.lenient = data, where, lenient
        self.parser = parser_for(where)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.children: dict[int, list[Child]] = {}
        self.notes: list[str] = []
        self.ends: list[str] = []
        """Elements that ended; compared with those that began, this gives the depth."""
        self.inner = 0
        """The number of elements that are not rows."""
        self.xmi = ""
        self.current: Child | None = None
        self.parts: list[str] = []

    def rows(self) -> Rows:
        data, stand_ins = readable(self.data, self.lenient)
        self.parser.StartElementHandler = self._root
        run(self.parser, data, self.where)
        rows = Rows(self.where, self.data, f"{self.xmi} id", self.elements, self.children, self.notes, self.lenient)
        if stand_ins:
            _restore(rows, stand_ins)
            if self.lenient:
                self.notes.append("characters or references that XML does not allow were accepted")
        return rows

    def _fail(self, message: str) -> FormatError:
        parser = self.parser
        return FormatError(f"{self.where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}: {message}")

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        uri, _, local = name.rpartition(" ")
        if local == "CAS" and not uri:
            raise self._fail("this is XCAS, UIMA's older format; expected xmi:XMI")
        if local != "XMI" or not uri:
            raise self._fail(f"expected xmi:XMI as root, got {local}")
        self.xmi = uri
        self.parser.StartElementHandler = self._row_maker(_skipped_prefix(uri))
        self.parser.EndElementHandler = self.ends.append

    def _row_maker(self, xmi: str) -> Any:
        """Return the handler of start tags, which does as little as possible for rows."""
        elements, ends, append = self.elements, self.ends, self.elements.append

        def start(name: str, attributes: dict[str, str]) -> None:
            if len(ends) != len(elements) + self.inner:
                self._feature(name, attributes)
            elif xmi and name.startswith(xmi):  # xmi:Documentation and the like, which describe the file
                self._skip(None)
            else:
                append((name, attributes))

        return start

    def _feature(self, name: str, attributes: dict[str, str]) -> None:
        if self.current is not None:
            self._skip(f"element {name.rpartition(' ')[2]} inside a feature; expected text")
            return
        if " " in name:
            self._skip(f"element {name.rpartition(' ')[2]} inside another; expected a feature without a namespace")
            return
        self.inner += 1
        self.current = child = Child(name)
        self.parts = []
        for key, value in attributes.items():
            if key == "href":
                child.href = value[1:] if value.startswith("#") else "0"
                if child.href == "0" and value != "#0":
                    self._note('href to another file; expected href="#id"')
            elif key.endswith(" nil"):
                child.null = value == "true"
        self.children.setdefault(len(self.elements) - 1, []).append(child)
        self.parser.CharacterDataHandler = self.parts.append
        self.parser.EndElementHandler = self._end

    def _end(self, name: str) -> None:
        self.ends.append(name)
        if len(self.ends) == len(self.elements) + self.inner - 1 and self.current is not None:
            self.current.text = "".join(self.parts)
            self.current = None
            self.parser.CharacterDataHandler = None
            self.parser.EndElementHandler = self.ends.append

    def _note(self, message: str) -> None:
        if not self.lenient:
            raise self._fail(message)
        self.notes.append(message)

    def _skip(self, message: str | None) -> None:
        """Skip the element that begins here, with everything in it."""
        if message is not None:
            self._note(message)
        parser = self.parser
        handlers = parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler
        depth = 1
        self.inner += 1

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            self.inner += 1

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            self.ends.append(name)
            if not depth:
                parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = handlers

        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, None


def _restore(rows: Rows, stand_ins: dict[int, int]) -> None:
    for _, attributes in rows.elements:
        attributes.update([(key, value.translate(stand_ins)) for key, value in attributes.items()])
    for several in rows.children.values():
        for child in several:
            child.text = child.text.translate(stand_ins)


def _skipped_prefix(uri: str) -> str:
    """Return the prefix of the names of XMI's own elements; empty if UIMA took the prefix xmi for a package (`org.xmi`)."""
    return "" if uri.endswith(".ecore") else f"{uri} "


@lru_cache(4096)
def type_name(element: str) -> str | None:
    """Return the UIMA type of an element name, or None if its namespace is not that of a package.

    Like UIMA for Java: the path of the namespace without `.ecore`, with dots for slashes.
    """
    uri, _, local = element.rpartition(" ")
    if uri in ("", NO_NAMESPACE):
        return local
    if uri.startswith("http:///") and uri[8:9] != "/" and uri.endswith(".ecore") and "%" not in uri and "?" not in uri:
        return f"{uri[8:-6].replace('/', '.')}.{local}"
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    opaque = parts.scheme and not uri.startswith(f"{parts.scheme}:/")  # as in urn:example
    path = unquote(parts.path).lstrip("/").removesuffix(".ecore")
    return None if opaque or not path or " " in path else f"{path.replace('/', '.')}.{local}"


def package_uri(package: str) -> str:
    """Return the namespace of a package."""
    return f"http:///{package.replace('.', '/')}.ecore" if package else NO_NAMESPACE
