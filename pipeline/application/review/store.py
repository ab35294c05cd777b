"""The journal of one annotator: an append-only file, to which every decision is written before it takes effect.

A line is a checksum (CRC-32) and a JSON object. A crash can leave at most one incomplete line at the end, of a decision that was
never confirmed; it is removed when the journal is opened again. Any other damage is reported, and nothing is written.
A journal contains ids of documents, digests of their texts, offsets, kinds and times, but no text. See docs/how-to/.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import zlib
from pathlib import Path
from typing import Any, Final

from ...storage.files import restricted_folder, write_all
from .state import ReviewError

FOLDER: Final = "review"
VERSION: Final = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def journal_path(folder: Path, annotator: str) -> Path:
    """Return the path of the journal for the documents in `folder`. Raises ReviewError for an invalid name."""
    if not _NAME.fullmatch(annotator):
        raise ReviewError("annotator: expected up to 40 letters, digits, _ or -, beginning with a letter or digit")
    return folder / FOLDER / f"{annotator}.jsonl"


def annotators(folder: Path) -> list[str]:
    """Return the names of annotators with a journal for the documents in `folder`."""
    names = (p.stem for p in (folder / FOLDER).glob("*.jsonl"))
    return sorted(name for name in names if _NAME.fullmatch(name))


class Journal:
    """An annotator's journal, open for writing by one process at a time.

    `records` are the entries at opening. `append` returns when the entry is on the disk.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        """Open or begin a journal. Raises ReviewError if it is damaged, not a review journal, or open elsewhere."""
        self.path = path
        restricted_folder(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise ReviewError(f"{path}: cannot open: {error.strerror or type(error).__name__}") from None
        try:
            if not _lock(self._fd):
                raise ReviewError(
                    f"{path}: another review is open for this annotator; end it, or choose another --annotator"
                )
            data = path.read_bytes()
            entries, whole = parse(data, path)
            if whole < len(data):
                os.ftruncate(self._fd, whole)
                os.fsync(self._fd)
            self._offset = whole
            if not entries:
                self.append({"caspipe": "review", "version": VERSION, **header})
                _sync_folder(path.parent)
            else:
                _check_header(entries[0], header, path)
        except BaseException:
            self.close()
            raise
        self.records = entries[1:]

    def append(self, entry: dict[str, Any]) -> None:
        """Write an entry and wait until it is on the disk. If this fails, raises ReviewError and leaves the journal unchanged."""
        line = _line(entry)
        try:
            if os.fstat(self._fd).st_size != self._offset:  # an earlier failure could not be undone
                os.ftruncate(self._fd, self._offset)
            write_all(self._fd, line)
            os.fsync(self._fd)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._offset)
            raise ReviewError(f"{self.path}: cannot write: {error.strerror or type(error).__name__}") from None
        self._offset += len(line)

    def close(self) -> None:
        """Close the file and release its lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_journal(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return header and entries of a journal, without opening it for writing. Raises ReviewError."""
    try:
        entries, _ = parse(path.read_bytes(), path)
    except OSError as error:
        raise ReviewError(f"{path}: cannot read: {error.strerror or type(error).__name__}") from None
    if not entries:
        raise ReviewError(f"{path}: expected a review journal, found no entry")
    _check_header(entries[0], {}, path)
    return entries[0], entries[1:]


def parse(data: bytes, path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the entries and their size in bytes; an incomplete last line is not included. Raises ReviewError for damage."""
    entries = []
    at = 0
    for number, line in enumerate(io.BytesIO(data), 1):
        entry = _entry(line)
        if entry is None:
            if at + len(line) == len(data) and not line.endswith(b"\n"):
                break
            raise ReviewError(
                f"{path}: line {number} is damaged; restore the journal from a copy, or move it to start again"
            )
        entries.append(entry)
        at += len(line)
    return entries, at


def _line(entry: dict[str, Any]) -> bytes:
    body = json.dumps(entry, separators=(",", ":")).encode("ascii")
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _entry(line: bytes) -> dict[str, Any] | None:
    check, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or check != b"%08x" % zlib.crc32(body):
        return None
    try:
        entry = json.loads(body)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _check_header(header: dict[str, Any], expected: dict[str, Any], path: Path) -> None:
    if header.get("caspipe") != "review":
        raise ReviewError(f"{path}: expected a review journal, found something else")
    if header.get("version") != VERSION:
        raise ReviewError(f"{path}: expected version {VERSION} of the review journal, found {header.get('version')!r}")
    for name, value in expected.items():
        if header.get(name) != value:
            reason = f"was created with {name} {header.get(name)!r}, expected {value!r}"
            raise ReviewError(f"{path}: {reason}; choose another --annotator")


def _lock(fd: int) -> bool:
    """Lock the file until the process ends. Returns False if another process holds the lock."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            os.lseek(fd, 2**40, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Write the name of a new file to the disk."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
