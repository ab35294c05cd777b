"""The runner with worker processes: documents go out in chunks, and a dead worker does not end the run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from ...assembly.assembly import Assembly
from ...errors import ComponentError
from ..memory import resident
from ..worker import WorkerDied, WorkerError, wait_for
from .backlog import Backlog
from .events import WorkerEvent
from .pool_worker import Activity, PoolWorker
from .runner import Runner
from .work import Failed, Item, Result, read_again

_EXIT_SECONDS = 5.0
"""Time that workers have to exit by themselves."""
_GRACE_SECONDS = 1.0
"""Time after a limit until a worker is killed: it can notice the limit by itself first."""
_POLL_SECONDS = 0.1
"""Time between two checks of what the workers do."""


class ProcessPoolRunner(Runner):
    """Sends documents to workers in chunks and returns results in reading order, or as they are finished.

    If a worker dies, its activity shows which document it was processing. That document is retried in isolation or has failed;
    the other documents of the worker go to other workers.
    """

    def __init__(
        self, assembly: Assembly, count: int, packed: bytes, salt: bytes, notify: Callable[[WorkerEvent], None]
    ) -> None:
        """`packed`: the pipeline for workers that are spawned; if it is empty, they are forked."""
        self.assembly = assembly
        self.workers = count
        self.salt = salt
        self.notify = notify
        self.backlog = Backlog(assembly)
        self._packed = packed
        self._pool: list[PoolWorker] = []
        self._spawned = 0
        self._checked = time.monotonic()

    def results(self, items: Iterator[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result: in order, unless `ordered` is false."""
        self._pool.extend(self._spawn() for _ in range(self.workers))
        while True:
            self._send_chunks(items)
            while (done := self.backlog.next_result()) is not None:
                yield done
                self._receive(0)
                self._send_chunks(items)
            if self.backlog.is_empty:
                return
            self._receive(0 if self.backlog.read_ahead(items) else _POLL_SECONDS)

    def redo(self, item: Item) -> Result:
        """Process an item whose result was returned last again without comparing its content."""
        more, self.backlog.more = self.backlog.more, False
        self.backlog.repeat(replace(item, expected=b""))
        while not self.backlog.is_finished(item.number):
            self._send_chunks(iter(()))
            self._receive(_POLL_SECONDS)
        self.backlog.more = more
        return self.backlog.pop(item.number)[1]

    def close(self) -> None:
        """Ask the workers to exit, and kill those that do not."""
        for worker in self._pool:
            with contextlib.suppress(WorkerDied):
                worker.send(None)
        for worker in self._pool:
            worker.process.join(_EXIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the workers."""
        for worker in self._pool:
            worker.stop()
        self._pool = []

    def _spawn(self) -> PoolWorker:
        self._spawned += 1
        show = self.assembly.options.show_output
        assembly = self._packed or self.assembly
        return PoolWorker(self._spawned, assembly, self.salt, self.assembly.scan_key, show_output=show)

    # -- sending and receiving -------------------------------------------------------------------------------------

    def _send_chunks(self, items: Iterator[Item]) -> None:
        """Keep every worker busy."""
        for worker in self._pool:
            if not worker.idle:
                continue
            worker.isolated = bool(self.backlog.isolated)
            chunk = (
                [self.backlog.items[self.backlog.isolated.popleft()]] if worker.isolated else self.backlog.chunk(items)
            )
            if chunk:
                worker.outstanding = {item.number for item in chunk}
                with contextlib.suppress(WorkerDied):  # `_receive` notices it too
                    worker.send([(item, self.backlog.attempt(item.number)) for item in chunk])

    def _receive(self, seconds: float) -> None:
        """Wait until a worker sends something or dies, and handle it."""
        for worker in wait_for(self._pool, seconds):
            if not self._drain(worker):
                self._replace(worker)
        if time.monotonic() - self._checked > _POLL_SECONDS:
            self._checked = time.monotonic()
            for worker in list(self._pool):
                if self._exceeds_limit(worker) or not worker.process.is_alive():
                    self._replace(worker)

    def _drain(self, worker: PoolWorker) -> bool:
        """Handle the messages of a worker that have arrived. Return False if it has died."""
        try:
            while True:
                message = worker.receive(0)
                if message is None:
                    worker.idle_resident = resident(worker.pid)
                    event = WorkerEvent(worker.number, worker.pid, "started", resident=worker.idle_resident)
                    self.notify(event)
                    continue
                self.assembly.merge_stats(message.stats)
                worker.retires = message.retires
                worker.documents += len(message.results)
                for result in message.results:
                    worker.outstanding.discard(result.number)
                    result.worker = worker.number
                    self.backlog.finish(result)
        except TimeoutError:
            return True
        except WorkerDied:
            return False

    # -- recovery --------------------------------------------------------------------------------------------------

    def _exceeds_limit(self, worker: PoolWorker) -> bool:
        """Return whether a worker exceeds a limit and must be killed."""
        limits = self.assembly.options.limits
        activity = worker.activity.read()
        if not worker.ready or not activity.number:
            return False
        late = activity.seconds - limits.allowed(activity.size) > _GRACE_SECONDS
        component_seconds = activity.component_seconds - limits.allowed_component(activity.size)
        worker.component_late = not late and component_seconds > _GRACE_SECONDS
        if late or worker.component_late:
            worker.killed = "time"
        elif limits.memory_mb is not None:
            grown = resident(worker.pid) - worker.idle_resident
            worker.killed = "memory" if grown > limits.memory_mb << 20 else ""
        return bool(worker.killed)

    def _replace(self, worker: PoolWorker) -> None:
        """Replace a dead worker. The document that it was processing is retried or fails, all others are processed again."""
        worker.kill()
        self._drain(worker)  # keep the results that it finished
        worker.stop()
        activity = worker.activity.read()
        retired = worker.retires and not worker.killed
        reason = worker.killed or ("" if retired else "crash")
        event = "killed" if worker.killed else "ended" if retired else "crashed"
        detail = worker.killed or worker.ending
        self.notify(WorkerEvent(worker.number, worker.pid, event, detail, 0, worker.documents))
        if not worker.ready:
            raise WorkerError(f"workers end before they begin: {worker.ending}")
        lost = worker.outstanding
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
        self._pool[self._pool.index(worker)] = self._spawn()

    def _failure(self, number: int, worker: PoolWorker, activity: Activity, reason: str) -> Result:
        item = self.backlog.items[number]
        failed = self._cause(worker, activity, reason)
        result = Result(number, item.id, failed=failed, seconds=activity.seconds, worker=worker.number)
        if activity.component >= 0 or not activity.number:  # if it crashed the reader, do not read it here
            result.text, result.kept, result.content = read_again(self.assembly, item, self.salt)
        return result

    def _cause(self, worker: PoolWorker, activity: Activity, reason: str) -> Failed:
        names = self.assembly.step_names
        name = names[activity.component] if 0 <= activity.component < len(names) else self.assembly.reader_name
        if not activity.number:
            name = "worker"
        if reason == "time":
            late = self.assembly.options.limits.late(activity.size, component=worker.component_late)
            return Failed.of(ComponentError(name, late))
        if reason == "memory":
            message = f"{name}: MemoryError: its worker grew beyond its limit and was killed"
            return Failed(name, "MemoryError", message, reason)
        return Failed(name, "Crash", f"{name}: Crash: its worker died: {worker.ending}", reason)
