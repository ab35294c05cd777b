"""Consumer that writes one JSON object for each document: a line, or a file of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from ...pipeline.contract.component import Locate, Output, component
from ...pipeline.storage.files import Staged
from ...typesystem import Cas
from ..files.annotated import AnnotatedOptions, Which
from ..files.folder import FolderConsumer
from ..files.lines import LineConsumer
from .record_fields import RecordOptions

_DEFAULT = Path("release/documents.jsonl")


@component("jsonl")
class JsonlConsumer(AnnotatedOptions, RecordOptions, LineConsumer):
    """Writes the masked text of each document and the spans that were masked, as JSON Lines (UTF-8).

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless `include`
    asks for them; the file is readable by its owner only then. With other `annotations`, the original text is written with its
    spans, in the form that the reader `jsonl` reads as reference (`spans_field: spans`).
    """

    file: Path = _DEFAULT
    """File for all documents, under the run's output folder. Until the run ends, it is a temporary file in the same folder.
    Original texts are written to `restricted/documents.jsonl` unless another file is given."""
    annotations: Which = "masked"
    folder: Path | None = None
    """Folder for one .json file for each document, instead of `file`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_record()
        self.check_scheme()
        if self.original and self.include:
            raise ValueError(f"include: goes with annotations: masked, not with {self.annotations}")
        if self.original and Path(self.file) == _DEFAULT:
            self.file = Path("restricted") / _DEFAULT.name
        self._own = _Files(self) if self.folder is not None else None

    def holds_original_text(self) -> bool:
        return self.original or super().holds_original_text()

    def open(self) -> None:
        if self._own is None:
            super().open()
        else:
            self._own.open()

    def content(self, cas: Cas) -> bytes:
        return json.dumps(self._record(cas), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def open_worker(self, *, shares_disk: bool = True) -> None:
        super().open_worker(shares_disk=shares_disk)
        if self._own is not None:
            self._own.open_worker(shares_disk=shares_disk)

    def prepare(self, cas: Cas) -> Any:
        return super().prepare(cas) if self._own is None else self._own.prepare(cas)

    def staged(self, prepared: Any) -> Iterable[Staged]:
        return () if self._own is None else self._own.staged(prepared)

    def commit(self, document_id: str, prepared: Any) -> list[Output]:
        return super().commit(document_id, prepared) if self._own is None else self._own.commit(document_id, prepared)

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        if self._own is None:
            return super().adopt_previous(document_id, outputs, state, locate)
        return self._own.adopt_previous(document_id, outputs, state, locate)

    def discard(self, prepared: Any) -> None:
        if self._own is not None:
            self._own.discard(prepared)

    def rollback(self, document_id: str) -> None:
        super().rollback(document_id)
        if self._own is not None:
            self._own.rollback(document_id)

    def close(self) -> None:
        super().close()
        if self._own is not None:
            self._own.close()

    def staging(self) -> list[Path]:
        return [] if self._own is None else self._own.staging()

    def _record(self, cas: Cas) -> dict[str, Any]:
        if not self.original:
            return self.record(cas)
        text, spans = self.annotated(cas)
        record: dict[str, Any] = {"id": self.document_name(cas), "text": text}
        record["spans"] = [
            {"begin": s.begin, "end": s.end, "kind": s.label, "confidence": s.confidence, "source": s.source}
            for s in spans
        ]
        if "metadata" in self.fields:
            record["metadata"] = self.metadata(cas)
        return record


class _Files(FolderConsumer):
    """The files of a `jsonl` consumer with `folder`."""

    def __init__(self, outer: JsonlConsumer) -> None:
        assert outer.folder is not None
        super().__init__(folder=outer.folder, names=outer.names, key=outer.key)
        self.outer = outer

    @property
    def id(self) -> str:
        return self.outer.id

    def open(self) -> None:
        self.output = self.outer.output
        self.open_folder(".json", restricted=self.outer.holds_original_text())

    def content(self, cas: Cas) -> bytes:
        return self.outer.content(cas)

    def _announce(self, name: PurePosixPath) -> None:
        self.announce_file = self.outer.announce_file  # a run sets only that of the outer consumer
        super()._announce(name)
