"""Where the work of a run is done: here, by workers on this machine, or on a cluster."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ...contract.component import TwoPhaseConsumer
from .events import WorkerEvent
from .work import Item, Noted, Result

if TYPE_CHECKING:
    from ...pipeline import Pipeline

_WORTH_A_WORKER = 25
"""Documents for which one more worker pays."""


class Runner(Protocol):
    """Does the work on documents."""

    workers: int
    attempts: int
    """Tries beyond the first of each document."""
    last: Item | None
    """The item whose result was given last."""
    travels: bool
    """Whether documents go to another process: they are packed then."""

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """The result of each item, in order unless the options say otherwise. Takes items only as fast as it can."""
        ...

    def redo(self, number: int) -> Result:
        """The result of the item given last, whatever is expected of it."""
        ...

    def close(self) -> None:
        """Ends the workers when their work is done."""
        ...

    def kill(self) -> None:
        """Ends the workers at once."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """How a run's work is done."""

    opens: bool
    """Whether the run's own process opens the engines."""
    runner: Callable[[Noted, bytes, Callable[[WorkerEvent], None]], Runner]
    """Makes the runner, once all is open; of the notes on warnings, the ledger's salt, and who is told of workers."""


def chosen(pipeline: Pipeline, total: int | None) -> Choice:
    """How the work is done, by the options and the number of documents, where that is known."""
    from .here import Here

    options = pipeline.options
    if options.runner == "spark":
        from .spark import Spark

        return Choice(False, lambda noted, salt, told: Spark(pipeline, salt))
    start = options.start if options.start != "auto" else _cheapest(pipeline)
    count = options.workers if options.workers != "auto" else _count(pipeline, total, start)
    if count == 0:
        return Choice(True, lambda noted, salt, told: Here(pipeline, noted, salt))
    from .crew import Crew
    from .local import Local
    from .worker import packed

    data = packed(pipeline) if start == "spawn" else b""

    def local(noted: Noted, salt: bytes, told: Callable[[WorkerEvent], None]) -> Runner:
        return Local(pipeline, Crew(pipeline, count, start, salt, data, noted.into), told)

    return Choice(start == "fork", local)


def _count(pipeline: Pipeline, total: int | None, start: str) -> int:
    """As many workers as pay. Even one keeps the run alive where a document brings it down."""
    from .crew import cores

    if start != "fork" or not any(isinstance(c, TwoPhaseConsumer) for c in pipeline.consumers):
        return 0
    if total is None:
        return cores()
    return max(1, min(cores(), total // _WORTH_A_WORKER))


def _cheapest(pipeline: Pipeline) -> str:
    """`fork` where a copy of this process is safe and free: Linux, no other threads, no component that forbids it."""
    parts = (pipeline.reader, *pipeline.engines, *pipeline.consumers)
    safe = sys.platform == "linux" and threading.active_count() == 1 and all(p is None or p.may_fork() for p in parts)
    return "fork" if safe else "spawn"
