"""The worker processes of a run: starting, replacing and ending them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import secrets
import signal
import socket
import tempfile
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...assembly.assembly import Assembly
from ...contract import registry
from . import worker
from .slot import Slots
from .worker import WorkerSettings

_EXIT_SECONDS = 5.0
"""Time that workers have to exit by themselves."""


@dataclass(eq=False)
class Worker:
    """A worker process as the process of the run sees it."""

    number: int
    """Counted from 1 over the whole run."""
    slot: int
    process: Any
    connection: Connection
    pid: int
    ready: bool = False
    idle_resident: int = 0
    documents: int = 0
    chunks: deque[set[int]] = field(default_factory=deque)
    """Numbers of the documents that it has, by chunk."""
    isolated: bool = False
    """True if it processes a document that must be the only one in its worker."""
    retires: bool = False
    killed: str = ""
    """The limit that it exceeded."""
    component_late: bool = False
    """True if that was the limit of one component."""
    reaped: bool = False

    def finished(self, number: int) -> None:
        """Note that the result of a document arrived."""
        if self.chunks:
            self.chunks[0].discard(number)
            if not self.chunks[0]:
                self.chunks.popleft()

    def outstanding(self) -> set[int]:
        """Return the documents whose results have not arrived."""
        return set().union(*self.chunks)

    @property
    def ending(self) -> str:
        """How the process ended: `SIGSEGV`, `exit code 1`."""
        code = self.process.exitcode
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return signal.Signals(-code).name
            return f"signal {-code}"
        return f"exit code {code}"


class WorkerPool:
    """A fixed number of worker processes, each with a slot of shared memory."""

    def __init__(
        self, assembly: Assembly, count: int, start: str, salt: bytes, packed: bytes, warnings: list[str]
    ) -> None:
        self.assembly = assembly
        self.count = count
        self.start = start
        self.salt = salt
        self.packed = packed
        self.workers: list[Worker] = []
        self._warnings = warnings
        self._context: Any = multiprocessing.get_context(start)
        self._spawned = 0
        path = Path(tempfile.gettempdir()) / f"caspipe-{os.getpid()}-{secrets.token_hex(4)}"
        self.slots = Slots(path, count)

    def open(self) -> None:
        """Start all workers."""
        for slot in range(self.count):
            self.workers.append(self._spawn(slot))

    def available(self) -> list[Worker]:
        """Return the workers that accept documents, the least busy first."""
        able = [w for w in self.workers if w.ready and not w.retires]
        return sorted(able, key=lambda w: (len(w.chunks), w.slot))

    def add_warnings(self, warnings: list[str]) -> None:
        """Add the warnings of a worker that opened its components."""
        self._warnings.extend(w for w in warnings if w not in self._warnings)

    def replace(self, dead: Worker) -> None:
        """Start another worker in the slot of a dead one."""
        dead.connection.close()
        self.slots.clear(dead.slot)
        self.workers[self.workers.index(dead)] = self._spawn(dead.slot)

    def close(self) -> None:
        """Ask all workers to exit, and kill those that do not."""
        for each in self.workers:
            with contextlib.suppress(OSError):
                each.connection.send(None)
        for each in self.workers:
            each.process.join(_EXIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill all workers."""
        for each in self.workers:
            if each.process.is_alive():
                each.process.kill()
        for each in self.workers:
            each.process.join()
            each.connection.close()
        self.workers = []
        self.slots.close()

    def _spawn(self, slot: int) -> Worker:
        self._spawned += 1
        ours, theirs = self._context.Pipe()
        _enlarge_buffer(ours)
        settings = WorkerSettings(slot, self.slots.path, self.count, self.salt, os.getpid(), registry.loaded_files())
        if self.start == "fork":
            target: Any = worker.run_forked
            arguments: tuple[Any, ...] = (theirs, self.assembly, settings, self.slots)
        else:
            target, arguments = worker.run_spawned, (theirs, self.packed, settings)
        process = self._context.Process(target=target, args=arguments, name=f"caspipe-worker-{slot + 1}", daemon=True)
        process.start()
        theirs.close()
        return Worker(self._spawned, slot, process, ours, process.pid)


def _enlarge_buffer(connection: Connection) -> None:
    """Make room for a waiting chunk in the buffer of a connection, which is only 8 kB on some systems."""
    if os.name == "posix":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 18)


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
