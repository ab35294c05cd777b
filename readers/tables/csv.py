"""Reader of CSV and other delimited files: one row, one document."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ..files.decoding import AUTO, FALLBACK, UNMARKED, check_encoding, decode, mark, unmarked
from ..files.file_reader import too_long
from ..files.selection import Source
from .records import RecordReader, no_such_field

_HEAD = 1024
"""Bytes that tell an encoding."""
_FAULTY = re.compile("[\udc80-\udcff]")
_NEVER_CLOSED = "a quote is opened and never closed"
_AFTER_QUOTE = "a quoted field goes on after its closing quote"


@component("csv", outputs=[KnownPhi])
class CsvReader(RecordReader):
    """Reads delimited files with a header row, plain or gzipped: a document a row. Quoted fields may hold newlines.

    A row with too many or too few columns is a failed document. After a quoting fault nobody can tell rows from text, so
    the rest of that file is not read, and counts as one failed document.
    """

    pattern: str = "*.csv"
    delimiter: str = ","
    """Character between fields; `\\t` for tab-separated files."""
    quote: str = '"'
    """Character around fields; doubled it stands for itself."""
    encoding: str = AUTO
    """`auto`: what a byte-order mark says, else UTF-8, else, row by row, Windows-1252 (cp1252)."""
    columns: list[str] = dataclasses.field(default_factory=list)
    """Names of the columns, for files without a header row."""

    suffixes = (".csv", ".tsv")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)
        self.delimiter = "\t" if self.delimiter == "\\t" else self.delimiter
        for name, value in (("delimiter", self.delimiter), ("quote", self.quote)):
            if len(value) != 1 or value in "\r\n":
                raise ValueError(f"{name}: expected one character, got {value!r}")
        if self.delimiter == self.quote:
            raise ValueError(f"delimiter: expected another character than the quote, got {self.delimiter!r}")
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: expected every name once")

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        codec, marked = self._codec(file, source)
        text = io.TextIOWrapper(file, codec, "surrogateescape", newline="")  # faulty bytes are looked at row by row
        try:
            rows = _Rows(text, self.delimiter, self.quote, self.max_bytes)
            header = list(self.columns)
            number = 0
            for row in rows:
                try:
                    cells, encoding = self._decoded(row, codec, marked)
                except ReaderError as error:
                    if not header:
                        raise ReaderError(f"{source.path}, header row: {error}") from None
                    number += 1
                    self.fail(f"{source.id}/{number}", f"{source.path}, row {number} (line {rows.line}): {error}")
                    continue
                if not header:
                    header = self._header(cells, source)
                    continue
                number += 1
                name, place = f"{source.id}/{number}", f"{source.path}, row {number} (line {rows.line})"
                if len(cells) != len(header):
                    self.fail(name, f"{place}: expected {len(header)} columns, found {len(cells)}")
                    continue
                for cas in self.documents(dict(zip(header, cells, strict=True)), name, place, seen):
                    cas.metadata["encoding"] = encoding
                    yield cas
            if rows.fault:
                self.fail(f"{source.id}/{number + 1}", f"{source.path}, from row {number + 1} on: {rows.fault}")
            elif not header:
                raise ReaderError(f"{source.path}: expected a header row, found an empty file")
        finally:
            text.detach()

    def _codec(self, file: BinaryIO, source: Source) -> tuple[str, bool]:
        """The codec to split rows with, and whether that is certain. Raises ReaderError where it should be said."""
        if self.encoding != AUTO:
            return ("utf-8-sig" if codecs.lookup(self.encoding).name == "utf-8" else self.encoding), True
        peek = getattr(file, "peek", None)
        head = peek(_HEAD)[:_HEAD] if peek is not None else b""
        marked = mark(head)
        if not marked and (wide := unmarked(head)):
            raise ReaderError(f"{source.path}: {UNMARKED.format(wide)}")
        return ("utf-8-sig" if marked in ("", "utf-8") else marked), bool(marked)

    def _decoded(self, row: list[str], codec: str, certain: bool) -> tuple[list[str], str]:
        """The row with its bytes decoded, and the encoding. Raises ReaderError where bytes do not fit."""
        name = "utf-8" if codec == "utf-8-sig" else codec
        if not any(map(_FAULTY.search, row)):
            return row, name
        if certain:
            raise ReaderError(f"expected {name}, found bytes that are not")
        return [decode(c.encode("utf-8", "surrogateescape"), FALLBACK)[0] for c in row], FALLBACK

    def _header(self, cells: list[str], source: Source) -> list[str]:
        """Checks the header row. Raises ReaderError where a column this reader needs is missing or named twice."""
        names = [c.strip().removeprefix("\ufeff") for c in cells]
        for field in self.wanted():
            if names.count(field) != 1:
                what = no_such_field(field, names) if field not in names else f"column {field} occurs twice"
                raise ReaderError(f"{source.path}: {what}")
        return names


class _Rows:
    """The rows of a file that are not empty. Ends at the first fault and says what it was."""

    def __init__(self, text: io.TextIOWrapper, delimiter: str, quote: str, limit: int) -> None:
        self.text = text
        self.limit = limit
        self.fault = ""
        self._rows = csv.reader(iter(self._line, ""), delimiter=delimiter, quotechar=quote, strict=True)

    @property
    def line(self) -> int:
        """The physical line read last."""
        return self._rows.line_num

    def __iter__(self) -> Iterator[list[str]]:
        while not self.fault:
            before = csv.field_size_limit(self.limit)  # the limit belongs to the whole process: it is given back
            try:
                row = next(self._rows)
            except StopIteration:
                return
            except csv.Error as error:
                ends = "unexpected end" in str(error)
                large = "larger than" in str(error)
                self.fault = too_long(self.limit) if large else _NEVER_CLOSED if ends else _AFTER_QUOTE
                return
            except UnicodeError:
                self.fault = "bytes that are not in the encoding of the byte-order mark"
                return
            except _TooLong:
                self.fault = too_long(self.limit)
                return
            finally:
                csv.field_size_limit(before)
            if row:
                yield row

    def _line(self) -> str:
        line = self.text.readline(self.limit + 1)
        if len(line) > self.limit and not line.endswith(("\n", "\r")):
            raise _TooLong
        return line


class _TooLong(Exception):
    """A physical line beyond the limit."""
