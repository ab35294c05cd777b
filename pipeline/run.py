"""The run loop: one document after the other, memory flat, every document accounted for."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from heapq import nlargest
from typing import Any

from ..typesystem import Cas, Phi
from ..typesystem.errors import told
from .component import CasConsumer, CollectionReader
from .errors import CaspipeError, ComponentError, ReaderError, guarded
from .pipeline import Pipeline
from .quarantine import Quarantine
from .report import Failure, RunReport, now, versions

Progress = Callable[[RunReport, int | None], None]
"""Called after each document with the report so far and the number of documents, where that is known."""

WARNINGS_KEPT = 1_000
"""Different warnings kept in the report."""

FAILURES_SHOWN = 10_000
"""Failures kept one by one in the report; beyond that they are only counted, so that memory stays flat."""


SLOWEST = 10
"""Documents in the list of the slowest."""


class Stopped(CaspipeError):
    """The run ends here: by the error policy or the maximum error rate."""


def run(pipeline: Pipeline, progress: Progress | None = None) -> RunReport:
    """Runs a pipeline over its reader's documents. Raises ReaderError where there is no reader.

    Ctrl-C finishes the current document and closes the consumers; a second one ends at once. What cannot be opened
    raises before the first document.
    """
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader: add `reader:` or call process()")
    report = RunReport(name=pipeline.name, started=now(), versions=versions(), config=pipeline.describe())
    began = time.perf_counter()
    with _noted_warnings(report), contextlib.ExitStack() as stack:
        loop = _Loop(pipeline, report, stack.enter_context(_polite_interrupt()))
        loop.open(stack)
        try:
            loop.go(progress)
        except Stopped as error:
            report.stopped = str(error)
    report.seconds = time.perf_counter() - began
    report.components = list(pipeline.stats.values())
    for stats in report.components:
        stats.settle()
    for consumer in pipeline.consumers:
        finish = getattr(consumer, "finish", None)
        if finish is not None:
            with guarded(f"consumers/{consumer.id}"):
                finish(report)
    return report


@contextlib.contextmanager
def _noted_warnings(report: RunReport) -> Iterator[None]:
    """Warnings go into the report, each once; of foreign ones only class and line, since they may quote a document."""

    def note(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        text = told(message, category, filename, lineno)
        if text not in report.warnings and len(report.warnings) < WARNINGS_KEPT:
            report.warnings.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = note
        yield


@contextlib.contextmanager
def _polite_interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second raises KeyboardInterrupt as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: Any) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()

    signal.signal(signal.SIGINT, handler)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


class _Ending:
    """Ends a consumer: closes it after a run that came to an end, abandons it after one that broke down."""

    def __init__(self, consumer: CasConsumer, report: RunReport) -> None:
        self.consumer = consumer
        self.report = report

    def __exit__(self, kind: object, *_: object) -> None:
        ended = kind is None and not (self.consumer.whole and self.report.stopped not in ("", "limit"))
        with guarded(f"consumers/{self.consumer.id}"):
            if ended:
                self.consumer.close()
            else:
                self.consumer.abandon()

    def __enter__(self) -> None: ...


class _Loop:
    """State of one run."""

    def __init__(self, pipeline: Pipeline, report: RunReport, interrupted: threading.Event) -> None:
        self.pipeline = pipeline
        self.report = report
        self.interrupted = interrupted
        self.quarantine = Quarantine(pipeline.options.output)
        assert pipeline.reader is not None
        self.reader: CollectionReader = pipeline.reader
        self.failed: list[tuple[str, Exception]] = []

    def open(self, stack: contextlib.ExitStack) -> None:
        """Opens everything; what was opened is closed again when the run ends, however it ends."""
        self.reader.failed = self.failed
        with guarded(f"reader/{self.reader.id}"):
            self.reader.open()
        stack.callback(self.reader.close)
        self.pipeline.open()
        stack.callback(self.pipeline.close)
        for consumer in self.pipeline.consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
            stack.push(_Ending(consumer, self.report))
        gc.collect()
        gc.freeze()  # models and lexicons are never garbage: the collector need not walk them for every document
        stack.callback(gc.unfreeze)

    def go(self, progress: Progress | None) -> None:
        report, limit = self.report, self.pipeline.options.limit
        total: int | None
        try:
            total = len(self.reader)
        except TypeError:
            total = None
        total = min(total, limit) if total is not None and limit is not None else total
        documents = iter(self.reader)
        while True:
            if self.interrupted.is_set():
                report.stopped = "interrupted"
                return
            if limit is not None and report.documents.read >= limit:
                report.stopped = "limit"
                return
            cas = self._next(documents)
            self._drain()
            if cas is None:
                return
            self._one(cas)
            if progress is not None:
                progress(report, total)

    def _next(self, documents: Iterator[Cas]) -> Cas | None:
        """The next document. A reader that breaks down ends the run; what was released until then stays."""
        try:
            return next(documents, None)
        except Exception as error:
            raise Stopped(str(ComponentError(f"reader/{self.reader.id}", error))) from None

    def _drain(self) -> None:
        """Documents the reader could not read: they were there, so they count, and they are kept aside."""
        while self.failed:
            document, error = self.failed.pop(0)
            self.report.documents.read += 1
            wrapped = error if isinstance(error, ComponentError) else ComponentError(f"reader/{self.reader.id}", error)
            self._fail(document, wrapped, None)

    def _one(self, cas: Cas) -> None:
        report = self.report
        report.documents.read += 1
        done: list[CasConsumer] = []
        started = time.perf_counter()
        try:
            self.pipeline.process(cas)
            for consumer in self.pipeline.consumers:
                self._consume(consumer, cas)
                done.append(consumer)
        except ComponentError as error:
            for consumer in reversed(done):  # what was written of this document is taken back: no half releases
                consumer.retract(cas)
            self._fail(cas.id, error, cas)
            return
        finally:
            report.slowest = nlargest(
                SLOWEST, [*report.slowest, (time.perf_counter() - started, report.documents.read)]
            )
        report.documents.released += 1
        view = cas.views[0] if cas.views else None
        if view is not None:
            report.characters += len(view.text)
            for phi in view.select(Phi):
                report.kinds[phi.kind.name] = report.kinds.get(phi.kind.name, 0) + 1
                by = report.sources.setdefault(phi.source or "(none)", {})
                by[phi.kind.name] = by.get(phi.kind.name, 0) + 1

    def _consume(self, consumer: CasConsumer, cas: Cas) -> None:
        stats = self.pipeline._stats_of(consumer)
        started = time.perf_counter()
        try:
            consumer.process(cas)
        except Exception as error:
            stats.errors += 1
            consumer.retract(cas)
            raise ComponentError(f"consumers/{consumer.id}", error) from None
        stats.add(time.perf_counter() - started)

    def _fail(self, document: str, error: ComponentError, cas: Cas | None) -> None:
        report, options = self.report, self.pipeline.options
        number = report.documents.read
        failure = Failure(number, document, error.component, error.cause, str(error))
        if len(report.failures) < FAILURES_SHOWN:
            report.failures.append(failure)
        if options.on_error == "skip":
            report.documents.skipped += 1
        else:
            report.documents.quarantined += 1
            self.quarantine.keep(failure, cas)
        if options.on_error == "stop":
            raise Stopped(f"document {number} failed in {error.component} ({error.cause}) and on_error is stop")
        failed = report.documents.quarantined + report.documents.skipped
        if number >= 20 and failed / number > options.max_error_rate:
            raise Stopped(f"{failed} of {number} documents failed: more than max_error_rate {options.max_error_rate:g}")
