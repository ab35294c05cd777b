"""Search every byte of a folder for values, in the encodings in which they could get there. Knows nothing of the pipeline."""

from __future__ import annotations

import base64
import contextlib
import gzip
import importlib
import io
import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a value stands."""

    file: str
    """Relative path, with members of archives after `!/`; a number instead if the name itself holds the value."""
    value: int
    """Position in the list of values."""


def search(folder: Path, values: Sequence[str]) -> list[Hit]:
    """Return where values stand below a folder: in names and content of files, also inside gz, zip, tar and Parquet."""
    needles = {form: n for n, value in enumerate(values) for form in forms(value)}
    hits: list[Hit] = []
    for number, path in enumerate(sorted(p for p in folder.rglob("*") if not p.is_dir())):
        name = path.relative_to(folder).as_posix()
        named = _found(name.casefold().encode("utf-8", "surrogateescape"), needles)
        shown = f"file {number}" if named else name
        hits += [Hit(shown, n) for n in sorted(named)]
        for member, data in _contents(shown, path.read_bytes()):
            hits += [Hit(member, n) for n in sorted(_found(data.lower(), needles) | _found(_folded(data), needles))]
    return list(dict.fromkeys(hits))


def forms(value: str) -> Iterator[bytes]:
    """Yield a value in lower case as UTF-8, UTF-16, in URLs, JSON and HTML escapes, and inside base64."""
    for text in {value, value.casefold(), value.upper()}:
        yield text.encode().lower()
        yield text.encode("utf-16-le").lower()
        yield text.encode("utf-16-be").lower()
        yield quote(text).encode().lower()
        yield quote_plus(text).encode().lower()
        yield json.dumps(text)[1:-1].encode().lower()
        yield text.encode("ascii", "xmlcharrefreplace").lower()
        yield from _within_base64(text.encode())


def _within_base64(data: bytes) -> Iterator[bytes]:
    """Yield what base64 of a longer text has where the data stand, for the three alignments; in lower case."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + data)
        inner = encoded[(0, 2, 3)[shift] : len(encoded) - (0, 4, 4)[(len(data) + shift) % 3]]
        if len(inner) >= 8:
            yield inner.lower()


def _found(data: bytes, needles: Mapping[bytes, int]) -> set[int]:
    return {n for needle, n in needles.items() if needle in data}


def _folded(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").casefold().encode()


def _contents(name: str, data: bytes, depth: int = 3) -> Iterator[tuple[str, bytes]]:
    """Yield a file and what is packed into it."""
    yield name, data
    if not depth:
        return
    for inner, content in _members(data):
        yield from _contents(f"{name}!/{inner}", content, depth - 1)


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    if data[:2] == b"\x1f\x8b":
        yield "gz", gzip.decompress(data)
    elif data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield "names", "\n".join(archive.namelist()).encode()
            for number, entry in enumerate(archive.infolist()):
                yield str(number), archive.read(entry)
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for number, item in enumerate(tar):
                file = tar.extractfile(item)
                yield str(number), item.name.encode("utf-8", "surrogateescape") + b"\n" + (file.read() if file else b"")
    elif data[:4] == b"PAR1":
        yield "values", _parquet(data)
    elif data[:5] == b"%PDF-":
        for number, piece in enumerate(data.split(b"stream")[1::2]):
            with contextlib.suppress(zlib.error):
                yield str(number), zlib.decompress(piece.strip(b"\r\n"))


def _parquet(data: bytes) -> bytes:
    """Return the columns and the metadata of a Parquet file as text; its pages are compressed."""
    parquet = importlib.import_module("pyarrow.parquet")
    file = parquet.ParquetFile(io.BytesIO(data))
    return json.dumps([str(file.metadata.metadata), file.read().to_pylist()], ensure_ascii=False, default=str).encode()
