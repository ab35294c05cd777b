"""Tar archives: plain ones are read at any position, compressed ones in one pass in their own order."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from ...errors import ReaderError
from .archive import BOMB, DAMAGED, MOST, SPECIAL_FILE, Archive, Budget, Member

REMEMBERED = 67_108_864
"""Bytes of skipped members that are kept in memory, for files that belong together and are stored apart."""

_LONGEST_HEADER = 1 << 20
_CHUNK = 1 << 20
_NO_END = "the archive ends without its end mark: it may be cut off"
_TRAILING_DATA = "there is more after the end mark of the archive, which is not read"


def compression(head: bytes) -> str:
    """Return the compression of a file that begins with these bytes; empty for none."""
    marks = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz"}
    return next((name for mark, name in marks.items() if head.startswith(mark)), "")


class TarArchive(Archive):
    """A tar file. Raises ReaderError if it is not one. If a plain one is cut off, the members before the cut can be read."""

    def __init__(self, path: str, compression: str) -> None:
        super().__init__()
        self.in_order = bool(compression)
        self._path = path
        self._unpack = UNPACKERS[compression]
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._cached_bytes = 0
        self._stream: _ForwardStream | None = None
        with Path(path).open("rb") as file:
            budget = Budget(file.seek(0, 2)) if compression else None
            self._list(_ForwardStream(self._unpack(file), budget, file))
        self._sizes = {m.key: m.size for m in self.members if not m.fault}
        self._order = sorted(self._sizes)

    def _list(self, stream: _ForwardStream) -> None:
        """List the members. The last members of a compressed archive stay in memory."""
        stream.file.seek(0)
        try:
            self.fault = self._add_members(stream)
        except _BudgetExceededError:
            self.fault = BOMB
            self.members[-1:] = [replace(m, fault=BOMB) for m in self.members[-1:]]
        except Exception:  # hostile bytes raise many kinds of exceptions, whose messages may quote names
            self.fault = DAMAGED
        if self.in_order and self.fault == DAMAGED:
            stream.drain()
        if stream.broken:  # a wrong bit shows late: data unpacked before it may be wrong too
            raise ReaderError(f"{self._path}: the compressed data are damaged or cut off: none of them can be trusted")
        if self.fault and not self.members:
            raise ReaderError(f"{self._path}: {self.fault}")

    def _add_members(self, stream: _ForwardStream) -> str:
        """Add all members; return why there may be more, or an empty string."""
        with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r:", errorlevel=0) as tar:
            while (info := tar.next()) is not None:
                tar.members = []  # type: ignore[attr-defined]  # not in the stubs; it would keep all of them
                if len(self.members) == MOST:
                    return f"more than {MOST:,} members: the rest is not read"
                if info.isdir():
                    continue
                sparse = "a sparse file is not read" if info.isreg() and info.issparse() else ""
                self.add(info.name, info.size, sparse or ("" if info.isreg() else SPECIAL_FILE), info.offset_data)
                if self.in_order and not self.members[-1].fault:
                    stream.seek(info.offset_data)
                    self._remember(info.offset_data, stream.take(info.size, REMEMBERED // 4))
        if stream.last_header.strip(b"\0"):
            return DAMAGED
        if len(stream.last_header) < tarfile.BLOCKSIZE:
            return _NO_END
        return "" if stream.ends_in_zeros() else _TRAILING_DATA

    def open(self, member: Member) -> BinaryIO:
        if not self.in_order:
            return _buffered(_FilePart(self._raw(), member.key, member.size))
        if member.size > REMEMBERED // 4:  # too large for memory: needs a pass of its own
            file = self._raw()
            return _buffered(_FilePart(self._unpack(file), member.key, member.size, file))
        with self._lock:
            return _buffered(io.BytesIO(self._bytes(member.key)))

    def close(self) -> None:
        with self._lock:
            self._cache.clear()
            self._cached_bytes = 0
            self._restart(None)

    def _raw(self) -> BinaryIO:
        return Path(self._path).open("rb")

    def _bytes(self, offset: int) -> bytes:
        """Return the member at an offset. Continues after the member read last, or restarts if that is too late."""
        if offset in self._cache:
            return self._cache[offset]
        if self._stream is None or self._stream.tell() > offset:
            file = self._raw()
            self._restart(_ForwardStream(self._unpack(file), None, file))
        stream = self._stream
        assert stream is not None
        try:
            for n in range(bisect_left(self._order, stream.tell()), len(self._order)):
                if (key := self._order[n]) > offset:
                    break
                stream.seek(key)
                self._remember(key, stream.take(self._sizes[key], REMEMBERED // 4))
        except BaseException:
            self._restart(None)
            raise
        return self._cache[offset]

    def _remember(self, offset: int, data: bytes | None) -> None:
        if data is None or offset in self._cache:
            return
        self._cache[offset] = data
        self._cached_bytes += len(data)
        while self._cached_bytes > REMEMBERED and len(self._cache) > 1:
            self._cached_bytes -= len(self._cache.popitem(last=False)[1])

    def _restart(self, stream: _ForwardStream | None) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = stream


UNPACKERS: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    "": lambda file: file,
    "gz": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb")),
    "bz2": lambda file: cast(BinaryIO, bz2.BZ2File(file)),
    "xz": lambda file: cast(BinaryIO, lzma.LZMAFile(file)),  # noqa: SIM115  # the caller closes it
}


class _BudgetExceededError(Exception):
    """The archive expands to more than its budget."""


class _ForwardStream:
    """A file that is only read forwards, within a budget. Remembers the last block that was read as a header."""

    def __init__(self, data: BinaryIO, budget: Budget | None, file: BinaryIO) -> None:
        self.data, self.budget, self.file = data, budget, file
        self.last_header = b""
        self.broken = False
        """True if the compressed data are damaged or cut off."""
        self._offset = 0

    def tell(self) -> int:
        return self._offset

    def read(self, size: int) -> bytes:
        """Read a header. Headers are never large."""
        if not 0 <= size <= _LONGEST_HEADER:
            raise tarfile.ReadError
        self.last_header = self._read(size)
        return self.last_header

    def seek(self, offset: int) -> int:
        if self.data is self.file:
            self._offset = self.file.seek(offset)
        while self._offset < offset and self._read(min(_CHUNK, offset - self._offset)):
            pass
        if self._offset != offset:
            raise tarfile.ReadError
        return offset

    def take(self, size: int, limit: int) -> bytes | None:
        """Return the bytes of a member; None, without reading, if it is longer than `limit`. Raises EOFError."""
        if size > limit:
            return None
        data = self._read(size)
        if len(data) < size:
            raise EOFError
        return data

    def ends_in_zeros(self) -> bool:
        """Return whether only padding is left. Reads to the end, which also verifies the checksum of compressed data."""
        while data := self._read(_CHUNK):
            if data.strip(b"\0"):
                return False
        return True

    def drain(self) -> None:
        """Read to the end or the first error, to verify the checksum."""
        with contextlib.suppress(Exception):
            while self._read(_CHUNK):
                pass

    def close(self) -> None:
        self.data.close()
        self.file.close()

    def _read(self, size: int) -> bytes:
        try:
            data = self.data.read(size)
        except Exception:
            self.broken = True
            raise
        self._offset += len(data)
        if self.budget is not None and not self.budget.spend(len(data)):
            raise _BudgetExceededError
        return data


class _FilePart(io.RawIOBase):
    """A part of a file as a file. Raises EOFError if the file ends before it."""

    def __init__(self, data: BinaryIO, offset: int, size: int, file: BinaryIO | None = None) -> None:
        self._data, self._file, self._left = data, file, size
        try:
            data.seek(offset)
        except BaseException:
            self.close()
            raise

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)[: self._left]  # type: ignore[arg-type]  # any writable buffer
        data = self._data.read(len(view)) if len(view) else b""
        if len(view) and not data:
            raise EOFError
        view[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._data.close()
        if self._file is not None:
            self._file.close()
        super().close()


def _buffered(raw: io.RawIOBase | io.BytesIO) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, raw), 1 << 16))
