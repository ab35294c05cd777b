"""Reader of doccano's exports of sequence labeling projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import KnownPhi
from .standoff import Tag
from .tasks import TaskReader, list_of, tag_of


@component("doccano", outputs=[KnownPhi])
class DoccanoReader(TaskReader):
    """Reads doccano's JSON Lines: `{"text", "label": [[begin, end, label]]}`, also called `labels`, or, from projects with
    relations, `{"text", "entities": [{"start_offset", "end_offset", "label"}]}`. The spans go to the view `gold`.

    Offsets are code points. Projects with the option *grapheme cluster offsets* count differently and cannot be read, but
    doccano does not export the text of a span, so this cannot be detected. Relations and comments are counted in a warning.
    Format: backend/data_export of doccano 1.8.
    """

    pattern: str = "*.jsonl"

    def tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        for name in ("relations", "Comments"):
            items = list_of(record.get(name), name)
            if items:
                self.leave_out(name.lower(), len(items))
        field = next((f for f in ("entities", "label", "labels") if f in record), None)
        if field is None:
            return None
        return [_tag(f"field {field}, span {n}", span) for n, span in enumerate(list_of(record[field], field), 1)]


def _tag(name: str, span: Any) -> Tag:
    if isinstance(span, list) and len(span) == 3:
        return tag_of(name, *span)
    if isinstance(span, Mapping):
        return tag_of(name, span.get("start_offset"), span.get("end_offset"), span.get("label"))
    raise ReaderError(f"{name}: expected [begin, end, label], or an object with start_offset, end_offset and label")
