"""A zip file that is written member by member, so that the last one can be removed and no partial one is left."""

from __future__ import annotations

import struct
import zlib

from ...pipeline.storage.files import AtomicFile

_LOCAL = struct.Struct("<IHHHHHIIIHH")
_CENTRAL = struct.Struct("<IHHHHHHIIIHHHHHII")
_END = struct.Struct("<IHHHHIIH")
_END64 = struct.Struct("<IQHHIIQQQQ")
_LOCATOR64 = struct.Struct("<IIQI")
_UTF8 = 0x800
_DEFLATED = 8
_DATE = 0x21
"""1980-01-01: the same content gives the same bytes at any time."""
_UNIX = 3 << 8 | 45
_FULL, _FULL16 = 0xFFFFFFFF, 0xFFFF
"""Written if the actual number is in the 64-bit part."""
LARGE, MANY = _FULL, _FULL16
"""From this size or number on, the 64-bit part is written."""


class ZipFile:
    """Writes a zip into an AtomicFile. PKWARE's APPNOTE 6.3, with 64-bit fields if necessary."""

    def __init__(self, file: AtomicFile) -> None:
        self.file = file
        self._entries: list[tuple[bytes, int, int, int, int]] = []
        """Name, CRC, packed and unpacked size, offset."""

    def add(self, name: str, data: bytes) -> bytes:
        """Add a member, or nothing. Returns the bytes written for it. Raises ConsumerError if it cannot be written."""
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(data) + packer.flush()
        raw, crc = name.encode(), zlib.crc32(data)
        head = _LOCAL.pack(
            0x04034B50, 20, _UTF8, _DEFLATED, 0, _DATE, crc, len(packed), len(data), len(raw), 0
        )  # fmt: skip
        return self._add(raw, crc, len(data), head + raw + packed)

    def copy(self, name: str, written: bytes) -> bool:
        """Add a member as it was written to another zip; if it had another name there, add nothing and return False."""
        _, _, _, _, _, _, crc, packed, size, length, _ = _LOCAL.unpack_from(written)
        raw = name.encode()
        if written[_LOCAL.size : _LOCAL.size + length] != raw or len(written) != _LOCAL.size + length + packed:
            return False
        self._add(raw, crc, size, written)
        return True

    def _add(self, raw: bytes, crc: int, size: int, written: bytes) -> bytes:
        entry = raw, crc, len(written) - _LOCAL.size - len(raw), size, self.file.offset
        self.file.write(written)
        self._entries.append(entry)
        return written

    def remove_last(self) -> None:
        """Remove the member added last."""
        self.file.truncate(self._entries[-1][4])
        self._entries.pop()

    def finish(self) -> None:
        """Write the directory at the end."""
        begin, entries = self.file.offset, []
        for raw, crc, packed, size, place in self._entries:
            far = place >= LARGE
            extra = struct.pack("<HHQ", 1, 8, place) if far else b""
            entries.append(
                _CENTRAL.pack(
                    0x02014B50, _UNIX, 45 if far else 20, _UTF8, _DEFLATED, 0, _DATE, crc, packed, size,
                    len(raw), len(extra), 0, 0, 0, 0o100600 << 16, _FULL if far else place,
                )
                + raw
                + extra
            )  # fmt: skip
        directory = b"".join(entries)
        count, size = len(self._entries), len(directory)
        end, many = b"", count >= MANY or begin >= LARGE or size >= LARGE
        if many:
            end += _END64.pack(0x06064B50, 44, _UNIX, 45, 0, 0, count, count, size, begin)
            end += _LOCATOR64.pack(0x07064B50, 0, begin + size, 1)
        places = (_FULL16, _FULL16, _FULL, _FULL) if many else (count, count, size, begin)
        end += _END.pack(0x06054B50, 0, 0, *places, 0)
        self.file.write(directory + end)
