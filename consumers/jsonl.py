"""Consumer that writes one JSON object for each document: a line, or a file of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..pipeline.component import component
from ..pipeline.file_names import FileNames
from ..pipeline.files import DocumentFolder
from ..typesystem import Cas
from .annotated import AnnotatedOptions, Which
from .lines import LineConsumer
from .records import RecordOptions
from .released import encodable

_DEFAULT = Path("release/documents.jsonl")


@component("jsonl")
class JsonlConsumer(AnnotatedOptions, RecordOptions, LineConsumer):
    """Writes the masked text of each document and the spans that were masked, as JSON Lines (UTF-8).

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless
    `include` asks for them; the file is its owner's only then. With other `annotations` the original text is written with its
    spans, in the form that the reader `jsonl` takes as reference (`spans_field: spans`).
    """

    file: Path = _DEFAULT
    """File for all documents, under the run's output folder. It gets its name when the run ends; until then it is a
    temporary file beside it. Original texts go to `restricted/documents.jsonl` unless another file is given."""
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
        self._files: DocumentFolder | None = None

    def holds_original_text(self) -> bool:
        return self.original or super().holds_original_text()

    def open(self) -> None:
        if self.folder is None:
            super().open()
        else:
            names = FileNames(".json", self.key if self.names == "pseudonym" else "")
            restricted = self.holds_original_text()
            self._files = DocumentFolder(self.folder, names, below=self.output, restricted=restricted)

    def process(self, cas: Cas) -> None:
        data = json.dumps(self._record(cas), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if self.folder is None:
            self.append(cas, data)
            return
        if self._files is None:
            self.open()
        assert self._files is not None
        self._files.write(cas.id, data)

    def retract(self, cas: Cas) -> None:
        super().retract(cas)
        if self._files is not None:
            self._files.retract(cas.id)

    def close(self) -> None:
        self._files = None
        super().close()

    def _record(self, cas: Cas) -> dict[str, Any]:
        if not self.original:
            return self.record(cas)
        text, spans = self.annotated(cas)
        made: dict[str, Any] = {"id": self.document_name(cas), "text": text}
        made["spans"] = [
            {"begin": s.begin, "end": s.end, "kind": s.label, "confidence": s.confidence, "source": s.source}
            for s in spans
        ]
        if "metadata" in self.fields:
            made["metadata"] = {k: encodable(v, cas) for k, v in sorted(cas.metadata.items())}
        return made
