"""Base class of consumers that write all documents to one file, which gets its name when the run ends."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any, ClassVar

from ...pipeline.contract.component import Locate, Output, Scope, TwoPhaseConsumer
from ...pipeline.storage.files import make_folder, restricted_folder
from ...typesystem import Cas
from .content import Content
from .slices import Slices


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class LineConsumer(TwoPhaseConsumer):
    """A consumer with one file for all documents. A subclass defines `content`."""

    file: Path = Path("release/documents")
    """File for all documents, under the run's output folder. Until the run ends, it is a temporary file in the same folder."""

    scope = Scope.RUN
    separator: ClassVar[bytes] = b""
    """Written between two documents."""

    def __post_init__(self) -> None:
        self._slices: Slices | None = None

    def holds_original_text(self) -> bool:
        """Return whether folder and file must be readable by their owner only."""
        return False

    def header(self) -> bytes:
        """Return the begin of the file."""
        return b""

    def open(self) -> None:
        """Create the folder and the temporary file. Raises ConsumerError if that fails."""
        super().open()
        path = self.output / self.file
        if self.holds_original_text():
            restricted_folder(path.parent, self.output)
        else:
            make_folder(path.parent)
        self._slices = Slices(path, private=self.holds_original_text())
        try:
            self._slices.file.write(self.header())
        except BaseException:
            self.abort()
            raise

    @property
    def slices(self) -> Slices:
        """The file, opened at first use."""
        if self._slices is None:
            self.open()
        assert self._slices is not None
        return self._slices

    def content(self, cas: Cas) -> bytes | Content:
        """Return what to write of a document. Raises CaspipeError if it cannot be written."""
        raise TypeError(f"{type(self).__name__} must define content(cas)")

    def add_state(self, state: Any) -> None:
        """Process the `state` of a document that was written or adopted."""

    def prepare(self, cas: Cas) -> Content:
        content = self.content(cas)
        return content if isinstance(content, Content) else Content(content)

    def resume_state(self, prepared: Content) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        """Write everything about a document, or nothing."""
        begin, length = self.slices.append(document_id, prepared.data, self._separator())
        self.add_state(prepared.state)
        return [self._output(begin, length, hashlib.sha256(prepared.data).hexdigest())]

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Copy a document from an earlier run's file."""
        previous = next((o for o in outputs if not o.whole), None)
        if previous is None:
            return None
        position = self.slices.copy(document_id, locate(previous), previous, self._separator())
        if position is None:
            return None
        self.add_state(state)
        return [self._output(*position, previous.digest)]

    def shared_files(self) -> dict[str, Path]:
        return {} if self._slices is None else {Path(self.file).as_posix(): self._slices.file.temporary}

    def _separator(self) -> bytes:
        return self.separator if self.slices.file.offset > len(self.header()) else b""

    def _output(self, begin: int, length: int, digest: str) -> Output:
        return Output(self.id, Path(self.file).as_posix(), begin, length, digest, False)

    def rollback(self, document_id: str) -> None:
        if self._slices is not None:
            self._slices.rollback(document_id)

    def abort(self) -> None:
        """Keep the file that was there before."""
        slices, self._slices = self._slices, None
        if slices is not None:
            slices.file.discard()

    def close(self) -> None:
        """Give the file its name."""
        slices, self._slices = self._slices, None
        if slices is not None:
            try:
                slices.file.commit()
            except BaseException:
                slices.file.discard()
                raise
        super().close()
