"""A file whose first bytes are known last, in little memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from .files import Staged, cannot, create, stage_pieces, staging_path, write_all

_IN_MEMORY = 1 << 23
"""Maximum number of bytes that are held in memory."""
_COPIED = 1 << 20
"""Bytes that are copied together."""


class Spool:
    """Takes the body of a file piece by piece; `stage` puts the head before it.

    Bodies of more than `in_memory` bytes are in a temporary file in the folder, which only its owner can read.
    """

    def __init__(
        self, folder: Path, *, private: bool = False, durable: bool = True, in_memory: int = _IN_MEMORY
    ) -> None:
        self._folder, self._private, self._durable, self._most = folder, private, durable, in_memory
        self._pieces: list[bytes] = []
        self._held = 0
        self._path: Path | None = None

    def write(self, piece: bytes) -> None:
        """Append to the body. Raises ConsumerError with the folder."""
        self._pieces.append(piece)
        self._held += len(piece)
        if self._held > self._most:
            self._flush()

    def _flush(self) -> None:
        try:
            if self._path is None:
                self._path = Path(staging_path(self._folder))
                os.close(create(self._path, 0o600))
            with self._path.open("ab", buffering=0) as file:
                for piece in self._pieces:
                    write_all(file.fileno(), piece)
        except OSError as error:
            raise cannot(self._folder, error) from None
        self._pieces.clear()
        self._held = 0

    def stage(self, head: bytes) -> Staged:
        """Return the complete file: the head and the body. Raises ConsumerError with the folder."""
        try:
            pieces = [b"".join([head, *self._pieces])] if self._path is None else self._copied(self._path, head)
            return stage_pieces(self._folder, pieces, private=self._private, durable=self._durable)
        finally:
            self.discard()

    def _copied(self, path: Path, head: bytes) -> Iterator[bytes]:
        yield head
        with path.open("rb", buffering=0) as file:
            while piece := file.read(_COPIED):
                yield piece
        yield from self._pieces

    def discard(self) -> None:
        """Remove the body."""
        self._pieces.clear()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            self._path = None
