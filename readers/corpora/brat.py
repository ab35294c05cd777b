"""Reader of brat standoff: a text file, and beside it an .ann file with its annotations."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import Cas, CaspipeWarning, PhiKind
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import DocumentFileReader, bounded, exists, opened, too_long
from ..files.selection import LEAVES, Source, leaves
from .brat_lines import read_annotations
from .standoff import StandoffReader, Tag, as_written

_LINE_END = re.compile("\r\n")


@component("brat")
class BratReader(StandoffReader, DocumentFileReader):
    """Reads brat standoff: for each text file the `.ann` file beside it, whose text-bound annotations (`T` lines) become
    reference annotations in the view `gold`. Attributes (`A`, `M`), normalisations (`N`) and notes (`#`) of these become
    SpanAttributes there; relations, events and equivalences are left out and counted in a warning.

    Offsets are code points of the text file; files whose offsets count CR LF as one character, or a byte-order mark, are
    noticed by the texts that the annotations name. Format: brat.nlplab.org/standoff.html.
    """

    pattern: str = "*.txt"
    scheme: str = ""
    """Whose labels they have: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; else names of kinds."""
    fragments: Literal["error", "cover", "split"] = "error"
    """Discontinuous annotations, with more than blanks between their fragments: `error` (the document has failed), `cover`: one
    span from the first to the last fragment, or `split`: a span for each, tied by a SpanAttribute `fragments` with the id of
    the annotation. Fragments with only blanks or a line end between them are one span always."""
    encoding: str = AUTO
    """Of the text file. `auto`: what a byte-order mark says, else UTF-8, else Windows-1252 (cp1252)."""

    suffixes = (".txt",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        if self.scheme:
            try:
                PhiKind.labels(self.scheme)
            except ValueError as error:
                raise ValueError(f"scheme: {error}") from None

    def document(self, source: Source) -> Cas:
        data = self.data(source)
        try:
            return self._cas(source, data)
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None

    def _select(self) -> list[Source]:
        """The texts. An `.ann` file that is listed stands for the text it lies beside."""
        found = super()._select()
        there = {source.path for source in found}
        made = []
        for source in found:
            stem = source.path.removesuffix(".gz").removesuffix(".ann")
            if stem == source.path.removesuffix(".gz") or source.fault:
                made.append(source)
            elif not there & {f"{stem}.txt", f"{stem}.txt.gz"}:
                text = f"{stem}.txt.gz" if not exists(f"{stem}.txt") and exists(f"{stem}.txt.gz") else f"{stem}.txt"
                made.append(Source(text, source.id.removesuffix(".ann")))
        return made

    def _cas(self, source: Source, data: bytes) -> Cas:
        text, encoding = decode(data, self.encoding)
        cas = Cas(text, id=source.id)
        cas.metadata["encoding"] = encoding
        found = read_annotations(self._annotations(source))
        counts = _counts(text)
        for tag in found.tags:
            self._check_fragments(tag, text)
        self.add_tags(cas, found.tags, self.scheme, counts, split=self.fragments == "split")
        if found.left:
            told = ", ".join(f"{n} {what}" for what, n in found.left.items())
            warnings.warn(f"document {cas.id}: left out: {told}", CaspipeWarning, stacklevel=2)
        return cas

    def _annotations(self, source: Source) -> str:
        """The `.ann` file of a text. Raises ReaderError where there is none or it is no UTF-8."""
        stem = re.sub(r"(\.[^./\\]*)?(\.gz)?$", "", source.path, count=1)
        beside = next((p for p in (f"{stem}.ann", f"{stem}.ann.gz") if exists(p)), "")
        if not beside:
            raise ReaderError(f"expected {Path(stem).name}.ann beside it, found none")
        if self.folder is not None and leaves(beside, self.folder):
            raise ReaderError(f"{Path(beside).name}: {LEAVES}")
        with opened(beside) as file:
            data = bounded(file, self.max_bytes)
        if len(data) > self.max_bytes:
            raise ReaderError(f"{Path(beside).name}: {too_long(self.max_bytes)}")
        return decode(data, "utf-8")[0]

    def _check_fragments(self, tag: Tag, text: str) -> None:
        if self.fragments == "error":
            for (_, end), (begin, _) in zip(tag.parts, tag.parts[1:], strict=False):
                if text[end:begin].strip():
                    raise ReaderError(
                        f"{tag.name}: a discontinuous annotation; `fragments: cover` makes it one span, `split` several"
                    )


def _counts(text: str) -> list[Callable[[int], int]]:
    """The ways an offset may count, the likeliest first: as texts do, CR LF as one character, a byte-order mark too."""
    ways: list[Callable[[int], int]] = [as_written]
    doubled = [m.start() - n for n, m in enumerate(_LINE_END.finditer(text))]
    if doubled:

        def as_one(offset: int) -> int:
            return offset + bisect_left(doubled, offset)

        ways.append(as_one)
    return [*ways, lambda offset: offset - 1]
