"""The run: documents go out to be worked on, results come back in order, every document is accounted for."""

from __future__ import annotations

import contextlib
import gc
import json
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import count
from typing import TYPE_CHECKING, Any

from ...typesystem import Cas
from ..assembly.assemble import parted
from ..contract.component import CasConsumer, Output, Scope, TwoPhaseConsumer
from ..contract.report import ODD, Failure, Found, RunReport, now, versions
from ..errors import CaspipeError, ComponentError, ConsumerError, OutputError, ReaderError, guarded
from ..pipeline import Pipeline
from .ledger.account import Account
from .quarantine import Quarantine
from .runners.choosing import Runner, chosen
from .runners.events import DocumentEvent, Observer
from .runners.watching import Progress, Watch
from .runners.work import MOST_WARNINGS, Failed, Item, Noted, Result, blamed, discard, noting, read_again, rollback

if TYPE_CHECKING:
    from types import FrameType

SLOWEST = 10
"""Documents in the list of the slowest."""


class Stopped(CaspipeError):
    """The run ends here: by the error policy, or because nothing can be written any more."""


def run(pipeline: Pipeline, progress: Progress | None = None, observers: Sequence[Observer] = ()) -> RunReport:
    """Runs a pipeline over its reader's documents. Raises ReaderError where there is no reader.

    Ctrl-C finishes the documents that were begun and closes the consumers; a second one ends at once. What cannot be opened
    raises before the first document.
    """
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader: add `reader:` or call process()")
    report = RunReport(name=pipeline.name, started=now(), versions=versions(), config=pipeline.describe())
    report.shard = pipeline.options.shard
    watch = Watch(pipeline, report, progress, observers)
    try:
        _go(pipeline, report, watch)
    finally:
        watch.end()
    return report


def _go(pipeline: Pipeline, report: RunReport, watch: Watch) -> None:
    began = time.perf_counter()
    with noting() as noted, contextlib.ExitStack() as stack:
        noted.into = report.warnings
        loop = _Run(pipeline, report, noted, stack.enter_context(_polite_interrupt()), watch)
        loop.open(stack)
        try:
            loop.go()
        except (Stopped, OutputError) as error:
            report.stopped = str(error)
            loop.runner.kill()
        finally:
            report.attempts = loop.runner.attempts
        report.seconds = time.perf_counter() - began
        noted.into = report.warnings
    report.seconds = time.perf_counter() - began
    for what, n in sorted(report.odd.items()):
        report.warnings.append(f"{n:,} released document{'s' * (n != 1)} with {ODD[what]}")
    report.components = list(pipeline.stats.values())
    for stats in report.components:
        stats.settle()
    watch.settle()
    for consumer in pipeline.consumers:
        try:
            with guarded(f"consumers/{consumer.id}"):
                consumer.finish(report)
        except CaspipeError as error:
            if not report.stopped:
                raise
            report.warnings.append(str(error))  # the reason why the run stopped must not be lost


@contextlib.contextmanager
def _polite_interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second raises KeyboardInterrupt as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: FrameType | None) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()

    signal.signal(signal.SIGINT, handler)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


class _Ending:
    """Ends a consumer: closes it after a run that came to an end, aborts it after one that failed."""

    def __init__(self, consumer: CasConsumer, report: RunReport) -> None:
        self.consumer = consumer
        self.report = report

    def __exit__(self, kind: object, *_: object) -> None:
        incomplete = self.consumer.scope is Scope.COLLECTION and self.report.stopped not in ("", "limit")
        ended = kind is None and not incomplete
        with guarded(f"consumers/{self.consumer.id}"):
            if ended:
                self.consumer.close()
            else:
                self.consumer.abort()

    def __enter__(self) -> None: ...


