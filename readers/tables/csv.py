"""Reader of CSV and other delimited files with one document per row."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.open_archives import too_long
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ..files.decoding import AUTO, FALLBACK, UNMARKED, check_encoding, decode, mark, unmarked
from ..files.selection import Source
from .records import RecordReader, no_such_field

_HEAD = 1024
"""Number of bytes from which the encoding is detected."""
_UNDECODED = re.compile("[\udc80-\udcff]")
_NEVER_CLOSED = "a quote is opened and never closed"
_AFTER_QUOTE = "a quoted field continues after its closing quote"


@component("csv", outputs=[KnownPhi])
class CsvReader(RecordReader):
    """Reads delimited files with a header row, plain or gzipped: one document per row. Quoted fields may contain newlines.

    A row with too many or too few columns is a failed document. After an unbalanced quote, the ends of rows are unknown, so the
    rest of that file is not read and counts as one failed document.
    """

    pattern: str = "*.csv"
    delimiter: str = ","
    """Character between fields; `\\t` for tab-separated files."""
    quote: str = '"'
    """Character around fields; doubled inside a field, it means the character."""
    encoding: str = AUTO
    """`auto`: the encoding of a byte-order mark, else UTF-8, else, row by row, Windows-1252 (cp1252)."""
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
        text = io.TextIOWrapper(file, codec, "surrogateescape", newline="")  # invalid bytes are handled row by row
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
        """Return the codec for splitting rows, and whether it is certain. Raises ReaderError if `encoding` must be given."""
        if self.encoding != AUTO:
            return ("utf-8-sig" if codecs.lookup(self.encoding).name == "utf-8" else self.encoding), True
        head = cast(io.BufferedReader, file).peek(_HEAD)[:_HEAD]
        marked = mark(head)
        if not marked and (wide := unmarked(head)):
            raise ReaderError(f"{source.path}: {UNMARKED.format(wide)}")
        return ("utf-8-sig" if marked in ("", "utf-8") else marked), bool(marked)

    def _decoded(self, row: list[str], codec: str, certain: bool) -> tuple[list[str], str]:
        """Return the row with its undecoded bytes decoded, and the encoding. Raises ReaderError for invalid bytes."""
        name = "utf-8" if codec == "utf-8-sig" else codec
        if not any(map(_UNDECODED.search, row)):
            return row, name
        if certain:
            raise ReaderError(f"expected {name}, found bytes that are not")
        return [decode(c.encode("utf-8", "surrogateescape"), FALLBACK)[0] for c in row], FALLBACK

    def _header(self, cells: list[str], source: Source) -> list[str]:
        """Return the column names. Raises ReaderError if a required column is missing or occurs twice."""
        names = [c.strip().removeprefix("\ufeff") for c in cells]
        for field in self.wanted():
            if names.count(field) != 1:
                fault = no_such_field(field, names) if field not in names else f"column {field} occurs twice"
                raise ReaderError(f"{source.path}: {fault}")
        return names


class _Rows:
    """The non-empty rows of a file. Iteration ends at the first error, which is then in `fault`."""

    def __init__(self, text: io.TextIOWrapper, delimiter: str, quote: str, limit: int) -> None:
        self.text = text
        self.limit = limit
        self.fault = ""
        self._rows = csv.reader(iter(self._line, ""), delimiter=delimiter, quotechar=quote, strict=True)

    @property
    def line(self) -> int:
        """Number of the physical line that was read last."""
        return self._rows.line_num

    def __iter__(self) -> Iterator[list[str]]:
        while not self.fault:
            old_limit = csv.field_size_limit(self.limit)  # the limit is global: restore it
            try:
                row = next(self._rows)
            except StopIteration:
                return
            except csv.Error as error:
                if "larger than" in str(error):
                    self.fault = too_long(self.limit)
                else:
                    self.fault = _NEVER_CLOSED if "unexpected end" in str(error) else _AFTER_QUOTE
                return
            except UnicodeError:
                self.fault = "bytes that are not in the encoding of the byte-order mark"
                return
            except _LineTooLongError:
                self.fault = too_long(self.limit)
                return
            finally:
                csv.field_size_limit(old_limit)
            if row:
                yield row

    def _line(self) -> str:
        line = self.text.readline(self.limit + 1)
        if len(line) > self.limit and not line.endswith(("\n", "\r")):
            raise _LineTooLongError
        return line


class _LineTooLongError(Exception):
    """A physical line is longer than the limit."""
