"""Everybody who watches a run, as one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...contract.report import RunReport
from ..observing import EventLog, Memory, Metrics, Pace
from .events import DocumentEvent, Observer, WorkerEvent

if TYPE_CHECKING:
    from ...pipeline import Pipeline

Progress = Callable[[RunReport, int | None], None]
"""Called after each document with the report so far and the number of documents, where that is known."""


class Watch:
    """All that watch a run: those that its options name, those that were given, and the report's own figures."""

    def __init__(
        self, pipeline: Pipeline, report: RunReport, progress: Progress | None, given: Sequence[Observer]
    ) -> None:
        options = pipeline.options
        self.report = report
        self.memory = Memory()
        self.pace = Pace()
        self.all: list[Observer] = [self.memory]
        if options.events is not None:
            self.all.append(EventLog(options.events))
        if options.metrics is not None:
            self.all.append(Metrics(options.metrics, memory=self.memory))
        self.progress = progress
        if isinstance(progress, Observer):  # it learns of workers, too
            self.all.append(progress)
            self.progress = None
        self.all += given
        self._began = time.monotonic()

    def started(self, total: int | None) -> None:
        self._began = time.monotonic()
        for observer in self.all:
            observer.started(self.report, total)

    def document(self, event: DocumentEvent, total: int | None) -> None:
        self.pace.add(time.monotonic() - self._began)
        for observer in self.all:
            observer.document(event)
            observer.tick(self.report, total)
        if self.progress is not None:
            self.progress(self.report, total)

    def worker(self, event: WorkerEvent) -> None:
        for observer in self.all:
            observer.worker(event)

    def settle(self) -> None:
        """Gives the report its figures of memory and pace."""
        self.memory.look()
        self.report.resident = dict(self.memory.most)
        self.report.pace, self.report.pace_seconds = list(self.pace.counts), self.pace.seconds

    def end(self) -> None:
        for observer in self.all:
            observer.ended(self.report)
