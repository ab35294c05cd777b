"""Documents inside zip and tar archives: paths like `corpus.zip!/ward/a.txt`, read in place and never unpacked to disk.

An archive is known by the end of its name; what it is, its first bytes say. Members with names that lead elsewhere, links,
devices, encrypted ones, archives in archives and what unpacks to far more than it takes up are refused, each with its reason.
"""

from __future__ import annotations

import abc
import lzma
import os
import posixpath
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...pipeline.errors import ReaderError, nearest

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
"""What names of archives end in, in any case of letters."""

MARK = "!/"
"""What stands between an archive and the path of a member in it."""

RATIO = 200
"""An archive, or a large member, that unpacks to more than this many times its size is taken for a bomb."""
FREE = 268_435_456
"""Bytes an archive may unpack to whatever its size."""
LARGE = 16_777_216
"""Bytes from which on the ratio of a single member counts."""
MOST = 1_000_000
"""Members of an archive that are looked at."""

NESTED = "an archive within an archive is not read: unpack it"
TWICE = "a member of this name was in the archive before"
BOMB = f"it unpacks to more than {RATIO} times its size: unpack it yourself if you trust it"
DAMAGED = "the archive is damaged or cut off"

DAMAGES = (OSError, EOFError, zlib.error, lzma.LZMAError, struct.error, zipfile.BadZipFile, tarfile.TarError)
"""What reading raises where packed data are damaged; some of bzip2's errors are OSErrors without a number."""

_KEPT = 2
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path there, its size in bytes when unpacked, and why it must not be read."""

    name: str
    size: int
    fault: str
    key: Any
    """Where the archive has it."""


class Archive(abc.ABC):
    """An open archive: its files, and what keeps the rest of it from being read."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        """In order of the archive; of several with one name only the first is without fault."""
        self.fault = ""
        """Why there may be members that are not listed; empty where all are."""
        self._by_name: dict[str, Member] = {}

    in_order = False
    """Whether members can be read fast only in order of the archive."""

    def add(self, name: str, size: int, fault: str, key: Any) -> None:
        """Takes a member in. Where its name was there before, it has a fault."""
        name, bad = cleaned(name)
        fault = bad or (TWICE if name in self._by_name else fault or (NESTED if is_archive(name) else ""))
        member = Member(name, size, fault, key)
        self.members.append(member)
        self._by_name.setdefault(name, member)

    def find(self, name: str) -> Member | None:
        """The member of that path; `..` in it is resolved first."""
        return self._by_name.get(posixpath.normpath(name)) if name else None

    @abc.abstractmethod
    def open(self, member: Member) -> BinaryIO:
        """A member, open for reading."""

    @abc.abstractmethod
    def close(self) -> None:
        """Lets go of the file."""


def is_archive(name: str | Path) -> bool:
    """Whether a name ends as names of archives do."""
    return str(name).lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """The name without the suffix of an archive."""
    return next((name[: -len(s)] for s in sorted(SUFFIXES, key=len)[::-1] if name.lower().endswith(s)), name)


def split(path: str | Path) -> tuple[str, str] | None:
    """The archive a path leads into and the path in there, empty for the archive itself; None for other paths.

    What looks like an archive and is a folder, is a folder.
    """
    text = str(path).replace(os.sep, "/")
    text += "/" if text.endswith("!") else ""
    at = text.find(MARK)
    while at >= 0:
        if is_archive(text[:at]) and Path(text[:at]).is_file():
            inside = posixpath.normpath(text[at + len(MARK) :] or ".")
            return text[:at], "" if inside == "." else inside
        at = text.find(MARK, at + 1)
    return (text, "") if is_archive(text) and Path(text).is_file() else None


def cleaned(name: str) -> tuple[str, str]:
    """The path of a member without `./`, and what is wrong with it: it must stay in the archive."""
    parts = [p for p in name.split("/") if p not in ("", ".")]
    if name.startswith(("/", "\\")) or _DRIVE.match(name):
        return name, "its path in the archive is absolute"
    if ".." in parts or ".." in name.split("\\"):
        return name, "its path leads out of the archive"
    return "/".join(parts), "" if parts else "it has no name"


class Budget:
    """Counts what an archive unpacks to, and says when it is too much."""

    def __init__(self, packed: int) -> None:
        self.left = max(FREE, RATIO * packed)

    def spend(self, size: int) -> bool:
        """Whether that much more may be unpacked."""
        self.left -= max(size, 0)
        return self.left >= 0


_open: dict[tuple[str, int, int, int, int], Archive] = {}


def archive(path: str) -> Archive:
    """An archive, opened and listed; the last two stay open for this process. Raises ReaderError where it is none."""
    try:
        state = Path(path).stat()
        # a process forked off must not share the place in the file, and a file that was replaced is another one
        key = (path, state.st_ino, state.st_mtime_ns, state.st_size, os.getpid())
        if key not in _open:
            close_archives(_KEPT - 1)
            _open[key] = _opened(path)
        _open[key] = _open.pop(key)
        return _open[key]
    except OSError as error:
        fault = f"cannot read: {error.strerror or type(error).__name__}"
    raise ReaderError(f"{path}: {fault}")


def _opened(path: str) -> Archive:
    from .tarred import TarArchive, packing
    from .zipped import ZipArchive

    with Path(path).open("rb") as file:
        head = file.read(8)
    if head.startswith(b"PK"):
        return ZipArchive(path)
    return TarArchive(path, packing(head))


def close_archives(keep: int = 0) -> None:
    """Closes archives that were left open for the next reading, all but the last `keep`."""
    while len(_open) > keep:
        _open.pop(next(iter(_open))).close()


def has_member(path: str) -> bool:
    """Whether a path leads to a file in an archive."""
    place = split(path)
    return place is not None and archive(place[0]).find(place[1]) is not None


@contextmanager
def opened_member(path: str, name: str) -> Iterator[BinaryIO]:
    """A member of the archive at `path`, open for reading. Raises ReaderError where there is none or it is refused."""
    found = archive(path)
    member = found.find(name)
    if member is None:
        near = nearest(name, [m.name for m in found.members[:1000]])
        raise ReaderError(f"{path}{MARK}{name}: expected a member of the archive, found none{near}")
    if member.fault:
        raise ReaderError(f"{path}{MARK}{name}: {member.fault}")
    with closing(found.open(member)) as file:
        yield file
