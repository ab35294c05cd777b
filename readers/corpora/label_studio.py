"""Reader of Label Studio's exports of spans in texts: JSON, JSON-MIN, and tasks as JSON Lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ...typesystem.text import Utf16
from .standoff import OffsetConversion, Tag, as_written
from .tasks import TaskReader, list_of, tag_of

_ATTRIBUTES = ("choices", "text", "number", "rating", "taxonomy")
"""Fields of the values of per-region controls."""


@component("label_studio", outputs=[KnownPhi])
class LabelStudioReader(TaskReader):
    """Reads Label Studio's exports (JSON, JSON-MIN) and tasks as JSON Lines. Labeled regions go to the view `gold`; values of
    per-region controls (`Choices`, `TextArea`, `Number`, `Rating`) become SpanAttributes.

    Offsets are UTF-16 code units, as in browsers. Files whose offsets count code points, CR LF as one character, or from after
    leading white space are recognized by the texts of the regions. Cancelled annotations are left out; relations and values for
    whole documents are counted in a warning.
    Format: labelstud.io/guide/task_format, labelstud.io/guide/export.
    """

    pattern: str = "*.json*"
    text_field: str | list[str] = "data.text"
    """Field with the text: `data.` and the name in `value="$..."` of the labeling configuration."""
    take: Literal["annotations", "predictions"] = "annotations"
    """Annotations by people, or predictions of a model."""
    completed_by: int | str | None = None
    """Number or e-mail address of the annotator whose annotations are read; null: all annotators. Tasks without an annotation of
    this annotator have no reference annotations."""
    model_version: str = ""
    """Model whose predictions are read, for `take: predictions`; empty: any."""
    several: Literal["error", "first", "last"] = "error"
    """Tasks with several annotations or predictions: `error` fails the document, `first` or `last` reads that one."""

    suffixes = (".json", ".jsonl", ".ndjson")
    arrays = True
    id_fields = ("data.document_id", "id")

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        yield from super().documents(record if "data" in record else {"data": record, **record}, number, place, seen)

    def skipped(self, record: Mapping[str, Any]) -> str:
        listed = record.get(self.take)
        taken = [a for a in listed if isinstance(a, Mapping)] if isinstance(listed, list) else []
        if taken and all(a.get("was_cancelled") is True for a in taken):
            return "tasks that were skipped by all annotators"
        if self.completed_by is not None and "annotator" in record and not self._is_wanted(record["annotator"]):
            return "tasks of other annotators"
        return ""

    def tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        if "annotations" not in record and "predictions" not in record:
            return self._minimal_tags(record)
        taken = self._taken(record)
        return None if taken is None else self._tags(list_of(taken.get("result"), "result"))

    def _taken(self, record: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the annotation or prediction of a task to read."""
        found = list_of(record.get(self.take), self.take)
        if not all(isinstance(a, Mapping) for a in found):
            raise ReaderError(f"field {self.take}: expected a list of objects")
        found = [a for a in found if a.get("was_cancelled") is not True]
        if self.take == "predictions":
            found = [a for a in found if self.model_version in ("", a.get("model_version"))]
        else:
            found = [a for a in found if self.completed_by is None or self._is_wanted(a.get("completed_by"))]
        if len(found) > 1 and self.several == "error":
            parameter = "completed_by" if self.take == "annotations" else "model_version"
            raise ReaderError(
                f"expected one of {self.take}, found {len(found)}; `{parameter}` or `several` can say which to take"
            )
        return found[-1 if self.several == "last" else 0] if found else None

    def _is_wanted(self, annotator: Any) -> bool:
        """Return whether an annotator, a number or an object with `id` and `email`, is the one to read."""
        names = [annotator.get("id"), annotator.get("email")] if isinstance(annotator, Mapping) else [annotator]
        return str(self.completed_by) in [str(n) for n in names if n is not None]

    def _tags(self, results: list[Any]) -> list[Tag]:
        tags: dict[str, list[Tag]] = {}
        attributes: dict[str, list[tuple[str, str]]] = {}
        for n, result in enumerate(results, 1):
            value = result.get("value") if isinstance(result, Mapping) else None
            if isinstance(result, Mapping) and result.get("type") == "relation":
                self.leave_out("relations")
                continue
            if not isinstance(value, Mapping):
                raise ReaderError(f"result {n}: expected an object with value")
            region = str(result.get("id") or f"result {n}")
            if "labels" in value:
                tags.setdefault(region, []).extend(_region(f"result {n}", value))
                continue
            key = next((k for k in _ATTRIBUTES if k in value), None)
            if key is not None:
                name = str(result.get("from_name", key))
                attributes.setdefault(region, []).extend((name, v) for v in _values(value[key]))
            else:
                raise ReaderError(f"result {n}: expected a region with labels in plain text (Labels and Text)")
        omitted = sum(len(values) for region, values in attributes.items() if region not in tags)
        if omitted:
            self.leave_out("values of whole documents", omitted)
        return [t._replace(attributes=tuple(attributes.get(region, ()))) for region, ts in tags.items() for t in ts]

    def _minimal_tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        """Return the regions of a JSON-MIN record, which has a list under the name of each control."""
        data = record["data"]
        fields = [
            name
            for name, value in data.items()
            if isinstance(value, list) and value and all(isinstance(v, Mapping) and "labels" in v for v in value)
        ]
        if not fields:
            return [] if "annotation_id" in data else None
        regions = [value for name in fields for value in data[name]]
        return [tag for n, value in enumerate(regions, 1) for tag in _region(f"region {n}", value)]

    def conversions(self, text: str) -> list[OffsetConversion]:
        units = Utf16(text)
        conversions: list[OffsetConversion] = [units.from_utf16]
        if "\r\n" in text:
            conversions.append(_crlf_as_one(text))
        if units:
            conversions.append(as_written)
        leading = len(text) - len(text.lstrip())
        return [*conversions, lambda offset: units.from_utf16(offset + leading)] if leading else conversions


def _region(name: str, value: Mapping[str, Any]) -> list[Tag]:
    """Return a tag for each label of a region."""
    covered = value.get("text")
    text = covered if isinstance(covered, str) else None
    return [
        tag_of(name, value.get("start"), value.get("end"), label, text=text)
        for label in list_of(value["labels"], "labels")
    ]


def _values(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return ["/".join(map(str, item)) if isinstance(item, list) else str(item) for item in items]


def _crlf_as_one(text: str) -> OffsetConversion:
    """Return the conversion from UTF-16 offsets that count CR LF as one character."""
    flat = text.replace("\r\n", "\n")
    units = Utf16(flat)
    crlf = [match.start() - n for n, match in enumerate(re.finditer("\r\n", text))]

    def convert(offset: int) -> int:
        point = units.from_utf16(offset)
        return point + bisect_left(crlf, point)

    return convert
