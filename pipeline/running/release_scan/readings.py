"""The readings of a file: its text as written and with escapes, entities and tags resolved; members of archives; tables."""

from __future__ import annotations

import bisect
import codecs
import gzip
import html
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, NamedTuple, cast
from urllib.parse import quote, unquote

CHUNK = 1 << 20
"""Bytes that are read at once."""
_OVERLAP = 2_000
"""Code points of a chunk that the next one repeats, so that no value is divided."""
_DEEPEST = 3
"""Archives inside archives."""
_WRITTEN = re.compile(
    r"""\\u[0-9a-fA-F]{4} | \\["\\/bfnrt]                                        # JSON
      | &(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});         # XML and HTML
      | (?:%[0-9A-Fa-f]{2})+ | <[^<>]{0,1000}>                                   # addresses, tags
    """,
    re.VERBOSE,
)
_HINT = re.compile(r"[\\&%<]")
_TAG_IN_WORD = re.compile(r"(?<=[^\W\d_])(?:<[^<>]{0,1000}>)+(?=[^\W\d_])")
_JOINED = re.compile(f"(?P<joint>{_TAG_IN_WORD.pattern})|{_WRITTEN.pattern}", re.VERBOSE)
_WHITE = re.compile(r"\s")
_PARQUET = b"PAR1"
_SQLITE = b"SQLite format 3\0"
_GZIP = b"\x1f\x8b"


class Piece(NamedTuple):
    """A part of a file: its text, its first byte in the file or member, and the member, or an empty string."""

    text: str
    begin: int
    member: str


class Unreadable(Exception):
    """A file, or a part of it, cannot be searched. The message says what, without any content."""


def pieces_of(path: Path) -> Iterator[Piece]:
    """Yield the pieces of a whole file. Raises OSError, and Unreadable after everything that could be read."""
    with path.open("rb") as file:
        yield from _pieces(file, "", _DEEPEST)
    yield from _tables(path, rows=True)


def names_of(path: Path) -> Iterator[Piece]:
    """Yield the names and metadata of an SQLite database or a Parquet table, without its rows."""
    yield from _tables(path, rows=False)


def _tables(path: Path, *, rows: bool) -> Iterator[Piece]:
    with path.open("rb") as file:
        head = file.read(len(_SQLITE))
    if head == _SQLITE:
        yield from _cells(path, rows)
    elif head.startswith(_PARQUET):
        yield from _columns(path, rows)


