"""Reader of brat standoff: a text file, and beside it an .ann file with its annotations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..pipeline.errors import ReaderError
from ..typesystem import Cas, PhiKind
from .decoding import AUTO, check_encoding, decode
from .files import opened, too_long
from .selection import Source
from .standoff import StandoffReader, Tag, as_written

_BOUND = re.compile(r"(\d{1,15}) (\d{1,15})")
_NAME = re.compile(r"T\d{1,6}")
_LINE_END = re.compile("\r\n")


@component("brat")
class BratReader(StandoffReader):
    """Reads brat standoff: for each text file the `.ann` file beside it, whose text-bound annotations (`T` lines) become
    reference annotations in the view `gold`. Relations, events, attributes and notes are left out.

    Offsets are code points of the text file; files whose offsets count CR LF as one character, or a byte-order mark, are
    noticed by the texts that the annotations name.
    """

    pattern: str = "*.txt"
    scheme: str = ""
    """Whose labels the annotations have: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `vigibase`; empty: names of PHI kinds."""
    fragments: Literal["error", "cover"] = "error"
    """Discontinuous annotations, with more than blanks between their fragments: `error` (the document has failed), or `cover`:
    one span from the first to the last fragment. Fragments with only blanks or a line end between them are one span always."""
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

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                yield self._cas(source, data)
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")

    def __len__(self) -> int:
        return len(self.sources())

    def _cas(self, source: Source, data: bytes) -> Cas:
        text, encoding = decode(data, self.encoding)
        cas = Cas(text, id=source.id)
        cas.metadata["encoding"] = encoding
        tags = list(_tags(self._annotations(source)))
        counts = _counts(text)
        for tag in tags:
            self._check_fragments(tag, text)
        self.add_tags(cas, tags, self.scheme, counts)
        return cas

    def _annotations(self, source: Source) -> str:
        """The `.ann` file of a text. Raises ReaderError where there is none or it is no UTF-8."""
        stem = re.sub(r"(\.[^./\\]*)?(\.gz)?$", "", source.path, count=1)
        beside = next((p for p in (f"{stem}.ann", f"{stem}.ann.gz") if Path(p).exists()), "")
        if not beside:
            raise ReaderError(f"expected {Path(stem).name}.ann beside it, found none")
        with opened(beside) as file:
            data = file.read(self.max_bytes + 1)
        if len(data) > self.max_bytes:
            raise ReaderError(f"{Path(beside).name}: {too_long(self.max_bytes)}")
        return decode(data, "utf-8")[0]

    def _check_fragments(self, tag: Tag, text: str) -> None:
        if self.fragments == "error":
            for (_, end), (begin, _) in zip(tag.parts, tag.parts[1:], strict=False):
                if text[end:begin].strip():
                    raise ReaderError(f"{tag.name}: a discontinuous annotation; `fragments: cover` makes it one span")


def _tags(annotations: str) -> Iterator[Tag]:
    """The text-bound annotations. Raises ReaderError, with the line, for one that cannot be read."""
    for number, line in enumerate(annotations.split("\n"), 1):
        if not line.startswith("T"):
            continue
        id_, _, rest = line.removesuffix("\r").partition("\t")
        head, tab, covered = rest.partition("\t")
        name = f"{id_} (line {number} of the .ann file)" if _NAME.fullmatch(id_) else f"line {number} of the .ann file"
        label, _, bounds = head.partition(" ")
        found = [_BOUND.fullmatch(part) for part in bounds.split(";")]
        parts = tuple(sorted((int(m[1]), int(m[2])) for m in found if m))
        if not label or len(parts) != len(found):
            raise ReaderError(f"{name}: expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`")
        yield Tag(name, parts[0][0], max(e for _, e in parts), label, covered if tab else None, parts)


def _counts(text: str) -> list[Callable[[int], int]]:
    """The ways an offset may count, the likeliest first: as texts do, CR LF as one character, a byte-order mark too."""
    ways: list[Callable[[int], int]] = [as_written]
    doubled = [m.start() - n for n, m in enumerate(_LINE_END.finditer(text))]
    if doubled:

        def as_one(offset: int) -> int:
            return offset + bisect_left(doubled, offset)

        ways.append(as_one)
    return [*ways, lambda offset: offset - 1]
