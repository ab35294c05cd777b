"""The run: send documents to the runner, commit the results in order, and account for every document."""

from __future__ import annotations

import contextlib
import gc
import json
import pickle
import time
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import count
from typing import Any

from ...typesystem import Cas
from ..assembly.assemble import RunOptions, parted
from ..assembly.assembly import Assembly
from ..assembly.originals import refuse_misplaced, refuse_options
from ..contract.component import CasConsumer, CollectionReader, Scope, TwoPhaseConsumer
from ..contract.output import Output
from ..contract.report import ODD, Failure, Found, RunReport, now, versions
from ..errors import CaspipeError, ComponentError, ConsumerError, OutputError, ReaderError, guarded
from ..storage.own_kinds import write_kinds
from .interruption import Interruption, graceful_interrupt
from .ledger.session import Session, open_session
from .observers import ObserverGroup, Progress
from .quarantine import Quarantine
from .release_manifest import write_manifest
from .released_names import NameMap, ReleasedNames
from .reviewed_release import refuse_reviewed
from .runners.backlog import refuse_duplicates
from .runners.events import DocumentEvent, Observer
from .runners.runner import Runner
from .runners.selection import select_runner
from .runners.work import (
    MOST_WARNINGS,
    Failed,
    Item,
    Result,
    WarningCollector,
    collect_warnings,
    consumer_error,
    discard,
    read_again,
    rollback,
)
from .withheld_output import told

SLOWEST = 10
"""Documents in the list of the slowest."""


class Stopped(CaspipeError):
    """The run must stop: because of the error policy, or because nothing can be written any more."""


def run(assembly: Assembly, progress: Progress | None = None, observers: Sequence[Observer] = ()) -> RunReport:
    """Run a pipeline over the documents of its reader. Raises ReaderError if it does not have a reader.

    Ctrl-C, SIGTERM and SIGHUP finish the documents in progress and close the consumers; a second one ends the run immediately.
    Errors on opening components are raised before the first document.
    """
    if assembly.reader is None:
        why = (assembly.config and assembly.config.no_reader) or "add `reader:` or call process()"
        raise ReaderError(f"pipeline {assembly.name} has no reader: {why}")
    refuse_misplaced(assembly.consumers, assembly.options.output, assembly.options.shard)
    refuse_options(assembly.options.output, assembly.options.ledger)
    refuse_reviewed(assembly)
    report = RunReport(name=assembly.name, started=now(), versions=versions(), config=assembly.describe())
    report.shard = assembly.options.shard
    group = ObserverGroup(assembly.options, report, progress, observers)
    try:
        _run(assembly, report, group)
    finally:
        group.output.end()
        group.end()
    return report


def _run(assembly: Assembly, report: RunReport, observers: ObserverGroup) -> None:
    began = time.perf_counter()
    with collect_warnings() as collected, contextlib.ExitStack() as stack:
        collected.target = report.warnings
        loop = _Run(assembly, report, collected, stack.enter_context(graceful_interrupt()), observers)
        loop.open(stack)
        try:
            loop.process_all()
        except (Stopped, OutputError) as error:
            report.stopped = str(error)
            loop.runner.kill()
        report.seconds = time.perf_counter() - began
        collected.target = report.warnings
    report.seconds = time.perf_counter() - began
    if loop.name_map.warning:
        report.warnings.append(loop.name_map.warning)
    report.withheld += observers.output.take()
    if report.withheld:
        report.warnings.append(told(report.withheld))
    for what, n in sorted(report.odd.items()):
        report.warnings.append(f"{n:,} released document{'s' * (n != 1)} with {ODD[what]}")
    report.components = list(assembly.stats.values())
    for stats in report.components:
        stats.settle()
    observers.complete_report()
    for consumer in assembly.consumers:
        try:
            with guarded(f"consumers/{consumer.id}"):
                consumer.finish(report)
        except CaspipeError as error:
            if not report.stopped:
                raise
            report.warnings.append(str(error))  # the reason why the run stopped must not be lost
    write_manifest(assembly, report)


