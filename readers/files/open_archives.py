"""Open archives and their members. The archives used last stay open for this process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from ...pipeline.errors import ReaderError, nearest
from .archive import MARK, Archive, ZipArchive, split
from .tar_archive import TarArchive, compression

_KEPT = 2
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
