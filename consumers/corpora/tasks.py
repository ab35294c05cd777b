"""Base class of consumers that write tasks for annotation tools to one JSON file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, ClassVar

from ...typesystem import Cas
from ..files.annotated import Annotated, CountedText, Overlaps, disjoint, warn_of_dropped
from ..files.content import Content
from ..files.lines import LineConsumer


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class TaskConsumer(CountedText, LineConsumer):
    """A consumer that writes a task for each document. A subclass defines `task`."""

    file: Path = Path("restricted/tasks.jsonl")
    overlaps: Overlaps = "error"
    """Overlapping spans: `error` (the document fails), `longest` keeps the longest, `keep` all, for projects that allow them."""

    writes_attributes: ClassVar[bool] = True
    """True if SpanAttributes are written too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        self._dropped = 0

    def close(self) -> None:
        """Give the file its name, and warn of what was left out."""
        warn_of_dropped(self, self._dropped)
        self._dropped = 0
        super().close()

    ending: ClassVar[bytes] = b"\n"
    """Written after each task."""

    def add_state(self, state: list[int]) -> None:
        self._dropped += state[0]

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        dropped = 0 if self.writes_attributes else sum(len(span.attributes) for span in spans)
        task, *more = self.task_with_state(cas, Annotated(text, disjoint(spans, self.overlaps)))
        line = json.dumps(task, ensure_ascii=False, separators=(",", ":")).encode()
        return Content(line + self.ending, state=[dropped, *more])

    def task_with_state(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        """Return the task of a document, and what `add_state` needs besides the number of attributes left out: plain JSON."""
        return (self.task(cas, annotated),)

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        """Return the task of a document."""
        raise TypeError(f"{type(self).__name__} must define task")
