"""What consumers share that write all documents into one file: it gets its name when the run ends, whole lines only."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ..pipeline.component import CasConsumer
from ..pipeline.files import AtomicFile, make_folder, restricted_folder
from ..typesystem import Cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class LineConsumer(CasConsumer):
    """A consumer with one file for all documents."""

    file: Path = Path("release/documents")
    """File for all documents, under the run's output folder. It gets its name when the run ends; until then it is a
    temporary file beside it."""

    def __post_init__(self) -> None:
        self._file: AtomicFile | None = None
        self._before: tuple[str, int] | None = None

    def holds_original_text(self) -> bool:
        """Whether folder and file are for their owner only."""
        return False

    def first(self) -> bytes:
        """What the file begins with."""
        return b""

    def open(self) -> None:
        """Makes the folder and the temporary file. Raises ConsumerError where that cannot be done."""
        super().open()
        path = self.output / self.file
        if self.holds_original_text():
            restricted_folder(path.parent, self.output)
        else:
            make_folder(path.parent)
        self._file = AtomicFile(path, private=self.holds_original_text())
        self._before = None
        try:
            self._file.write(self.first())
        except BaseException:
            self.abandon()
            raise

    def append(self, cas: Cas, data: bytes) -> None:
        """Writes all that is said of a document, or nothing."""
        if self._file is None:
            self.open()
        assert self._file is not None
        self._before = None
        before = self._file.offset
        self._file.write(data)
        self._before = cas.id, before

    def retract(self, cas: Cas) -> None:
        if self._file is not None and self._before is not None and self._before[0] == cas.id:
            self._file.truncate(self._before[1])
            self._before = None

    def abandon(self) -> None:
        """Leaves the file that was there before."""
        file, self._file = self._file, None
        if file is not None:
            file.discard()

    def close(self) -> None:
        """Gives the file its name."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.commit()
            except BaseException:
                file.discard()
                raise
        super().close()
