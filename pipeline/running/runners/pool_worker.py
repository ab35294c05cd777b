"""A worker of the process pool: it processes documents in chunks and notes what it is doing in shared memory."""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...assembly.assembly import Assembly
from ...contract import registry
from ...contract.report import ComponentStats
from ...errors import ComponentError
from ..memory import limit_memory
from ..withheld_output import WithheldOutput
from ..worker import Handler, Send, Worker
from .work import Item, Result, WarningCollector, Work, collect_warnings, flush_staged, make_sendable

_BATCH_SECONDS = 0.25
"""Results are sent at least this often."""
_BATCH = 1 << 20
"""Size of prepared outputs in bytes after which they are sent."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The current activity of a worker."""

    number: int
    """Number of the document; 0: none."""
    component: int
    """Index of the engine, or of a consumer after all engines; -1: reading."""
    size: int
    """Length of the document in code points, 0 if it is not known yet."""
    seconds: float
    """Time since the start of the document."""
    component_seconds: float
    """Time since the start of the component."""


class ActivityLog:
    """The activity of a worker in shared memory. The run can read it even if the worker is stuck or dead.

    Times are those of the monotonic clock, which all processes share.
    """

    def __init__(self, start: str) -> None:
        self._shared: Any = multiprocessing.get_context(start).RawArray("d", 5)
        self._number = 0
        self._began = 0.0

    def begin(self, number: int) -> None:
        """Note the start of a document."""
        self._number, self._began = number, time.monotonic()

    def watch(self, component: int, size: int) -> None:
        """Note the start of a component."""
        self._shared[:] = (self._number, component, size, self._began, time.monotonic())

    def end(self) -> None:
        """Note the end of the document."""
        self._shared[:] = (0, -1, 0, 0, 0)

    def read(self) -> Activity:
        """Return what the worker is doing."""
        while (values := self._shared[:]) != self._shared[:]:
            pass  # it is being written
        number, component, size, began, component_began = values
        if not number or not began or not component_began:
            return Activity(0, -1, 0, 0.0, 0.0)
        now = time.monotonic()
        return Activity(int(number), int(component), int(size), now - began, now - component_began)


@dataclass(frozen=True, slots=True)
class Finished:
    """Message: results, with the statistics of the components."""

    results: list[Result]
    stats: dict[str, ComponentStats]
    retires: bool = False
    """True if the worker exits now, because its memory cannot be trusted after a document reached the limit."""


class PoolWorker(Worker):
    """A worker as the process of the run sees it."""

    def __init__(
        self, number: int, assembly: Assembly | bytes, salt: bytes, scan_key: bytes, *, show_output: bool
    ) -> None:
        """`number`: counted from 1 over the whole run. `assembly`: packed for a process that is spawned, else open. `scan_key`:
        see `Assembly`; it is not known yet when the assembly is packed."""
        start = "spawn" if isinstance(assembly, bytes) else "fork"
        self.number = number
        self.activity = ActivityLog(start)
        self.idle_resident = 0
        """Resident memory in bytes before the first document."""
        self.documents = 0
        """Documents that it finished."""
        self.outstanding: set[int] = set()
        """Documents that it has and whose results have not arrived."""
        self.isolated = False
        """True if its document must be the only one in its worker."""
        self.retires = False
        self.killed = ""
        """The limit that it exceeded."""
        self.component_late = False
        """True if that was the limit of one component."""
        output = WithheldOutput(show=show_output)
        arguments = (assembly, registry.loaded_files(), salt, scan_key, self.activity, output)
        super().__init__(f"caspipe-worker-{number}", start, _set_up, *arguments, output=output)

    @property
    def idle(self) -> bool:
        return self.ready and not self.retires and not self.outstanding


def packed(assembly: Assembly) -> bytes:
    """Pickle a pipeline that is not open yet, for spawned workers. Raises ComponentError if a component cannot be pickled."""
    try:
        return pickle.dumps(assembly.for_worker(), protocol=5)
    except Exception as error:
        raise ComponentError("worker", error) from None


# -- in the worker process ---------------------------------------------------------------------------------------


def _set_up(
    assembly: Assembly | bytes,
    plugins: Sequence[str],
    salt: bytes,
    scan_key: bytes,
    activity: ActivityLog,
    output: WithheldOutput,
) -> Handler:
    """Open the components, unless this process is a copy of the one in which they are open."""
    with collect_warnings() as collected:
        if isinstance(assembly, bytes):
            for plugin in plugins:
                registry.load_file(plugin)
            assembly = pickle.loads(assembly)  # created by this program
            assert isinstance(assembly, Assembly)
            assembly.open_in_worker()
    assembly.scan_key = scan_key
    assembly.stats.clear()
    limit_memory(assembly.options.limits.memory_mb)
    output.take()  # what plug-ins print when they are loaded is of no document
    return _ChunkProcessor(assembly, salt, activity, collected.target, output).process


class _ChunkProcessor:
    """Processes documents and sends their results in batches."""

    def __init__(
        self, assembly: Assembly, salt: bytes, activity: ActivityLog, warnings: list[str], output: WithheldOutput
    ) -> None:
        self.assembly = assembly
        self.activity = activity
        self.work = Work(assembly, WarningCollector(), output, travels=True, salt=salt, watch=activity.watch)
        self.warnings = warnings
        """Warnings of opening the components, which are sent with the first result."""

    def process(self, chunk: Sequence[tuple[Item, int]], send: Send) -> None:
        """Process (item, number of the attempt). Raises SystemExit after a document that reached the memory limit."""
        with collect_warnings() as self.work.warnings:
            done: list[tuple[Item, Result]] = []
            size, last = 0, time.monotonic()
            for count, (item, attempt) in enumerate(chunk, 1):
                self.activity.begin(item.number)
                result = self.work.do(item, attempt)
                self.activity.end()
                result.warnings += self.warnings
                self.warnings = []
                done.append((item, result))
                size += result.size
                late = time.monotonic() - last > _BATCH_SECONDS
                if late or size > _BATCH or count == len(chunk) or _reached_limit(result):
                    self._send(done, send)
                    done, size, last = [], 0, time.monotonic()

    def _send(self, done: Sequence[tuple[Item, Result]], send: Send) -> None:
        results = [result for _, result in done]
        flush_staged(self.assembly, results)
        stats, self.assembly.stats = self.assembly.stats, {}
        try:
            send(Finished(results, stats, any(map(_reached_limit, results))))
        except Exception:  # one result cannot be pickled: send the rest
            results = [make_sendable(self.assembly, result, item) for item, result in done]
            send(Finished(results, stats, any(map(_reached_limit, results))))
        if any(map(_reached_limit, results)):
            raise SystemExit


def _reached_limit(result: Result) -> bool:
    return result.failed is not None and result.failed.reason == "memory"
