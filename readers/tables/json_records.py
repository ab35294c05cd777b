"""Records from JSON: one object per line (the reader of JSON Lines), or, as some tools export them, all in one array."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.open_archives import read_bounded, too_long
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ..files.decoding import decode
from ..files.json_text import describe_offset, parse_json, parse_json_at, skip_spaces
from ..files.selection import Source
from .records import RecordReader, SpanFields

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class JsonRecordReader(RecordReader):
    """A reader of JSON objects."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    arrays: ClassVar[bool] = False
    """True if a file may also be one array of all objects. Objects before a syntax error in it are read."""

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        empty = True
        for n, line in enumerate(lines(file, self.max_bytes), 1):
            number, place = f"{source.id}/{n}", f"{source.path}, line {n}"
            if line is None:
                self.fail(number, f"{place}: {too_long(self.max_bytes)}")
                continue
            line = line.removeprefix(_BYTE_ORDER_MARK) if n == 1 else line
            if self.arrays and empty and line.lstrip().startswith(b"["):
                yield from self._array(line + read_bounded(file, self.max_bytes, source.path), source, seen)
                return
            if line.strip():
                empty = False
                yield from self._record(*_object(line), number, place, seen)

    def _array(self, data: bytes, source: Source, seen: Digests) -> Iterator[Cas]:
        """Yield the documents of an array up to the first syntax error; everything after it is one failed document."""
        if len(data) > self.max_bytes:
            raise ReaderError(f"{source.path}: {too_long(self.max_bytes)}")
        try:
            text, _ = decode(data, "utf-8")
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None
        for number, (record, fault) in enumerate(_items(text), 1):
            yield from self._record(record, fault, f"{source.id}/{number}", f"{source.path}, item {number}", seen)

    def _record(
        self, record: dict[str, Any] | None, fault: str, number: str, place: str, seen: Digests
    ) -> Iterator[Cas]:
        if record is None:
            self.fail(number, f"{place}: {fault}")
        else:
            yield from self.documents(record, number, place, seen)


def lines(file: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """Yield the lines of a file in bounded memory; None for one longer than `limit` bytes."""
    while line := file.readline(limit + 2):
        if len(line.rstrip(b"\r\n")) <= limit:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
        yield None


def _object(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """Return the JSON object of a line, or None and what is wrong with it."""
    try:
        text, _ = decode(line, "utf-8")
    except ReaderError as error:
        return None, str(error)
    value, fault = parse_json(text)
    return _checked(value) if not fault else (None, fault)


def _checked(value: Any) -> tuple[dict[str, Any] | None, str]:
    return (value, "") if isinstance(value, dict) else (None, "expected a JSON object")


def _items(text: str) -> Iterator[tuple[dict[str, Any] | None, str]]:
    """Yield the objects of an array at the beginning of the text; a syntax error of the array comes last."""
    offset = skip_spaces(text, text.index("[") + 1)
    more = not text.startswith("]", offset)
    offset += not more
    while more:
        value, offset, fault = parse_json_at(text, offset)
        if fault:
            yield None, f"from here on: {fault}"
            return
        yield _checked(value)
        offset = skip_spaces(text, offset)
        more = text.startswith(",", offset)
        if not more and not text.startswith("]", offset):
            where = describe_offset(text, offset)
            yield None, f"from here on: expected a comma or the end of the array{where}"
            return
        offset = skip_spaces(text, offset + 1)
    if text[offset:].strip(" \t\r\n"):
        yield None, f"expected nothing after the array{describe_offset(text, offset)}"


@component("jsonl", outputs=[KnownPhi])
class JsonlReader(SpanFields, JsonRecordReader):
    """Reads JSON Lines files (UTF-8), plain or gzipped: one object per line. Nested fields are named `patient.name`."""

    pattern: str = "*.jsonl"
