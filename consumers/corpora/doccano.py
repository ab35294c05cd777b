"""Consumer that writes tasks for sequence labeling projects of doccano."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...pipeline.contract.component import component
from ...typesystem import Cas
from ..files.annotated import Annotated
from ..files.released import encodable
from .tasks import TaskConsumer


@component("doccano")
class DoccanoConsumer(TaskConsumer):
    """Writes JSON Lines for doccano's import (*JSONL*, sequence labeling): `{"text", "label": [[begin, end, label]],
    "document_id"}`. doccano keeps `document_id` as metadata and exports it again.

    Offsets are code points: leave the project's option *grapheme cluster offsets* off.
    """

    file: Path = Path("restricted/doccano.jsonl")

    writes_attributes = False
    miscounting_tool = "doccano"  # doccano#2114

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        return {
            "text": annotated.text,
            "label": [[s.begin, s.end, s.label] for s in annotated.spans],
            "document_id": encodable(cas.id, cas),
        }
