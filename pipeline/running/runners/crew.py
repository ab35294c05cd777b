"""The worker processes themselves: how they start, which of them live, how they end."""

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
from typing import TYPE_CHECKING, Any

from . import worker
from .slot import Slots
from .worker import Setting

if TYPE_CHECKING:
    from ...pipeline import Pipeline

_PATIENCE = 5.0
"""Seconds that workers have to end by themselves."""


@dataclass(eq=False)
class Mate:
    """A worker as the run's process sees it."""

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
    """Numbers of the documents it has, chunk by chunk."""
    lone: bool = False
    """Whether it works on a document that nothing may stand beside."""
    retires: bool = False
    killed: str = ""
    """The limit it broke."""
    component_late: bool = False
    """Whether that was the limit of one component."""
    buried: bool = False

    def done(self, number: int) -> None:
        """A document came back."""
        if self.chunks:
            self.chunks[0].discard(number)
            if not self.chunks[0]:
                self.chunks.popleft()

    def outstanding(self) -> set[int]:
        """What it had when it died."""
        return set().union(*self.chunks)


class Crew:
    """Some workers, each in its slot."""

    def __init__(self, pipeline: Pipeline, count: int, start: str, salt: bytes, packed: bytes, into: list[str]) -> None:
        self.pipeline = pipeline
        self.count = count
        self.start = start
        self.salt = salt
        self.packed = packed
        self._into = into
        self._context: Any = multiprocessing.get_context(start)
        self._mates: list[Mate] = []
        self._hired = 0
        path = Path(tempfile.gettempdir()) / f"caspipe-{os.getpid()}-{secrets.token_hex(4)}"
        self.slots = Slots(path, count)

    def begin(self) -> None:
        """Starts all workers."""
        for slot in range(self.count):
            self._mates.append(self._hire(slot))

    def mates(self) -> list[Mate]:
        """The workers that have not been buried."""
        return list(self._mates)

    def ready(self) -> list[Mate]:
        """Those that take documents, the least busy first."""
        able = [m for m in self._mates if m.ready and not m.retires]
        return sorted(able, key=lambda m: (len(m.chunks), m.slot))

    def noted(self, warnings: list[str]) -> None:
        """Warnings of workers that opened their components."""
        self._into.extend(w for w in warnings if w not in self._into)

    def replace(self, mate: Mate) -> None:
        """Another worker takes a dead one's place."""
        mate.connection.close()
        self.slots.clear(mate.slot)
        self._mates[self._mates.index(mate)] = self._hire(mate.slot)

    def ended(self, mate: Mate) -> str:
        """How a worker ended: `SIGSEGV`, `exit code 1`."""
        code = mate.process.exitcode
        if code is not None and code < 0:
            try:
                return signal.Signals(-code).name
            except ValueError:
                return f"signal {-code}"
        return f"exit code {code}"

    def dismiss(self) -> None:
        """Asks all to end, and sees to it that they do."""
        for mate in self._mates:
            try:
                mate.connection.send(None)
            except OSError:
                continue
        for mate in self._mates:
            mate.process.join(_PATIENCE)
        self.kill()

    def kill(self) -> None:
        """Ends all at once."""
        for mate in self._mates:
            if mate.process.is_alive():
                mate.process.kill()
        for mate in self._mates:
            mate.process.join()
            mate.connection.close()
        self._mates = []
        self.slots.close()

    def _hire(self, slot: int) -> Mate:
        self._hired += 1
        ours, theirs = self._context.Pipe()
        _widen(ours)
        setting = Setting(slot, self.slots.path, self.count, self.salt, os.getpid(), plugins())
        if self.start == "fork":
            target: Any = worker.forked
            given: tuple[Any, ...] = (theirs, self.pipeline, setting, self.slots)
        else:
            target, given = worker.spawned, (theirs, self.packed, setting)
        process = self._context.Process(target=target, args=given, name=f"caspipe-worker-{slot + 1}", daemon=True)
        process.start()
        theirs.close()
        return Mate(self._hired, slot, process, ours, process.pid)


def _widen(connection: Connection) -> None:
    """Makes room in a connection for a chunk that waits: on some systems there are 8 kB only."""
    if os.name == "posix":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 18)


def plugins() -> list[str]:
    """Files of plug-ins that were loaded by path: a process of its own must load them too."""
    from ...contract import registry

    return registry.loaded_files()


def cores() -> int:
    """Processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
