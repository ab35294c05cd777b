"""What happens during a run, for whoever watches it. Numbers only: a document's id can identify a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...contract.report import RunReport


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """A document came to its end."""

    number: int
    """In reading order, from 1."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    """Why it was not released: `error`, `time`, `memory`, `crash`, `leak` ...; empty where it was."""
    component: str = ""
    """Which component it failed in."""
    seconds: float = 0.0
    """Work on it, reading and writing included."""
    attempts: int = 1
    """How often it was tried."""
    worker: int = 0
    """Worker that did it, from 1; 0 is the run's own process."""
    characters: int = 0
    """Code points of its text."""
    reused: bool = False
    """Whether its outputs of an earlier run were still good."""


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
    """Bytes of memory it held."""
    documents: int = 0
    """Documents it had done."""


class Observer:
    """Watches a run. Methods are called in the run's own process and must be quick; by default they do nothing."""

    def started(self, report: RunReport, total: int | None) -> None:
        """Before the first document; `total`: how many there are, where that is known."""

    def document(self, event: DocumentEvent) -> None:
        """After each document."""

    def worker(self, event: WorkerEvent) -> None:
        """When a worker starts or ends."""

    def tick(self, report: RunReport, total: int | None) -> None:
        """After each document, with the report so far."""

    def ended(self, report: RunReport) -> None:
        """When the run has ended, however it ended."""