class _Run:
    """State of one run."""

    def __init__(
        self,
        pipeline: Pipeline,
        report: RunReport,
        noted: Noted,
        interrupted: threading.Event,
        watch: Watch,
    ) -> None:
        assert pipeline.reader is not None
        self.pipeline = pipeline
        self.options = pipeline.options
        self.report = report
        self.noted = noted
        self.interrupted = interrupted
        self.watch = watch
        self.quarantine = Quarantine(pipeline.output)
        self.reader = pipeline.reader
        self.failed: list[tuple[str, Exception]] = []
        self.reader.failed = self.failed
        self.runner: Runner
        self.account: Account
        self.total: int | None = None
        self._ended = ""
        self._window: deque[bool] = deque(maxlen=self.options.error_window)
        self._failures = 0

    def open(self, stack: contextlib.ExitStack) -> None:
        """Opens everything; what was opened is closed again when the run ends, however it ends."""
        pipeline = self.pipeline
        together = [c.id for c in pipeline.consumers if self.options.shard and c.scope is Scope.COLLECTION]
        if together:
            raise ConsumerError(
                f"shard {self.options.shard}: {', '.join(together)} needs all documents: run it without --shard"
            )
        with guarded(f"reader/{self.reader.id}"):
            self.reader.open()
        stack.callback(self.reader.close)
        self.total = self._length()
        choice = chosen(pipeline, self.total)
        self.account = stack.enter_context(Account.of(pipeline, self.report, self.quarantine, self.total))
        if choice.opens:
            pipeline.open()
            stack.callback(pipeline.close)
        for consumer in pipeline.consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
            stack.push(_Ending(consumer, self.report))
        self.account.begin()
        gc.collect()
        gc.freeze()  # models and lexicons are never garbage: the collector need not walk them for every document
        stack.callback(gc.unfreeze)
        self.runner = choice.runner(self.noted, self.account.salt, self.watch.worker)
        self.report.workers = self.runner.workers
        stack.callback(self.runner.kill)
        self.watch.started(self.total)

    def _length(self) -> int | None:
        try:
            total = len(self.reader)
        except TypeError:
            return None
        total = min(total, self.options.limit) if self.options.limit is not None else total
        part, parts = parted(self.options.shard) if self.options.shard else (1, 1)
        return (total - part) // parts + 1  # of a shard: its own

    def go(self) -> None:
        """All documents."""
        for result in self.runner.results(self._items()):
            self.noted.into = self.report.warnings
            self._commit(result)
        self.report.stopped = self._ended
        if not self._ended:
            self.account.complete()
        self.runner.close()

    # -- out -------------------------------------------------------------------------------------------------------

    def _items(self) -> Iterator[Item]:
        """Everything there is to be done, in reading order, with numbers; a shard's part of it."""
        part, parts = parted(self.options.shard) if self.options.shard else (1, 1)
        with guarded(f"reader/{self.reader.id}"):
            handles = self.reader.handles()
        numbers = count(1)
        found = self._read(numbers) if handles is None else self._named(handles, numbers)
        for item in found:
            if self.options.shard:
                self.account.named(item.id)
            if item.number % parts == part % parts:
                yield item

    def _go_on(self, number: int) -> bool:
        if self.interrupted.is_set():
            self._ended = "interrupted"
        elif self.options.limit is not None and number > self.options.limit:
            self._ended = "limit"
        return not self._ended

    def _named(self, handles: Iterator[Any], numbers: Iterator[int]) -> Iterator[Item]:
        for number in numbers:
            if not self._go_on(number):
                return
            try:
                handle = next(handles, None)
            except Exception as error:
                self._ended = str(ComponentError(f"reader/{self.reader.id}", error))
                return
            if handle is None:
                return
            yield Item(number, handle.id, handle=handle.data, expected=self.account.expected(number, handle.id))

    def _read(self, numbers: Iterator[int]) -> Iterator[Item]:
        """Documents as the reader gives them. One that breaks down ends the run; what was released until then stays."""
        documents = iter(self.reader)
        number = next(numbers)
        while self._go_on(number):
            self.noted.into = self.report.warnings
            try:
                cas = next(documents, None)
            except Exception as error:
                self._ended = str(ComponentError(f"reader/{self.reader.id}", error))
                cas = None
            while self.failed:
                document, error_ = self.failed.pop(0)
                yield Item(number, document, fault=error_)
                number = next(numbers)
                if self.options.limit is not None and number > self.options.limit:
                    self._ended = self._ended or "limit"
                    return
            if cas is None:
                return
            expected = self.account.expected(number, cas.id)
            if self.runner.travels:
                yield Item(number, cas.id, packed=pickle.dumps(cas, protocol=5), expected=expected)
            else:
                yield Item(number, cas.id, cas=cas, expected=expected)
            number = next(numbers)

    # -- back ------------------------------------------------------------------------------------------------------

    def _commit(self, result: Result) -> None:
        """A document comes to its end."""
        reused = False
        if result.unchanged:
            reused = self.account.take_over(result)
            if not reused:
                result = self.runner.redo(result.number)
        for text in result.warnings:
            if text not in self.report.warnings and len(self.report.warnings) < MOST_WARNINGS:
                self.report.warnings.append(text)
        if result.failed is None and not reused:
            self._write(result)
        if result.failed is not None and result.failed.fatal:
            raise Stopped(f"{result.failed.message}; the run can be resumed")
        self.report.documents.read += 1
        slowest = self.report.slowest
        if len(slowest) < SLOWEST or result.seconds > slowest[-1][0]:
            self.report.slowest = nlargest(SLOWEST, [*slowest, (result.seconds, result.number)])
        self.report.reused += reused
        if result.failed is None:
            status = "released"
            self.report.add(result.found or Found())
        else:
            status = self._fail(result, result.failed, reused)
        self._tell(result, status, reused)
        if result.failed is not None:
            self._stop_if_too_many(result.number, result.failed)
        self._window.append(result.failed is not None)

    def _write(self, result: Result) -> None:
        """Hands a document to the consumers: all of them, or none."""
        outputs: list[Output] = []
        memo: dict[str, Any] = {}
        done: list[CasConsumer] = []
        cas: Cas | None = None
        self.account.anew(result)
        try:
            for consumer, prepared in zip(self.pipeline.consumers, result.prepared, strict=True):
                done.append(consumer)
                with _blamed(consumer):
                    if isinstance(consumer, TwoPhaseConsumer):
                        memo[consumer.id] = kept = consumer.resume_state(prepared)
                        if kept is not None:
                            json.dumps(kept)  # else the ledger could not be written
                        outputs += consumer.commit(result.id, prepared)
                    else:
                        cas = cas or result.document()
                        assert cas is not None
                        started = time.perf_counter()
                        consumer.process(cas)
                        self.pipeline._stats_of(consumer).add(time.perf_counter() - started)
        except ComponentError as error:
            self.pipeline._stats_of(done[-1]).errors += 1
            rollback(done, result.id)
            discard(self.pipeline, result)
            result.failed = Failed.of(error)
            result.text, _ = read_again(self.pipeline, self.runner.last)
            return
        self.account.written(result, outputs, memo)

    def _fail(self, result: Result, failed: Failed, reused: bool) -> str:
        status = "skipped" if self.options.on_error == "skip" else "quarantined"
        failure = Failure(result.number, result.id, failed.component, failed.cause, failed.message, failed.reason)
        if not reused:
            if status == "quarantined":
                self.quarantine.keep(failure, result.text)
            self.account.failed(result, status)
        self.report.failed(failure, status)
        return status

    def _stop_if_too_many(self, number: int, failed: Failed) -> None:
        options, documents = self.options, self.report.documents
        if options.on_error == "stop":
            raise Stopped(
                f"document {number} failed in {failed.component} ({failed.cause}) and on_error is stop",
            )
        failures = documents.quarantined + documents.skipped
        if options.max_errors is not None and failures > options.max_errors:
            raise Stopped(f"{failures} documents failed: more than max_errors {options.max_errors}")
        if options.error_window is not None:
            lately = sum(self._window) - (self._window[0] if len(self._window) == options.error_window else 0) + 1
            seen = min(documents.read, options.error_window)
            where = f"the last {seen}"
        else:
            lately, seen, where = failures, documents.read, f"{documents.read}"
        if documents.read >= 20 and seen and lately / seen > options.max_error_rate:
            limit = f"max_error_rate {options.max_error_rate:g}"
            raise Stopped(f"{lately} of {where} documents failed: more than {limit}")

    # -- telling ---------------------------------------------------------------------------------------------------

    def _tell(self, result: Result, status: str, reused: bool) -> None:
        failed = result.failed
        event = DocumentEvent(
            result.number,
            status,
            failed.reason if failed is not None else "",
            failed.component if failed is not None else "",
            result.seconds,
            result.attempts,
            result.worker,
            result.found.characters if result.found is not None else 0,
            reused,
        )
        self.watch.document(event, self.total)


@contextlib.contextmanager
def _blamed(consumer: CasConsumer) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise blamed(consumer, error) from None
