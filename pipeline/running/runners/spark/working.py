"""On an executor: the work of a run, items in and results out, both pickled in rows."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....assembly.dependencies import code_version, fingerprint
from ....contract.component import TwoPhaseConsumer
from ....contract.limits import Limits
from ....errors import CaspipeError, ComponentError, ResourceError, guarded
from ...ledger.fingerprint import keyed
from ..memory import limit_memory
from ..work import Noted, Result, Work, noting
from .engine import Careful, engine, pipeline_of
from .shipping import Ticket

if TYPE_CHECKING:
    from ....contract.report import ComponentStats

SCHEMA = "number bigint, data binary"
"""Rows of both ways. Out: a document's number and its item. Back: its number and its result, or one of the numbers below."""
PROBE, STATS, BROKEN = 0, -1, -2
_ROWS, _BYTES = 64, 1 << 20


@dataclass(frozen=True, slots=True)
class Order:
    """What all tasks of a run are told."""

    ticket: Ticket
    code: str
    """Version of caspipe's code."""
    identity: str
    """What `identity_of` must give: else results would differ from what the run's own process would make."""
    salt: bytes
    """For hashes of contents."""
    key_salt: bytes
    """For `identity_of`."""
    limits: Limits
    retries: int
    retry_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What a task tells beside results."""

    stats: dict[str, ComponentStats]
    warnings: list[str]


def identity_of(pipeline: Any, salt: bytes) -> str:
    """A hash over components, models, code and keys. A key cannot be looked up from it."""
    return keyed(pipeline, fingerprint(pipeline), salt)


class Worker:
    """The engine of a Python worker, as runs need it."""

    def __init__(self, order: Order) -> None:
        self.order = order
        with noting() as noted:
            if code_version() != order.code:
                raise ResourceError(
                    f"an executor has caspipe {code_version()}, this machine {order.code}: results would differ"
                )
            pipeline = self.pipeline = pipeline_of(order.ticket)
            found = identity_of(pipeline, order.key_salt)
            if found != order.identity:
                raise ResourceError(_difference(found, order.identity))
            pipeline.options.limits = order.limits
            pipeline.open()
            for consumer in pipeline.consumers:
                if isinstance(consumer, TwoPhaseConsumer):
                    with guarded(f"consumers/{consumer.id}"):
                        consumer.open_worker(shares_disk=False)
        self.warnings = noted.into
        self.careful = Careful(pipeline)
        limit_memory(order.limits.memory_mb)
        gc.collect()
        gc.freeze()  # models are never garbage
        pipeline.stats.clear()
        self.work = Work(pipeline, Noted(), travels=True, salt=order.salt, watch=self.careful.watch)

    def do(self, data: bytes) -> Result:
        """The result of a pickled item, tried again as the order says."""
        item = pickle.loads(data)  # from the run's own process, as the function around is
        result = self.careful.do(self.work, item)
        while (
            result.failed is not None
            and result.failed.reason in self.order.retry_on
            and result.attempts <= self.order.retries
        ):
            result = self.careful.do(self.work, item, result.attempts + 1)
        return result

    def told(self) -> Told:
        """What has come together since it was asked last."""
        stats, self.pipeline.stats = self.pipeline.stats, {}
        warnings, self.warnings = self.warnings, []
        return Told(stats, warnings)

    def close(self) -> None:
        """Lets go of the models."""
        self.pipeline.close()


def _difference(found: str, expected: str) -> str:
    part = (
        "its key (set it where the run begins, or the same on every executor)"
        if found.partition(":")[0] == expected.partition(":")[0]
        else "a model, a list, a plug-in, the version of a library or whether a key is set"
    )
    return f"an executor would not do what this machine does: it differs in {part}"


def worked(order: Order, batches: Iterator[Any]) -> Iterator[Any]:
    """Rows of items to rows of results, in order."""
    import pyarrow as pa

    schema = pa.schema([("number", pa.int64()), ("data", pa.binary())])

    def rows(found: list[tuple[int, bytes]]) -> Any:
        numbers, data = zip(*found, strict=True)
        return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64()), pa.array(data, pa.binary())], schema=schema)

    worker: Worker | None = None
    waiting: list[tuple[int, bytes]] = []
    size = 0
    with noting() as noted:
        for batch in batches:
            for number, data in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if worker is None:
                    try:
                        worker = engine(order.ticket, lambda: Worker(order))
                    except Exception as error:
                        told = error if isinstance(error, CaspipeError) else ComponentError("worker", error)
                        yield rows([(BROKEN, str(told).encode("utf-8", "replace"))])
                        return
                    worker.work.noted = noted
                if number == PROBE:
                    continue
                made = pickle.dumps(worker.do(data), protocol=5)
                waiting.append((number, made))
                size += len(made)
                if len(waiting) >= _ROWS or size > _BYTES:
                    yield rows(waiting)
                    waiting, size = [], 0
        if worker is not None:
            yield rows([*waiting, (STATS, pickle.dumps(worker.told(), protocol=5))])
