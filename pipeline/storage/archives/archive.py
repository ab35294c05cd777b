"""Documents in zip and tar archives: paths such as `corpus.zip!/ward/a.txt`, read in place and never unpacked to disk.

Archives are recognized by the suffix of their name; their first bytes tell the format. Members with paths outside the archive,
links, devices, encrypted members, nested archives and members that expand to far more than their packed size are refused, each
with a reason.
"""

from __future__ import annotations

import abc
import io
import lzma
import os
import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...errors import ReaderError

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
"""Suffixes of archives, in any case."""

MARK = "!/"
"""Separates the path of an archive from the path of a member in it."""

RATIO = 200
"""An archive, or a large member, that expands to more than this many times its size is refused as a decompression bomb."""
FREE = 268_435_456
"""Bytes that an archive of any size may expand to."""
LARGE = 16_777_216
"""Size in bytes from which the ratio of a single member is checked."""
MOST = 1_000_000
"""Maximum number of members that are read."""

NESTED = "an archive within an archive is not read: unpack it"
REPEATED = "a member of this name was in the archive before"
BOMB = f"it unpacks to more than {RATIO} times its size: unpack it yourself if you trust it"
DAMAGED = "the archive is damaged or cut off"
SPECIAL_FILE = "a link or device in an archive is not followed"

DAMAGES = (OSError, EOFError, zlib.error, lzma.LZMAError, struct.error, zipfile.BadZipFile, tarfile.TarError)
"""Exceptions that damaged packed data raise; some of bzip2's are OSErrors without a number."""

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path, its unpacked size in bytes, and the reason why it must not be read."""

    name: str
    size: int
    fault: str
    key: Any
    """Location in the archive."""


class Archive(abc.ABC):
    """An open archive with the list of its members."""

    in_order = False
    """True if members can be read fast only in the order of the archive."""

    def __init__(self, *, nested: bool = False) -> None:
        """`nested`: archives in the archive may be read."""
        self.members: list[Member] = []
        """In the order of the archive. Of several with one name only the first may be read."""
        self.fault = ""
        """Why some members may not be listed; empty if all are."""
        self._nested = nested
        self._by_name: dict[str, Member] = {}

    def add(self, name: str, size: int, fault: str, key: Any) -> None:
        """Add a member to the list."""
        name, path_fault = clean_path(name)
        if not fault and not self._nested and is_archive(name):
            fault = NESTED
        member = Member(name, size, path_fault or (REPEATED if name in self._by_name else fault), key)
        self.members.append(member)
        self._by_name.setdefault(name, member)

    def find(self, name: str) -> Member | None:
        """Return the member of that path, after resolving `..` in it."""
        return self._by_name.get(posixpath.normpath(name)) if name else None

    @abc.abstractmethod
    def open(self, member: Member) -> BinaryIO:
        """Open a member for reading."""

    @abc.abstractmethod
    def close(self) -> None:
        """Close the archive's file."""


def is_archive(name: str | Path) -> bool:
    """Return whether a name has the suffix of an archive."""
    return str(name).lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """Return a name without the suffix of an archive."""
    return next((name[: -len(s)] for s in sorted(SUFFIXES, key=len)[::-1] if name.lower().endswith(s)), name)


def split(path: str | Path) -> tuple[str, str] | None:
    """Split a path into the archive and the path in it, which is empty for the archive itself; None for other paths.

    A folder with the name of an archive counts as a folder.
    """
    text = str(path).replace(os.sep, "/")
    text += "/" if text.endswith("!") else ""
    mark = text.find(MARK)
    while mark >= 0:
        if is_archive(text[:mark]) and Path(text[:mark]).is_file():
            inside = posixpath.normpath(text[mark + len(MARK) :] or ".")
            return text[:mark], "" if inside == "." else inside
        mark = text.find(MARK, mark + 1)
    return (text, "") if is_archive(text) and Path(text).is_file() else None


def clean_path(name: str) -> tuple[str, str]:
    """Return the path of a member without `./`, and the reason if it must not be read because it leaves the archive."""
    parts = [p for p in name.split("/") if p not in ("", ".")]
    if name.startswith(("/", "\\")) or _DRIVE.match(name):
        return name, "its path in the archive is absolute"
    if ".." in parts or ".." in name.split("\\"):
        return name, "its path leads out of the archive"
    return "/".join(parts), "" if parts else "it has no name"


class Budget:
    """Counts the unpacked bytes of an archive of `packed` bytes against its limit."""

    def __init__(self, packed: int) -> None:
        self.left = max(FREE, RATIO * packed)

    def spend(self, size: int) -> bool:
        """Count `size` bytes; return whether the limit still holds."""
        self.left -= max(size, 0)
        return self.left >= 0


_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
_WINDOWS = 0


class ZipArchive(Archive):
    """A zip archive, in a file or in memory. Raises ReaderError if it is not one, or if its directory is damaged.

    `root`: an absolute member path is taken as relative to the archive.
    """

    def __init__(self, file: str | Path | io.BytesIO, name: str, *, nested: bool = False, root: bool = False) -> None:
        super().__init__(nested=nested)
        try:
            size = len(file.getbuffer()) if isinstance(file, io.BytesIO) else Path(file).stat().st_size
            self._file = zipfile.ZipFile(file)
        except OSError as error:
            fault = f"cannot read: {error.strerror or type(error).__name__}"
        except Exception:  # hostile bytes raise many kinds of exceptions, whose messages may quote names
            fault = DAMAGED
        else:
            fault = ""
        if fault:
            raise ReaderError(f"{name}: {fault}")
        try:
            self._list(Budget(size), root)
        except BaseException:
            self._file.close()
            raise

    def _list(self, budget: Budget, root: bool) -> None:
        for info in self._file.infolist():
            name = info.filename.replace("\\", "/") if info.create_system == _WINDOWS else info.filename
            if not name.endswith("/"):
                within_limit = budget.spend(info.file_size)
                fault = _fault(info) or ("" if within_limit else BOMB)
                self.add(name.lstrip("/") if root else name, info.file_size, fault, info)

    def open(self, member: Member) -> BinaryIO:
        try:
            return cast(BinaryIO, self._file.open(member.key))
        except Exception:  # hostile headers raise many kinds of exceptions, for example for undecodable names
            raise zipfile.BadZipFile from None

    def close(self) -> None:
        self._file.close()


def _fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return SPECIAL_FILE
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.compress_type not in _METHODS:
        return f"its compression method ({info.compress_type}) is not supported"
    if info.file_size > LARGE and info.file_size > RATIO * max(info.compress_size, 1):
        return BOMB
    return ""
