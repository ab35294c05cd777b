"""What all consumers share that write one file for each document: folder, file names, privacy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ...pipeline.contract.component import Locate, Output, TwoPhaseConsumer
from ...pipeline.storage.file_names import FileNames
from ...pipeline.storage.files import DocumentFolder, Staged, digest_of, stage
from ...pipeline.storage.secrets import Secret
from ...typesystem import Cas
from .content import Content


@dataclasses.dataclass(frozen=True, slots=True)
class StagedFiles:
    """The files of one document, without names yet: on the disk, or as bytes where they were made on another machine."""

    files: tuple[tuple[str, Staged | bytes], ...]
    """Suffix and file; that of the first is empty: it has the folder's own."""
    state: Any
    more: Any


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FolderConsumer(TwoPhaseConsumer):
    """A consumer with a folder: one file for each document, whole or absent."""

    folder: Path = Path("release")
    """Folder for the files, under the run's output folder. It is made when the run begins."""
    names: Literal["id", "pseudonym"] = "id"
    """What files are called: by the document's id, made safe for every system, or by a keyed pseudonym of it."""
    key: Secret | str = ""
    """Secret for `names: pseudonym`: who has it can find a document's file, who lacks it cannot find the id."""
    durable: bool = True
    """Each file is on the disk before it gets its name (fsync), so that a power cut leaves no empty file behind."""

    def __post_init__(self) -> None:
        self._shares_disk = True
        self.key = Secret.of(self.key)
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")
        self._files: DocumentFolder | None = None
        self._beside: tuple[str, list[Path]] | None = None
        self._named: str | None = None

    def open_folder(self, suffix: str, *, restricted: bool, reserved: Iterable[str] = ()) -> None:
        """Makes the folder, for files with this suffix; `reserved` names go to no document. To be called by `open`.

        Raises ConsumerError where the folder cannot be made. A consumer that prepares on another machine has none.
        """
        if not self._shares_disk:
            return
        names = FileNames(suffix, self.key if self.names == "pseudonym" else "", reserved)
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
        """What the file of a document holds. Raises CaspipeError where the document cannot be written."""
        raise TypeError(f"{type(self).__name__} must define content(cas)")

    def noted(self, state: Any) -> None:
        """Takes account of what `content` told of a document beside its bytes."""

    def prepare(self, cas: Cas) -> StagedFiles:
        """The files of a document, written to the disk without names yet."""
        made = self.content(cas)
        made = made if isinstance(made, Content) else Content(made)
        files = (("", made.data), *made.beside)
        return StagedFiles(files if not self._shares_disk else self._staged(files), made.state, made.more)

    def _staged(self, files: Iterable[tuple[str, Staged | bytes]]) -> tuple[tuple[str, Staged], ...]:
        """The files on the disk, those that are not there yet written now."""
        folder = self.files
        staged: list[tuple[str, Staged]] = []
        try:
            for suffix, file in files:
                if isinstance(file, bytes):
                    file = stage(folder.folder, file, private=folder.restricted, durable=self.durable)
                staged.append((suffix, file))
        except BaseException:
            _drop(staged)
            raise
        return tuple(staged)

    def staged(self, prepared: StagedFiles) -> list[Staged]:
        return [file for _, file in prepared.files if isinstance(file, Staged)]

    def discard(self, prepared: StagedFiles) -> None:
        _drop(prepared.files)

    def resume_state(self, prepared: StagedFiles) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        """Gives the files of a document their names."""
        files = self.files
        self._beside = self._named = None
        name = self._name(document_id)
        outputs: list[Output] = []
        beside: list[Path] = []
        self._beside = document_id, beside
        (_, first), *others = self._staged(prepared.files)
        self._announce(name)
        files.place(document_id, first, name)
        outputs.append(self._output(name, first.length, first.digest))
        for suffix, staged in others:
            path = name.with_suffix(suffix)
            self._announce(path)
            files.place_beside(staged, path)
            beside.append(files.folder / path)
            outputs.append(self._output(path, staged.length, staged.digest))
        self.noted(prepared.state)
        return outputs

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Takes over the files of an earlier run where they are whole and have their names, or lie in another folder."""
        files = self.files
        name = self._name(document_id)
        own = [o for o in outputs if o.whole]
        there = [PurePosixPath(o.path) for o in own[:1]]
        elsewhere = any(locate(o) != self.output / o.path for o in own[:1])
        named = bool(own) and (elsewhere or there == [self._path(name)])
        if not named or any(digest_of(locate(o)) != o.digest for o in own):
            files.names.take_back()  # the document comes again, and gets it then
            return None
        stem = there[0].with_suffix("").as_posix()
        made = []
        for o in own:
            path = name.with_suffix(o.path.removeprefix(stem))
            files.take_over(document_id, locate(o), path)
            made.append(dataclasses.replace(o, path=self._path(path).as_posix()))
        self.noted(state)
        return made

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
                self._files.names.take_back()  # as if it had failed before it was written: a resumed run gives it none either
            self._files.rollback(document_id)
        self._named = None
        if self._beside is not None and self._beside[0] == document_id:
            for path in self._beside[1]:
                path.unlink(missing_ok=True)
            self._beside = None

    def close(self) -> None:
        self._files = None
        super().close()


def _drop(files: Iterable[tuple[str, Staged | bytes]]) -> None:
    for _, file in files:
        if isinstance(file, Staged):
            file.discard()
