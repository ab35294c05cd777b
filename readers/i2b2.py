"""Reader of the i2b2-2014 XML of de-identification corpora, and of MEDDOCAN's dialect of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Literal

from ..pipeline.component import component
from ..pipeline.errors import FormatError, ReaderError
from ..typesystem import Cas
from ..typesystem.safe_xml import parser_for, run
from .selection import Source
from .standoff import StandoffReader, Tag, as_written

_SCHEMES = {"deIdi2b2": "i2b2-2014", "MEDDOCAN": "meddocan"}
_ID = re.compile(r"[A-Za-z]{0,4}\d{1,6}")
"""Ids that tools give; anything else is not repeated in messages."""
_LABELS = {"i2b2-2014": "i2b2-2014-sub", "meddocan": "meddocan"}


@component("i2b2")
class I2b2Reader(StandoffReader):
    """Reads XML files with a TEXT and TAGS, one document each: i2b2-2014 (`deIdi2b2`) and MEDDOCAN.

    The tags become reference annotations in the view `gold`, their sub-categories (`TYPE`) PHI kinds. The text keeps the line
    ends of the file, while offsets in the file may count them as one character, as XML does, or as they are; and they may
    count from the first line that is not empty. Document types, entities and the network are out of reach. The dialect is
    noted in the metadata as `scheme`.
    """

    pattern: str = "*.xml"
    dialect: Literal["auto", "i2b2-2014", "meddocan"] = "auto"
    """Whose sub-categories the tags have. `auto`: the root element says so."""

    suffixes = (".xml",)

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                yield self._cas(source, data)
            except FormatError as error:  # names the file itself
                self.fail(source.id, str(error))
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")

    def __len__(self) -> int:
        return len(self.sources())

    def _cas(self, source: Source, data: bytes) -> Cas:
        found = _Document(data, source.path)
        dialect = self.dialect
        if dialect == "auto":
            if found.root not in _SCHEMES:
                raise ReaderError(f"expected the root element {' or '.join(_SCHEMES)}, or a `dialect`, found another")
            dialect = _SCHEMES[found.root]  # type: ignore[assignment]  # a dict of these two literals
        if found.texts != 1:
            raise ReaderError(f"expected one element TEXT below the root, found {found.texts or 'none'}")
        cas = Cas("".join(found.pieces), id=source.id)
        cas.metadata["scheme"] = dialect
        if found.has_tags:
            self.add_tags(cas, found.tags, _LABELS[dialect], found.counts())
        return cas


class _Document:
    """What a file holds. Raises FormatError for damaged XML, ReaderError for tags without offsets."""

    def __init__(self, data: bytes, where: str) -> None:
        self.root = ""
        self.pieces: list[str] = []
        self.texts = 0
        self.has_tags = False
        self.tags: list[Tag] = []
        self._length = 0
        self._doubled: list[int] = []
        """Offsets, as XML counts, of the line ends that are two characters in the file."""
        self._path: list[str] = []
        self._data = data
        codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "ascii")
        self._cr, self._lf = "\r".encode(codec), "\n".encode(codec)
        parser = self._parser = parser_for(where)
        parser.buffer_text = False  # then each line end comes alone, and the file tells which it was
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        try:
            run(parser, data, where)
        finally:
            del self._parser

    def _start(self, name: str, attributes: list[str]) -> None:
        path = self._path
        path.append(name)
        if len(path) == 1:
            self.root = name
        elif len(path) == 2:
            self.texts += name == "TEXT"
            self.has_tags |= name == "TAGS"
        elif path[1] == "TEXT":
            raise ReaderError(f"line {self._parser.CurrentLineNumber}: expected text alone in TEXT, found an element")
        elif path[1] == "TAGS" and len(path) == 3:
            self.tags.append(
                _tag(name, dict(zip(*[iter(attributes)] * 2, strict=True)), self._parser.CurrentLineNumber)
            )

    def _end(self, name: str) -> None:
        self._path.pop()

    def _text(self, piece: str) -> None:
        if len(self._path) != 2 or self._path[1] != "TEXT":
            return
        if piece == "\n" and self._data.startswith(self._cr, at := self._parser.CurrentByteIndex):
            doubled = self._data.startswith(self._lf, at + len(self._cr))
            if doubled:
                self._doubled.append(self._length)
            self.pieces.append("\r\n" if doubled else "\r")
        else:
            self.pieces.append(piece)
        self._length += len(piece)

    def counts(self) -> list[Callable[[int], int]]:
        """The ways an offset in the file may count, each as the way to the offset in the text: the likeliest first."""
        doubled = self._doubled

        def as_xml(offset: int, behind: int = 0) -> int:
            return offset + behind + bisect_left(doubled, offset + behind)

        ways: list[Callable[[int], int]] = [as_xml, as_written] if doubled else [as_written]
        text = "".join(self.pieces)
        lines = text[: len(text) - len(text.lstrip("\r\n"))]
        ways += [_later(as_xml, n) for n in range(1, len(lines.replace("\r\n", "\n")) + 1)]
        return ways


def _later(place: Callable[[int, int], int], behind: int) -> Callable[[int], int]:
    return lambda offset: place(offset, behind)


def _tag(element: str, attributes: dict[str, str], line: int) -> Tag:
    own = attributes.get("id", "")
    name = f"tag {own} (line {line})" if _ID.fullmatch(own) else f"the tag in line {line}"
    begin, end = attributes.get("start", ""), attributes.get("end", "")
    if not all(n.isascii() and n.isdecimal() and len(n) < 16 for n in (begin, end)):
        raise ReaderError(f"{name}: expected whole numbers as start and end")
    label = attributes.get("TYPE") or element
    if element == "LOCATION" and label == "OTHER":
        label = "LOCATION-OTHER"
    return Tag(name, int(begin), int(end), label, attributes.get("text"))
