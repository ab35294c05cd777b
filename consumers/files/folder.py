"""Base class of consumers that write one file for each document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from ...pipeline.contract.component import Locate, Output, TwoPhaseConsumer
from ...pipeline.storage.file_names import FileNames
from ...pipeline.storage.files import DocumentFolder, Staged, digest_of, stage
from ...typesystem import Cas
from .content import Content
from .document_names import NameOptions


@dataclasses.dataclass(frozen=True, slots=True)
class StagedFiles:
    """The files of one document, without names yet: on the disk, or as bytes if they were made on another machine."""

    files: tuple[tuple[str, Staged | bytes], ...]
    """Suffix and file; the suffix of the first is empty, because it has that of the folder."""
    state: Any
    extra: Any


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FolderConsumer(NameOptions, TwoPhaseConsumer):
    """A consumer with a folder and one file for each document, complete or absent. A subclass defines `content`, and `open`,
    which calls `open_folder`."""

    folder: Path = Path("release")
    """Folder for the files, under the run's output folder. It is created when the run begins."""
    durable: bool = True
    """True if each file is flushed to the disk before it gets its name (fsync), so that a power failure leaves no empty file."""

    def __post_init__(self) -> None:
        self._shares_disk = True
        self.check_key()
        self._files: DocumentFolder | None = None
        self._companions: tuple[str, list[Path]] | None = None
        self._named: str | None = None

    def open_folder(self, suffix: str, *, restricted: bool, reserved: Iterable[str] = ()) -> None:
        """Create the folder, for files with this suffix; no document gets a `reserved` name. To be called by `open`.

        Raises ConsumerError if the folder cannot be created. A consumer that prepares on another machine has none.
        """
        if not self._shares_disk:
            return
        names = FileNames(suffix, self.pseudonym_key, reserved)
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

    def add_state(self, state: Any) -> None:
        """Process the `state` of a document that was written or adopted."""

    def prepare(self, cas: Cas) -> StagedFiles:
        """Write the files of a document to the disk, without names yet."""
        content = self.content(cas)
        content = content if isinstance(content, Content) else Content(content)
        files = (("", content.data), *content.companions)
        return StagedFiles(self._staged(files) if self._shares_disk else files, content.state, content.extra)

    def _staged(self, files: Iterable[tuple[str, Staged | bytes]]) -> tuple[tuple[str, Staged], ...]:
        """Write those files to the disk that are not there yet."""
        folder = self.files
        staged: list[tuple[str, Staged]] = []
        try:
            for suffix, file in files:
                if isinstance(file, bytes):
                    file = stage(folder.folder, file, private=folder.restricted, durable=self.durable)
                staged.append((suffix, file))
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
        self._companions = self._named = None
        name = self._name(document_id)
        outputs: list[Output] = []
        companions: list[Path] = []
        self._companions = document_id, companions
        (_, first), *others = self._staged(prepared.files)
        self._announce(name)
        files.place(document_id, first, name)
        outputs.append(self._output(name, first.length, first.digest))
        for suffix, staged in others:
            path = name.with_suffix(suffix)
            self._announce(path)
            files.place_beside(staged, path)
            companions.append(files.folder / path)
            outputs.append(self._output(path, staged.length, staged.digest))
        self.add_state(prepared.state)
        return outputs

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Adopt the files of an earlier run if they are intact and have the names that they would get now, or are in another
        folder."""
        files = self.files
        name = self._name(document_id)
        own = [o for o in outputs if o.whole]
        first = PurePosixPath(own[0].path) if own else None
        elsewhere = bool(own) and locate(own[0]) != self.output / own[0].path
        if (
            first is None
            or not (elsewhere or first == self._path(name))
            or any(digest_of(locate(o)) != o.digest for o in own)
        ):
            files.names.release_last()  # the document is processed again and gets the name then
            return None
        stem = first.with_suffix("").as_posix()
        adopted = []
        for o in own:
            path = name.with_suffix(o.path.removeprefix(stem))
            files.take_over(document_id, locate(o), path)
            adopted.append(dataclasses.replace(o, path=self._path(path).as_posix()))
        self.add_state(state)
        return adopted

    def _name(self, document: str) -> PurePosixPath:
        name = self.files.names.next(document)
        self._named = document
        return name

    def _announce(self, name: PurePosixPath) -> None:
        if self.announce_file is not None:
            self.announce_file(self._path(name).as_posix())

    def _path(self, name: PurePosixPath) -> PurePosixPath:
        return PurePosixPath(self.folder.as_posix()) / name

    def _output(self, name: PurePosixPath, length: int, digest: str) -> Output:
        return Output(self.id, self._path(name).as_posix(), 0, length, digest, True)

    def staging(self) -> list[Path]:
        return [self.output / self.folder]

    def rollback(self, document_id: str) -> None:
        if self._files is not None:
            if self._named == document_id:
                self._files.names.release_last()  # as in a resumed run, where a failed document gets no name
            self._files.rollback(document_id)
        self._named = None
        if self._companions is not None and self._companions[0] == document_id:
            for path in self._companions[1]:
                path.unlink(missing_ok=True)
            self._companions = None

    def close(self) -> None:
        self._files = None
        super().close()


def _discard(files: Iterable[tuple[str, Staged | bytes]]) -> None:
    for _, file in files:
        if isinstance(file, Staged):
            file.discard()