class _Ending:
    """Closes a consumer after a complete run, and aborts it after one that failed."""

    def __init__(self, consumer: CasConsumer, report: RunReport) -> None:
        self.consumer = consumer
        self.report = report

    def __exit__(self, kind: object, *_: object) -> None:
        incomplete = self.consumer.scope is Scope.COLLECTION and self.report.stopped not in ("", "limit")
        with guarded(f"consumers/{self.consumer.id}"):
            if kind is None and not incomplete:
                self.consumer.close()
            else:
                self.consumer.abort()

    def __enter__(self) -> None: ...


class _Run:
    """State of one run."""

    def __init__(
        self,
        assembly: Assembly,
        report: RunReport,
        warnings: WarningCollector,
        interrupted: Interruption,
        observers: ObserverGroup,
    ) -> None:
        assert assembly.reader is not None
        self.assembly = assembly
        self.options = assembly.options
        self.report = report
        self.warnings = warnings
        self.interrupted = interrupted
        self.observers = observers
        self.quarantine = Quarantine(assembly.output)
        self.names = ReleasedNames.of(assembly.options)
        self.name_map: NameMap
        self.reader = assembly.reader
        self.reader.failed = []
        self.runner: Runner
        self.session: Session
        self.total: int | None = None
        self._ended = ""
        self._window: deque[bool] = deque(maxlen=self.options.error_window)

    def open(self, stack: contextlib.ExitStack) -> None:
        """Open everything, and register it to be closed at the end of the run."""
        assembly = self.assembly
        collection = [c.id for c in assembly.consumers if self.options.shard and c.scope is Scope.COLLECTION]
        if collection:
            raise ConsumerError(
                f"shard {self.options.shard}: {', '.join(collection)} needs all documents: run it without --shard"
            )
        with guarded(f"reader/{self.reader.id}"):
            self.reader.open()
        stack.callback(self.reader.close)
        self.total = _length(self.reader, self.options)
        selection = select_runner(assembly, self.total)
        self.session = stack.enter_context(open_session(assembly, self.report, self.quarantine, self.total))
        if selection.opens_engines:
            assembly.open()
            stack.callback(assembly.close)
        for consumer in assembly.consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
            stack.push(_Ending(consumer, self.report))
        self.name_map = stack.enter_context(NameMap(assembly, self.names))
        self.session.begin()
        write_kinds(assembly.own_kinds, assembly.output / "restricted")
        gc.collect()
        gc.freeze()  # models and lexicons are never garbage: exclude them from garbage collection
        stack.callback(gc.unfreeze)
        self.runner = selection.create(self.warnings, self.observers.output, self.session.salt, self.observers.worker)
        self.report.workers = self.runner.workers
        stack.callback(self.runner.kill)
        self.observers.started(self.total)

    def process_all(self) -> None:
        """Process all documents."""
        self.observers.output.begin()
        for item, result in self.runner.results(self._items()):
            self.warnings.target = self.report.warnings
            self._commit(item, result)
        self.report.stopped = self._ended
        if not self._ended:
            self.session.complete()
        self.runner.close()

    # -- items -----------------------------------------------------------------------------------------------------

    def _items(self) -> Iterator[Item]:
        """Yield all items in reading order, or those of the shard."""
        part, parts = parted(self.options.shard) if self.options.shard else (1, 1)
        with guarded(f"reader/{self.reader.id}"):
            handles = self.reader.handles()
        numbers = count(1)
        every = self._read(numbers) if handles is None else self._from_handles(handles, numbers)
        if handles is None or not self.reader.reports_duplicates:
            every = refuse_duplicates(every)
        for item in every:
            if self.options.shard:
                self.session.see(item.id)
            if item.number % parts == part % parts:
                yield item

    def _continues(self, number: int) -> bool:
        if self.interrupted.is_set():
            self._ended, self.report.signal = "interrupted", self.interrupted.signal
        elif self.options.limit is not None and number > self.options.limit:
            self._ended = "limit"
        return not self._ended

    def _from_handles(self, handles: Iterator[Any], numbers: Iterator[int]) -> Iterator[Item]:
        for number in numbers:
            if not self._continues(number):
                return
            try:
                handle = next(handles, None)
            except Exception as error:
                self._ended = str(ComponentError(f"reader/{self.reader.id}", error))
                return
            if handle is None:
                return
            yield Item(number, handle.id, handle=handle.data, expected=self.session.expected(number, handle.id))

    def _read(self, numbers: Iterator[int]) -> Iterator[Item]:
        """Yield the documents of the reader. If it fails, the run ends; documents that were released stay released."""
        documents = iter(self.reader)
        number = next(numbers)
        while self._continues(number):
            self.warnings.target = self.report.warnings
            try:
                cas = next(documents, None)
            except Exception as error:
                self._ended = str(ComponentError(f"reader/{self.reader.id}", error))
                cas = None
            while self.reader.failed:
                document, error_ = self.reader.failed.pop(0)
                yield Item(number, document, fault=error_)
                number = next(numbers)
                if self.options.limit is not None and number > self.options.limit:
                    self._ended = self._ended or "limit"
                    return
            if cas is None:
                return
            expected = self.session.expected(number, cas.id)
            if self.runner.travels:
                yield Item(number, cas.id, packed=pickle.dumps(cas, protocol=5), expected=expected)
            else:
                yield Item(number, cas.id, cas=cas, expected=expected)
            number = next(numbers)

    # -- results ---------------------------------------------------------------------------------------------------

    def _commit(self, item: Item, result: Result) -> None:
        """Write the result of a document, or record why it failed."""
        self.name_map.add(result.number, result.id)
        reused = False
        if result.unchanged:
            reused = self.session.adopt(result)
            if not reused:
                result = self.runner.redo(item)
        self.report.attempts += result.attempts - 1
        self.report.withheld += result.withheld + self.observers.output.take()
        for text in result.warnings:
            if text not in self.report.warnings and len(self.report.warnings) < MOST_WARNINGS:
                self.report.warnings.append(text)
        if result.failed is None and not reused:
            self._write(item, result)
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

    def _write(self, item: Item, result: Result) -> None:
        """Pass a document to the consumers: to all of them, or to none."""
        outputs: list[Output] = []
        states: dict[str, Any] = {}
        done: list[CasConsumer] = []
        cas: Cas | None = None
        self.session.replace(result)
        try:
            for consumer, prepared in zip(self.assembly.consumers, result.prepared, strict=True):
                done.append(consumer)
                with _naming_consumer(consumer):
                    if isinstance(consumer, TwoPhaseConsumer):
                        states[consumer.id] = state = consumer.resume_state(prepared)
                        if state is not None:
                            json.dumps(state)  # otherwise the ledger could not be written
                        outputs += consumer.commit(self.names.name_for(consumer, result.number, result.id), prepared)
                    else:
                        cas = cas or result.document()
                        assert cas is not None
                        started = time.perf_counter()
                        with self.names.applied(consumer, cas, result.number):
                            consumer.process(cas)
                        self.assembly.stats_of(consumer).add(time.perf_counter() - started)
        except ComponentError as error:
            self.assembly.stats_of(done[-1]).errors += 1
            rollback(done, self.names, result.number, result.id)
            discard(self.assembly, result)
            result.failed = Failed.of(error)
            result.text, result.kept, _ = read_again(self.assembly, item)
            return
        self.session.released(result, outputs, states)

    def _fail(self, result: Result, failed: Failed, reused: bool) -> str:
        status = "skipped" if self.options.on_error == "skip" else "quarantined"
        failure = Failure(result.number, result.id, failed.component, failed.cause, failed.message, failed.reason)
        if not reused:
            if status == "quarantined":
                self.quarantine.keep(failure, result.text, result.kept)
            self.session.failed(result, status)
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

    # -- events ----------------------------------------------------------------------------------------------------

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
        self.observers.document(event, self.total)


def _length(reader: CollectionReader, options: RunOptions) -> int | None:
    """Return the number of documents of a run, or of its shard; None if it is not known."""
    try:
        total = len(reader)
    except TypeError:
        return None
    total = min(total, options.limit) if options.limit is not None else total
    part, parts = parted(options.shard) if options.shard else (1, 1)
    return (total - part) // parts + 1


@contextlib.contextmanager
def _naming_consumer(consumer: CasConsumer) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise consumer_error(consumer, error) from None
