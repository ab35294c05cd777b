"""The runner with worker processes: documents go out in chunks, and a dead worker does not end the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import Any

from ...assembly.assembly import Assembly
from ...errors import CaspipeError, ComponentError
from .backlog import CHUNK_BYTES, QUEUED_CHUNK_BYTES, Backlog
from .events import WorkerEvent
from .slot import Activity, resident
from .work import Failed, Item, Result, read_again
from .worker import Finished, Ready, StartFailed
from .worker_pool import Worker, WorkerPool

_CHUNKS_PER_WORKER = 2
"""The chunk that a worker processes and one that waits."""
_GRACE_SECONDS = 1.0
"""Time after a limit until a worker is killed: it can notice the limit by itself first."""
_POLL_SECONDS = 0.1
"""Time between two checks of what the workers do."""


class WorkerError(CaspipeError):
    """The workers cannot start."""


class ProcessPoolRunner:
    """Sends documents to workers in chunks and returns results in reading order, or as they are finished.

    If a worker dies, its slot shows which document it was processing. That document is retried in isolation or has failed; the
    other documents of the worker go to other workers.
    """

    travels = True

    def __init__(self, assembly: Assembly, pool: WorkerPool, notify: Callable[[WorkerEvent], None]) -> None:
        self.assembly = assembly
        self.pool = pool
        self.notify = notify
        self.workers = pool.count
        self.reader = f"reader/{assembly.reader.id}" if assembly.reader is not None else "reader"
        self.backlog = Backlog(assembly.options, self.reader)
        self._checked = time.monotonic()

    @property
    def last(self) -> Item | None:
        return self.backlog.last

    @property
    def attempts(self) -> int:
        return self.backlog.attempts

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """Yield the result of each item: in order, unless `ordered` is false."""
        self.pool.open()
        while True:
            self._send_chunks(items)
            while (result := self.backlog.next_result()) is not None:
                yield result
                self._send_chunks(items)
            if self.backlog.is_empty:
                return
            self._wait()

    def redo(self, number: int) -> Result:
        """Process the item whose result was returned last again without comparing its content."""
        self.backlog.repeat_last(number)
        more, self.backlog.more = self.backlog.more, False
        while not self.backlog.has_result(number):
            self._send_chunks(iter(()))
            self._wait()
        self.backlog.more = more
        return self.backlog.result(number)

    def close(self) -> None:
        """End the workers."""
        self.pool.close()

    def kill(self) -> None:
        """Kill the workers."""
        self.pool.kill()

    # -- sending ---------------------------------------------------------------------------------------------------

    def _send_chunks(self, items: Iterator[Item]) -> None:
        """Keep every worker busy. Every worker gets one chunk before any worker gets two."""
        for queued in range(_CHUNKS_PER_WORKER):
            for worker in self.pool.available():
                if worker.isolated or len(worker.chunks) > queued:
                    continue
                if self.backlog.isolated:
                    if not worker.chunks:
                        worker.isolated = True
                        self._send(worker, [self.backlog.item(self.backlog.isolated.popleft())])
                    continue
                chunk = self.backlog.chunk(items, QUEUED_CHUNK_BYTES if worker.chunks else CHUNK_BYTES)
                if chunk:
                    self._send(worker, chunk)

    def _send(self, worker: Worker, chunk: list[Item]) -> None:
        worker.chunks.append({item.number for item in chunk})
        try:
            worker.connection.send([(item, self.backlog.attempt(item.number)) for item in chunk])
        except OSError:  # the worker died; `_reap` gives its chunks to others
            return

    # -- receiving -------------------------------------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait until a worker sends something or dies, and handle it."""
        workers = list(self.pool.workers)
        sources: list[Any] = [w.connection for w in workers] + [w.process.sentinel for w in workers]
        ready = set(map(id, wait(sources, timeout=_POLL_SECONDS)))
        for worker in workers:
            if id(worker.connection) in ready:
                self._receive(worker)
        for worker in workers:
            if id(worker.process.sentinel) in ready or not worker.process.is_alive():
                self._reap(worker)
        if time.monotonic() - self._checked > _POLL_SECONDS:
            self._checked = time.monotonic()
            self._enforce_limits()

    def _receive(self, worker: Worker) -> None:
        while True:
            try:
                if not worker.connection.poll():
                    return
                message = worker.connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(message, StartFailed):
                raise WorkerError(message.message)
            if isinstance(message, Ready):
                worker.ready, worker.idle_resident = True, message.resident
                self.pool.add_warnings(message.warnings)
                self.notify(WorkerEvent(worker.number, worker.pid, "started", resident=message.resident))
            elif isinstance(message, Finished):
                self._finish(worker, message)
                if message.retires:
                    return

    def _finish(self, worker: Worker, message: Finished) -> None:
        self.assembly.merge_stats(message.stats)
        worker.retires = message.retires
        for result in message.results:
            worker.documents += 1
            result.worker = worker.number
            worker.finished(result.number)
            self.backlog.observe_duration(result.seconds)
            if result.failed is None or not self.backlog.retry(result.number, result.failed.reason):
                self.backlog.add(result)
        if not worker.chunks:
            worker.isolated = False

    # -- recovery --------------------------------------------------------------------------------------------------

    def _enforce_limits(self) -> None:
        """Kill workers that exceed a limit."""
        limits = self.assembly.options.limits
        for worker in list(self.pool.workers):
            memory = resident(worker.pid)
            activity = self.pool.slots.activity(worker.slot)
            if not worker.ready or not activity.number:
                continue
            late = activity.seconds - limits.allowed(activity.size) > _GRACE_SECONDS
            component_seconds = activity.component_seconds - limits.allowed_component(activity.size)
            worker.component_late = not late and component_seconds > _GRACE_SECONDS
            if late or worker.component_late:
                worker.killed = "time"
            elif limits.memory_mb is not None and memory - worker.idle_resident > limits.memory_mb << 20:
                worker.killed = "memory"
            if worker.killed:
                self._receive(worker)  # keep the results that it finished
                worker.process.kill()
                worker.process.join()
                self._reap(worker)

    def _reap(self, worker: Worker) -> None:
        """Replace a dead worker. The document that it was processing is retried or fails, all others are processed again."""
        if worker.reaped:
            return
        worker.process.join()
        self._receive(worker)
        worker.reaped = True
        activity = self.pool.slots.activity(worker.slot)
        retired = worker.retires and not worker.killed
        reason = worker.killed or ("" if retired else "crash")
        event = "killed" if worker.killed else "ended" if retired else "crashed"
        detail = worker.killed or worker.ending
        self.notify(WorkerEvent(worker.number, worker.pid, event, detail, 0, worker.documents))
        lost = worker.outstanding()
        if not worker.ready and not lost:
            raise WorkerError(f"workers end before they begin: {worker.ending}")
        culprit = activity.number if activity.number in lost and reason else 0
        if reason and not activity.number and worker.isolated and len(lost) == 1:
            culprit = min(lost)  # it was processed, but its result could not be sent
        if culprit:
            lost.discard(culprit)
            if not self.backlog.retry(culprit, reason):
                self.backlog.add(self._failure(culprit, worker, activity, reason))
        if reason and not culprit:  # nothing was being processed: isolate each document to find the one that crashes
            self.backlog.isolated.extend(sorted(lost))
        else:
            self.backlog.again.extend(sorted(lost))
        self.pool.replace(worker)

    def _failure(self, number: int, worker: Worker, activity: Activity, reason: str) -> Result:
        item = self.backlog.item(number)
        failed = self._cause(worker, activity, reason)
        result = Result(number, item.id, failed=failed, seconds=activity.seconds, worker=worker.number)
        if activity.component >= 0 or not activity.number:  # if it crashed the reader, do not read it here
            result.text, result.content = read_again(self.assembly, item, self.pool.salt)
        return result

    def _cause(self, worker: Worker, activity: Activity, reason: str) -> Failed:
        names = self.assembly.step_names
        name = names[activity.component] if 0 <= activity.component < len(names) else self.reader
        if not activity.number:
            name = "worker"
        if reason == "time":
            late = self.assembly.options.limits.late(activity.size, component=worker.component_late)
            return Failed.of(ComponentError(name, late))
        if reason == "memory":
            message = f"{name}: MemoryError: its worker grew beyond its limit and was killed"
            return Failed(name, "MemoryError", message, reason)
        return Failed(name, "Crash", f"{name}: Crash: its worker died: {worker.ending}", reason)
