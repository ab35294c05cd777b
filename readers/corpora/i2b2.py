"""Reader of the XML of de-identification corpora: i2b2-2014, MEDDOCAN's dialect of it, and i2b2-2006."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import DuplicateError, FormatError, ReaderError
from ...typesystem import Cas
from ...typesystem.markup.safe_xml import parser_for, run
from ..files.file_reader import opened
from ..files.selection import Source
from .i2b2_inline import Record, records
from .line_ends import FileText
from .standoff import StandoffReader, Tag

_DIALECTS = {"deIdi2b2": "i2b2-2014", "MEDDOCAN": "meddocan", "ROOT": "i2b2-2006"}
"""Root element -> dialect."""
_ID = re.compile(r"[A-Za-z]{0,4}\d{1,6}")
"""Ids that tools give; anything else is not repeated in messages."""
_LABELS = {"i2b2-2014": "i2b2-2014-sub", "meddocan": "meddocan", "i2b2-2006": "i2b2-2006"}


@component("i2b2")
class I2b2Reader(StandoffReader):
    """Reads the XML of de-identification corpora. i2b2-2014 (`deIdi2b2`) and MEDDOCAN: a TEXT and TAGS, one document a file.
    i2b2-2006 (`ROOT`): many RECORDs a file, each a document `<file>/<ID>`, with `<PHI TYPE="...">` in its TEXT.

    The tags become reference annotations in the view `gold`, their sub-categories (`TYPE`) PHI kinds, a `comment` that is
    not empty a SpanAttribute. The text keeps the line ends of the file, while offsets in the file may count them as one
    character, as XML does, or as they are; and they may count from the first line that is not empty. Document types, entities
    and the network are out of reach. The dialect is noted in the metadata as `scheme`. In a damaged file of 2006 the records
    that are well-formed on their own are read, since the corpus itself came with one that is not.

    Formats: Stubbs & Uzuner 2015, J Biomed Inform 58:S20; Marimon et al. 2019, CEUR 2421; Uzuner, Luo & Szolovits 2007, J Am Med
    Inform Assoc 14:550.
    """

    pattern: str = "*.xml"
    dialect: Literal["auto", "i2b2-2014", "meddocan", "i2b2-2006"] = "auto"
    """Whose sub-categories the tags have. `auto`: the root element says so."""

    suffixes = (".xml",)

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                dialect = self._dialect(data, source.path)
                if dialect == "i2b2-2006":
                    yield from self._records(source, data)
                else:
                    yield self._cas(source, data, dialect)
            except FormatError as error:  # names the file itself
                self.fail(source.id, str(error))
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")

    def __len__(self) -> int:
        """Raises TypeError for i2b2-2006, whose files hold any number of documents."""
        if self.dialect == "i2b2-2006" or (self.dialect == "auto" and any(map(_holds_records, self.sources()[:1]))):
            raise TypeError("files of i2b2-2006 do not say how many documents they hold")
        return len(self.sources())

    def _dialect(self, data: bytes, where: str) -> str:
        if self.dialect != "auto":
            return self.dialect
        root = _root(data, where)
        if root not in _DIALECTS:
            raise ReaderError(
                "expected the root element deIdi2b2, MEDDOCAN or ROOT (i2b2-2006), or a `dialect`, found another"
            )
        return _DIALECTS[root]

    def _cas(self, source: Source, data: bytes, dialect: str) -> Cas:
        found = _Document(data, source.path)
        if found.texts != 1:
            raise ReaderError(f"expected one element TEXT below the root, found {found.texts or 'none'}")
        cas = Cas(found.text.text, id=source.id)
        cas.metadata["scheme"] = dialect
        if found.has_tags:
            self.add_tags(cas, found.tags, _LABELS[dialect], found.text.counts())
        return cas

    def _records(self, source: Source, data: bytes) -> Iterator[Cas]:
        found = list(records(data, source.path))
        if not found:
            raise ReaderError("expected RECORD elements, found none")
        annotated = any(record.tags for record in found)  # the corpus has files without tags too
        seen: set[str] = set()
        for number, record in enumerate(found, 1):
            document = f"{source.id}/{record.id or number}"
            try:
                if record.fault:
                    raise ReaderError(record.fault)
                if document in seen:
                    raise DuplicateError("its document id was there before")
                seen.add(document)
                yield self._of_record(document, record, annotated)
            except ReaderError as error:
                self.fail(document, f"{source.path}, record {number}: {error}", type(error))

    def _of_record(self, document: str, record: Record, annotated: bool) -> Cas:
        cas = Cas(record.text, id=document)
        cas.metadata["scheme"] = "i2b2-2006"
        if annotated:
            self.add_tags(cas, record.tags, _LABELS["i2b2-2006"])
        return cas


def _holds_records(source: Source) -> bool:
    """Whether a file begins as those of 2006 do."""
    try:
        with opened(source.path) as file:
            return b"<ROOT" in file.read(1024).replace(b"\0", b"")
    except ReaderError:
        return False


class _Found(Exception):
    """The root element was seen."""


def _root(data: bytes, where: str) -> str:
    """The name of the root element. Raises FormatError for XML that is damaged before it."""
    names: list[str] = []

    def start(name: str, attributes: list[str]) -> None:
        names.append(name)
        raise _Found

    parser = parser_for(where)
    parser.StartElementHandler = start
    with contextlib.suppress(_Found):
        run(parser, data, where)
    return names[0]


class _Document:
    """What a file holds. Raises FormatError for damaged XML, ReaderError for tags without offsets."""

    def __init__(self, data: bytes, where: str) -> None:
        self.text = FileText(data)
        self.texts = 0
        self.has_tags = False
        self.tags: list[Tag] = []
        self._path: list[str] = []
        parser = self._parser = parser_for(where)
        parser.buffer_text = False
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
        if len(path) == 2:
            self.texts += name == "TEXT"
            self.has_tags |= name == "TAGS"
        elif len(path) > 2 and path[1] == "TEXT":
            raise ReaderError(f"line {self._parser.CurrentLineNumber}: expected text alone in TEXT, found an element")
        elif len(path) == 3 and path[1] == "TAGS":
            self.tags.append(
                _tag(name, dict(zip(*[iter(attributes)] * 2, strict=True)), self._parser.CurrentLineNumber)
            )

    def _end(self, name: str) -> None:
        self._path.pop()

    def _text(self, piece: str) -> None:
        if len(self._path) == 2 and self._path[1] == "TEXT":
            self.text.add(piece, self._parser)


def _tag(element: str, attributes: dict[str, str], line: int) -> Tag:
    own = attributes.get("id", "")
    name = f"tag {own} (line {line})" if _ID.fullmatch(own) else f"the tag in line {line}"
    begin, end = attributes.get("start", ""), attributes.get("end", "")
    if not all(n.isascii() and n.isdecimal() and len(n) < 16 for n in (begin, end)):
        raise ReaderError(f"{name}: expected whole numbers as start and end")
    label = attributes.get("TYPE") or element
    if element == "LOCATION" and label == "OTHER":
        label = "LOCATION-OTHER"
    comment = attributes.get("comment", "")
    said = (("comment", comment),) if comment else ()
    return Tag(name, int(begin), int(end), label, attributes.get("text"), id=own, said=said)
