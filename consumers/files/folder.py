"""Base class of consumers that write one file for each document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from ...pipeline.contract.component import TwoPhaseConsumer
from ...pipeline.contract.output import Locate, Output
from ...pipeline.storage.file_names import FileNames
from ...pipeline.storage.files import DocumentFolder, Staged, digest_of
from ...pipeline.storage.release_place import place_in
from ...pipeline.storage.spool import Spool
from ...typesystem import Cas
from .content import Content


@dataclasses.dataclass(frozen=True, slots=True)
class StagedFiles:
    """The files of one document, without names yet: on the disk, or as bytes if they were made on another machine."""

    files: tuple[tuple[str, Staged | bytes], ...]
    """Suffix and file; the suffix of the first is empty, because it has that of the folder."""
    state: Any
    extra: Any


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FolderConsumer(TwoPhaseConsumer):
    """A consumer with a folder and one file for each document, complete or absent. A subclass defines `content`, and `open`,
    which calls `open_folder`."""

    folder: Path = Path("release")
    """Folder for the files, under the run's output folder. It is created when the run begins."""
    durable: bool = True
    """True if each file is flushed to the disk before it gets its name (fsync), so that a power failure leaves no empty file."""

    def __post_init__(self) -> None:
        self._shares_disk = True
        self._files: DocumentFolder | None = None
        self._place = PurePosixPath()

    def open_folder(self, suffix: str, *, reserved: Iterable[str] = ()) -> None:
        """Create the folder, for files with this suffix; no document gets a `reserved` name. To be called by `open`. Folder and
        files are readable by their owner only if they may contain original text.

        Raises ConsumerError if the folder cannot be created. A consumer that prepares on another machine has none.
        """
        if not self._shares_disk:
            return
        self._place = PurePosixPath(place_in(self.output, self.folder))
        names, restricted = FileNames(suffix, reserved), self.writes_original()
        self._files = DocumentFolder(self.folder, names, below=self.output, restricted=restricted, durable=self.durable)

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open()

    @property
    def files(self) -> DocumentFolder:
        """The folder, opened at first use."""
        if self._files is None:
            self.open()
        assert self._files is not None
        return self._files

    def content(self, cas: Cas) -> bytes | Content:
        """Return the content of a document's file. Raises CaspipeError if the document cannot be written."""
        raise TypeError(f"{type(self).__name__} must define content(cas)")

    def spool(self) -> Spool | None:
        """Return a new spool in the folder, for content that need not be in memory; None if the folder is on another machine."""
        if not self._shares_disk:
            return None
        return Spool(self.files.folder, private=self.writes_original(), durable=self.durable)

    def add_state(self, state: Any) -> None:
        """Process the `state` of a document that was written or adopted."""

    def prepare(self, cas: Cas) -> StagedFiles:
        """Write the files of a document to the disk, without names yet."""
        content = self.content(cas)
        content = content if isinstance(content, Content) else Content(content)
        files: tuple[tuple[str, Staged | bytes], ...] = (("", content.staged or content.data), *content.companions)
        return StagedFiles(self._staged(files) if self._shares_disk else files, content.state, content.extra)

    def _staged(self, files: Iterable[tuple[str, Staged | bytes]]) -> tuple[tuple[str, Staged], ...]:
        """Write those files to the disk that are not there yet."""
        folder = self.files
        staged: list[tuple[str, Staged]] = []
        try:
            for suffix, file in files:
                staged.append((suffix, folder.stage(file) if isinstance(file, bytes) else file))
        except BaseException:
            _discard(staged)
            raise
        return tuple(staged)

    def staged(self, prepared: StagedFiles) -> list[Staged]:
        return [file for _, file in prepared.files if isinstance(file, Staged)]

    def discard(self, prepared: StagedFiles) -> None:
        _discard(prepared.files)

    def resume_state(self, prepared: StagedFiles) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        """Give the files of a document their names."""
        files = self.files
        name = files.begin(document_id)
        outputs: list[Output] = []
        for suffix, staged in self._staged(prepared.files):
            path = name.with_suffix(suffix) if suffix else name
            self._announce(path)
            files.place(staged, path)
            outputs.append(self._output(path, staged.length, staged.digest))
        self.add_state(prepared.state)
        return outputs

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> StagedFiles | None:
        """Return the files of an earlier run if they are intact."""
        own = [(o, locate(o)) for o in outputs if o.whole]
        if not own or any(digest_of(path) != o.digest for o, path in own):
            return None
        stem = PurePosixPath(own[0][0].path).with_suffix("").as_posix()
        files = [(o.path.removeprefix(stem), Staged(str(path), o.length, o.digest, kept=True)) for o, path in own]
        return StagedFiles((("", files[0][1]), *files[1:]), state, None)

    def _announce(self, name: PurePosixPath) -> None:
        if self.announce_file is not None:
            self.announce_file(self._path(name).as_posix())

    def _path(self, name: PurePosixPath) -> PurePosixPath:
        return self._place / name

    def _output(self, name: PurePosixPath, length: int, digest: str) -> Output:
        return Output(self.id, self._path(name).as_posix(), 0, length, digest, True)

    def staging(self) -> list[Path]:
        return [self.output / self.folder]

    def rollback(self, document_id: str) -> None:
        if self._files is not None:
            self._files.rollback(document_id)

    def close(self) -> None:
        self._files = None
        super().close()


def _discard(files: Iterable[tuple[str, Staged | bytes]]) -> None:
    for _, file in files:
        if isinstance(file, Staged):
            file.discard()
