"""What all consumers share that write one file for each document: folder, file names, privacy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ..pipeline.component import CasConsumer
from ..pipeline.file_names import FileNames
from ..pipeline.files import DocumentFolder
from ..typesystem import Cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FolderConsumer(CasConsumer):
    """A consumer with a folder: one file for each document, whole or absent."""

    folder: Path = Path("release")
    """Folder for the files, under the run's output folder. It is made when the run begins."""
    names: Literal["id", "pseudonym"] = "id"
    """What files are called: by the document's id, made safe for every system, or by a keyed pseudonym of it."""
    key: str = ""
    """Secret for `names: pseudonym`: who has it can find a document's file, who lacks it cannot find the id."""
    durable: bool = True
    """Each file is on the disk before it gets its name (fsync), so that a power cut leaves no empty file behind."""

    def __post_init__(self) -> None:
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")
        self._files: DocumentFolder | None = None

    def open_folder(self, suffix: str, *, restricted: bool, reserved: Iterable[str] = ()) -> None:
        """Makes the folder, for files with this suffix; `reserved` names go to no document. To be called by `open`.

        Raises ConsumerError where the folder cannot be made.
        """
        names = FileNames(suffix, self.key if self.names == "pseudonym" else "", reserved)
        self._files = DocumentFolder(self.folder, names, below=self.output, restricted=restricted, durable=self.durable)

    @property
    def files(self) -> DocumentFolder:
        """The folder, opened at first use."""
        if self._files is None:
            self.open()
        assert self._files is not None
        return self._files

    def retract(self, cas: Cas) -> None:
        if self._files is not None:
            self._files.retract(cas.id)

    def close(self) -> None:
        self._files = None
        super().close()
