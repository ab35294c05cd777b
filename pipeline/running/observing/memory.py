"""Resident memory of the process of the run and its workers: current and peak."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..memory import peak, resident
from ..runners.events import Observer, WorkerEvent

if TYPE_CHECKING:
    from ...contract.report import RunReport

RUN = "run"
EVERY = 0.5
"""Seconds between two measurements."""
_WORKERS = 256
"""Limit of workers whose peaks are kept separately. Later workers share entries."""


class Memory(Observer):
    """Memory by process in bytes: `run`, `worker 1` ... Measured at most every half second, and when a worker ends."""

    def __init__(self) -> None:
        self.now: dict[str, int] = {}
        """Last measurement, of running processes."""
        self.most: dict[str, int] = {}
        """Peak of each process, including those that have ended."""
        self._pids: dict[int, int] = {}
        self._looked = float("-inf")

    def look(self) -> None:
        """Measure the memory of all processes now."""
        self._looked = time.monotonic()
        found = {RUN: (resident(), peak())}
        for worker, pid in sorted(self._pids.items()):
            if held := resident(pid):
                found[name_of(worker)] = held, peak(pid)
        self.now = {name: held for name, (held, _) in found.items()}
        for name, pair in found.items():
            self._note(name, max(pair))

    @property
    def total(self) -> int:
        """Return the last total of all processes. Pages that workers share with the run are counted for each."""
        return sum(self.now.values())

    def worker(self, event: WorkerEvent) -> None:
        if event.what == "started":
            self._pids[event.worker] = event.pid
        else:
            self._pids.pop(event.worker, None)
            self.now.pop(name_of(event.worker), None)
            self._note(name_of(event.worker), max(event.resident, peak(event.pid)))

    def started(self, report: RunReport, total: int | None) -> None:
        self.look()

    def tick(self, report: RunReport, total: int | None) -> None:
        if time.monotonic() - self._looked >= EVERY:
            self.look()

    def ended(self, report: RunReport) -> None:
        self.look()

    def _note(self, name: str, held: int) -> None:
        if held and (name in self.most or len(self.most) <= _WORKERS):
            self.most[name] = max(held, self.most.get(name, 0))


def name_of(worker: int) -> str:
    """Return the name of a worker: `worker 1`; 0 is the run itself."""
    return f"worker {worker}" if worker else RUN
