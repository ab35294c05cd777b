"""Shared code of consumers that write tables with typed columns: a row for each document or for each masked span."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple

from ...typesystem import Cas
from ..files.released import released_view
from .record_fields import RecordOptions

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
        name = self.document_name(cas)
        return [{"document": name, "fallback": "", **span} for span in self.spans(released_view(self, cas))]
