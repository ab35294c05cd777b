"""Reader of marked text: files of documents with inline marks like `[[DATE|3 May]]`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from ...pipeline.contract.component import component
from ...pipeline.errors import DuplicateError, ReaderError, nearest
from ...pipeline.storage.digest_set import Digests
from ...typesystem import OPTIONAL, Cas, Phi, PhiKind, SpanAttribute
from ...typesystem.markup.marked_text import Mark, MarkedDocument, parse
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from ..gold import Reference, check_scheme, kind_of, make_gold

ID = "id"
"""Header field with the id of a document."""
FILE = "file"
"""Metadata: the path of the file in the folder, without suffix."""

_SHOWN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
"""Labels that may be repeated in messages: others could be words of the document."""


@component("marked")
class MarkedReader(WholeFileReader):
    """Reads marked text: documents after a line `=====` and a header `#id: note-1  #genre: letter`, with inline marks like
    `[[DATE|3 May]]`. The marks become reference annotations in the view `gold`, the other fields of the header metadata, with
    the `file` that the document is from.

    A mark whose label begins with `?` is optional: its span gets the SpanAttribute `optional`, and scores count it neither as
    missed nor as a false hit. `[[U+005B]]` is one character by its code point, for texts that contain brackets or lines of the
    markup. The text is otherwise unchanged; the line end before the next `=====` is not part of it.
    """

    pattern: str = "*.txt"
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels that are unknown or should become other kinds than usual: `{STAFF: PERSON_DOCTOR, "?JOB": null}`; null
    drops a label. A name with `?` is that of optional marks only. Any other unknown label fails the document."""
    scheme: str = ""
    """Scheme of the labels: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; empty: names of PHI kinds."""
    encoding: str = AUTO
    """`auto`: the encoding of a byte-order mark, else UTF-8, else Windows-1252 (cp1252)."""

    suffixes = (".txt",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        check_scheme(self.scheme)
        self._ids = Digests()

    def __iter__(self) -> Iterator[Cas]:
        self._ids = Digests()
        yield from super().__iter__()

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        content, encoding = decode(data, self.encoding)
        documents = list(parse(content))
        if not documents:
            raise ReaderError("expected documents, each after a line =====, found none")
        for number, document in enumerate(documents, 1):
            name = document.header.get(ID) or f"{source.id}/{number}"
            try:
                cas = self._cas(name, document)
            except ReaderError as error:
                self.fail(name, f"{source.path}, {error}", type(error))
            else:
                cas.metadata.setdefault(FILE, source.id)
                cas.metadata["encoding"] = encoding
                yield cas

    def _cas(self, name: str, document: MarkedDocument) -> Cas:
        if document.fault:
            raise ReaderError(document.fault)
        kept = [(mark, kind) for mark in document.marks if (kind := self._kind(mark)) is not None]
        if not self._ids.add(name):
            raise DuplicateError(f"line {document.line}: an earlier document has the same id")
        cas = Cas(document.text, id=name)
        cas.metadata.update((key, value) for key, value in document.header.items() if key != ID)
        view = make_gold(cas, [Reference(m.begin, m.end, kind, m.place) for m, kind in kept])
        optional = {mark.begin for mark, _ in kept if mark.optional}
        flagged = [phi for phi in view.select(Phi) if phi.begin in optional]
        view.add_all([SpanAttribute(of=phi, name=OPTIONAL) for phi in flagged])
        return cas

    def _kind(self, mark: Mark) -> PhiKind | None:
        """Return the kind of a mark, None for a label that is dropped. Raises ReaderError that names line and column."""
        if mark.optional and f"?{mark.label}" in self.kinds:
            return self.kinds[f"?{mark.label}"]
        try:
            return kind_of(mark.label, self.kinds, self.scheme)
        except ReaderError as error:
            reason = str(error)
        if not _SHOWN.fullmatch(mark.label):
            known = PhiKind.labels(self.scheme) if self.scheme else [kind.name for kind in PhiKind]
            near = nearest(mark.label, [*known, *self.kinds]) or nearest(mark.label.upper(), known)
            what = f"the name of a label in scheme {self.scheme}" if self.scheme else "the name of a PHI kind"
            reason = f"expected {what}, found another word{near}; `kinds` can translate or drop it"
        raise ReaderError(f"{mark.place}: {reason}")
