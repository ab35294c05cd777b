"""Worker processes on this machine: chunks out, results back in reading order; a worker may die, the run does not."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from ...errors import CaspipeError, ComponentError
from .crew import Crew, Mate
from .events import WorkerEvent
from .slot import Doing, resident
from .work import Failed, Item, Result, read_again
from .worker import Broken, Done, Ready

if TYPE_CHECKING:
    from ...pipeline import Pipeline

_WINDOW = 2_000
"""Documents that may be ahead of the one that is to be written next."""
_WINDOW_BYTES = 64 << 20
_CHUNK_SECONDS = 0.05
_CHUNK = 64
_CHUNK_BYTES = 1 << 20
_AHEAD = 2
"""Chunks that a worker has at a time: the one it works on and one that waits."""
_AHEAD_BYTES = 64 << 10 if os.name == "posix" else 0
"""A chunk that waits is no larger: it must fit into the connection's buffer, since nobody reads it yet. Else this process
would stand still while the worker waits for it to take a result, or is stuck and should be ended."""
_GRACE = 1.0
"""Seconds beyond a limit after which a worker is killed: until then it can notice by itself."""
_GLANCE = 0.1
"""Seconds between two looks at what the workers do."""


class WorkerError(CaspipeError):
    """Workers cannot begin."""


class Local:
    """Documents go to workers in chunks and come back in reading order, or as they are finished.

    A worker that dies takes one document with it: its slot says which. That document is tried again alone, or it has failed;
    what else the worker had goes to the others.
    """

    travels = True

    def __init__(self, pipeline: Pipeline, crew: Crew, told: Callable[[WorkerEvent], None]) -> None:
        self.pipeline = pipeline
        self.options = pipeline.options
        self.crew = crew
        self.last: Item | None = None
        self.told = told
        self.workers = crew.count
        self.attempts = 0
        self._reader = f"reader/{pipeline.reader.id}" if pipeline.reader is not None else "reader"
        self._items: dict[int, Item] = {}
        """All that went out and is not written yet, by number."""
        self._tries: dict[int, int] = {}
        self._order: deque[int] = deque()
        self._again: deque[int] = deque()
        """To be done before what comes next."""
        self._alone: deque[int] = deque()
        """To be done with nothing else at the same worker."""
        self._back: dict[int, Result] = {}
        self._finished: deque[int] = deque()
        self._bytes = 0
        """Of items that are out and of results that wait for their turn."""
        self._seconds = _CHUNK_SECONDS
        """For a document, as it was lately."""
        self._looked = time.monotonic()

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """The result of each item: in order, unless `ordered` is false."""
        self.crew.begin()
        more = True
        while True:
            more = self._feed(items, more)
            while (number := self._next()) is not None:
                yield self._given(number)
                more = self._feed(items, more)
            if not more and not self._order:
                return
            self._step()

    def redo(self, number: int) -> Result:
        """The result of an item that was given last, whatever is expected of it."""
        assert self.last is not None
        self._items[number] = replace(self.last, expected=b"")
        self._bytes += self.last.size
        self._again.append(number)
        while number not in self._back:
            self._feed(iter(()), False)
            self._step()
        return self._given(number)

    def _next(self) -> int | None:
        if not self.options.ordered:
            while self._finished:
                number = self._finished.popleft()
                if number in self._back:
                    self._order.remove(number)
                    return number
            return None
        if self._order and self._order[0] in self._back:
            return self._order.popleft()
        return None

    def _given(self, number: int) -> Result:
        self.last = self._items.pop(number)
        result = self._back.pop(number)
        self._bytes -= self.last.size + result.size
        result.attempts = 1 + self._tries.pop(number, 0)
        return result

    # -- out -------------------------------------------------------------------------------------------------------

    def _feed(self, items: Iterator[Item], more: bool) -> bool:
        """Gives every worker enough to do. False where there are no more items."""
        for ahead in range(_AHEAD):  # everybody has one chunk before somebody has two
            for mate in self.crew.ready():
                if mate.lone or len(mate.chunks) > ahead:
                    continue
                if self._alone:
                    if not mate.chunks:
                        mate.lone = True
                        self._send(mate, [self._items[self._alone.popleft()]])
                    continue
                chunk, more = self._chunk(items, more, _AHEAD_BYTES if mate.chunks else _CHUNK_BYTES)
                if chunk:
                    self._send(mate, chunk)
        return more

    def _chunk(self, items: Iterator[Item], more: bool, most: int) -> tuple[list[Item], bool]:
        """The next items, of about `most` bytes together; a larger one goes alone, to a worker that has nothing."""
        wanted = max(1, min(_CHUNK, int(_CHUNK_SECONDS / max(self._seconds, 1e-6))))
        chunk: list[Item] = []
        size = 0
        while len(chunk) < wanted:
            if not self._again:
                if not more or len(self._items) >= _WINDOW or self._bytes > _WINDOW_BYTES:
                    break
                found = next(items, None)
                if found is None:
                    more = False
                    break
                self._items[found.number] = found
                self._order.append(found.number)
                self._bytes += found.size
                if found.fault is not None:  # nothing to be done about it
                    self._arrived(self._unread(found))
                    continue
                self._again.append(found.number)
            item = self._items[self._again[0]]
            if size + item.size > most and (chunk or most < _CHUNK_BYTES):
                break
            chunk.append(self._items[self._again.popleft()])
            size += item.size
        return chunk, more

    def _unread(self, item: Item) -> Result:
        assert item.fault is not None
        fault = item.fault if isinstance(item.fault, ComponentError) else ComponentError(self._reader, item.fault)
        return Result(item.number, item.id, failed=Failed.of(fault))

    def _send(self, mate: Mate, chunk: list[Item]) -> None:
        mate.chunks.append({item.number for item in chunk})
        try:
            mate.connection.send([(item, 1 + self._tries.get(item.number, 0)) for item in chunk])
        except OSError:  # it died: its sentinel says so, and then the chunk goes to another one
            return

    # -- back ------------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        """Waits until something happens, and takes note of it."""
        mates = self.crew.mates()
        sources: list[Any] = [m.connection for m in mates] + [m.process.sentinel for m in mates]
        ready = set(map(id, wait(sources, timeout=_GLANCE)))
        for mate in mates:
            if id(mate.connection) in ready:
                self._receive(mate)
        for mate in mates:
            if id(mate.process.sentinel) in ready or not mate.process.is_alive():
                self._buried(mate)
        if time.monotonic() - self._looked > _GLANCE:
            self._looked = time.monotonic()
            self._look()

    def _receive(self, mate: Mate) -> None:
        while True:
            try:
                if not mate.connection.poll():
                    return
                message = mate.connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(message, Broken):
                raise WorkerError(message.message)
            if isinstance(message, Ready):
                mate.ready, mate.idle_resident = True, message.resident
                self.crew.noted(message.warnings)
                self.told(WorkerEvent(mate.number, mate.pid, "started", resident=message.resident))
            elif isinstance(message, Done):
                self._done(mate, message)
                if message.retires:
                    return

    def _done(self, mate: Mate, message: Done) -> None:
        for key, stats in message.stats.items():
            own = self.pipeline.stats.get(key)
            if own is None:
                self.pipeline.stats[key] = stats
            else:
                own.merge(stats)
        mate.retires = message.retires
        for result in message.results:
            mate.documents += 1
            result.worker = mate.number
            mate.done(result.number)
            self._seconds = 0.8 * self._seconds + 0.2 * result.seconds
            reason = result.failed.reason if result.failed is not None else ""
            if reason and self._once_more(result.number, reason):
                continue
            self._arrived(result)
        if not mate.chunks:
            mate.lone = False

    def _arrived(self, result: Result) -> None:
        self._back[result.number] = result
        self._bytes += result.size
        if not self.options.ordered:
            self._finished.append(result.number)

    def _once_more(self, number: int, reason: str) -> bool:
        """Whether a document that failed is tried again; it then waits for a worker of its own."""
        if reason not in self.options.retry_on or self._tries.get(number, 0) >= self.options.retries:
            return False
        self._tries[number] = self._tries.get(number, 0) + 1
        self.attempts += 1
        self._alone.append(number)
        return True

    # -- dead ------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Ends workers that are beyond a limit."""
        limits = self.options.limits
        for mate in self.crew.mates():
            held = resident(mate.pid)
            doing = self.crew.slots.doing(mate.slot)
            if not mate.ready or not doing.number:
                continue
            late = doing.seconds - limits.allowed(doing.size) > _GRACE
            mate.component_late = not late and doing.component_seconds - limits.allowed_component(doing.size) > _GRACE
            if late or mate.component_late:
                mate.killed = "time"
            elif limits.memory_mb is not None and held - mate.idle_resident > limits.memory_mb << 20:
                mate.killed = "memory"
            if mate.killed:
                self._receive(mate)  # what it finished is not lost
                mate.process.kill()
                mate.process.join()
                self._buried(mate)

    def _buried(self, mate: Mate) -> None:
        """A worker is dead: one document is to blame, the others go elsewhere."""
        if mate.buried:
            return
        mate.process.join()
        self._receive(mate)
        mate.buried = True
        doing = self.crew.slots.doing(mate.slot)
        ending = self.crew.ended(mate)
        retired = mate.retires and not mate.killed
        reason = mate.killed or ("" if retired else "crash")
        what = "killed" if mate.killed else "ended" if retired else "crashed"
        self.told(WorkerEvent(mate.number, mate.pid, what, mate.killed or ending, 0, mate.documents))
        lost = mate.outstanding()
        if not mate.ready and not lost:
            raise WorkerError(f"workers end before they begin: {ending}")
        blamed = doing.number if doing.number in lost and reason else 0
        if reason and not doing.number and mate.lone and len(lost) == 1:
            blamed = min(lost)  # it was done with, but what came of it could not be given back
        if blamed:
            lost.discard(blamed)
            if not self._once_more(blamed, reason):
                failed = self._blame(mate, doing, reason, ending)
                item = self._items[blamed]
                made = Result(blamed, item.id, failed=failed, seconds=doing.seconds, worker=mate.number)
                if doing.component >= 0 or not doing.number:  # else it breaks its reader
                    made.text, made.content = read_again(self.pipeline, item, self.crew.salt)
                self._arrived(made)
            self._again.extend(sorted(lost))
        elif reason:  # nobody was at work: one after the other then, each alone, and the one to blame will show
            self._alone.extend(sorted(lost))
        else:
            self._again.extend(sorted(lost))
        self.crew.replace(mate)

    def _blame(self, mate: Mate, doing: Doing, reason: str, ending: str) -> Failed:
        parts = [e.id for e in self.pipeline.engines] + [f"consumers/{c.id}" for c in self.pipeline.consumers]
        name = parts[doing.component] if 0 <= doing.component < len(parts) else self._reader
        if not doing.number:
            name = "worker"
        if reason == "time":
            return Failed.of(ComponentError(name, self.options.limits.late(doing.size, component=mate.component_late)))
        if reason == "memory":
            return Failed(
                name, "MemoryError", f"{name}: MemoryError: its worker grew beyond its limit and was killed", reason
            )
        return Failed(name, "Crash", f"{name}: Crash: its worker died: {ending}", reason)

    def close(self) -> None:
        """Ends the workers."""
        self.crew.dismiss()

    def kill(self) -> None:
        """Ends the workers at once."""
        self.crew.kill()
