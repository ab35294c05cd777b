"""Parse the records of i2b2-2006 XML, which has inline tags: `seen by Dr. <PHI TYPE="DOCTOR">...</PHI>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...pipeline.errors import FormatError
from ...typesystem.markup.safe_xml import parser_for, run
from .line_ends import FileText
from .standoff import Tag

_RECORD = re.compile(rb"<RECORD[\s>]")
_END = b"</RECORD>"
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?\s*(<\?xml[^>]{0,200}\?>)")
_DAMAGED = "damaged XML"


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


class _RecordParser:
    """Parses an XML file or a part of one."""

    def __init__(self, data: bytes, where: str) -> None:
        self.records: list[Record] = []
        self._data = data
        self._path: list[str] = []
        self._depth = 0
        """Depth of RECORD, from 1; 0 outside a record."""
        self._texts = 0
        self._text = FileText(data)
        self._open: tuple[int, int, str] | None = None
        """Begin, line and type of the open PHI element."""
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
                self._open = self._text.size, self._parser.CurrentLineNumber, attributes["TYPE"]
        self._path.append(name)
        if name == "RECORD" and not self._depth:
            self._depth = len(self._path)
            self._texts = 0
            self._text = FileText(self._data)
            self.records.append(Record(attributes.get("ID", "").strip()))
        elif self._in_text and len(self._path) == self._depth + 1:
            self._texts += 1

    def _end(self, name: str) -> None:
        if self._open is not None and name == "PHI":
            begin, line, label = self._open
            self._open = None
            self.records[-1].tags.append(Tag(f"the PHI in line {line}", begin, self._text.size, label))
        if len(self._path) == self._depth:
            self._depth = 0
            if self._texts != 1:
                self._fault(f"expected one element TEXT in RECORD, found {self._texts or 'none'}")
            self.records[-1].text = self._text.text
        self._path.pop()

    def _characters(self, piece: str) -> None:
        if self._in_text:
            self._text.add(piece, self._parser)
