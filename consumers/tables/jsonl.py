"""Consumer that writes one JSON object for each document: a line, or a file of its own."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from ...pipeline.contract.component import component
from ...typesystem import Cas
from ..files.annotated import AnnotatedOptions, Which
from ..files.folder import FolderConsumer
from ..files.lines import LineConsumer
from ..files.released import encodable
from .record_fields import RecordOptions

_DEFAULT = Path("release/documents.jsonl")


def _of_writer(method: str) -> Any:
    """Return a method of the consumer of single files if `folder` is given, else of the base class with one file for all."""

    def call(self: JsonlConsumer, *values: Any, **options: Any) -> Any:
        return getattr(self._own or super(JsonlConsumer, self), method)(*values, **options)

    return call


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
        if self.writes_original() and Path(self.file) == _DEFAULT:
            self.file = Path("restricted") / _DEFAULT.name
        self._own = _Files(self) if self.folder is not None else None

    def writes_original(self) -> bool:
        return self.original or bool(self.include)

    def content(self, cas: Cas) -> bytes:
        return json.dumps(self._record(cas), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    open = _of_writer("open")
    open_worker = _of_writer("open_worker")
    prepare = _of_writer("prepare")
    staged = _of_writer("staged")
    commit = _of_writer("commit")
    adopt_previous = _of_writer("adopt_previous")
    discard = _of_writer("discard")
    rollback = _of_writer("rollback")
    staging = _of_writer("staging")
    close = _of_writer("close")

    def _record(self, cas: Cas) -> dict[str, Any]:
        if not self.original:
            return self.record(cas)
        text, spans = self.annotated(cas)
        record: dict[str, Any] = {"id": encodable(cas.id, cas), "text": text}
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
        super().__init__(folder=outer.folder)
        self.outer = outer

    @property
    def id(self) -> str:
        return self.outer.id

    def writes_original(self) -> bool:
        return self.outer.writes_original()

    def open(self) -> None:
        self.open_resources()
        self.output = self.outer.output
        self.open_folder(".json")

    def content(self, cas: Cas) -> bytes:
        return self.outer.content(cas)

    def _announce(self, name: PurePosixPath) -> None:
        self.announce_file = self.outer.announce_file  # a run sets only that of the outer consumer
        super()._announce(name)
