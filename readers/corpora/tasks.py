"""Base class of readers of annotation tools' JSON: tasks, their ids, and their spans as reference annotations."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, ClassVar

from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, CaspipeWarning
from ..files.selection import Source
from ..gold import check_scheme
from ..tables.json_records import JsonRecordReader
from ..tables.records import lookup
from .standoff import OffsetConversion, StandoffReader, Tag, as_written

AUTO_ID = "auto"


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class TaskReader(StandoffReader, JsonRecordReader):
    """A reader of tasks: each has a text and, after annotation, spans."""

    id_field: str | None = AUTO_ID
    """Field with the document id; null: documents are numbered, `<file>/<number>`. `auto`: `document_id`, which caspipe's own
    consumers write, else the tool's `id`, else numbered."""
    scheme: str = ""
    """Scheme of the labels: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; empty: names of PHI kinds."""

    id_fields: ClassVar[tuple[str, ...]] = ("document_id", "id")
    """Fields in which `auto` looks for an id."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.text_field, str):
            raise ValueError("text_field: expected one field, since spans are offsets in one text")
        check_scheme(self.scheme)
        self._omitted: Counter[str] = Counter()

    def wanted(self) -> list[str]:
        return [f for f in super().wanted() if f != AUTO_ID]

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        self._omitted.clear()
        try:
            yield from super()._file(file, source, seen)
        finally:
            if self._omitted:
                counts = ", ".join(f"{n} {name}" for name, n in sorted(self._omitted.items()))
                warnings.warn(f"{source.path}: left out: {counts}", CaspipeWarning, stacklevel=2)

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        reason = self.skipped(record)
        if reason:
            self.leave_out(reason)
        else:
            yield from super().documents(record, number, place, seen)

    def record_id(self, record: Mapping[str, Any], number: str) -> str:
        if self.id_field != AUTO_ID:
            return super().record_id(record, number)
        for field in self.id_fields:
            value = lookup(record, field)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value)
        return number

    def leave_out(self, name: str, count: int = 1) -> None:
        """Count parts of a file that are not read, for the warning about the file."""
        self._omitted[name] += count

    def _document(self, record: Any, text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        tags = self.tags(record)
        if tags is not None:
            self.add_tags(cas, tags, self.scheme, self.conversions(text))
        return cas

    def skipped(self, record: Mapping[str, Any]) -> str:
        """Return the group of tasks that are not read to which a task belongs (`rejected tasks`); empty for a document."""
        return ""

    def tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        """Return the spans of a task, None if it is not annotated. Raises ReaderError."""
        raise TypeError(f"{type(self).__name__} must define tags")

    def conversions(self, text: str) -> list[OffsetConversion]:
        """Return the possible conversions of the tool's offsets, the likeliest first."""
        return [as_written]


def tag_of(name: str, begin: Any, end: Any, label: Any, **more: Any) -> Tag:
    """Return a tag from values of a JSON object. Raises ReaderError that begins with `name`."""
    if type(begin) is not int or type(end) is not int or not isinstance(label, str):
        raise ReaderError(f"{name}: expected integers as begin and end and a string as label")
    return Tag(name, begin, end, label, **more)


def list_of(value: Any, name: str) -> list[Any]:
    """Return a list unchanged and None as an empty list. Raises ReaderError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise ReaderError(f"field {name}: expected a list")
    return value
