"""Consumer that writes tasks for Label Studio, and the labelling configuration they need."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

from ...pipeline.contract.component import component
from ...pipeline.storage.files import write_atomic
from ...typesystem import Cas
from ...typesystem.utf16 import Utf16
from ..files.annotated import Annotated, Overlaps, Span
from .colours import colour
from .tasks import TaskConsumer

_CONTROL, _OBJECT = "label", "text"


@component("label_studio")
class LabelStudioConsumer(TaskConsumer):
    """Writes a JSON array of tasks for Label Studio's import, and beside it `labels.xml`, to be pasted as labelling
    configuration. The spans are predictions, which people correct, or annotations, which are there to be reviewed;
    SpanAttributes become per-region text. The document's id travels as `data.document_id`.

    Offsets are UTF-16 code units, as browsers count. Format: labelstud.io/guide/predictions, labelstud.io/guide/task_format.
    """

    file: Path = Path("restricted/label_studio/tasks.json")
    overlaps: Overlaps = "keep"
    """Overlapping spans: `error` (the document has failed), `longest` keeps the longest, `keep` all."""
    write: list[Literal["predictions", "annotations"]] = dataclasses.field(default_factory=lambda: ["predictions"])
    """What the spans become: predictions, annotations, or both."""
    model_version: str = "caspipe"
    """What predictions are called."""
    configuration: str = "labels.xml"
    """Name of the labelling configuration beside the tasks; empty for none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.write:
            raise ValueError("write: expected predictions, annotations or both, got none")
        if Path(self.configuration).name != self.configuration:
            raise ValueError("configuration: expected the name of a file, without a folder")

    def open(self) -> None:
        super().open()
        self._names: set[str] = set()

    def first(self) -> bytes:
        return b"[\n"

    separator = b",\n"
    ending = b""

    def counted(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        said = {attribute for span in annotated.spans for attribute, _ in span.said}
        return self.task(cas, annotated), sorted(map(_control, said))

    def noted(self, state: list[Any]) -> None:
        super().noted(state)
        self._names.update(state[1])

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        units = Utf16(annotated.text)
        results = [
            result
            for n, span in enumerate(annotated.spans, 1)
            for result in self._results(f"r{n}", span, annotated.text, units)
        ]
        made: dict[str, Any] = {"data": {"text": annotated.text, "document_id": self.document(cas)}}
        if "predictions" in self.write:
            scores = [span.confidence for span in annotated.spans]
            score = sum(scores) / len(scores) if scores else 0.0
            made["predictions"] = [{"model_version": self.model_version, "score": score, "result": results}]
        if "annotations" in self.write:
            made["annotations"] = [{"result": results, "was_cancelled": False, "ground_truth": False}]
        return made

    def _results(self, name: str, span: Span, text: str, units: Utf16) -> Iterator[dict[str, Any]]:
        """A region with its label, and what is said of it."""
        value: dict[str, Any] = {"start": units.to_utf16(span.begin), "end": units.to_utf16(span.end)}
        region = {"id": name, "to_name": _OBJECT, "score": span.confidence}
        covered = {"text": text[span.begin : span.end], "labels": [span.label]}
        yield region | {"from_name": _CONTROL, "type": "labels", "value": value | covered}
        for attribute in dict.fromkeys(a for a, _ in span.said):
            control = _control(attribute)
            said = {"text": [v for a, v in span.said if a == attribute]}
            yield region | {"from_name": control, "type": "textarea", "value": value | said}

    def close(self) -> None:
        """Ends the array and writes the configuration."""
        if self._slices is not None:
            self._slices.file.write(b"\n]\n")
            if self.configuration:
                path = (self.output / self.file).with_name(self.configuration)
                write_atomic(path, self._labels().encode(), private=self.holds_original_text())
        super().close()

    def _labels(self) -> str:
        lines = [
            f"    <Label value={quoteattr(label)} background={quoteattr(colour(label, self.scheme))}/>"
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
    """What the control for an attribute is called: no two controls have one name."""
    return f"{attribute}_" if attribute in (_CONTROL, _OBJECT) else attribute
