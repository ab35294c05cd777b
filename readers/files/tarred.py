"""Tar archives, also compressed: listed once, then read where they lie, or, compressed, in one pass in their own order."""

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

from ...pipeline.errors import ReaderError
from .archive import BOMB, DAMAGED, MOST, Archive, Budget, Member

REMEMBERED = 67_108_864
"""Bytes of members passed by that are kept in memory, for files that belong together and lie apart."""

_HEADER = 1 << 20
_STEP = 1 << 20
_NO_END = "the archive ends without its end mark: it may be cut off"
_MORE = "there is more after the end mark of the archive, which is not read"


def packing(head: bytes) -> str:
    """How an archive that begins with these bytes is compressed; empty where it is not."""
    marks = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz"}
    return next((name for mark, name in marks.items() if head.startswith(mark)), "")


class TarArchive(Archive):
    """A tar file. Raises ReaderError where it is none. Where a plain one is cut off, what came before can be read."""

    def __init__(self, path: str, packing: str) -> None:
        super().__init__()
        self.in_order = bool(packing)
        self._path = path
        self._unpacked = _UNPACKED[packing]
        self._lock = threading.Lock()
        self._passed: OrderedDict[int, bytes] = OrderedDict()
        self._held = 0
        self._stream: _Forward | None = None
        with Path(path).open("rb") as file:
            self._list(_Forward(self._unpacked(file), Budget(file.seek(0, 2)) if packing else None, file))
        self._sizes = {m.key: m.size for m in self.members if not m.fault}
        self._order = sorted(self._sizes)

    def _list(self, stream: _Forward) -> None:
        """Lists the members; of a compressed archive the last ones stay in memory, all of them where it is small."""
        stream.file.seek(0)
        try:
            with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r:", errorlevel=0) as tar:
                while (info := tar.next()) is not None:
                    tar.members = []  # type: ignore[attr-defined]  # else it keeps them all; in no stub
                    if len(self.members) == MOST:
                        self.fault = f"more than {MOST:,} members: the rest is not read"
                        return
                    if info.isdir():
                        continue
                    fault = "" if info.isreg() and not info.issparse() else _other(info)
                    self.add(info.name, info.size, fault, info.offset_data)
                    if self.in_order and not self.members[-1].fault:
                        stream.seek(info.offset_data)
                        self._remember(info.offset_data, stream.take(info.size, REMEMBERED // 4))
            if stream.last.strip(b"\0"):
                self.fault = DAMAGED
            elif len(stream.last) < tarfile.BLOCKSIZE:
                self.fault = _NO_END
            elif not stream.ends_in_zeros():
                self.fault = _MORE
        except _TooMuch:
            self.fault = BOMB
            self.members[-1:] = [replace(m, fault=BOMB) for m in self.members[-1:]]
        except Exception:  # hostile bytes make it fail in many ways, and its messages may quote names
            self.fault = DAMAGED
        if self.in_order and self.fault == DAMAGED:
            stream.drain()
        if stream.broken:  # a wrong bit shows late: what was unpacked before may be wrong too
            raise ReaderError(f"{self._path}: the compressed data are damaged or cut off: none of them can be trusted")
        if self.fault and not self.members:
            raise ReaderError(f"{self._path}: {self.fault}")

    def open(self, member: Member) -> BinaryIO:
        if not self.in_order:
            return _buffered(_Part(self._raw(), member.key, member.size))
        if member.size > REMEMBERED // 4:  # too large to hold: a pass of its own
            file = self._raw()
            return _buffered(_Part(self._unpacked(file), member.key, member.size, file))
        with self._lock:
            return _buffered(io.BytesIO(self._bytes(member.key)))

    def _raw(self) -> BinaryIO:
        return Path(self._path).open("rb")

    def close(self) -> None:
        with self._lock:
            self._passed.clear()
            self._held = 0
            self._restart(None)

    def _bytes(self, offset: int) -> bytes:
        """The member that lies there. Goes on from the last one read; only for one long passed by it begins anew."""
        if offset in self._passed:
            return self._passed[offset]
        if self._stream is None or self._stream.tell() > offset:
            file = self._raw()
            self._restart(_Forward(self._unpacked(file), None, file))
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
        return self._passed[offset]

    def _remember(self, offset: int, data: bytes | None) -> None:
        if data is None or offset in self._passed:
            return
        self._passed[offset] = data
        self._held += len(data)
        while self._held > REMEMBERED and len(self._passed) > 1:
            self._held -= len(self._passed.popitem(last=False)[1])

    def _restart(self, stream: _Forward | None) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = stream


def _other(info: tarfile.TarInfo) -> str:
    return "a sparse file is not read" if info.isreg() else "a link or device in an archive is not followed"


_UNPACKED: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    "": lambda file: file,
    "gz": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb")),
    "bz2": lambda file: cast(BinaryIO, bz2.BZ2File(file)),
    "xz": lambda file: cast(BinaryIO, lzma.LZMAFile(file)),  # noqa: SIM115  # whoever asks for it closes it
}


class _TooMuch(Exception):
    """The archive unpacks to more than its budget."""


class _Forward:
    """A file read forwards only, within a budget; remembers the last block that was asked for as a header."""

    def __init__(self, data: BinaryIO, budget: Budget | None, file: BinaryIO) -> None:
        self.data, self.budget, self.file = data, budget, file
        self.last = b""
        self.broken = False
        """Whether the compressed data proved wrong or cut off, which looks alike."""
        self._at = 0

    def tell(self) -> int:
        return self._at

    def read(self, size: int) -> bytes:
        """For headers: none is large."""
        if not 0 <= size <= _HEADER:
            raise tarfile.ReadError
        self.last = self._read(size)
        return self.last

    def seek(self, offset: int) -> int:
        if self.data is self.file:
            self._at = self.file.seek(offset)
        while self._at < offset and self._read(min(_STEP, offset - self._at)):
            pass
        if self._at != offset:
            raise tarfile.ReadError
        return offset

    def take(self, size: int, most: int) -> bytes | None:
        """The bytes of a member; None, and nothing is read, where they are more than `most`.

        Raises EOFError where the file ends before.
        """
        if size > most:
            return None
        data = self._read(size)
        if len(data) < size:
            raise EOFError
        return data

    def ends_in_zeros(self) -> bool:
        """Whether nothing but padding is left. Reads on to the end, so that a compressed file proves its checksum."""
        while data := self._read(_STEP):
            if data.strip(b"\0"):
                return False
        return True

    def drain(self) -> None:
        """Reads on to the end or the first fault, for the checksum."""
        with contextlib.suppress(Exception):
            while self._read(_STEP):
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
        self._at += len(data)
        if self.budget is not None and not self.budget.spend(len(data)):
            raise _TooMuch
        return data


class _Part(io.RawIOBase):
    """A part of a file as a file. Raises EOFError where the file ends before it."""

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
