"""Base class of consumers that write all documents to one file, which gets its name when the run ends."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

from ...pipeline.contract.component import Scope, TwoPhaseConsumer
from ...pipeline.contract.output import Locate, Output
from ...pipeline.storage.files import make_folder, restricted_folder
from ...pipeline.storage.release_place import place_in
from ...typesystem import Cas
from .content import Content
from .packed import refuse_packed
from .slices import Slices, slice_of


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class LineConsumer(TwoPhaseConsumer):
    """A consumer with one file for all documents. A subclass defines `content`. If it writes original text, folder and file are
    readable by their owner only."""

    file: Path = Path("release/documents")
    """File for all documents, under the run's output folder. Until the run ends, it is a temporary file in the same folder."""

    scope = Scope.RUN
    separator: ClassVar[bytes] = b""
    """Written between two documents."""
    footer: ClassVar[bytes] = b""
    """Written at the end."""

    def __post_init__(self) -> None:
        refuse_packed(self.file)
        self._slices: Slices | None = None
        self._place = ""

    def header(self) -> bytes:
        """Return the begin of the file."""
        return b""

    def open(self) -> None:
        """Create the folder and the temporary file. Raises ConsumerError if that fails."""
        super().open()
        path, self._place = self.output / self.file, place_in(self.output, Path(self.file))
        if self.writes_original():
            restricted_folder(path.parent, self.output)
        else:
            make_folder(path.parent)
        self._slices = Slices(path, private=self.writes_original(), header=self.header())

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
        slices = self.slices
        separator = self.separator if slices.file.offset > len(self.header()) else b""
        position = slices.append(document_id, prepared.data, separator)
        self.add_state(prepared.state)
        return [Output(self.id, self._place, *position, False)]

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> Content | None:
        previous = next((o for o in outputs if not o.whole), None)
        data = None if previous is None else slice_of(locate(previous), previous)
        return None if data is None else Content(data, state=state)

    def shared_files(self) -> dict[str, Path]:
        return {} if self._slices is None else {self._place: self._slices.file.temporary}

    def rollback(self, document_id: str) -> None:
        if self._slices is not None:
            self._slices.rollback(document_id)

    def abort(self) -> None:
        """Keep the earlier file."""
        slices, self._slices = self._slices, None
        if slices is not None:
            slices.file.discard()

    def close(self) -> None:
        """Give the file its name."""
        slices, self._slices = self._slices, None
        if slices is not None:
            slices.close(self.footer)
        super().close()
