"""Base classes of readers of files: they select the files, open them, and record those that cannot be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

from ...pipeline.contract.handle import Handle
from ...pipeline.errors import CaspipeError, DuplicateError, ReaderError
from ...pipeline.storage.archives.archive import MARK
from ...pipeline.storage.archives.open_archives import close_archives, opened, read_bounded
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas
from .patients import PatientError, PatientsOfFiles
from .selection import Source, Sources, select_files, select_folder, without_duplicates


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FileReader(PatientsOfFiles):
    """A reader of files. Documents that cannot be read go to `failed` with the reason, and the reader continues."""

    folder: Path | None = None
    """Folder with the files, including its sub-folders, or a zip or tar archive. Document ids are paths in it, without suffix."""
    files: Path | list[Path] | None = None
    """One or more files to read in this order, instead of all that match `pattern`; `*`, `?`, `[` and `**` are wildcards. With
    `folder`, the files must be in it, and document ids are paths in it; without, ids are file names. An archive means all its
    members that match `pattern`; `corpus.zip!/ward/a.txt` is a single member."""
    pattern: str = "*"
    """Files to read: `*.txt` at any depth, `./*.txt` in the folder itself, `ward*/**/*.txt` below some folders. `.gz` files match
    without that suffix, too."""
    max_bytes: int = 268_435_456
    """Longer documents (after decompression) are refused: a small .gz file can expand to any size."""

    reports_duplicates = True
    suffixes: ClassVar[tuple[str, ...]] = ()
    """Suffixes that are not part of a document id."""

    def __post_init__(self) -> None:
        if self.max_bytes < 1:
            raise ValueError(f"max_bytes: expected 1 or more, got {self.max_bytes}")
        self.check_patients()
        self.failed = []
        self._selected: Sequence[Source] | None = None

    def __bool__(self) -> bool:
        return True  # not the length, which would list the files

    def open(self) -> None:
        """List the files. Raises ReaderError if the folder is missing, nothing matches, or the table of patients has faults."""
        super().open()
        self.open_patients()
        self._selected = self._select()

    def close(self) -> None:
        self._selected = None
        close_archives()
        super().close()

    def fail(self, document: str, reason: str, kind: type[ReaderError] = ReaderError) -> None:
        """Record a document that cannot be read. The reason must not contain document text."""
        self.failed.append((document, kind(reason)))

    def sources(self) -> Sequence[Source]:
        """Return the files in reading order, listed by `open` or now."""
        return self._select() if self._selected is None else self._selected

    def _select(self) -> Sequence[Source]:
        files = self.files if isinstance(self.files, list) else [self.files] if self.files else []
        try:
            if not files and self.folder is None:
                raise ReaderError("expected folder or files, got neither")
            if files or self.folder is None:
                return Sources(without_duplicates(select_files(files, self.folder, self.suffixes, self.pattern)))
            return Sources(without_duplicates(select_folder(self.folder, self.pattern, self.suffixes)))
        except ReaderError as error:
            raise ReaderError(f"reader {self.id}: {error}") from None

    def readable(self) -> Iterator[Source]:
        """Yield the files that may be read; the rest go to `failed`."""
        for source in self.sources():
            if source.fault:
                self.failed.append((source.id, _refusal(source)))
            else:
                yield source

    def _of_patients(self, documents: Iterable[Cas], source: Source) -> Iterator[Cas]:
        """Yield documents with their patients; those without one go to `failed`."""
        for cas in documents:
            try:
                yield self.with_patient(cas, source.path)
            except PatientError as error:
                self.failed.append((cas.id, error))

    def data(self, source: Source) -> bytes:
        """Return the bytes of a file, decompressed. Raises ReaderError that names the file."""
        with opened(source.path) as file:
            return read_bounded(file, self.max_bytes, source.path)


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class DocumentFileReader(FileReader):
    """A reader of files with one document each, which can be read in any order."""

    def document(self, source: Source) -> Cas:
        """Return the document of a file. Raises ReaderError that names the file."""
        raise TypeError(f"{type(self).__name__} must define document")

    def load(self, handle: Source) -> Cas:
        if handle.fault:
            raise _refusal(handle)
        return self.with_patient(self.document(handle), handle.path)

    def handles(self) -> Iterator[Handle] | None:
        """Return None for files in archives, which are read sequentially."""
        if any(MARK in source.path for source in self.sources()):
            return None
        return (Handle(source.id, source) for source in self.sources())

    def __iter__(self) -> Iterator[Cas]:
        for source in self.sources():
            try:
                cas = self.load(source)
            except ReaderError as error:
                self.failed.append((source.id, error))
            else:
                yield cas

    def __len__(self) -> int:
        return len(self.sources())


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class WholeFileReader(FileReader):
    """A reader of files that are loaded as a whole and contain any number of documents."""

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            try:
                yield from self._of_patients(self.documents_of(source, self.data(source)), source)
            except CaspipeError as error:
                message = str(error)
                named = message.startswith(f"{source.path}:")
                self.fail(source.id, message if named else f"{source.path}: {message}")

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        """Return the documents of a file. Raises CaspipeError if the file as a whole cannot be read."""
        raise TypeError(f"{type(self).__name__} must define documents_of")


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class StreamReader(FileReader):
    """A reader of files with many documents each, which are read one after the other."""

    def __iter__(self) -> Iterator[Cas]:
        seen = Digests()
        for source in self.readable():
            try:
                with opened(source.path) as file:
                    yield from self._of_patients(self._file(file, source, seen), source)
            except ReaderError as error:
                self.fail(source.id, str(error))

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        """Yield the documents of a file. `seen`: ids of all earlier documents. Raises ReaderError if it cannot continue."""
        raise TypeError(f"{type(self).__name__} must define _file")


def _refusal(source: Source) -> ReaderError:
    return (DuplicateError if source.duplicate else ReaderError)(f"{source.path}: {source.fault}")
