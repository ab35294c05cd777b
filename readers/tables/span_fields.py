"""Records that bring reference annotations along: a field with a list of spans of the record's text."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...typesystem import Cas, PhiKind
from ..gold import Overlaps, add_gold
from .records import RecordFields, lookup


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class SpanFields(RecordFields):
    """Parameters of readers of records with spans; to be inherited before RecordReader."""

    spans_field: str | None = None
    """Field that holds reference annotations: a list of `{begin, end, kind}` in code points. They go to the view `gold`."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds for labels in `spans_field` that are called otherwise: `{NAME: PERSON, HOSP: LOCATION_HOSPITAL}`; null drops
    a label."""
    overlaps: Overlaps = "error"
    """Overlapping spans in `spans_field`: `error` (the document has failed), `longest` or `first` keeps that one, `keep` all."""

    def check_fields(self) -> None:
        super().check_fields()
        if self.spans_field and len(self.text_fields) > 1:
            raise ValueError("spans_field: expected one text_field, since spans are offsets in one text")

    def wanted(self) -> list[str]:
        return [*super().wanted(), *([self.spans_field] if self.spans_field else [])]

    def _document(self, record: Mapping[str, Any], text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        spans = lookup(record, self.spans_field) if self.spans_field else None
        if self.spans_field and spans is not None:
            add_gold(cas, spans, self.kinds, self.spans_field, self.overlaps)
        return cas
