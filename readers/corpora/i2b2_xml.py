"""Parse the XML of de-identification corpora: TEXT with TAGS (i2b2-2014), or records with inline tags (i2b2-2006).

The texts keep the line ends of the file, which an XML parser reports as one LF each.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...pipeline.errors import FormatError, ReaderError
from ...typesystem.markup.safe_xml import parser_for, run
from .standoff import OffsetConversion, Tag, as_written

_CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_ID = re.compile(r"[A-Za-z]{0,4}\d{1,6}")
"""Ids that tools generate; other ids are not repeated in messages."""
_RECORD = re.compile(rb"<RECORD[\s>]")
_END = b"</RECORD>"
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?\s*(<\?xml[^>]{0,200}\?>)")
_DAMAGED = "damaged XML"


class FileText:
    """Collects text from an unbuffered parser, which reports each line end alone, so that the file shows its real form.

    A character reference to a carriage return stays one.
    """

    def __init__(self, data: bytes) -> None:
        self.pieces: list[str] = []
        self.size = 0
        """Number of code points so far, with line ends as in the file."""
        self._xml_size = 0
        self._crlf: list[int] = []
        """Offsets, as XML counts, of the line ends that are CR LF in the file."""
        self._data = data
        codec = _CODECS.get(data[:2], "ascii")
        self._cr, self._lf = "\r".encode(codec), "\n".encode(codec)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, piece: str, index: int) -> None:
        """Add the text that the parser has just reported, and that begins at a byte of the file."""
        self._xml_size += len(piece)
        if piece == "\n" and self._data.startswith(self._cr, index):
            piece = "\r\n" if self._data.startswith(self._lf, index + len(self._cr)) else "\r"
            if piece == "\r\n":
                self._crlf.append(self._xml_size - 1)
        self.pieces.append(piece)
        self.size += len(piece)

    def conversions(self) -> list[OffsetConversion]:
        """Return the possible conversions of offsets to those of the text, the likeliest first.

        Offsets may count as XML does, as the file does, or as XML does from after leading line ends.
        """
        crlf = self._crlf

        def from_xml(skipped: int) -> OffsetConversion:
            return lambda offset: offset + skipped + bisect_left(crlf, offset + skipped)

        text = self.text
        leading = text[: len(text) - len(text.lstrip("\r\n"))].replace("\r\n", "\n")
        conversions = [from_xml(0), as_written] if crlf else [as_written]
        return conversions + [from_xml(n) for n in range(1, len(leading) + 1)]


class _TextParser:
    """Parses a file and adds the text in the current TEXT element to `text`. Raises FormatError for damaged XML."""

    def __init__(self, data: bytes, where: str) -> None:
        self.text = FileText(data)
        self._data = data
        self._path: list[str] = []
        """Names of the open elements."""
        parser = self._parser = parser_for(where)
        parser.buffer_text = False
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            run(parser, data, where)
        finally:
            del self._parser

    @property
    def _in_text(self) -> bool:
        return len(self._path) == 2 and self._path[1] == "TEXT"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)

    def _end(self, name: str) -> None:
        self._path.pop()

    def _characters(self, piece: str) -> None:
        if self._in_text:
            self.text.add(piece, self._parser.CurrentByteIndex)


class TaggedText(_TextParser):
    """The text and tags of a file. Raises FormatError for damaged XML, ReaderError for tags without offsets."""

    def __init__(self, data: bytes, where: str) -> None:
        self.texts = 0
        self.has_tags = False
        self.tags: list[Tag] = []
        super().__init__(data, where)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        super()._start(name, attributes)
        path, line = self._path, self._parser.CurrentLineNumber
        if len(path) == 2:
            self.texts += name == "TEXT"
            self.has_tags |= name == "TAGS"
        elif len(path) > 2 and path[1] == "TEXT":
            raise ReaderError(f"line {line}: expected text alone in TEXT, found an element")
        elif len(path) == 3 and path[1] == "TAGS":
            self.tags.append(_tag(name, attributes, line))


def _tag(element: str, attributes: dict[str, str], line: int) -> Tag:
    id_ = attributes.get("id", "")
    name = f"tag {id_} (line {line})" if _ID.fullmatch(id_) else f"the tag in line {line}"
    begin, end = attributes.get("start", ""), attributes.get("end", "")
    if not all(n.isascii() and n.isdecimal() and len(n) < 16 for n in (begin, end)):
        raise ReaderError(f"{name}: expected integers as start and end")
    label = attributes.get("TYPE") or element
    if element == "LOCATION" and label == "OTHER":
        label = "LOCATION-OTHER"
    comment = attributes.get("comment", "")
    properties = (("comment", comment),) if comment else ()
    return Tag(name, int(begin), int(end), label, attributes.get("text"), id=id_, attributes=properties)


@dataclass(slots=True)
class Record:
    """One record, or its fault."""

    id: str = ""
    text: str = ""
    tags: list[Tag] = field(default_factory=list)
    fault: str = ""


def records(data: bytes, where: str) -> Iterator[Record]:
    """Yield the records of a file. In damaged XML each record is parsed separately, and only the damaged ones have a fault.

    Raises FormatError for damaged XML without any record, and for a document type.
    """
    try:
        yield from _RecordParser(data, where).records
        return
    except FormatError as error:
        starts = [m.start() for m in _RECORD.finditer(data)]
        if _DAMAGED not in str(error) or not starts:
            raise
    header = _HEADER.match(data)
    declared = header[1] if header else b""
    line, counted = 1, 0
    for begin, end in zip(starts, [*starts[1:], len(data)], strict=True):
        line += data.count(b"\n", counted, begin)
        counted = begin
        last = data.rfind(_END, begin, end)
        piece = data[begin : last + len(_END)] if last >= 0 else data[begin:end]
        try:
            yield from _RecordParser(declared + b"\n" * (line - 1) + piece, where).records
        except FormatError as error:
            yield Record(fault=str(error).removeprefix(f"{where}:"))


class _RecordParser(_TextParser):
    """Parses an XML file with inline tags (`seen by Dr. <PHI TYPE="DOCTOR">...</PHI>`), or a part of one."""

    def __init__(self, data: bytes, where: str) -> None:
        self.records: list[Record] = []
        self._depth = 0
        """Depth of RECORD, from 1; 0 outside a record."""
        self._texts = 0
        self._open: tuple[int, int, str] | None = None
        """Begin, line and type of the open PHI element."""
        super().__init__(data, where)

    @property
    def _in_text(self) -> bool:
        return self._depth > 0 and len(self._path) > self._depth and self._path[self._depth] == "TEXT"

    def _fault(self, message: str) -> None:
        record = self.records[-1]
        record.fault = record.fault or f"line {self._parser.CurrentLineNumber}: {message}"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._in_text:
            if name != "PHI":
                self._fault("expected text and PHI in TEXT, found another element")
            elif self._open is not None:
                self._fault("expected text alone in PHI, found another PHI")
            elif not attributes.get("TYPE"):
                self._fault("expected PHI with a TYPE, found one without")
            else:
                self._open = self.text.size, self._parser.CurrentLineNumber, attributes["TYPE"]
        super()._start(name, attributes)
        if name == "RECORD" and not self._depth:
            self._depth = len(self._path)
            self._texts = 0
            self.text = FileText(self._data)
            self.records.append(Record(attributes.get("ID", "").strip()))
        elif self._in_text and len(self._path) == self._depth + 1:
            self._texts += 1

    def _end(self, name: str) -> None:
        if self._open is not None and name == "PHI":
            begin, line, label = self._open
            self._open = None
            self.records[-1].tags.append(Tag(f"the PHI in line {line}", begin, self.text.size, label))
        if len(self._path) == self._depth:
            self._depth = 0
            if self._texts != 1:
                self._fault(f"expected one element TEXT in RECORD, found {self._texts or 'none'}")
            self.records[-1].text = self.text.text
        super()._end(name)
