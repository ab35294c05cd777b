"""Reader of CSV and other delimited files: one row, one document."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator
from typing import BinaryIO

from ..pipeline.component import component
from ..pipeline.errors import ReaderError
from ..typesystem import Cas
from .decoding import AUTO, check_encoding, decode, mark
from .files import opened, too_long
from .records import RecordReader, no_such_field
from .selection import Source


@component("csv")
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

    def __iter__(self) -> Iterator[Cas]:
        seen: set[str] = set()
        for source in self.readable():
            try:
                with opened(source.path) as file:
                    yield from self._file(file, source, seen)
            except ReaderError as error:
                self.fail(source.id, str(error))

    def _file(self, file: BinaryIO, source: Source, seen: set[str]) -> Iterator[Cas]:
        codec, errors = self._codec(file)
        text = io.TextIOWrapper(file, codec, errors, newline="")
        rows = _Rows(text, self.delimiter, self.quote, self.max_bytes)
        header = list(self.columns)
        number = 0
        for row in rows:
            if not row:
                continue  # an empty line is no row
            cells, encoding = _decoded(row, codec, errors, self.encoding)
            if not header:
                header = self._header(cells, source)
                continue
            number += 1
            name, place = f"{source.id}/{number}", f"{source.path}, row {number} (line {rows.line})"
            if cells is None:
                self.fail(name, f"{place}: {encoding}")
            elif len(cells) != len(header):
                self.fail(name, f"{place}: expected {len(header)} columns, found {len(cells)}")
            elif any(len(c) > self.max_bytes for c in cells):
                self.fail(name, f"{place}: {too_long(self.max_bytes)}")
            else:
                for cas in self.documents(dict(zip(header, cells, strict=True)), name, place, seen):
                    cas.metadata["encoding"] = encoding
                    yield cas
        if rows.fault:
            self.fail(f"{source.id}/{number + 1}", f"{source.path}, from row {number + 1} on: {rows.fault}")
        elif not header:
            self.fail(source.id, f"{source.path}: expected a header row, found an empty file")

    def _codec(self, file: BinaryIO) -> tuple[str, str]:
        """Codec and error handler to split rows with; bytes that are no UTF-8 are kept for a decision row by row."""
        if self.encoding != AUTO:
            return ("utf-8-sig" if self.encoding.lower() in ("utf-8", "utf8") else self.encoding), _KEEP
        peek = getattr(file, "peek", None)
        marked = mark(peek(4)[:4]) if peek is not None else ""
        return (marked if marked not in ("", "utf-8") else "utf-8-sig"), _KEEP

    def _header(self, cells: list[str] | None, source: Source) -> list[str]:
        """Checks the header row. Raises ReaderError where a column this reader needs is missing or named twice."""
        names = [c.strip() for c in cells or []]
        for field in self.wanted():
            if names.count(field) != 1:
                what = no_such_field(field, names) if field not in names else f"column {field} occurs twice"
                raise ReaderError(f"{source.path}: {what}")
        return names
