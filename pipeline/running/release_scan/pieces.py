"""The pieces of a file that are searched: its text in every likely encoding, the members of archives, the cells of tables.

Everything is read as a stream. What cannot be opened is counted by what it is, and never passed over in silence.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
import sqlite3
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

from .encodings import Piece, text_pieces, western

_DEEPEST = 3
"""Archives inside archives."""
_PARQUET = b"PAR1"
_SQLITE = b"SQLite format 3\0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
_COMPRESSED: dict[bytes, tuple[str, Callable[[Any], Any]]] = {
    _GZIP: ("gz", gzip.open),
    b"BZh": ("bz2", bz2.open),
    b"\xfd7zXZ\0": ("xz", lzma.open),
}
_UNKNOWN = {
    b"\x28\xb5\x2f\xfd": "a file compressed with zstd",
    b"\x04\x22\x4d\x18": "a file compressed with lz4",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x5d\0\0": "a file compressed with lzma",
    b"\x1f\x9d": "a file compressed with compress",
    b"LZIP": "a file compressed with lzip",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an OLE document",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"ARROW1": "an Arrow file",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"\x89PNG\r\n\x1a\n": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"II*\0": "an image",
    b"MM\0*": "an image",
}
"""First bytes of files whose content is compressed or drawn: only what is readable in their bytes is searched."""
_HEAD, _GZIP_HEADER = 600, 10
_LONGEST_PDF = 1 << 22
_STREAM = re.compile(rb"/Filter[^>]{0,200}>>\s*stream\r?\n")
_DAMAGED = "a damaged or encrypted archive"
_FAULTS = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    RuntimeError,
    NotImplementedError,
)


def pieces_of(path: Path, unreadable: Counter[str]) -> Iterator[Piece]:
    """Yield the pieces of a whole file. What cannot be searched is added to `unreadable`. Raises OSError."""
    with path.open("rb") as file:
        yield from _Opened(unreadable).pieces(file, "", _DEEPEST)
        if not _is_zip(file) and zipfile.is_zipfile(file):  # with something before it, as a program that unpacks itself
            yield from _Opened(unreadable).zip(file, "", _DEEPEST)


def names_of(path: Path, unreadable: Counter[str]) -> Iterator[Piece]:
    """Yield the names and metadata of an SQLite database or a Parquet table, without its rows."""
    yield from _Opened(unreadable).table(path, "", rows=False)


def rest_of_zip(path: Path, begins: Collection[int], unreadable: Counter[str]) -> Iterator[Piece]:
    """Yield the names of all members of a zip file, and the members that do not begin at `begins`."""
    with path.open("rb") as file:
        yield from _Opened(unreadable).zip(file, "", _DEEPEST, begins)


def is_zip(path: Path) -> bool:
    """Return whether a file is a zip file."""
    with path.open("rb") as file:
        return _is_zip(file)


class _Opened:
    """Opens files and what is packed in them."""

    def __init__(self, unreadable: Counter[str]) -> None:
        self.unreadable = unreadable

    def pieces(self, file: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
        """Yield the pieces of a file or of a member of an archive."""
        head = file.read(_HEAD)
        file.seek(0)
        packed = next((how for magic, how in _COMPRESSED.items() if head.startswith(magic)), None)
        if packed is not None or head.startswith(_ZIP) or head[257:262] == b"ustar":
            if not depth:
                self.unreadable["an archive in too many archives"] += 1
            elif packed is not None:
                name = western(head[_GZIP_HEADER:])  # where gzip keeps the name of the file
                yield Piece(name, _GZIP_HEADER, f"{member}>{packed[0]}, name", "latin-1")
                with self.noting(), packed[1](file) as inner:
                    yield from self.pieces(cast("IO[bytes]", inner), f"{member}>{packed[0]}", depth - 1)
            elif head.startswith(_ZIP):
                yield from self.zip(file, member, depth)
            else:
                yield from self.tar(file, member, depth)
            return
        if what := next((what for magic, what in _UNKNOWN.items() if head.startswith(magic)), ""):
            self.unreadable[what] += 1
        yield from text_pieces(file, member)
        if head.startswith(b"%PDF-"):
            yield from self.streams(file, member)
        if head.startswith((_SQLITE, _PARQUET)):
            with self.noting(), _on_disk(file) as path:
                yield from self.table(path, member, rows=True)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Count an archive that cannot be read to its end."""
        try:
            yield
        except _FAULTS:
            self.unreadable[_DAMAGED] += 1

    def zip(self, file: IO[bytes], member: str, depth: int, skipped: Collection[int] = ()) -> Iterator[Piece]:
        """Yield the names and the members of a zip file, in the order of their bytes."""
        with self.noting(), zipfile.ZipFile(file) as archive:
            yield Piece(western(archive.comment), 0, f"{member}>comment, name", "latin-1")
            every = sorted(enumerate(archive.infolist(), 1), key=lambda numbered: numbered[1].header_offset)
            for number, info in every:
                place = f"{member}>member {number}"
                yield Piece(f"{info.filename} {western(info.comment)}", 0, f"{place}, name")
                if info.header_offset not in skipped:
                    with self.noting(), archive.open(info) as inner:
                        yield from self.pieces(inner, place, depth - 1)

    def tar(self, file: IO[bytes], member: str, depth: int) -> Iterator[Piece]:
        """Yield the names and the members of a tar file."""
        with self.noting(), tarfile.open(fileobj=file, mode="r:") as archive:
            for number, info in enumerate(archive, 1):
                place = f"{member}>member {number}"
                names = (info.name, info.linkname, info.uname, info.gname, *info.pax_headers.values())
                yield Piece(" ".join(map(str, names)), 0, f"{place}, name")
                inner = archive.extractfile(info) if info.isfile() else None
                if inner is not None:
                    with self.noting(), inner:
                        yield from self.pieces(inner, place, depth - 1)

    def streams(self, file: IO[bytes], member: str) -> Iterator[Piece]:
        """Yield the compressed streams of a PDF; text that it draws with fonts of its own is not readable in them."""
        file.seek(0)
        data = file.read(_LONGEST_PDF)
        unread = len(data) == _LONGEST_PDF
        for number, found in enumerate(_STREAM.finditer(data), 1):
            inflate = zlib.decompressobj()
            try:
                text = inflate.decompress(data[found.end() :], _LONGEST_PDF)
            except zlib.error:
                unread = True
                continue
            unread |= not inflate.eof
            yield Piece(western(text), 0, f"{member}>stream {number}", "latin-1")
        if unread:
            self.unreadable["a PDF with streams that cannot be read"] += 1

    def table(self, path: Path, member: str, *, rows: bool) -> Iterator[Piece]:
        """Yield the names, the metadata and, with `rows`, the values of a database or table; nothing for another file."""
        with path.open("rb") as file:
            head = file.read(len(_SQLITE))
        try:
            if head == _SQLITE:
                yield from _cells(path, member, rows)
            elif head.startswith(_PARQUET):
                yield from _columns(path, member, rows)
        except sqlite3.Error:
            self.unreadable["a damaged database"] += 1
        except ImportError:
            self.unreadable["a Parquet table (pyarrow is not installed)"] += 1
        except (ValueError, OSError, KeyError, TypeError):
            self.unreadable["a damaged Parquet table"] += 1


