"""Shared code of consumers that write records or table rows: their fields and columns, and what they contain of the original."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple

from ...pipeline.contract.component import CasConsumer
from ...typesystem import Cas, MaskedSpan, Phi, View
from ..files.metadata import released_metadata
from ..files.released import encodable, released_view

FieldName = Literal["id", "text", "spans", "counts", "metadata"]
Original = Literal["original", "phi", "offsets"]


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RecordOptions(CasConsumer):
    """Parameters of consumers that write records; to be inherited before the class that writes. Call `check_record` in
    `__post_init__`."""

    fields: list[FieldName] = dataclasses.field(default_factory=lambda: ["id", "text", "spans"])
    """Fields to write: document id, masked text, spans of the masked text with kind and operator, number of spans by kind,
    metadata of the document with the masked `structured` fields of its record. Metadata with a date, with what the record knows
    of people, or that tell whose document it is, are withheld."""
    include: list[Original] = dataclasses.field(default_factory=list)
    """Parts of the original to write: its text, its PHI spans with their source, the original offsets of the spans."""

    def check_record(self) -> None:
        """Raise ValueError if nothing is to be written."""
        if not self.fields and not self.include:
            raise ValueError("fields: expected at least one")

    def writes_original(self) -> bool:
        return bool(self.include)

    def record(self, cas: Cas) -> dict[str, Any]:
        """Return the document as a record, its fields in a fixed order. Raises ComponentError if it was not masked."""
        masked = released_view(self, cas)
        record: dict[str, Any] = {}
        if "id" in self.fields:
            record["id"] = encodable(cas.id, cas)
        if "text" in self.fields:
            record["text"] = encodable(masked.text, cas)
        if "spans" in self.fields:
            record["spans"] = self.spans(masked)
        if "counts" in self.fields:
            record["counts"] = counts(masked)
        if "original" in self.include:
            record["original"] = encodable(cas.text, cas)
        if "phi" in self.include:
            record["phi"] = [_phi(p) for p in cas.select(Phi)]
        if "metadata" in self.fields:  # last: the lines above may add to it
            record["metadata"] = self.metadata(cas)
        return record

    def metadata(self, cas: Cas) -> dict[str, str]:
        """Return the metadata that may be written: all if the original text is written too, else those that do not undo the
        masking."""
        if self.writes_original():
            return {k: encodable(v, cas) for k, v in sorted(cas.metadata.items())}
        return released_metadata(self, cas)

    def spans(self, masked: View) -> list[dict[str, Any]]:
        """Return the spans of the masked text; `fallback` only if there was one."""
        return [self._masked_span(s) for s in masked.select(MaskedSpan)]

    def _masked_span(self, span: MaskedSpan) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "begin": span.begin,
            "end": span.end,
            "kind": span.kind.name,
            "operator": span.operator,
        }
        if span.fallback:
            fields["fallback"] = span.fallback
        if "offsets" in self.include:
            fields |= {"original_begin": span.original_begin, "original_end": span.original_end}
        return fields


def counts(masked: View) -> dict[str, int]:
    """Return the number of masked spans by kind, in order of names."""
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


Shape = Literal["text", "number", "real", "spans", "phi", "counts", "metadata"]
"""Type of a column; the last four are nested: lists of objects, and objects of numbers or of strings."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    shape: Shape


_SPAN = [Column("begin", "number"), Column("end", "number"), Column("kind", "text"), Column("operator", "text")]
_SHAPES: dict[str, Shape] = {"id": "text", "text": "text", "original": "text"}


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class TableOptions(RecordOptions):
    """Parameters of consumers that write tables; to be inherited before the class that writes."""

    rows: Literal["documents", "spans"] = "documents"
    """A row for each document, with the columns of `fields` and `include`, or for each masked span, with the columns `document`,
    `begin`, `end`, `kind`, `operator`, `fallback` (and `original_begin`, `original_end` with `include: [offsets]`)."""

    def check_record(self) -> None:
        super().check_record()
        if self.rows == "spans" and set(self.include) - {"offsets"}:
            raise ValueError("include: expected offsets only, for rows: spans")

    def columns(self) -> list[Column]:
        """Return the columns of the table, in order."""
        if self.rows == "spans":
            return [Column("document", "text"), *self.span_columns()]
        order = ("id", "text", "spans", "counts", "original", "phi", "metadata")
        names = [n for n in order if n in self.fields or n in self.include]
        return [Column(n, _SHAPES.get(n, n)) for n in names]  # type: ignore[arg-type]  # nested ones are shapes by name

    def span_columns(self) -> list[Column]:
        """Return the columns of a span."""
        originals = [Column("original_begin", "number"), Column("original_end", "number")]
        return [*_SPAN, Column("fallback", "text"), *(originals if "offsets" in self.include else [])]

    @property
    def id_column(self) -> str:
        """The column with the document that a row belongs to; empty if there is none."""
        return "document" if self.rows == "spans" else "id" if "id" in self.fields else ""

    def rows_of(self, cas: Cas) -> list[dict[str, Any]]:
        """Return the rows of a document, each with all columns. Raises ComponentError if it was not masked."""
        if self.rows == "documents":
            return [self.record(cas)]
        name = encodable(cas.id, cas)
        return [{"document": name, "fallback": "", **span} for span in self.spans(released_view(self, cas))]