def _pieces(file: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
    head = file.read(len(_SQLITE))
    file.seek(0)
    if depth and head.startswith(_GZIP):
        with gzip.open(file) as inner:
            yield from _archive(cast("IO[bytes]", inner), f"{member}>gz", depth)
        return
    if depth and head.startswith(b"PK\x03\x04"):
        yield from _zip(file, member, depth)
        return
    if depth and _is_tar(file):
        yield from _tar(file, member, depth)
        return
    yield from text_pieces(file, member)


def _archive(inner: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
    try:
        yield from _pieces(inner, member, depth - 1)
    except (OSError, EOFError, zlib.error):
        raise Unreadable("a damaged archive") from None


def _zip(file: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
    try:
        with zipfile.ZipFile(file) as archive:
            for number, info in enumerate(archive.infolist(), 1):
                place = f"{member}>member {number}"
                yield Piece(f"{info.filename} {info.comment.decode('utf-8', 'replace')}", 0, f"{place}, name")
                with archive.open(info) as inner:
                    yield from _archive(inner, place, depth)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise Unreadable("a damaged or encrypted archive") from None


def _is_tar(file: IO[bytes]) -> bool:
    magic = file.read(512)[257:262]
    file.seek(0)
    return magic == b"ustar"


def _tar(file: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for number, info in enumerate(archive, 1):
                place = f"{member}>member {number}"
                yield Piece(f"{info.name} {info.linkname} {info.uname}", 0, f"{place}, name")
                inner = archive.extractfile(info) if info.isfile() else None
                if inner is not None:
                    with inner:
                        yield from _archive(inner, place, depth)
    except tarfile.TarError:
        raise Unreadable("a damaged archive") from None


def text_pieces(file: IO[bytes], member: str = "", length: int | None = None) -> Iterator[Piece]:
    """Yield the text of a file in pieces that overlap, from its current offset on, at most `length` bytes.

    Bytes that are not UTF-8 (or UTF-16 with a byte order mark) become U+FFFD.
    """
    encoding, carried, decoder = "", "", None
    offset = file.tell() if length is not None else 0
    while length is None or length > 0:
        data = file.read(CHUNK if length is None else min(CHUNK, length))
        if not data:
            return
        if decoder is None:
            encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
            decoder = codecs.getincrementaldecoder(encoding)("replace")
        length = None if length is None else length - len(data)
        text = carried + decoder.decode(data)
        yield Piece(text, offset - byte_length(carried, encoding), member)
        offset += len(data)
        carried = _end(text)


def byte_length(text: str, encoding: str = "utf-8") -> int:
    """Return the length of a text in bytes, without a byte order mark."""
    return len(text.encode("utf-16-le" if encoding == "utf-16" else encoding, "surrogatepass"))


def _end(text: str) -> str:
    """Return the end of a chunk from the first white space in it, so that it does not begin inside a word."""
    tail = text[-_OVERLAP:]
    white = _WHITE.search(tail)
    return tail[white.start() :] if white else tail


def _cells(path: Path, with_rows: bool) -> Iterator[Piece]:
    """Yield the names of tables and columns, and all texts of an SQLite database; `begin` is the number of the row."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            names = [str(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for number, name in enumerate(sorted(names), 1):
                quoted = '"' + name.replace('"', '""') + '"'
                rows = database.execute(f"SELECT * FROM {quoted}")
                yield Piece(" | ".join((name, *(c[0] for c in rows.description))), 0, f">table {number}, names")
                for count, row in enumerate(rows if with_rows else (), 1):
                    text = " | ".join(str(cell) for cell in row if isinstance(cell, str | int | float))
                    yield Piece(text, count, f">table {number}, row")
    except sqlite3.Error:
        raise Unreadable("a damaged database") from None


def _columns(path: Path, with_rows: bool) -> Iterator[Piece]:
    """Yield the names, the metadata and all values of a Parquet table; `begin` is the number of the row."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Unreadable("a Parquet table (pyarrow is not installed)") from None
    try:
        with pq.ParquetFile(path) as table:
            metadata = table.schema_arrow.metadata or {}
            names = [str(table.schema_arrow), *(f"{k!r} {v!r}" for k, v in metadata.items())]
            yield Piece(" | ".join(names), 0, ">schema")
            count = 0
            for batch in table.iter_batches(batch_size=500) if with_rows else ():
                for row in batch.to_pylist():
                    count += 1
                    yield Piece(" | ".join(_texts(row)), count, ">row")
    except (pa.ArrowException, OSError, ValueError):
        raise Unreadable("a damaged Parquet table") from None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif value is not None and not isinstance(value, float | bool):
        yield str(value)


def readings(text: str) -> Iterator[tuple[str, Callable[[int], int]]]:
    """Yield a text as written, then with escapes, entities and tags resolved, each with a map to the offsets of the text."""
    yield text, lambda offset: offset
    if _HINT.search(text) is None:
        return
    if _WRITTEN.search(text):
        yield _resolved(text, _WRITTEN, _meaning)
    if "<" in text and _TAG_IN_WORD.search(text):
        yield _resolved(text, _JOINED, lambda m: "" if m["joint"] else _meaning(m))


def _resolved(
    text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> tuple[str, Callable[[int], int]]:
    new, old, parts, length, at = [0], [0], list[str](), 0, 0
    for m in pattern.finditer(text):
        replacement = meaning(m)
        parts += (text[at : m.start()], replacement)
        length += m.start() - at + len(replacement)
        at = m.end()
        new.append(length)
        old.append(at)
    parts.append(text[at:])

    def to_old(offset: int) -> int:
        n = bisect.bisect_right(new, offset) - 1
        return old[n] + offset - new[n]

    return "".join(parts), to_old


def _meaning(match: re.Match[str]) -> str:
    """Return the characters that an escape, an entity or a tag stands for."""
    written = match.group()
    if written.startswith("\\u"):
        return chr(int(written[2:], 16))
    if written.startswith("\\"):
        return {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}.get(written[1], written[1])
    if written.startswith("&"):
        return html.unescape(written)
    return unquote(written) if written.startswith("%") else " "
