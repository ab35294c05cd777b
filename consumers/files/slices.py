"""One file that all documents share, written in reading order: each document is a slice of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ...pipeline.contract.output import Output
from ...pipeline.storage.files import AtomicFile


class Slices:
    """A file that gets its name when the run ends, and that can remove the last document again."""

    def __init__(self, path: Path, *, private: bool = False, header: bytes = b"") -> None:
        self.file = AtomicFile(path, private=private)
        self._last: tuple[str, int] | None = None
        try:
            self.file.write(header)
        except BaseException:
            self.file.discard()
            raise

    def append(self, document: str, data: bytes, separator: bytes = b"") -> tuple[int, int, str]:
        """Write everything about a document, or nothing. Returns its first byte, its length and its SHA-256 in hexadecimal.
        `separator` is written before it."""
        self._last = None
        begin = self.file.offset
        self.file.write(separator + data)
        self._last = document, begin
        return begin + len(separator), len(data), hashlib.sha256(data).hexdigest()

    def rollback(self, document: str) -> bool:
        """Remove the last document if it is this one. Returns whether it was."""
        if self._last is None or self._last[0] != document:
            return False
        self.file.truncate(self._last[1])
        self._last = None
        return True

    def close(self, footer: bytes) -> None:
        """Write the end, and give the file its name. Discards it if that fails."""
        with self.file as file:
            file.write(footer)


def slice_of(old: Path, output: Output) -> bytes | None:
    """Return a slice of an earlier run's file; None if it is not what was written then."""
    try:
        with old.open("rb") as file:
            file.seek(output.begin)
            data = file.read(output.length)
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == output.digest else None
