"""Storage for failed documents: reason, original text and what was found, readable only by the owner."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

from ..contract.report import Failure
from ..storage.files import restricted_folder, write_atomic


class Quarantine:
    """A folder with mode 0700: `000012.json` contains why document 12 failed, `000012.txt` its original text, `000012.cas` the
    document as JSON CAS with what was found until then, for the review.

    File names are numbers in reading order, because document ids may identify people. The folder is created when the first
    document fails.
    """

    def __init__(self, output: Path) -> None:
        self.output = output
        self.folder = output / "restricted" / "quarantine"

    def keep(self, failure: Failure, text: str | None, cas: bytes | None = None) -> None:
        """Quarantine one document. Its text and its JSON CAS are None if it could not be read."""
        restricted_folder(self.folder, self.output)
        stem = _stem(failure.number)
        content = {".txt": None if text is None else text.encode("utf-8", "surrogatepass"), ".cas": cas}
        for suffix, data in content.items():
            if data is not None:
                write_atomic(self.folder / f"{stem}{suffix}", data, private=True)
            else:
                (self.folder / f"{stem}{suffix}").unlink(missing_ok=True)
        reason = json.dumps(asdict(failure), indent=1) + "\n"
        write_atomic(self.folder / f"{stem}.json", reason.encode(), private=True)

    def text(self, number: int) -> str | None:
        """Return the original text of a document; None if it is not quarantined."""
        try:
            return (self.folder / f"{_stem(number)}.txt").read_bytes().decode("utf-8", "surrogatepass")
        except OSError:
            return None

    def cas(self, number: int) -> bytes | None:
        """Return a document as JSON CAS with what was found; None if it is not quarantined or could not be read."""
        try:
            return self.cas_path(number).read_bytes()
        except OSError:
            return None

    def cas_path(self, number: int) -> Path:
        """Return the path of a document with what was found."""
        return self.folder / f"{_stem(number)}.cas"

    def holds(self, number: int) -> bool:
        """Return whether a document is quarantined."""
        return (self.folder / f"{_stem(number)}.json").is_file()

    def release(self, number: int) -> None:
        """Remove a document if it is quarantined."""
        if self.folder.is_dir():
            for suffix in (".json", ".txt", ".cas"):
                (self.folder / f"{_stem(number)}{suffix}").unlink(missing_ok=True)

    def keep_only(self, numbers: set[int]) -> None:
        """Remove all documents except those with these numbers."""
        if self.folder.is_dir():
            for path in sorted(self.folder.glob("*.json")):
                if path.stem.isdecimal() and int(path.stem) not in numbers:
                    self.release(int(path.stem))
            with contextlib.suppress(OSError):
                self.folder.rmdir()  # only if it is empty


def _stem(number: int) -> str:
    return f"{number:06d}"
