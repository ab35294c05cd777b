"""Parameters of readers of records with reference annotations: a field with a list of spans of the text."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...typesystem import Cas, PhiKind
from ..gold import Overlaps, add_gold
from .records import RecordFields, lookup


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class SpanFields(RecordFields):
    """Adds reference annotations to RecordFields. Must precede RecordReader among the base classes."""

    spans_field: str | None = None
    """Field with reference annotations for the view `gold`: a list of `{begin, end, kind}` in code points."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels in `spans_field` with other names: `{NAME: PERSON, HOSP: LOCATION_HOSPITAL}`; null drops a label."""
    overlaps: Overlaps = "error"
    """Overlapping spans in `spans_field`: `error` fails the document, `longest` or `first` keeps that one, `keep` all."""

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
