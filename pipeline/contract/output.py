"""Outputs of consumers for a document, as the run records them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Output:
    """An output written for one document: a separate file, or a slice of a file that all documents share."""

    consumer: str
    """Id of the consumer."""
    path: str
    """Relative to the output folder of the run, with `/` as separator."""
    begin: int
    """First byte."""
    length: int
    """Bytes."""
    digest: str
    """SHA-256 of the bytes, in hexadecimal."""
    whole: bool
    """True if it is a separate file."""

    def read(self, folder: Path) -> bytes | None:
        """Return its bytes, in the output folder of the run; None if they cannot be read."""
        try:
            with (folder / self.path).open("rb") as file:
                file.seek(self.begin)
                return file.read(self.length)
        except OSError:
            return None


Locate = Callable[[Output], Path]
"""Returns the current path of an output of an earlier run."""
