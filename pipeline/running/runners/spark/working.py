"""On an executor: processing the items of a run. Items and results are pickled in rows."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....assembly.assembly import Assembly
from ....assembly.dependencies import code_version, fingerprint
from ....contract.limits import Limits
from ....contract.report import ComponentStats
from ....errors import CaspipeError, ComponentError, ResourceError
from ...ledger.fingerprint import keyed
from ...memory import limit_memory
from ...withheld_output import WithheldOutput
from ..work import Result, WarningCollector, Work, collect_warnings
from .engine import Careful, engine, load_assembly
from .shipping import Ticket

SCHEMA = "number bigint, data binary"
"""Rows of both directions: a number with its item, and back with its result. The numbers below mark other messages."""
PROBE, STATS, BROKEN = 0, -1, -2
_ROWS, _BYTES = 64, 1 << 20


@dataclass(frozen=True, slots=True)
class Order:
    """The data that all tasks of a run need."""

    ticket: Ticket
    code: str
    """Version of caspipe's code."""
    identity: str
    """Expected value of `identity_of`: otherwise the results would differ from those of the driver."""
    salt: bytes
    """Salt for hashes of contents."""
    key_salt: bytes
    """Salt for `identity_of`."""
    scan_key: bytes
    """Key for hashes of masked values; empty without the release scanner."""
    limits: Limits
    retries: int
    retry_on: tuple[str, ...]
    show_output: bool


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Statistics and warnings of a task."""

    stats: dict[str, ComponentStats]
    warnings: list[str]


def identity_of(assembly: Assembly, salt: bytes) -> str:
    """Return a hash over components, models, code and keys, from which keys cannot be guessed."""
    return keyed(assembly, fingerprint(assembly), salt)


class Worker:
    """The engine of a Python worker for runs."""

    def __init__(self, order: Order) -> None:
        self.order = order
        with collect_warnings() as collected:
            if code_version() != order.code:
                raise ResourceError(
                    f"an executor has caspipe {code_version()}, this machine {order.code}: results would differ"
                )
            assembly = self.assembly = load_assembly(order.ticket)
            found = identity_of(assembly, order.key_salt)
            if found != order.identity:
                raise ResourceError(_difference(found, order.identity))
            assembly.options.limits, assembly.scan_key = order.limits, order.scan_key
            assembly.open_in_worker(shares_disk=False)
        self.warnings = collected.target
        self.careful = Careful(assembly)
        limit_memory(order.limits.memory_mb)
        gc.collect()
        gc.freeze()  # models are never garbage
        assembly.stats.clear()
        self.work = Work(
            assembly,
            WarningCollector(),
            WithheldOutput(show=order.show_output),
            travels=True,
            salt=order.salt,
            watch=self.careful.watch,
        )

    def do(self, data: bytes) -> Result:
        """Process a pickled item, with retries as ordered."""
        self.work.output.begin()  # not longer than a document: Spark itself uses these streams
        try:
            return self._do(data)
        finally:
            self.work.output.end()

    def _do(self, data: bytes) -> Result:
        item = pickle.loads(data)  # created by the driver, like this function
        result = self.careful.do(self.work, item)
        while (
            result.failed is not None
            and result.failed.reason in self.order.retry_on
            and result.attempts <= self.order.retries
        ):
            result = self.careful.do(self.work, item, result.attempts + 1)
        return result

    def report(self) -> TaskReport:
        """Return statistics and warnings since the last call."""
        stats, self.assembly.stats = self.assembly.stats, {}
        warnings, self.warnings = self.warnings, []
        return TaskReport(stats, warnings)

    def close(self) -> None:
        """Close the engines."""
        self.assembly.close()


def _difference(found: str, expected: str) -> str:
    part = (
        "its key (set it where the run begins, or the same on every executor)"
        if found.partition(":")[0] == expected.partition(":")[0]
        else "a model, a list, a plug-in, the version of a library or whether a key is set"
    )
    return f"an executor would not do what this machine does: it differs in {part}"


def worked(order: Order, batches: Iterator[Any]) -> Iterator[Any]:
    """Turn rows of items into rows of results, in order."""
    import pyarrow as pa

    schema = pa.schema([("number", pa.int64()), ("data", pa.binary())])

    def rows(found: list[tuple[int, bytes]]) -> Any:
        numbers, data = zip(*found, strict=True)
        return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64()), pa.array(data, pa.binary())], schema=schema)

    worker: Worker | None = None
    waiting: list[tuple[int, bytes]] = []
    size = 0
    with collect_warnings() as collected:
        for batch in batches:
            for number, data in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if worker is None:
                    try:
                        worker = engine(order.ticket, lambda: Worker(order))
                    except Exception as error:
                        shown = error if isinstance(error, CaspipeError) else ComponentError("worker", error)
                        yield rows([(BROKEN, str(shown).encode("utf-8", "replace"))])
                        return
                    worker.work.warnings = collected
                if number == PROBE:
                    continue
                answer = pickle.dumps(worker.do(data), protocol=5)
                waiting.append((number, answer))
                size += len(answer)
                if len(waiting) >= _ROWS or size > _BYTES:
                    yield rows(waiting)
                    waiting, size = [], 0
        if worker is not None:
            yield rows([*waiting, (STATS, pickle.dumps(worker.report(), protocol=5))])
