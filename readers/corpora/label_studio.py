"""Reader of what Label Studio exports for spans in texts: JSON, JSON-MIN, and tasks as JSON Lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ...typesystem.utf16 import Utf16
from .standoff import Tag, as_written
from .tasks import TaskReader, list_of, tag_of

_SAID = ("choices", "text", "number", "rating", "taxonomy")
"""Where per-region controls keep their values."""


@component("label_studio", outputs=[KnownPhi])
class LabelStudioReader(TaskReader):
    """Reads Label Studio's exports (JSON, JSON-MIN) and tasks as JSON Lines. The labelled regions go to the view `gold`, what
    per-region controls (`Choices`, `TextArea`, `Number`, `Rating`) say of them becomes SpanAttributes.

    Offsets are UTF-16 code units, as browsers count; files whose offsets count code points, CR LF as one, or from behind
    leading blanks, are noticed by the texts that the regions name. Annotations that were cancelled are left out, relations
    and what is said of whole documents is counted in a warning.
    Format: labelstud.io/guide/task_format, labelstud.io/guide/export.
    """

    pattern: str = "*.json*"
    text_field: str | list[str] = "data.text"
    """Field that holds the text: the one that `value="$..."` names in the labelling configuration, behind `data.`."""
    take: Literal["annotations", "predictions"] = "annotations"
    """What people annotated, or what a model proposed."""
    completed_by: int | str | None = None
    """Whose annotations are taken, by number or e-mail address; null: anybody's. A task without one of this annotator has no
    reference annotations."""
    model_version: str = ""
    """Whose predictions are taken, for `take: predictions`; empty: any."""
    several: Literal["error", "first", "last"] = "error"
    """Where a task has more than one annotation or prediction to take: `error` (the document has failed), `first` or `last`."""

    suffixes = (".json", ".jsonl", ".ndjson")
    arrays = True
    id_fields = ("data.document_id", "id")

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        yield from super().documents(record if "data" in record else {"data": record, **record}, number, place, seen)

    def skipped(self, record: Mapping[str, Any]) -> str:
        found = [a for a in list_or_none(record.get(self.take)) if isinstance(a, Mapping)]
        if found and all(a.get("was_cancelled") is True for a in found):
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
        """The one annotation or prediction of a task that is to be read."""
        found = list_of(record.get(self.take), self.take)
        if not all(isinstance(a, Mapping) for a in found):
            raise ReaderError(f"field {self.take}: expected a list of objects")
        found = [a for a in found if a.get("was_cancelled") is not True]
        if self.take == "predictions":
            found = [a for a in found if self.model_version in ("", a.get("model_version"))]
        else:
            found = [a for a in found if self.completed_by is None or self._is_wanted(a.get("completed_by"))]
        if len(found) > 1 and self.several == "error":
            chosen = "completed_by" if self.take == "annotations" else "model_version"
            raise ReaderError(
                f"expected one of {self.take}, found {len(found)}; `{chosen}` or `several` can say which to take"
            )
        return found[-1 if self.several == "last" else 0] if found else None

    def _is_wanted(self, annotator: Any) -> bool:
        """Whether an annotator, a number or an object with `id` and `email`, is the one to take."""
        names = [annotator.get("id"), annotator.get("email")] if isinstance(annotator, Mapping) else [annotator]
        return str(self.completed_by) in [str(n) for n in names if n is not None]

    def _tags(self, results: list[Any]) -> list[Tag]:
        tags: dict[str, list[Tag]] = {}
        said: dict[str, list[tuple[str, str]]] = {}
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
            key = next((k for k in _SAID if k in value), None)
            if key is not None:
                said.setdefault(region, []).extend((str(result.get("from_name", key)), v) for v in _values(value[key]))
            else:
                raise ReaderError(f"result {n}: expected a region with labels in plain text (Labels and Text)")
        self._leave_out_unsaid(tags, said)
        return [t._replace(said=tuple(said.get(region, ()))) for region, ts in tags.items() for t in ts]

    def _leave_out_unsaid(self, tags: dict[str, list[Tag]], said: dict[str, list[tuple[str, str]]]) -> None:
        lost = sum(len(values) for region, values in said.items() if region not in tags)
        if lost:
            self.leave_out("values of whole documents", lost)

    def _minimal_tags(self, record: Mapping[str, Any]) -> list[Tag] | None:
        """The regions of a JSON-MIN record: a list of them under the name of each control."""
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

    def counts(self, text: str) -> list[Callable[[int], int]]:
        units = Utf16(text)
        ways: list[Callable[[int], int]] = [units.from_utf16]
        if "\r\n" in text:
            ways.append(_crlf_as_one(text))
        if units:
            ways.append(as_written)
        blanks = len(text) - len(text.lstrip())
        return [*ways, lambda offset: units.from_utf16(offset + blanks)] if blanks else ways


def list_or_none(value: Any) -> list[Any]:
    """A list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []


def _region(name: str, value: Mapping[str, Any]) -> list[Tag]:
    """A tag for each label of a region."""
    covered = value.get("text")
    text = covered if isinstance(covered, str) else None
    return [
        tag_of(name, value.get("start"), value.get("end"), label, text=text)
        for label in list_of(value["labels"], "labels")
    ]


def _values(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return ["/".join(map(str, item)) if isinstance(item, list) else str(item) for item in items]


def _crlf_as_one(text: str) -> Callable[[int], int]:
    flat = text.replace("\r\n", "\n")
    units = Utf16(flat)
    doubled: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        doubled.append(at - len(doubled))
        at = text.find("\r\n", at + 2)

    def place(offset: int) -> int:
        point = units.from_utf16(offset)
        return point + bisect_left(doubled, point)

    return place