def _is_zip(file: IO[bytes]) -> bool:
    file.seek(0)
    head = file.read(len(_ZIP[0]))
    file.seek(0)
    return head in _ZIP


@contextmanager
def _on_disk(file: IO[bytes]) -> Iterator[Path]:
    """Yield the path of an open file; a member of an archive is copied to the disk for this time, readable by its owner only."""
    name = getattr(file, "name", None)
    if isinstance(name, str) and type(file).__module__ == "_io":
        yield Path(name)
        return
    with tempfile.NamedTemporaryFile() as copy:
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield Path(copy.name)


def _cells(path: Path, member: str, with_rows: bool) -> Iterator[Piece]:
    """Yield the names of tables and columns, and all values of an SQLite database; `begin` is the number of the row."""
    with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
        database.text_factory = _text
        names = [str(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for number, name in enumerate(sorted(names), 1):
            quoted = '"' + name.replace('"', '""') + '"'
            rows = database.execute(f"SELECT * FROM {quoted}")
            yield Piece(" | ".join((name, *(c[0] for c in rows.description))), 0, f"{member}>table {number}, names")
            for count, row in enumerate(rows if with_rows else (), 1):
                yield Piece(" | ".join(_texts(row)), count, f"{member}>table {number}, row")


def _columns(path: Path, member: str, with_rows: bool) -> Iterator[Piece]:
    """Yield the names, the metadata and all values of a Parquet table; `begin` is the number of the row."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as table:
        metadata = table.schema_arrow.metadata or {}
        names = [str(table.schema_arrow), *(f"{k!r} {v!r}" for k, v in metadata.items())]
        yield Piece(" | ".join(names), 0, f"{member}>schema")
        count = 0
        for batch in table.iter_batches(batch_size=500) if with_rows else ():
            for row in batch.to_pylist():
                count += 1
                yield Piece(" | ".join(_texts(row)), count, f"{member}>row")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, bytes):
        yield _text(value)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _text(data: bytes) -> str:
    """Return the text of a cell, in UTF-8 or else in Windows-1252."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return western(data)
