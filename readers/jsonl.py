"""Reader of JSON Lines: one object, one document, a line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..pipeline.component import component
from ..pipeline.errors import ReaderError
from ..typesystem import Cas, KnownPhi, PhiKind
from .decoding import decode
from .files import too_long
from .gold import Overlaps, add_gold
from .records import RecordReader, lookup
from .selection import Source


@component("jsonl", outputs=[KnownPhi])
class JsonlReader(RecordReader):
    """Reads JSON Lines files (UTF-8), plain or gzipped: an object a line. Fields inside objects are named `patient.name`."""

    pattern: str = "*.jsonl"
    spans_field: str | None = None
    """Field that holds reference annotations: a list of `{begin, end, kind}` in code points. They go to the view `gold`."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds for labels in `spans_field` that are called otherwise: `{NAME: PERSON, HOSP: LOCATION_HOSPITAL}`; null drops
    a label."""
    overlaps: Overlaps = "error"
    """Overlapping spans in `spans_field`: `error` (the document has failed), `longest` or `first` keeps that one, `keep` all."""

    suffixes = (".jsonl", ".ndjson")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spans_field and len(self.text_fields) > 1:
            raise ValueError("spans_field: expected one text_field, since spans are offsets in one text")

    def _file(self, file: BinaryIO, source: Source, seen: set[str]) -> Iterator[Cas]:
        for n, line in enumerate(lines(file, self.max_bytes), 1):
            number, place = f"{source.id}/{n}", f"{source.path}, line {n}"
            if line is None:
                self.fail(number, f"{place}: {too_long(self.max_bytes)}")
            elif line.strip():
                record, fault = _object(line.removeprefix(b"\xef\xbb\xbf") if n == 1 else line)
                if record is None:
                    self.fail(number, f"{place}: {fault}")
                else:
                    yield from self.documents(record, number, place, seen)

    def _document(self, record: Any, text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        spans = lookup(record, self.spans_field) if self.spans_field else None
        if self.spans_field and spans is not None:
            add_gold(cas, spans, self.kinds, self.spans_field, self.overlaps)
        return cas


def lines(file: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """The lines of a file, in bounded memory; None for one longer than `limit` bytes."""
    while line := file.readline(limit + 2):
        if len(line.rstrip(b"\r\n")) <= limit:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
        yield None


def _object(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The JSON object of a line, or None and what is wrong with it."""
    try:
        text, _ = decode(line, "utf-8")
    except ReaderError as error:
        return None, str(error)
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except _Twice:
        return None, "a field occurs twice in one object"
    except RecursionError:
        return None, "nested too deeply"
    except json.JSONDecodeError as error:  # its message can quote the text
        return None, f"not valid JSON (column {error.colno})"
    except ValueError:
        return None, "a number with too many digits"
    return (value, "") if isinstance(value, dict) else (None, "expected a JSON object")


class _Twice(Exception):
    """A key occurred twice: one of the values would be lost without a word."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Twice
    return made
