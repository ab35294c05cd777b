"""Consumer that writes tasks for Label Studio, and the labeling configuration they need."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

from ...pipeline.contract.component import component
from ...pipeline.storage.files import write_atomic
from ...typesystem import Cas
from ...typesystem.text import Utf16
from ..files.annotated import Annotated, Overlaps, Span
from ..files.released import encodable
from .colors import label_color
from .tasks import TaskConsumer

_CONTROL, _OBJECT = "label", "text"


@component("label_studio")
class LabelStudioConsumer(TaskConsumer):
    """Writes a JSON array of tasks for Label Studio's import, and `labels.xml` in the same folder, to be pasted as labeling
    configuration. The spans are predictions, for people to correct, or annotations, for people to review; SpanAttributes become
    per-region text. The document's id is in `data.document_id`.

    Offsets are UTF-16 code units, as browsers count. Format: labelstud.io/guide/predictions, labelstud.io/guide/task_format.
    """

    file: Path = Path("restricted/label_studio/tasks.json")
    overlaps: Overlaps = "keep"
    """Overlapping spans: `error` (the document fails), `longest` keeps the longest, `keep` all."""
    write: list[Literal["predictions", "annotations"]] = dataclasses.field(default_factory=lambda: ["predictions"])
    """Form of the spans: predictions, annotations, or both."""
    model_version: str = "caspipe"
    """Name of the predictions."""
    configuration: str = "labels.xml"
    """File name of the labeling configuration; empty for none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.write:
            raise ValueError("write: expected predictions, annotations or both, got none")
        if Path(self.configuration).name != self.configuration:
            raise ValueError("configuration: expected the name of a file, without a folder")

    def open(self) -> None:
        super().open()
        self._names: set[str] = set()

    def header(self) -> bytes:
        return b"[\n"

    separator = b",\n"
    ending = b""
    footer = b"\n]\n"

    def task_with_state(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        attributes = {name for span in annotated.spans for name, _ in span.attributes}
        return self.task(cas, annotated), sorted(map(_control, attributes))

    def add_state(self, state: list[Any]) -> None:
        super().add_state(state)
        self._names.update(state[1])

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        units = Utf16(annotated.text)
        results = [
            result
            for n, span in enumerate(annotated.spans, 1)
            for result in self._results(f"r{n}", span, annotated.text, units)
        ]
        task: dict[str, Any] = {"data": {"text": annotated.text, "document_id": encodable(cas.id, cas)}}
        if "predictions" in self.write:
            scores = [span.confidence for span in annotated.spans]
            score = sum(scores) / len(scores) if scores else 0.0
            task["predictions"] = [{"model_version": self.model_version, "score": score, "result": results}]
        if "annotations" in self.write:
            task["annotations"] = [{"result": results, "was_cancelled": False, "ground_truth": False}]
        return task

    def _results(self, name: str, span: Span, text: str, units: Utf16) -> Iterator[dict[str, Any]]:
        """Yield a region with its label, and its attributes."""
        value: dict[str, Any] = {"start": units.to_utf16(span.begin), "end": units.to_utf16(span.end)}
        region = {"id": name, "to_name": _OBJECT, "score": span.confidence}
        covered = {"text": text[span.begin : span.end], "labels": [span.label]}
        yield region | {"from_name": _CONTROL, "type": "labels", "value": value | covered}
        for attribute in dict.fromkeys(a for a, _ in span.attributes):
            control = _control(attribute)
            texts = {"text": [v for a, v in span.attributes if a == attribute]}
            yield region | {"from_name": control, "type": "textarea", "value": value | texts}

    def close(self) -> None:
        """Write the configuration and the end of the array."""
        if self._slices is not None and self.configuration:
            path = (self.output / self.file).with_name(self.configuration)
            write_atomic(path, self._labels().encode(), private=self.writes_original())
        super().close()

    def _labels(self) -> str:
        lines = [
            f"    <Label value={quoteattr(label)} background={quoteattr(label_color(label, self.scheme))}/>"
            for label in self.labels()
        ]
        return "\n".join(
            [
                "<View>",
                f'  <Labels name="{_CONTROL}" toName="{_OBJECT}" showInline="true">',
                *lines,
                "  </Labels>",
                *(
                    f'  <TextArea name={quoteattr(name)} toName="{_OBJECT}" perRegion="true"/>'
                    for name in sorted(self._names)
                ),
                f'  <Text name="{_OBJECT}" value="$text" granularity="symbol" saveTextResult="yes"/>',
                "</View>",
                "",
            ]
        )


def _control(attribute: str) -> str:
    """Return the name of the control for an attribute; no two controls have the same name."""
    return f"{attribute}_" if attribute in (_CONTROL, _OBJECT) else attribute
