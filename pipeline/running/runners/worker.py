"""A worker process: takes documents, does the work, gives results back. It ends when the run's process does."""

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
from typing import TYPE_CHECKING, Any

from ...contract.component import TwoPhaseConsumer
from ...contract.report import ComponentStats
from ...errors import CaspipeError, ComponentError, guarded
from .memory import limit_memory
from .slot import Slot, Slots, resident
from .work import Item, Result, Work, noting, settle, travelling

if TYPE_CHECKING:
    from ...pipeline import Pipeline

_BATCH_SECONDS = 0.25
"""Results are given back at least this often."""
_BATCH = 1 << 20
"""Bytes of prepared text after which they are."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has its models."""

    warnings: list[str]
    resident: int


@dataclass(frozen=True, slots=True)
class Broken:
    """The worker cannot begin."""

    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """Results, and how long the components took for them."""

    results: list[Result]
    stats: dict[str, ComponentStats]
    resident: int
    retires: bool = False
    """The worker takes no more documents: its memory is no longer what it was."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a worker is told when it begins."""

    slot: int
    slots: Path
    count: int
    salt: bytes
    parent: int
    plugins: list[str]


def forked(connection: Connection, pipeline: Pipeline, setting: Setting, slots: Slots) -> None:
    """The worker as a copy of the run's process: everything is open."""
    _serve(connection, pipeline, setting, slots, [])


def spawned(connection: Connection, packed: bytes, setting: Setting) -> None:
    """The worker as a process of its own: it opens what it needs."""
    from ...contract import registry

    try:
        for plugin in setting.plugins:
            registry.load_file(plugin)
        pipeline: Pipeline = pickle.loads(packed)  # our own bytes, from our own process
        with noting() as noted:
            pipeline.open()
            for consumer in pipeline.consumers:
                if isinstance(consumer, TwoPhaseConsumer):
                    with guarded(f"consumers/{consumer.id}"):
                        consumer.open_worker()
    except CaspipeError as error:
        connection.send(Broken(str(error)))
        return
    except Exception as error:
        connection.send(Broken(str(ComponentError("worker", error))))
        return
    _serve(connection, pipeline, setting, Slots(setting.slots, setting.count), noted.into)


def _serve(connection: Connection, pipeline: Pipeline, setting: Setting, slots: Slots, warnings: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the run's own decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with(setting.parent)
    gc.collect()
    gc.freeze()  # what is there now is never garbage, and pages that are not touched stay shared
    limit_memory(pipeline.options.limits.memory_mb)
    slot = Slot(slots, setting.slot)
    with noting() as noted:
        pipeline.stats.clear()
        work = Work(pipeline, noted, travels=True, salt=setting.salt, watch=slot.watch)
        connection.send(Ready(warnings, resident(os.getpid())))
        try:
            while (chunk := _next(connection, setting.parent)) is not None:
                if _chunk(connection, work, slot, chunk):
                    return
        except BaseException as error:  # what it says may quote a document, and would be printed
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
    """Does a chunk. True where the worker had better end: a document brought it to its limit of memory."""
    results: list[Result] = []
    size, last, retires = 0, time.monotonic(), False

    def send() -> None:
        nonlocal size, last, retires
        settle(work.pipeline, results)
        stats, work.pipeline.stats = work.pipeline.stats, {}
        try:
            data = ForkingPickler.dumps(Done(results, stats, resident(os.getpid()), retires))
        except Exception:  # of one of them: the others are as good as before
            numbers = {item.number: item for item, _ in chunk}
            sent = [travelling(work.pipeline, result, numbers[result.number]) for result in results]
            retires = retires or any(result.failed is not None and result.failed.reason == "memory" for result in sent)
            data = ForkingPickler.dumps(Done(sent, stats, resident(os.getpid()), retires))
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
    """Asks the system to end this process with its parent, where it can (Linux); else `_next` notices."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        try:
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        except (OSError, AttributeError):
            return
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)


def packed(pipeline: Any) -> bytes:
    """A pipeline that is not open yet, for a worker of its own. Raises ComponentError where a component cannot travel."""
    try:
        return pickle.dumps(pipeline.part(), protocol=5)
    except Exception as error:
        raise ComponentError("worker", error) from None
