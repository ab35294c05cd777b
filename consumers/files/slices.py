"""One file that all documents share, written in reading order: each document is a slice of it."""

from __future__ import annotations

from pathlib import Path

from ...pipeline.contract.component import Output
from ...pipeline.storage.files import AtomicFile, digest_of


class Slices:
    """A file that gets its name when the run ends, and knows which bytes are the last document's."""

    def __init__(self, path: Path, *, private: bool = False) -> None:
        self.file = AtomicFile(path, private=private)
        self._last: tuple[str, int] | None = None

    def append(self, document: str, data: bytes, before: bytes = b"") -> tuple[int, int]:
        """Writes all that is said of a document, or nothing. Returns where it begins and how long it is, in bytes.

        `before`: what parts it from the document before.
        """
        self._last = None
        begin = self.file.offset
        self.file.write(before + data)
        self._last = document, begin
        return begin + len(before), len(data)

    def rollback(self, document: str) -> bool:
        """Takes the last document back where it is this one."""
        if self._last is None or self._last[0] != document:
            return False
        self.file.truncate(self._last[1])
        self._last = None
        return True

    def copied(self, document: str, old: Path, output: Output, before: bytes = b"") -> tuple[int, int] | None:
        """Takes a slice of an earlier run's file over; None where it is not what was written then."""
        data = slice_of(old, output)
        return None if data is None else self.append(document, data, before)


def slice_of(old: Path, output: Output) -> bytes | None:
    """A slice of an earlier run's file; None where it is not what was written then."""
    if digest_of(old, output.begin, output.length) != output.digest:
        return None
    with old.open("rb") as file:
        file.seek(output.begin)
        return file.read(output.length)
