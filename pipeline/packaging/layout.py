"""The bytes of a package around its files. `caspipe pack` writes them in one way only, so that no byte is outside the signature.

The manifest has the hash of each file; here, everything else is compared with what it must be (ZIP: APPNOTE.TXT 6.3.10).
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from ..errors import ResourceError

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""Time of each member."""
PLAIN = 0o100600 << 16
"""Attributes of each member: a plain file of its owner."""
_DATE = 0x21
_UNIX = 3
_USUAL, _LARGE = 20, 45
"""Version of the format that a member needs; the second with sizes of 64 bits."""
_UTF8 = 0x800
_LIMIT = zipfile.ZIP64_LIMIT
_FILES = 0xFFFF
_IN_EXTRA = 0xFFFFFFFF


def check_layout(file: IO[bytes], members: Sequence[zipfile.ZipInfo], path: Path) -> None:
    """Raise ResourceError with the offset of the first bytes that are not as `caspipe pack` writes them."""
    file.seek(0)
    offset = 0
    for expected, content in _parts(members):
        found = file.read(len(expected))
        if found != expected:
            raise _changed(path, offset)
        offset += len(expected) + content
        file.seek(offset)
    if file.read(1):
        raise _changed(path, offset)


def _changed(path: Path, offset: int) -> ResourceError:
    return ResourceError(
        f"{path}: the bytes from {offset} on are not part of any of its files: expected it as `caspipe pack` writes it, changed"
    )


def _parts(members: Sequence[zipfile.ZipInfo]) -> Iterator[tuple[bytes, int]]:
    """Yield the bytes around the files in order, each with the number of bytes of a file after them."""
    offset, directory = 0, b""
    for info in members:
        name, flags = _encoded(info.orig_filename)
        size = info.file_size
        large = size > _LIMIT
        shown = _IN_EXTRA if large else size
        extra = struct.pack("<HHQQ", 1, 16, size, size) if large else b""
        version = _LARGE if large else _USUAL
        head = struct.pack(
            "<4s2B4H3L2H", b"PK\x03\x04", version, 0, flags, 0, 0, _DATE, info.CRC, shown, shown, len(name), len(extra)
        )
        numbers = [size, size] if large else []
        numbers += [offset] if offset > _LIMIT else []
        more = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
        version = _LARGE if numbers else _USUAL
        place = _IN_EXTRA if offset > _LIMIT else offset
        directory += struct.pack(
            "<4s4B4H3L5H2L",
            *(b"PK\x01\x02", version, _UNIX, version, 0, flags, 0, 0, _DATE, info.CRC, shown, shown),
            *(len(name), len(more), 0, 0, 0, PLAIN, place),
        )
        directory += name + more
        yield head + name + extra, size
        offset += len(head) + len(name) + len(extra) + size
    yield directory + _end(len(members), len(directory), offset), 0


def _end(count: int, size: int, start: int) -> bytes:
    """Return the end of the directory."""
    large = b""
    if count > _FILES or start > _LIMIT or size > _LIMIT:
        large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, _LARGE, _LARGE, 0, 0, count, count, size, start)
        large += struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)
        count, size, start = min(count, 0xFFFF), min(size, _IN_EXTRA), min(start, _IN_EXTRA)
    return large + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, size, start, 0)


def _encoded(name: str) -> tuple[bytes, int]:
    try:
        return name.encode("ascii"), 0
    except UnicodeEncodeError:
        return name.encode("utf-8"), _UTF8
