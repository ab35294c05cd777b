"""The runner for Spark: it submits batches of documents as jobs, and bisects a batch that crashes."""

from __future__ import annotations

import pickle
import secrets
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import Any

from ....assembly.assembly import Assembly
from ....assembly.dependencies import code_version
from ....errors import CaspipeError, ComponentError, ConfigError, Fault
from ....storage.spark_session import SparkError, context_of, session
from ..runner import Runner
from ..work import Failed, Item, Result, read_again
from .shipping import ship
from .working import BROKEN, PROBE, SCHEMA, STATS, Order, TaskReport, identity_of, worked

_JOBS = 2
"""Concurrent jobs: one uses the cores that the last tasks of the other leave idle."""
_SECONDS = 2.0
"""Intended duration of a job."""
_FIRST, _MOST = 16, 4_000
"""Documents per core in the first job, and limit for all cores together."""
_BYTES = 32 << 20


class SparkRunner(Runner):
    """Reads documents here and sends them in batches to Python workers of Spark, which load their own engines.

    What consumers prepare is returned as bytes and written here: executors do not need a shared folder. If a Python worker dies
    and Spark gives up on the job, its batch is bisected until the document that caused it is found.
    """

    def __init__(self, assembly: Assembly, salt: bytes) -> None:
        self.salt = salt
        if assembly.config is None:
            what = "runner: spark: expected a pipeline of a YAML file or a bundle: this one was made by a program"
            raise ConfigError([Fault("run", what)])
        self.assembly = assembly
        options = assembly.options
        self.retries = options.retries if "crash" in options.retry_on else 0
        self.spark, self._own = session()
        self.context = context_of(self.spark)
        self.workers = int(self.context.defaultParallelism)
        key_salt = secrets.token_bytes(16)
        self.order = Order(
            ship(self.spark, assembly),
            code_version(),
            identity_of(assembly, key_salt),
            salt,
            key_salt,
            assembly.scan_key,
            options.limits,
            options.retries,
            tuple(options.retry_on),
            options.show_output,
        )
        self._group = f"caspipe-{secrets.token_hex(8)}"
        self._size = _FIRST * self.workers
        self._ended = False
        self._works = False
        """True if a job has succeeded."""
        self._lock = threading.Lock()
        self._warnings: list[str] = []
        """Warnings of workers that started, to be added to the next result."""

    def results(self, items: Iterator[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, in order."""
        ahead: deque[tuple[list[Item], Future[list[Result]]]] = deque()
        more = True
        with ThreadPoolExecutor(_JOBS, "caspipe-spark") as pool:
            try:
                while True:
                    while more and len(ahead) <= _JOBS:
                        batch = self._batch(items)
                        if batch:
                            ahead.append((batch, pool.submit(self._all, batch)))
                        more = bool(batch)
                    if not ahead:
                        return
                    batch, job = ahead.popleft()
                    done = job.result()
                    self._adapt(done)
                    for item, result in zip(batch, done, strict=True):
                        yield item, self._with_warnings(result)
            finally:
                if ahead or more:
                    self.kill()

    def _with_warnings(self, result: Result) -> Result:
        with self._lock:
            result.warnings += self._warnings
            self._warnings = []
        return result

    def redo(self, item: Item) -> Result:
        """Process an item whose result was returned last again without comparing its content."""
        return self._all([replace(item, expected=b"")])[0]

    def close(self) -> None:
        """Stop the Spark session if this run created it."""
        if not self._ended:
            self._ended = True
            if self._own:
                self.spark.stop()
            elif self._alive():
                self.order.ticket.forget()

    def kill(self) -> None:
        """Cancel the jobs."""
        if not self._ended:
            if self._alive():
                self.context.cancelJobGroup(self._group)
            self.close()

    # -- out -------------------------------------------------------------------------------------------------------

    def _batch(self, items: Iterator[Item]) -> list[Item]:
        batch: list[Item] = []
        size = 0
        while len(batch) < self._size and size < _BYTES:
            item = next(items, None)
            if item is None:
                break
            batch.append(self._read(item))
            size += batch[-1].size
        return batch

    def _read(self, item: Item) -> Item:
        """Load the document of a handle, because its files are on this machine."""
        if item.handle is None or item.fault is not None:
            return item
        assert self.assembly.reader is not None
        try:
            cas = self.assembly.reader.load(item.handle)
            return replace(item, handle=None, packed=pickle.dumps(cas, protocol=5))
        except Exception as error:
            return replace(item, handle=None, fault=ComponentError(self.assembly.reader_name, error))

    def _adapt(self, done: list[Result]) -> None:
        """Choose a batch size that keeps all cores busy for the intended duration."""
        took = sum(result.seconds for result in done) / max(1, len(done))
        wanted = int(_SECONDS * self.workers / max(took, 1e-4))
        self._size = max(self.workers, min(wanted, _MOST, 4 * self._size))

    # -- back ------------------------------------------------------------------------------------------------------

    def _all(self, batch: list[Item]) -> list[Result]:
        """Return the result of each item of a batch, in order."""
        done = iter(self._tried([item for item in batch if item.fault is None]))
        return [next(done) if item.fault is None else self._unread(item, item.fault) for item in batch]

    def _unread(self, item: Item, fault: Exception) -> Result:
        error = fault if isinstance(fault, ComponentError) else ComponentError(self.assembly.reader_name, fault)
        return Result(item.number, item.id, failed=Failed.of(error))

    def _tried(self, items: list[Item]) -> list[Result]:
        """Return the results of a job. If it fails, run its halves, down to the single document that makes it fail."""
        if not items:
            return []
        for attempt in range(1, 2 + (self.retries if len(items) == 1 else 0)):
            try:
                done = self._job(items)
            except CaspipeError:
                raise
            except Exception:  # errors of Spark are unspecific; the next job shows the cause
                self._go_on()
                if not self._works:
                    self._probe()
                continue
            if len(done) == 1 == len(items):
                done[0].attempts = max(done[0].attempts, attempt)
            return done
        if len(items) > 1:
            half = len(items) // 2
            return list(chain(self._tried(items[:half]), self._tried(items[half:])))
        self._probe()
        item = items[0]
        failed = Failed("worker", "Crash", "worker: Crash: its Python worker died", "crash")
        text, kept, content = read_again(self.assembly, item, self.salt)
        attempts = 1 + self.retries
        return [Result(item.number, item.id, content, failed=failed, text=text, kept=kept, attempts=attempts)]

    def _job(self, items: list[Item]) -> list[Result]:
        rows = [(item.number, pickle.dumps(item, protocol=5)) for item in items]
        found = self._rows(rows, min(self.workers, len(rows)))
        if [result.number for result in found] != [item.number for item in items]:
            raise RuntimeError("a job that lost rows")
        return found

    def _rows(self, rows: list[tuple[int, bytes]], parts: int) -> list[Result]:
        """Run a job. Raises the error of Spark if it fails, and SparkError if a worker cannot start."""
        order = self.order

        def caspipe(batches: Iterator[Any]) -> Iterator[Any]:
            return worked(order, batches)

        self.context.setJobGroup(self._group, "caspipe", False)
        given = self.spark.createDataFrame(self.context.parallelize(rows, parts), SCHEMA, verifySchema=False)
        results: list[Result] = []
        for number, data in given.mapInArrow(caspipe, SCHEMA).collect():
            if number == BROKEN:
                raise SparkError(bytes(data).decode("utf-8"))
            loaded = pickle.loads(data)  # from our own workers
            if number == STATS:
                self._add_report(loaded)
            else:
                results.append(loaded)
        self._works = True
        return results

    def _add_report(self, report: TaskReport) -> None:
        with self._lock:
            self.assembly.merge_stats(report.stats)
            self._warnings += [w for w in report.warnings if w not in self._warnings]

    # -- dead ------------------------------------------------------------------------------------------------------

    def _probe(self) -> None:
        """Raise SparkError if the cluster does not work, so that no document is blamed for it."""
        try:
            self._rows([(PROBE, b"")], 1)
        except CaspipeError:
            raise
        except Exception as error:
            fault = type(error).__name__
        else:
            return
        hint = "the run can be resumed" if self._works else "can its Python workers import caspipe? See PYSPARK_PYTHON"
        raise SparkError(f"Spark does not run jobs: {fault}; {hint}")

    def _go_on(self) -> None:
        if self._ended or not self._alive():
            raise SparkError("the Spark session was stopped; the run can be resumed")

    def _alive(self) -> bool:
        java = self.context._jsc
        return java is not None and not java.sc().isStopped()
