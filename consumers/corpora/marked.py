"""Consumer that writes marked text: all documents in one file, with inline marks like `[[DATE|3 May]]`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem import OPTIONAL, Cas, CasError
from ...typesystem.markup.marked_text import Mark, write
from ..files.annotated import AnnotatedOptions, Overlaps, Span, disjoint, warn_of_dropped
from ..files.content import Content
from ..files.lines import LineConsumer
from ..files.metadata import released_metadata
from ..files.released import encodable

_OF_FILES = ("id", "file", "encoding")
"""Metadata that are written as the id, or describe the file that the document was read from."""


@component("marked")
class MarkedConsumer(AnnotatedOptions, LineConsumer):
    """Writes a line `=====`, a header with the id and the metadata of the document, and its text with marks like
    `[[DATE|3 May]]`. Reference spans that need not be found are written as `[[?DATE|...]]`.

    What would be read as markup is written by code points, `[[U+005B]]`, so that every text comes back exactly.
    """

    file: Path = Path("restricted/documents.txt")
    overlaps: Literal["error", "longest"] = "error"
    """Overlapping spans: `error` (the document fails), or `longest` keeps the longest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        self._dropped = 0

    def open(self) -> None:
        super().open()
        self._dropped = 0

    def add_state(self, state: int) -> None:
        self._dropped += state

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        overlaps: Overlaps = self.overlaps
        marks = [_mark(span) for span in disjoint(spans, overlaps)]
        header = {"id": encodable(cas.id, cas), **self._metadata(cas)}
        try:
            written = write(header, text, marks)
        except ValueError as error:
            raise CasError(str(error)) from None
        dropped = sum(name != OPTIONAL for span in spans for name, _ in span.attributes)
        return Content(written.encode(), state=dropped)

    def _metadata(self, cas: Cas) -> dict[str, str]:
        """Return the metadata to write, by name: of masked documents only what may be released."""
        metadata = cas.metadata if self.original else released_metadata(self, cas)
        return {
            encodable(name, cas): encodable(metadata[name], cas)
            for name in sorted(metadata)
            if name and name not in _OF_FILES
        }

    def close(self) -> None:
        """Give the file its name, and warn of what was left out."""
        warn_of_dropped(self, self._dropped)
        self._dropped = 0
        super().close()


def _mark(span: Span) -> Mark:
    return Mark(span.begin, span.end, span.label, any(name == OPTIONAL for name, _ in span.attributes))
