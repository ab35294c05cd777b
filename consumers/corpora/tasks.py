"""What consumers share that write tasks for annotation tools, all into one file of JSON."""

from __future__ import annotations

import dataclasses
import json
import warnings
from pathlib import Path
from typing import Any, ClassVar, Literal

from ...pipeline.storage.file_names import pseudonym
from ...pipeline.storage.secrets import Secret
from ...typesystem import Cas, CaspipeWarning
from ..files.annotated import Annotated, AnnotatedOptions, Overlaps, disjoint, without_returns
from ..files.content import Content
from ..files.lines import LineConsumer
from ..files.released import encodable


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class TaskConsumer(AnnotatedOptions, LineConsumer):
    """A consumer that writes a task for each document."""

    file: Path = Path("restricted/tasks.jsonl")
    overlaps: Overlaps = "error"
    """Overlapping spans: `error` (the document has failed), `longest` keeps the longest, `keep` all, for projects that allow
    them."""
    carriage_returns: Literal["keep", "blank"] = "keep"
    """Carriage returns, which some tools count otherwise than they stand there: as they are, or a blank for each, so that no
    offset can shift."""
    names: Literal["id", "pseudonym"] = "id"
    """Whether `document_id` is the document's id or a keyed pseudonym of it."""
    key: Secret | str = ""
    """Secret for `names: pseudonym`."""

    bears_attributes: ClassVar[bool] = True
    """Whether what is said of spans (SpanAttribute) is written too."""
    miscounts: ClassVar[str] = ""
    """The tool, where it is known to count offsets wrong behind carriage returns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        self.key = Secret.of(self.key)
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")
        self._unsaid = 0

    def close(self) -> None:
        """Gives the file its name, and warns of what it could not take."""
        if self._unsaid:
            told = f"{self.id}: {self._unsaid} attributes of spans were left out: the format has no place for them"
            warnings.warn(told, CaspipeWarning, stacklevel=2)
            self._unsaid = 0
        super().close()

    def holds_original_text(self) -> bool:
        return self.original

    ending: ClassVar[bytes] = b"\n"
    """What stands behind each task."""

    def noted(self, state: list[int]) -> None:
        self._unsaid += state[0]

    def content(self, cas: Cas) -> Content:
        settled = self.settled(cas)
        unsaid = 0 if self.bears_attributes else sum(len(span.said) for span in self.annotated(cas)[1])
        task, *more = self.counted(cas, settled)
        return Content(as_json(task) + self.ending, state=[unsaid, *more])

    def counted(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        """The task of a document, and what `noted` is to know of it behind the attributes left out: plain JSON."""
        return (self.task(cas, annotated),)

    def settled(self, cas: Cas) -> Annotated:
        """The text and the spans, as the parameters want them. Raises CasError."""
        text, spans = self.annotated(cas)
        if "\r" in text:
            if self.carriage_returns == "blank":
                text = without_returns(text)
            elif self.miscounts:
                warnings.warn(
                    f"{self.id}: texts hold carriage returns, which {self.miscounts} counts otherwise; "
                    "`carriage_returns: blank` keeps spans in their places",
                    CaspipeWarning,
                    stacklevel=2,
                )
        return Annotated(text, disjoint(spans, self.overlaps))

    def document(self, cas: Cas) -> str:
        """What a document is called in its task."""
        return pseudonym(cas.id, self.key) if self.names == "pseudonym" else encodable(cas.id, cas)

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        """The task of a document."""
        raise TypeError(f"{type(self).__name__} must define task")


def as_json(task: dict[str, Any]) -> bytes:
    """A task as one line, without the line end."""
    return json.dumps(task, ensure_ascii=False, separators=(",", ":")).encode()
