"""Reader of brat standoff: text files, each with an .ann file of annotations next to it."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import Cas, CaspipeWarning
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import DocumentFileReader, exists, opened, read_bounded
from ..files.selection import LEAVES, Source, leaves
from ..gold import check_scheme
from .brat_lines import read_annotations
from .standoff import OffsetConversion, StandoffReader, Tag, as_written

_CRLF = re.compile("\r\n")


@component("brat")
class BratReader(StandoffReader, DocumentFileReader):
    """Reads brat standoff: text files with `.ann` files, whose text-bound annotations (`T` lines) become reference annotations in
    the view `gold`. Their attributes (`A`, `M`), normalizations (`N`) and notes (`#`) become SpanAttributes; relations, events
    and equivalences are left out and counted in a warning.

    Offsets are code points of the text file. Files whose offsets count CR LF as one character, or a byte-order mark, are
    recognized by the texts of the annotations. Format: brat.nlplab.org/standoff.html.
    """

    pattern: str = "*.txt"
    scheme: str = ""
    """Scheme of the labels: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; empty: names of PHI kinds."""
    fragments: Literal["error", "cover", "split"] = "error"
    """Discontinuous annotations, whose fragments have more than white space between them: `error` fails the document, `cover`
    makes one span from the first to the last fragment, `split` makes a span of each fragment, linked by a SpanAttribute
    `fragments` with the id of the annotation. Fragments with only white space between them are always one span."""
    encoding: str = AUTO
    """Encoding of the text file. `auto`: that of a byte-order mark, else UTF-8, else Windows-1252 (cp1252)."""

    suffixes = (".txt",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        check_scheme(self.scheme)

    def document(self, source: Source) -> Cas:
        data = self.data(source)
        try:
            return self._cas(source, data)
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None

    def _select(self) -> list[Source]:
        """Return the text files. An `.ann` file in the selection means its text file."""
        selected = super()._select()
        paths = {source.path for source in selected}
        sources = []
        for source in selected:
            path = source.path.removesuffix(".gz")
            stem = path.removesuffix(".ann")
            if stem == path or source.fault:
                sources.append(source)
            elif not paths & {f"{stem}.txt", f"{stem}.txt.gz"}:
                packed = not exists(f"{stem}.txt") and exists(f"{stem}.txt.gz")
                sources.append(Source(f"{stem}.txt.gz" if packed else f"{stem}.txt", source.id.removesuffix(".ann")))
        return sources

    def _cas(self, source: Source, data: bytes) -> Cas:
        text, encoding = decode(data, self.encoding)
        cas = Cas(text, id=source.id)
        cas.metadata["encoding"] = encoding
        annotations = read_annotations(self._annotations(source))
        for tag in annotations.tags if self.fragments == "error" else ():
            _check_fragments(tag, text)
        self.add_tags(cas, annotations.tags, self.scheme, _conversions(text), split=self.fragments == "split")
        if annotations.omitted:
            counts = ", ".join(f"{n} {name}" for name, n in annotations.omitted.items())
            warnings.warn(f"document {cas.id}: left out: {counts}", CaspipeWarning, stacklevel=2)
        return cas

    def _annotations(self, source: Source) -> str:
        """Return the content of the `.ann` file of a text. Raises ReaderError if it is missing or not UTF-8."""
        stem = re.sub(r"(\.[^./\\]*)?(\.gz)?$", "", source.path, count=1)
        path = next((p for p in (f"{stem}.ann", f"{stem}.ann.gz") if exists(p)), "")
        if not path:
            raise ReaderError(f"expected {Path(stem).name}.ann beside it, found none")
        if self.folder is not None and leaves(path, self.folder):
            raise ReaderError(f"{Path(path).name}: {LEAVES}")
        with opened(path) as file:
            return decode(read_bounded(file, self.max_bytes, Path(path).name), "utf-8")[0]


def _check_fragments(tag: Tag, text: str) -> None:
    for (_, end), (begin, _) in zip(tag.parts, tag.parts[1:], strict=False):
        if text[end:begin].strip():
            raise ReaderError(
                f"{tag.name}: a discontinuous annotation; `fragments: cover` makes it one span, `split` several"
            )


def _conversions(text: str) -> list[OffsetConversion]:
    """Return the conversions of offsets that count code points, CR LF as one character, or a byte-order mark."""
    crlf = [m.start() - n for n, m in enumerate(_CRLF.finditer(text))]
    conversions: list[OffsetConversion] = [as_written]
    if crlf:
        conversions.append(lambda offset: offset + bisect_left(crlf, offset))
    return [*conversions, lambda offset: offset - 1]
