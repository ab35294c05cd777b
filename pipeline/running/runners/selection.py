"""Select the runner: in this process, in worker processes on this machine, or on a Spark cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...assembly.assembly import Assembly
from ...contract.component import TwoPhaseConsumer
from ..withheld_output import WithheldOutput
from ..worker import cores, safe_start_method
from .events import WorkerEvent
from .pool_worker import packed
from .process_pool import ProcessPoolRunner
from .runner import InProcessRunner, Runner
from .spark.runner import SparkRunner
from .work import WarningCollector

_DOCUMENTS_PER_WORKER = 25
"""Number of documents for which starting another worker pays off."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected runner, which is created after everything else was opened."""

    opens_engines: bool
    """True if the process of the run opens the engines."""
    create: Callable[[WarningCollector, WithheldOutput, bytes, Callable[[WorkerEvent], None]], Runner]
    """Create the runner from the collector of warnings, what withholds output, the salt of the ledger and a listener to worker
    events."""


def select_runner(assembly: Assembly, total: int | None) -> Selection:
    """Select a runner by the options and the number of documents, if it is known."""
    options = assembly.options
    if options.runner == "spark":
        return Selection(False, lambda warnings, output, salt, notify: SparkRunner(assembly, salt))
    start = options.start if options.start != "auto" else _cheapest_start(assembly)
    count = options.workers if options.workers != "auto" else _worker_count(assembly, total, start)
    if count == 0:
        return Selection(True, lambda warnings, output, salt, notify: InProcessRunner(assembly, warnings, output, salt))
    data = packed(assembly) if start == "spawn" else b""
    return Selection(
        not data, lambda warnings, output, salt, notify: ProcessPoolRunner(assembly, count, data, salt, notify)
    )


def _worker_count(assembly: Assembly, total: int | None, start: str) -> int:
    """Return the number of workers that pays off. Even a single one keeps the run alive if a document crashes it."""
    if start != "fork" or not any(isinstance(c, TwoPhaseConsumer) for c in assembly.consumers):
        return 0
    if total is None:
        return cores()
    return max(1, min(cores(), total // _DOCUMENTS_PER_WORKER))


def _cheapest_start(assembly: Assembly) -> str:
    """Return `fork` if a copy of this process is safe and every component allows it."""
    parts = (assembly.reader, *assembly.engines, *assembly.consumers)
    return safe_start_method() if all(p is None or p.may_fork() for p in parts) else "spawn"
