"""Events of a run for its observers. They contain only numbers, because the id of a document can identify a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...contract.report import RunReport


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """A document was processed."""

    number: int
    """In reading order, from 1."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    """Why it was not released: `error`, `time`, `memory`, `crash`, `leak` ...; empty if it was."""
    component: str = ""
    """The component that failed."""
    seconds: float = 0.0
    """Processing time, including reading and writing."""
    attempts: int = 1
    """Number of attempts."""
    worker: int = 0
    """Number of the worker, from 1; 0 is the process of the run."""
    characters: int = 0
    """Length of its text in code points."""
    reused: bool = False
    """True if its outputs of an earlier run were still good."""


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """A worker process started or ended."""

    worker: int
    pid: int
    what: str
    """started, ended (by itself), killed (by the run), crashed."""
    reason: str = ""
    """time, memory, or the signal."""
    resident: int = 0
    """Resident memory in bytes."""
    documents: int = 0
    """Documents that it processed."""


class Observer:
    """Observes a run. Methods are called in the process of the run and must be fast. By default, they do nothing."""

    def started(self, report: RunReport, total: int | None) -> None:
        """Called before the first document. `total`: number of documents, if it is known."""

    def document(self, event: DocumentEvent) -> None:
        """Called after each document."""

    def worker(self, event: WorkerEvent) -> None:
        """Called when a worker starts or ends."""

    def tick(self, report: RunReport, total: int | None) -> None:
        """Called after each document with the current report."""

    def ended(self, report: RunReport) -> None:
        """Called at the end of the run, also if it failed."""
