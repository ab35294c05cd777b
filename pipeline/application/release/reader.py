"""The reader of a release: the documents of a run, in its order, with the decisions of the review."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ....readers.files.selection import Source
from ....typesystem import Cas, FeatureStructure
from ....typesystem.errors import FormatError
from ....typesystem.json_cas.reader import read_jsoncas
from ...contract.component import CollectionReader
from ...contract.handle import Handle
from ...errors import ReaderError
from ..review.catalogue import MAX_FILE_BYTES, SingleDocumentReader
from ..review.document import document_of
from .applying import apply_verdict, without_masked_text
from .decisions import DocumentReview, settle


class HeldError(ReaderError):
    """A document is withheld, because it has no completed review or the run did not finish it."""

    reason = "unreviewed"


@dataclass(frozen=True, slots=True)
class Task:
    """A document to release."""

    number: int
    """Its number in the run."""
    id: str
    path: Path | None = None
    """XMI of a released document, JSON CAS of one in quarantine."""
    digest: str = ""
    """SHA-256 of the XMI when the run wrote it."""
    held: str = ""
    """The reason for which it is not released."""
    review: DocumentReview | None = None


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class ReviewedReader(CollectionReader):
    """Reads the documents of a run again, without their masked texts, and with the spans that reviewers decided on."""

    name: ClassVar[str] = "reviewed"
    outputs: ClassVar[tuple[type[FeatureStructure], ...]] = (FeatureStructure,)

    tasks: Sequence[Task] = ()
    folder: Path = Path()
    """Folder of the XMI with its type system."""

    def open(self) -> None:
        """Nothing is open between documents."""

    def __len__(self) -> int:
        return len(self.tasks)

    def handles(self) -> Iterator[Handle]:
        return (Handle(task.id, task) for task in self.tasks)

    def __iter__(self) -> Iterator[Cas]:
        for task in self.tasks:
            try:
                yield self.load(task)
            except ReaderError as error:
                self.failed.append((task.id, error))

    def load(self, task: Task) -> Cas:
        """Raise HeldError for a document that is withheld, ReaderError if it or its text is not what it was."""
        if task.held or task.path is None:
            raise HeldError(f"document {task.id}: {task.held or 'nothing of it was kept'}")
        cas = self.original(task, task.path)
        if task.review is not None:
            apply_verdict(cas, settle(document_of(cas), task.review))
        return without_masked_text(cas)

    def original(self, task: Task, path: Path) -> Cas:
        """Return a document as the run left it. Raises ReaderError if it is not what it was."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReaderError(f"document {task.id}: {path}: {error.strerror or type(error).__name__}") from None
        if not task.digest:
            try:
                return read_jsoncas(data, id=task.id)
            except FormatError:
                raise ReaderError(f"document {task.id}: {path}: what the quarantine kept is damaged") from None
        if hashlib.sha256(data).hexdigest() != task.digest:
            raise ReaderError(
                f"document {task.id}: {path} has changed since the run wrote it: restore it, or copy the edited files to "
                "another folder, run again, and give the folder as --xmi"
            )
        reader = SingleDocumentReader(folder=self.folder, max_bytes=MAX_FILE_BYTES)
        cas = reader.cas(Source(str(path), task.id))
        cas.id = task.id
        return cas
