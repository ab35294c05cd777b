"""What consumers share that write all documents into one file: it gets its name when the run ends, whole lines only."""

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
    """A consumer with one file for all documents."""

    file: Path = Path("release/documents")
    """File for all documents, under the run's output folder. It gets its name when the run ends; until then it is a
    temporary file beside it."""

    scope = Scope.RUN
    separator: ClassVar[bytes] = b""
    """What stands between two documents."""

    def __post_init__(self) -> None:
        self._slices: Slices | None = None

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
        self._slices = Slices(path, private=self.holds_original_text())
        try:
            self._slices.file.write(self.first())
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
        """What the file says of a document. Raises CaspipeError where it cannot be said."""
        raise TypeError(f"{type(self).__name__} must define content(cas)")

    def noted(self, state: Any) -> None:
        """Takes account of what `content` told of a document beside its bytes."""

    def prepare(self, cas: Cas) -> Content:
        made = self.content(cas)
        return made if isinstance(made, Content) else Content(made)

    def resume_state(self, prepared: Content) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        """Writes all that is said of a document, or nothing."""
        begin, length = self.slices.append(document_id, prepared.data, self._before())
        self.noted(prepared.state)
        return [self._output(begin, length, hashlib.sha256(prepared.data).hexdigest())]

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Copies what an earlier run's file says of a document."""
        found = next((o for o in outputs if not o.whole), None)
        at = self.slices.copied(document_id, locate(found), found, self._before()) if found is not None else None
        if found is None or at is None:
            return None
        self.noted(state)
        return [self._output(*at, found.digest)]

    def shared_files(self) -> dict[str, Path]:
        return {} if self._slices is None else {Path(self.file).as_posix(): self._slices.file.temporary}

    def _before(self) -> bytes:
        return self.separator if self.slices.file.offset > len(self.first()) else b""

    def _output(self, begin: int, length: int, digest: str) -> Output:
        return Output(self.id, Path(self.file).as_posix(), begin, length, digest, False)

    def rollback(self, document_id: str) -> None:
        if self._slices is not None:
            self._slices.rollback(document_id)

    def abort(self) -> None:
        """Leaves the file that was there before."""
        slices, self._slices = self._slices, None
        if slices is not None:
            slices.file.discard()

    def close(self) -> None:
        """Gives the file its name."""
        slices, self._slices = self._slices, None
        if slices is not None:
            try:
                slices.file.commit()
            except BaseException:
                slices.file.discard()
                raise
        super().close()
