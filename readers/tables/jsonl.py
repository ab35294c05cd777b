"""Reader of JSON Lines with one document per line."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...typesystem import KnownPhi
from .json_records import JsonRecordReader
from .span_fields import SpanFields


@component("jsonl", outputs=[KnownPhi])
class JsonlReader(SpanFields, JsonRecordReader):
    """Reads JSON Lines files (UTF-8), plain or gzipped: one object per line. Nested fields are named `patient.name`."""

    pattern: str = "*.jsonl"
