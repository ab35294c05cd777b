"""Reader of brat standoff: text files, each with an .ann file of annotations next to it."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.open_archives import exists, opened, read_bounded
from ...typesystem import Cas, CaspipeWarning
from ..files.decoding import AUTO, check_encoding, decode
from ..files.file_reader import DocumentFileReader
from ..files.selection import LEAVES, Source, leaves
from ..gold import check_scheme
from .standoff import OffsetConversion, StandoffReader, Tag, as_written

NORMALIZATION = "normalization/"
"""Prefix of SpanAttributes for normalizations: `normalization/Reference`, value `Wikipedia:534366<tab>title`."""
NOTE = "note/"
"""Prefix of SpanAttributes for notes: `note/AnnotatorNotes`."""

_BOUNDS = re.compile(r"(\d{1,15}) (\d{1,15})")
_ID = re.compile(r"[TAMN#]\d{1,9}")
"""Ids that may be repeated in messages."""
_OMITTED = {"R": "relations", "E": "events", "*": "equivalences"}


@dataclass(slots=True)
class AnnFile:
    """The content of an .ann file."""

    tags: list[Tag] = field(default_factory=list)
    omitted: Counter[str] = field(default_factory=Counter)
    """Number of lines that the CAS cannot represent, by their name in messages."""


def read_annotations(text: str) -> AnnFile:
    """Parse an .ann file.

    Raises ReaderError with the line number for invalid lines, repeated ids and attributes of missing annotations.
    """
    content = AnnFile()
    attributes: dict[str, list[tuple[str, str]]] = {}
    targets: list[tuple[str, str]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        id_, _, rest = line.partition("\t")
        name = f"{id_} (line {number} of the .ann file)" if _ID.fullmatch(id_) else f"line {number} of the .ann file"
        if line.startswith("T"):
            if id_ in lines:
                raise ReaderError(f"{name}: line {lines[id_]} has the same id")
            lines[id_] = number
            content.tags.append(_tag(name, id_, rest))
        elif line[:1] in _OMITTED:
            content.omitted[_OMITTED[line[0]]] += 1
        elif line[:1] in ("A", "M", "N", "#"):
            target, attribute = _attribute(name, line[0], rest)
            if target[:1] == "T":
                attributes.setdefault(target, []).append(attribute)
                targets.append((name, target))
            else:
                content.omitted["attributes and notes of these"] += 1
        elif line.strip():
            raise ReaderError(f"{name}: expected a line that begins with T, A, M, N, R, E, # or *")
    for name, target in targets:
        if target not in lines:
            raise ReaderError(f"{name}: its text-bound annotation does not exist")
    content.tags = [tag._replace(attributes=tuple(attributes.get(tag.id, ()))) for tag in content.tags]
    return content


def _tag(name: str, id_: str, rest: str) -> Tag:
    head, tab, covered = rest.partition("\t")
    label, _, bounds = head.partition(" ")
    matches = [_BOUNDS.fullmatch(part) for part in bounds.split(";")]
    parts = tuple(sorted((int(m[1]), int(m[2])) for m in matches if m))
    if not label or len(parts) != len(matches):
        raise ReaderError(f"{name}: expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`")
    return Tag(name, parts[0][0], max(e for _, e in parts), label, covered if tab else None, parts, id_)


def _attribute(name: str, line_type: str, rest: str) -> tuple[str, tuple[str, str]]:
    """Return the target of an attribute, normalization or note, and its (name, value)."""
    head, _, tail = rest.partition("\t")
    kind, _, more = head.partition(" ")
    target, _, value = more.partition(" ")
    if not kind or not target:
        examples = {"N": "N1<tab>Reference T1 Name:id<tab>title", "#": "#1<tab>AnnotatorNotes T1<tab>note"}
        raise ReaderError(f"{name}: expected a name and an id, like `{examples.get(line_type, 'A1<tab>Negation T1')}`")
    if line_type == "N":
        return target, (NORMALIZATION + kind, f"{value}\t{tail}")
    return target, (NOTE + kind, tail) if line_type == "#" else (kind, value)


_CRLF = re.compile("\r\n")
BYTE_ORDER_MARK = "\ufeff"


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
        tags, conversions = _without_mark(annotations.tags, text)
        self.add_tags(cas, tags, self.scheme, conversions, split=self.fragments == "split")
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


def _without_mark(tags: list[Tag], text: str) -> tuple[list[Tag], list[OffsetConversion]]:
    """Return the tags and the possible conversions of their offsets. If a tag covers the byte-order mark, they count it."""
    marked = [t.begin == 0 and (t.text or "").startswith(BYTE_ORDER_MARK) for t in tags]
    if text.startswith(BYTE_ORDER_MARK):  # a second one
        return tags, [_after_mark, *_conversions(text)]
    if not any(marked):
        return tags, [*_conversions(text), _after_mark]
    plain = (t.text.removeprefix(BYTE_ORDER_MARK) if t.text else t.text for t in tags)
    return [t._replace(text=p) if m else t for t, p, m in zip(tags, plain, marked, strict=True)], [_after_mark]


def _after_mark(offset: int) -> int:
    return max(0, offset - 1)


def _conversions(text: str) -> list[OffsetConversion]:
    """Return the conversions of offsets that count code points, or CR LF as one character."""
    crlf = [m.start() - n for n, m in enumerate(_CRLF.finditer(text))]
    return [as_written, *([lambda offset: offset + bisect_left(crlf, offset)] if crlf else [])]
