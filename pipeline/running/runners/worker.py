"""The main loop of a worker process. It ends together with the process of the run."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

from ...assembly.assembly import Assembly
from ...contract import registry
from ...contract.component import TwoPhaseConsumer
from ...contract.report import ComponentStats
from ...errors import CaspipeError, ComponentError, guarded
from .memory import limit_memory
from .slot import Slot, Slots, resident
from .work import Item, Result, Work, collect_warnings, flush_staged, make_sendable

_BATCH_SECONDS = 0.25
"""Results are sent at least this often."""
_BATCH = 1 << 20
"""Size of prepared outputs in bytes after which they are sent."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Message: the worker has opened its components."""

    warnings: list[str]
    resident: int


@dataclass(frozen=True, slots=True)
class StartFailed:
    """Message: the worker cannot open its components."""

    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """Message: results, with the statistics of the components."""

    results: list[Result]
    stats: dict[str, ComponentStats]
    resident: int
    retires: bool = False
    """True if the worker exits now, because its memory cannot be trusted after a document reached the limit."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The data that a worker needs to start."""

    slot: int
    slots: Path
    count: int
    salt: bytes
    parent: int
    plugins: list[str]


def run_forked(connection: Connection, assembly: Assembly, settings: WorkerSettings, slots: Slots) -> None:
    """Run a worker as a copy of the process of the run: everything is open."""
    _serve(connection, assembly, settings, slots, [])


def run_spawned(connection: Connection, packed: bytes, settings: WorkerSettings) -> None:
    """Run a worker as a new process, which opens its own components."""
    try:
        for plugin in settings.plugins:
            registry.load_file(plugin)
        assembly: Assembly = pickle.loads(packed)  # created by this program
        with collect_warnings() as collected:
            assembly.open()
            for consumer in assembly.consumers:
                if isinstance(consumer, TwoPhaseConsumer):
                    with guarded(f"consumers/{consumer.id}"):
                        consumer.open_worker()
    except CaspipeError as error:
        connection.send(StartFailed(str(error)))
        return
    except Exception as error:
        connection.send(StartFailed(str(ComponentError("worker", error))))
        return
    _serve(connection, assembly, settings, Slots(settings.slots, settings.count), collected.target)


def _serve(
    connection: Connection, assembly: Assembly, settings: WorkerSettings, slots: Slots, warnings: list[str]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the process of the run decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with(settings.parent)
    gc.collect()
    gc.freeze()  # components are never garbage, and untouched pages stay shared
    limit_memory(assembly.options.limits.memory_mb)
    slot = Slot(slots, settings.slot)
    with collect_warnings() as collected:
        assembly.stats.clear()
        work = Work(assembly, collected, travels=True, salt=settings.salt, watch=slot.watch)
        connection.send(Ready(warnings, resident(os.getpid())))
        try:
            while (chunk := _next(connection, settings.parent)) is not None:
                if _chunk(connection, work, slot, chunk):
                    return
        except BaseException as error:  # its message may quote a document and would be printed
            code = error.code if isinstance(error, SystemExit) else 1
            os._exit(code & 0xFF if isinstance(code, int) else 1)


def _next(connection: Connection, parent: int) -> list[tuple[Item, int]] | None:
    while not connection.poll(2.0):
        if os.getppid() != parent:
            return None
    try:
        received: list[tuple[Item, int]] | None = connection.recv()
    except (EOFError, OSError):
        return None
    return received


def _chunk(connection: Connection, work: Work, slot: Slot, chunk: list[tuple[Item, int]]) -> bool:
    """Process a chunk. Return whether the worker must exit because a document reached the memory limit."""
    results: list[Result] = []
    size, last, retires = 0, time.monotonic(), False

    def send() -> None:
        nonlocal size, last, retires
        flush_staged(work.assembly, results)
        stats, work.assembly.stats = work.assembly.stats, {}
        try:
            data = ForkingPickler.dumps(Finished(results, stats, resident(os.getpid()), retires))
        except Exception:  # caused by one result: send the others
            numbers = {item.number: item for item, _ in chunk}
            sent = [make_sendable(work.assembly, result, numbers[result.number]) for result in results]
            retires = retires or any(result.failed is not None and result.failed.reason == "memory" for result in sent)
            data = ForkingPickler.dumps(Finished(sent, stats, resident(os.getpid()), retires))
        connection.send_bytes(data)
        results.clear()
        size, last = 0, time.monotonic()

    for item, attempts in chunk:
        slot.begin(item.number)
        result = work.do(item, attempts)
        slot.end()
        results.append(result)
        size += result.size
        retires = result.failed is not None and result.failed.reason == "memory"
        if retires or size > _BATCH or time.monotonic() - last > _BATCH_SECONDS:
            send()
        if retires:
            return True
    if results:
        send()
    return retires


def _die_with(parent: int) -> None:
    """Ask the system to end this process together with its parent (Linux only; otherwise `_next` notices)."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        try:
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        except (OSError, AttributeError):
            return
        if os.getppid() != parent:  # the parent died before the call
            os._exit(1)


def packed(assembly: Assembly) -> bytes:
    """Pickle a pipeline that is not open yet, for spawned workers. Raises ComponentError if a component cannot be pickled."""
    try:
        return pickle.dumps(assembly.for_worker(), protocol=5)
    except Exception as error:
        raise ComponentError("worker", error) from None
