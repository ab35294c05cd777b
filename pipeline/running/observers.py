"""All observers of a run, notified together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from ..assembly.assemble import RunOptions
from ..contract.report import RunReport
from .observing import EventLog, Memory, Metrics, Pace
from .observing.progress import Progress as Display
from .runners.events import DocumentEvent, Observer, WorkerEvent
from .withheld_output import WithheldOutput

Progress = Callable[[RunReport, int | None], None]
"""Called after each document with the current report and the number of documents, if it is known."""


class ObserverGroup:
    """The observers named by the options, those given by the caller, and those that fill in the report."""

    def __init__(
        self, options: RunOptions, report: RunReport, progress: Progress | None, observers: Sequence[Observer]
    ) -> None:
        self.report = report
        self.memory = Memory()
        self.pace = Pace()
        self.all: list[Observer] = [self.memory]
        if options.events is not None:
            self.all.append(EventLog(options.events))
        if options.metrics is not None:
            self.all.append(Metrics(options.metrics, memory=self.memory))
        self.progress = progress
        if isinstance(progress, Observer):  # it receives all events
            self.all.append(progress)
            self.progress = None
        self.all += observers
        self.output = WithheldOutput(show=options.show_output)
        """Withholds what components print; observers may print."""
        self._began = time.monotonic()

    def started(self, total: int | None) -> None:
        self._began = time.monotonic()
        for observer in self.all:
            observer.started(self.report, total)

    def document(self, event: DocumentEvent, total: int | None) -> None:
        self.pace.add(time.monotonic() - self._began)
        with self.output.lifted() if self.progress is not None or any(map(_may_print, self.all)) else nullcontext():
            for observer in self.all:
                observer.document(event)
                observer.tick(self.report, total)
            if self.progress is not None:
                self.progress(self.report, total)

    def worker(self, event: WorkerEvent) -> None:
        with self.output.lifted():
            for observer in self.all:
                observer.worker(event)

    def complete_report(self) -> None:
        """Add the measurements of memory and pace to the report."""
        self.memory.look()
        self.report.resident = dict(self.memory.most)
        self.report.pace, self.report.pace_seconds = list(self.pace.counts), self.pace.seconds

    def end(self) -> None:
        for observer in self.all:
            observer.ended(self.report)


def _may_print(observer: Observer) -> bool:
    """Return whether an observer may print something after this document. Output is let through only then, which takes time."""
    if isinstance(observer, Display) and type(observer).tick is Display.tick:
        return observer.is_due or type(observer).document is not Observer.document
    return not isinstance(observer, Memory | EventLog | Metrics)
