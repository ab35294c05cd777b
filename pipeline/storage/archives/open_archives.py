"""Open files and members of archives. The archives used last stay open for this process."""

from __future__ import annotations

import gzip
import io
import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from ...errors import ReaderError, nearest
from .archive import DAMAGES, MARK, Archive, ZipArchive, split
from .tar_archive import TarArchive, compression

_KEPT = 2
_CHUNK = 1 << 20
_open: dict[tuple[str, int, int, int, int], Archive] = {}


def archive(path: str) -> Archive:
    """Return an archive, opened and listed. Raises ReaderError if it is not one."""
    try:
        state = Path(path).stat()
        # forked processes must not share a file position, and a replaced file must be opened again
        key = (path, state.st_ino, state.st_mtime_ns, state.st_size, os.getpid())
        if key not in _open:
            close_archives(_KEPT - 1)
            with Path(path).open("rb") as file:
                head = file.read(8)
            _open[key] = ZipArchive(path, path) if head.startswith(b"PK") else TarArchive(path, compression(head))
        _open[key] = _open.pop(key)
        return _open[key]
    except OSError as error:
        fault = f"cannot read: {error.strerror or type(error).__name__}"
    raise ReaderError(f"{path}: {fault}")


def close_archives(keep: int = 0) -> None:
    """Close the open archives, except the last `keep`."""
    while len(_open) > keep:
        _open.pop(next(iter(_open))).close()


def has_member(path: str) -> bool:
    """Return whether a path names a file in an archive."""
    parts = split(path)
    return parts is not None and archive(parts[0]).find(parts[1]) is not None


@contextmanager
def opened_member(path: str, name: str) -> Iterator[BinaryIO]:
    """Open a member of the archive at `path`. Raises ReaderError if it does not exist or must not be read."""
    opened = archive(path)
    member = opened.find(name)
    if member is None:
        near = nearest(name, [m.name for m in opened.members[:1000]])
        raise ReaderError(f"{path}{MARK}{name}: expected a member of the archive, found none{near}")
    if member.fault:
        raise ReaderError(f"{path}{MARK}{name}: {member.fault}")
    with closing(opened.open(member)) as file:
        yield file


def bounded(file: IO[bytes], limit: int) -> bytes:
    """Return the rest of a file, but at most `limit` + 1 bytes.

    Reads in chunks, because Python allocates memory for the full size of a request.
    """
    chunks: list[bytes] = []
    left = limit + 1
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def read_bounded(file: IO[bytes], limit: int, name: str) -> bytes:
    """Return the rest of a file. Raises ReaderError that begins with `name` if it is longer than `limit` bytes."""
    data = bounded(file, limit)
    if len(data) > limit:
        raise ReaderError(f"{name}: {too_long(limit)}")
    return data


def exists(path: str | Path) -> bool:
    """Return whether a file exists, on disk or, as in `corpus.zip!/ward/a.txt`, in an archive."""
    parts = split(path)
    if parts is None or not parts[1]:
        return Path(path).exists()
    try:
        return has_member(str(path))
    except ReaderError:
        return False


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, or a member of an archive, for reading bytes; names in .gz are decompressed.

    All errors, also those while reading, are raised as ReaderError.
    """
    fault = ""
    parts = split(path)
    inside = parts is not None and parts[1] != ""
    try:
        with opened_member(*parts) if parts is not None and inside else _opened_file(path) as raw:
            if path.endswith(".gz"):
                if not cast(io.BufferedReader, raw).peek(1):  # Python accepts an empty file as compressed data
                    raise EOFError
                with gzip.open(raw, "rb") as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw
    except DAMAGES as error:  # their messages can quote bytes of the file
        if isinstance(error, OSError) and error.errno is not None:
            fault = f"cannot read: {error.strerror or type(error).__name__}"
        elif inside:
            fault = "its data in the archive are damaged or cut off"
        elif isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
            fault = f"cannot read: {type(error).__name__}"
        else:
            fault = "the gzip data are damaged or cut off"
    if fault:
        raise ReaderError(f"{path}: {fault}")


@contextmanager
def _opened_file(path: str) -> Iterator[BinaryIO]:
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ReaderError(f"{path}: expected a regular file, found another kind")
    with Path(path).open("rb") as raw:
        yield raw


def too_long(limit: int) -> str:
    """Return the message for a document longer than `max_bytes`."""
    return f"longer than max_bytes ({limit:,} bytes)"
