"""What readers of annotation tools' JSON share: tasks, their ids, and their spans as reference annotations."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, ClassVar

from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, CaspipeWarning, PhiKind
from ..files.selection import Source
from ..tables.json_records import JsonRecordReader
from ..tables.records import lookup
from .standoff import StandoffReader, Tag, as_written

AUTO_ID = "auto"


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class TaskReader(StandoffReader, JsonRecordReader):
    """A reader of tasks: each has a text, and spans once somebody or something annotated it."""

    id_field: str | None = AUTO_ID
    """Field that holds the document id; null: documents are numbered, `<file>/<number>`. `auto`: `document_id`, which caspipe's
    own consumers write, else the tool's `id`, else numbered."""
    scheme: str = ""
    """Whose labels the spans have: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; empty: names of kinds."""

    id_fields: ClassVar[tuple[str, ...]] = ("document_id", "id")
    """Where `auto` looks for an id."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.text_field, str):
            raise ValueError("text_field: expected one field, since spans are offsets in one text")
        if self.scheme:
            try:
                PhiKind.labels(self.scheme)
            except ValueError as error:
                raise ValueError(f"scheme: {error}") from None
        self._left: Counter[str] = Counter()

    def wanted(self) -> list[str]:
        return [f for f in super().wanted() if f != AUTO_ID]

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        self._left.clear()
        try:
            yield from super()._file(file, source, seen)
        finally:
            if self._left:
                told = ", ".join(f"{n} {what}" for what, n in sorted(self._left.items()))
                warnings.warn(f"{source.path}: left out: {told}", CaspipeWarning, stacklevel=2)

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        skipped = self.skipped(record)
        if skipped:
            self.leave_out(skipped)
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

    def leave_out(self, what: str, count: int = 1) -> None:
        """Counts what is not read, for the warning that each file with such things gives."""
        self._left[what] += count

    def _document(self, record: Any, text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        tags = self.tags(record)
        if tags is not None:
            self.add_tags(cas, tags, self.scheme, self.counts(text))
        return cas

    def skipped(self, record: Mapping[str, Any]) -> str:
        """Why a task is no document, as the warning calls such tasks (`rejected tasks`); empty where it is one."""
        return ""

    def tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        """The spans of a task; None where nobody annotated it. Raises ReaderError."""
        raise TypeError(f"{type(self).__name__} must define tags")

    def counts(self, text: str) -> list[Callable[[int], int]]:
        """The ways an offset of the tool may count, the likeliest first."""
        return [as_written]


def tag_of(name: str, begin: Any, end: Any, label: Any, **more: Any) -> Tag:
    """A tag from values of a JSON object. Raises ReaderError that names it."""
    if type(begin) is not int or type(end) is not int or not isinstance(label, str):
        raise ReaderError(f"{name}: expected whole numbers as begin and end and a string as label")
    return Tag(name, begin, end, label, **more)


def list_of(value: Any, name: str) -> list[Any]:
    """A list as it is, nothing as an empty one. Raises ReaderError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise ReaderError(f"field {name}: expected a list")
    return value
