"""Reader of the XML of de-identification corpora: i2b2-2014, MEDDOCAN's dialect of it, and i2b2-2006."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import DuplicateError, ReaderError
from ...pipeline.storage.archives.open_archives import opened
from ...typesystem import Cas
from ...typesystem.markup.safe_xml import parser_for, run
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from .i2b2_xml import Record, TaggedText, records
from .standoff import StandoffReader

_DIALECTS = {"deIdi2b2": "i2b2-2014", "MEDDOCAN": "meddocan", "ROOT": "i2b2-2006"}
"""Root element -> dialect."""
_SCHEMES = {"i2b2-2014": "i2b2-2014-sub", "meddocan": "meddocan", "i2b2-2006": "i2b2-2006"}


@component("i2b2")
class I2b2Reader(StandoffReader, WholeFileReader):
    """Reads the XML of de-identification corpora. i2b2-2014 (`deIdi2b2`) and MEDDOCAN: one document per file, with TEXT and TAGS.
    i2b2-2006 (`ROOT`): many RECORDs per file, each a document `<file>/<ID>`, with `<PHI TYPE="...">` in its TEXT.

    The tags become reference annotations in the view `gold`: sub-categories (`TYPE`) become PHI kinds, and a non-empty `comment`
    becomes a SpanAttribute. The text keeps the line ends of the file. Offsets may count a line end as one character, as XML does,
    or as it is in the file, and may start at the first line that is not empty. Document types, entities and the network are not
    accessible. The metadata contain the dialect as `scheme`. In a damaged file of 2006 the well-formed records are read, because
    the corpus itself contains a damaged file.

    Formats: Stubbs & Uzuner 2015, J Biomed Inform 58:S20; Marimon et al. 2019, CEUR 2421; Uzuner, Luo & Szolovits 2007, J Am Med
    Inform Assoc 14:550.
    """

    pattern: str = "*.xml"
    dialect: Literal["auto", "i2b2-2014", "meddocan", "i2b2-2006"] = "auto"
    """Dialect of the files, which defines the sub-categories. `auto`: by the root element."""

    suffixes = (".xml",)

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        dialect = self.dialect if self.dialect != "auto" else _dialect(data, source.path)
        if dialect == "i2b2-2006":
            yield from self._records(source, data)
        else:
            yield self._cas(source, data, dialect)

    def __len__(self) -> int:
        """Return the number of documents. Raises TypeError for i2b2-2006, whose files contain any number of them."""
        if self.dialect == "i2b2-2006" or (self.dialect == "auto" and any(map(_has_records, self.sources()[:1]))):
            raise TypeError("the number of documents in files of i2b2-2006 is unknown")
        return len(self.sources())

    def _cas(self, source: Source, data: bytes, dialect: str) -> Cas:
        document = TaggedText(data, source.path)
        if document.texts != 1:
            raise ReaderError(f"expected one element TEXT below the root, found {document.texts or 'none'}")
        cas = Cas(document.text.text, id=source.id)
        cas.metadata["scheme"] = dialect
        if document.has_tags:
            self.add_tags(cas, document.tags, _SCHEMES[dialect], document.text.conversions())
        return cas

    def _records(self, source: Source, data: bytes) -> Iterator[Cas]:
        found = list(records(data, source.path))
        if not found:
            raise ReaderError("expected RECORD elements, found none")
        annotated = any(record.tags for record in found)  # the corpus also has files without tags
        seen: set[str] = set()
        for number, record in enumerate(found, 1):
            document = f"{source.id}/{record.id or number}"
            try:
                if record.fault:
                    raise ReaderError(record.fault)
                if document in seen:
                    raise DuplicateError("an earlier document has the same id")
                seen.add(document)
                yield self._record_cas(document, record, annotated)
            except ReaderError as error:
                self.fail(document, f"{source.path}, record {number}: {error}", type(error))

    def _record_cas(self, document: str, record: Record, annotated: bool) -> Cas:
        cas = Cas(record.text, id=document)
        cas.metadata["scheme"] = "i2b2-2006"
        if annotated:
            self.add_tags(cas, record.tags, _SCHEMES["i2b2-2006"])
        return cas


def _has_records(source: Source) -> bool:
    """Return whether a file begins like those of 2006."""
    try:
        with opened(source.path) as file:
            return b"<ROOT" in file.read(1024).replace(b"\0", b"")
    except ReaderError:
        return False


class _RootSeen(Exception):
    """Stops the parser after the root element."""


def _dialect(data: bytes, where: str) -> str:
    """Return the dialect of a file by its root element. Raises ReaderError, or FormatError for XML that is damaged before it."""
    names: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        names.append(name)
        raise _RootSeen

    parser = parser_for(where)
    parser.StartElementHandler = start
    with contextlib.suppress(_RootSeen):
        run(parser, data, where)
    if names[0] not in _DIALECTS:
        raise ReaderError(
            "expected the root element deIdi2b2, MEDDOCAN or ROOT (i2b2-2006), or a `dialect`, found another"
        )
    return _DIALECTS[names[0]]
