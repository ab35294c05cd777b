"""A zip file that is written member by member, so that the last one can be removed and no partial one is left."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from ...pipeline.storage.files import AtomicFile

_DATE = (1980, 1, 1, 0, 0, 0)
"""The same content gives the same bytes at any time."""
_HEADER = struct.Struct("<26xHH")
"""Of a member: its last fields, the length of the name and of the extra field."""


class ZipWriter:
    """Writes a zip into an AtomicFile, each member with a single write."""

    def __init__(self, file: AtomicFile) -> None:
        self.file = file
        self._buffer = _Buffer(file)
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, data: bytes) -> bytes:
        """Add a member, or nothing. Returns the bytes written for it. Raises ConsumerError if it cannot be written."""
        info = zipfile.ZipInfo(name, _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o100600 << 16
        self._zip.writestr(info, data)
        written = self._buffer.take()
        try:
            self.file.write(written)
        except BaseException:
            self._forget_last()
            raise
        return written

    def copy(self, name: str, written: bytes) -> bool:
        """Add a member as it was written to another zip; if that is not possible, add nothing and return False."""
        found = unzipped(written, with_name=False)
        if found is None:
            return False
        if self.add(name, found) == written:
            return True
        self.remove_last()
        return False

    def remove_last(self) -> None:
        """Remove the member added last."""
        self.file.truncate(self._zip.filelist[-1].header_offset)
        self._forget_last()

    def finish(self) -> None:
        """Write the directory at the end."""
        self._zip.close()
        self.file.write(self._buffer.take())

    def _forget_last(self) -> None:
        info = self._zip.filelist.pop()
        del self._zip.NameToInfo[info.filename]
        self._zip.start_dir = info.header_offset


def unzipped(written: bytes, *, with_name: bool = True) -> bytes | None:
    """Return the content of a member from the bytes written for it, after a line with its name; None if they are damaged."""
    try:
        name_length, extra_length = _HEADER.unpack_from(written)
        end = _HEADER.size + name_length
        data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(written[end + extra_length :])
    except (struct.error, zlib.error):
        return None
    return written[_HEADER.size : end] + b"\n" + data if with_name else data


class _Buffer(io.RawIOBase):
    """Collects what a zip file writes, at its offset in the file."""

    def __init__(self, file: AtomicFile) -> None:
        self.file = file
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.file.offset + sum(map(len, self._parts))

    def write(self, data: bytes) -> int:  # type: ignore[override]  # zipfile writes bytes only
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)
