"""Consumer that writes one JSON object for each document: a line, or a file of its own."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Literal

from ..pipeline.component import component
from ..pipeline.file_names import FileNames, pseudonym
from ..pipeline.files import DocumentFolder
from ..typesystem import Cas, MaskedSpan, Phi, View
from .lines import LineConsumer
from .released import encodable, released_view


@component("jsonl")
class JsonlConsumer(LineConsumer):
    """Writes the masked text of each document and the spans that were masked, as JSON Lines (UTF-8).

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless
    `include` asks for them; the file is its owner's only then.
    """

    file: Path = Path("release/documents.jsonl")
    folder: Path | None = None
    """Folder for one .json file for each document, instead of `file`."""
    fields: list[Literal["id", "text", "spans", "counts", "metadata"]] = dataclasses.field(
        default_factory=lambda: ["id", "text", "spans"]
    )
    """What is written: document id, masked text, spans of the masked text with kind and operator, number of spans by kind,
    metadata of the document."""
    include: list[Literal["original", "phi", "offsets"]] = dataclasses.field(default_factory=list)
    """What is written of the original: its text, its PHI spans with their source, the original offsets of the spans."""
    names: Literal["id", "pseudonym"] = "id"
    """Whether `id` and file names are the document's id or a keyed pseudonym of it."""
    key: str = ""
    """Secret for `names: pseudonym`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")
        if not self.fields and not self.include:
            raise ValueError("fields: expected at least one")
        self._files: DocumentFolder | None = None

    def holds_original_text(self) -> bool:
        return bool(self.include)

    def open(self) -> None:
        if self.folder is None:
            super().open()
        else:
            names = FileNames(".json", self.key if self.names == "pseudonym" else "")
            restricted = self.holds_original_text()
            self._files = DocumentFolder(self.folder, names, below=self.output, restricted=restricted)

    def process(self, cas: Cas) -> None:
        data = json.dumps(self._object(cas), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
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

    def _object(self, cas: Cas) -> dict[str, Any]:
        masked = released_view(self, cas)
        made: dict[str, Any] = {}
        if "id" in self.fields:
            made["id"] = pseudonym(cas.id, self.key) if self.names == "pseudonym" else encodable(cas.id, cas)
        if "text" in self.fields:
            made["text"] = encodable(masked.text, cas)
        if "spans" in self.fields:
            made["spans"] = [self._span(s) for s in masked.select(MaskedSpan)]
        if "counts" in self.fields:
            made["counts"] = counts(masked)
        if "original" in self.include:
            made["original"] = encodable(cas.text, cas)
        if "phi" in self.include:
            made["phi"] = [_phi(p) for p in cas.select(Phi)]
        if "metadata" in self.fields:  # last: the lines above may add to it
            made["metadata"] = {k: encodable(v, cas) for k, v in sorted(cas.metadata.items())}
        return made

    def _span(self, span: MaskedSpan) -> dict[str, Any]:
        made: dict[str, Any] = {"begin": span.begin, "end": span.end, "kind": span.kind.name, "operator": span.operator}
        if span.fallback:
            made["fallback"] = span.fallback
        if "offsets" in self.include:
            made |= {"original_begin": span.original_begin, "original_end": span.original_end}
        return made


def counts(masked: View) -> dict[str, int]:
    """Number of masked spans by kind, in order of names."""
    kinds = [span.kind.name for span in masked.select(MaskedSpan)]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def _phi(phi: Phi) -> dict[str, Any]:
    return {
        "begin": phi.begin,
        "end": phi.end,
        "kind": phi.kind.name,
        "confidence": phi.confidence,
        "source": phi.source,
        "reason": phi.reason,
    }
