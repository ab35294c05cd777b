"""Searches every byte of a folder for values: in any case and common encoding, and inside archives and tables.

Written apart from the code that it tests: it imports nothing of caspipe.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import sqlite3
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

_DEEPEST = 4


def forms(value: str) -> dict[str, bytes]:
    """Return a value in every form that is searched for, by the name of the form; ASCII letters are small."""
    found: dict[str, bytes] = {}
    for case, text in (("", value), ("small ", value.lower()), ("capital ", value.upper())):
        data = text.encode()
        found[f"{case}UTF-8"] = data.lower()
        found[f"{case}UTF-16LE"] = text.encode("utf-16-le").lower()
        found[f"{case}UTF-16BE"] = text.encode("utf-16-be").lower()
        found[f"{case}URL"] = quote(text).lower().encode()
        found[f"{case}form"] = quote_plus(text).lower().encode()
        found[f"{case}hexadecimal"] = data.hex().encode()
        for shift in range(3):  # the letters of base64 that do not depend on what comes before and after
            encoded = base64.b64encode(b"\0" * shift + data)
            whole = (shift + len(data)) * 8 // 6
            inner = encoded[(shift * 8 + 5) // 6 : whole]
            if len(inner) >= 6:
                found[f"{case}base64 at {shift}"] = inner
    with_escapes = "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in value)
    found["JSON"] = with_escapes.lower().encode()
    return found


def contents(name: str, data: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield a file and all that is packed in it, with a place for each: `a.zip!b.txt.gz!`."""
    yield name, data
    if depth >= _DEEPEST:
        return
    for place, inner in _unpacked(name, data):
        yield from contents(place, inner, depth + 1)


def _unpacked(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if data[:2] == b"\x1f\x8b":
        yield f"{name}!", gzip.decompress(data)
    elif data[:3] == b"BZh":
        yield f"{name}!", bz2.decompress(data)
    elif data[:6] == b"\xfd7zXZ\0":
        yield f"{name}!", lzma.decompress(data)
    elif zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield f"{name}!(names)", "\n".join(archive.namelist()).encode()
            for member in archive.infolist():
                yield f"{name}!{member.filename}", archive.read(member)
    elif data[:4] == b"PAR1":
        yield f"{name}!", _parquet(data)
    elif data[:16] == b"SQLite format 3\0":
        yield f"{name}!", _sqlite(data)
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for info in tar:
                yield f"{name}!{info.name}", info.name.encode() + b"\n" + (tar.extractfile(info) or io.BytesIO()).read()  # type: ignore[attr-defined]
    elif data[:5] == b"%PDF-":
        yield from _streams(name, data)


def _streams(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    for n, part in enumerate(data.split(b"stream")[1::2]):
        try:
            yield f"{name}!{n}", zlib.decompress(part.strip(b"\r\n"))
        except zlib.error:
            continue


def _parquet(data: bytes) -> bytes:
    """Return values, column names, statistics and key-value metadata of a Parquet file."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(io.BytesIO(data))
    groups = [file.metadata.row_group(n).to_dict() for n in range(file.metadata.num_row_groups)]
    return repr((file.read().to_pylist(), file.schema_arrow, file.metadata.metadata, groups)).encode()


def _sqlite(data: bytes) -> bytes:
    """Return every table of a database, and its schema."""
    with sqlite3.connect(":memory:") as database:
        database.deserialize(data[:18] + b"\1\1" + data[20:])  # without the journal of a database in WAL mode
        schema = database.execute("SELECT * FROM sqlite_master").fetchall()
        tables = [row[1] for row in schema if row[0] == "table"]
        return repr((schema, [database.execute(f'SELECT * FROM "{t}"').fetchall() for t in tables])).encode()


def found_below(folder: Path, values: Iterable[str]) -> list[str]:
    """Return where which value occurs below a folder, in names of files or in their bytes: `text/a.txt: value 3 as base64`."""
    wanted = [forms(value) for value in values]
    hits: list[str] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        pieces = [(f"{name} (name)", name.encode())]
        if path.is_file():
            pieces += contents(name, path.read_bytes())
        for place, data in pieces:
            small = data.lower()
            for number, by_form in enumerate(wanted):
                for form, pattern in by_form.items():
                    if pattern in (data if "base64" in form else small):
                        hits.append(f"{place}: value {number} as {form}")
                        break
    return hits


if __name__ == "__main__":
    hits = found_below(Path(sys.argv[1]), sys.argv[2:])
    print("\n".join(hits) or "nothing found")
    raise SystemExit(bool(hits))
