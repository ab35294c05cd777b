"""Where failed documents are kept: the reason for everybody who may look, the text for nobody else."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..typesystem import INITIAL_VIEW, Cas
from .files import restricted_folder, write_atomic
from .report import Failure


class Quarantine:
    """A folder with mode 0700: `000012.json` says what went wrong with document 12, `000012.txt` is its original text.

    File names are numbers in reading order, because document ids may identify people. The folder is made when the first
    document fails.
    """

    def __init__(self, output: Path) -> None:
        self.output = output
        self.folder = output / "restricted" / "quarantine"

    def keep(self, failure: Failure, cas: Cas | None) -> None:
        """Keeps one document aside."""
        restricted_folder(self.folder, self.output)
        stem = f"{failure.number:06d}"
        if cas is not None and cas.has_view(INITIAL_VIEW):
            write_atomic(self.folder / f"{stem}.txt", cas.text.encode("utf-8", "surrogatepass"), private=True)
        write_atomic(
            self.folder / f"{stem}.json", (json.dumps(asdict(failure), indent=1) + "\n").encode(), private=True
        )
