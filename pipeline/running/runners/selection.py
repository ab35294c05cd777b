"""Select the runner: in this process, in worker processes on this machine, or on a Spark cluster."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ...assembly.assembly import Assembly
from ...contract.component import TwoPhaseConsumer
from .events import WorkerEvent
from .in_process import InProcessRunner
from .process_pool import ProcessPoolRunner
from .spark.runner import SparkRunner
from .work import Item, Result, WarningCollector
from .worker import packed
from .worker_pool import WorkerPool, cores

_DOCUMENTS_PER_WORKER = 25
"""Number of documents for which starting another worker pays off."""


class Runner(Protocol):
    """Processes the documents of a run."""

    workers: int
    travels: bool
    """True if documents are sent to another process and must be pickled."""

    @property
    def attempts(self) -> int:
        """Attempts after the first, over all documents."""
        ...

    @property
    def last(self) -> Item | None:
        """The item whose result was returned last."""
        ...

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """Yield the result of each item, in order unless the options say otherwise. Reads items only as they are needed."""
        ...

    def redo(self, number: int) -> Result:
        """Process the item whose result was returned last again without comparing its content."""
        ...

    def close(self) -> None:
        """End the workers after their work is done."""
        ...

    def kill(self) -> None:
        """End the workers immediately."""
        ...


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected runner, which is created after everything else was opened."""

    opens_engines: bool
    """True if the process of the run opens the engines."""
    create: Callable[[WarningCollector, bytes, Callable[[WorkerEvent], None]], Runner]
    """Create the runner from the collector of warnings, the salt of the ledger and a listener to worker events."""


def select_runner(assembly: Assembly, total: int | None) -> Selection:
    """Select a runner by the options and the number of documents, if it is known."""
    options = assembly.options
    if options.runner == "spark":
        return Selection(False, lambda warnings, salt, notify: SparkRunner(assembly, salt))
    start = options.start if options.start != "auto" else _cheapest_start(assembly)
    count = options.workers if options.workers != "auto" else _worker_count(assembly, total, start)
    if count == 0:
        return Selection(True, lambda warnings, salt, notify: InProcessRunner(assembly, warnings, salt))
    data = packed(assembly) if start == "spawn" else b""

    def create(warnings: WarningCollector, salt: bytes, notify: Callable[[WorkerEvent], None]) -> Runner:
        return ProcessPoolRunner(assembly, WorkerPool(assembly, count, start, salt, data, warnings.target), notify)

    return Selection(start == "fork", create)


def _worker_count(assembly: Assembly, total: int | None, start: str) -> int:
    """Return the number of workers that pays off. Even a single one keeps the run alive if a document crashes it."""
    if start != "fork" or not any(isinstance(c, TwoPhaseConsumer) for c in assembly.consumers):
        return 0
    if total is None:
        return cores()
    return max(1, min(cores(), total // _DOCUMENTS_PER_WORKER))


def _cheapest_start(assembly: Assembly) -> str:
    """Return `fork` if a copy of this process is safe: on Linux, without other threads, if every component allows it."""
    parts = (assembly.reader, *assembly.engines, *assembly.consumers)
    safe = sys.platform == "linux" and threading.active_count() == 1 and all(p is None or p.may_fork() for p in parts)
    return "fork" if safe else "spawn"
