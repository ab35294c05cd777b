"""One file that all documents share, written in reading order: each document is a slice of it."""

from __future__ import annotations

from pathlib import Path

from ...pipeline.contract.component import Output
from ...pipeline.storage.files import AtomicFile, digest_of


class Slices:
    """A file that gets its name when the run ends, and that can remove the last document again."""

    def __init__(self, path: Path, *, private: bool = False) -> None:
        self.file = AtomicFile(path, private=private)
        self._last: tuple[str, int] | None = None

    def append(self, document: str, data: bytes, separator: bytes = b"") -> tuple[int, int]:
        """Write everything about a document, or nothing. Returns its first byte and its length. `separator` is written before
        it."""
        self._last = None
        begin = self.file.offset
        self.file.write(separator + data)
        self._last = document, begin
        return begin + len(separator), len(data)

    def rollback(self, document: str) -> bool:
        """Remove the last document if it is this one. Returns whether it was."""
        if self._last is None or self._last[0] != document:
            return False
        self.file.truncate(self._last[1])
        self._last = None
        return True

    def copy(self, document: str, old: Path, output: Output, separator: bytes = b"") -> tuple[int, int] | None:
        """Copy a slice of an earlier run's file; None if it is not what was written then."""
        data = slice_of(old, output)
        return None if data is None else self.append(document, data, separator)


def slice_of(old: Path, output: Output) -> bytes | None:
    """Return a slice of an earlier run's file; None if it is not what was written then."""
    if digest_of(old, output.begin, output.length) != output.digest:
        return None
    with old.open("rb") as file:
        file.seek(output.begin)
        return file.read(output.length)
