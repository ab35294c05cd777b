"""Workers: processes with a pipeline each, one document at a time, stopped and replaced where a document takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import multiprocessing
import signal
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Protocol

from ....typesystem.errors import warning_text
from ...errors import CaspipeError, ComponentError
from .handler import RequestHandler
from .jobs import Answer, Job, problem_answer
from .problems import Problem
from .settings import Spec

log = logging.getLogger("caspipe.service")
_SPAWN = multiprocessing.get_context("spawn")  # forking a process with threads may copy a lock that is never released
_START_SECONDS = 300.0


class Pool(Protocol):
    """Interface of the pools that process jobs."""

    width: int
    """Jobs at a time."""

    @property
    def ready(self) -> bool:
        """Return whether a worker is there, its models loaded."""

    async def start(self) -> None:
        """Load everything. Raises CaspipeError if a pipeline cannot be opened."""

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        """Return the answer to a job. `patient`: waits for a free worker however long that takes."""

    def describe(self) -> dict[str, Any]:
        """Return the pipeline as plain data."""

    async def close(self) -> None:
        """End the workers."""


class InProcessPool:
    """The pipeline in this process, in one thread: nothing is started, but nothing can be stopped either.

    A document over its time is answered with 504 while its thread goes on; the next one waits for it.
    """

    width = 1

    def __init__(self, spec: Spec, seconds: float) -> None:
        self._handler = RequestHandler(spec)
        self._seconds = seconds
        self._thread = ThreadPoolExecutor(1, "caspipe-handler")
        self._free = asyncio.Semaphore(1)
        self._ready = False

    @property
    def ready(self) -> bool:
        return self._ready

    async def start(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._handler.open)
        self._ready = True

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        if not await _taken(self._free.acquire(), None if patient else self._seconds):
            return problem_answer(_busy(), job)
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._handler.handle, job)
        future.add_done_callback(lambda _: self._free.release())
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._seconds)
        except TimeoutError:
            return problem_answer(_late(self._seconds), job)

    def describe(self) -> dict[str, Any]:
        return self._handler.describe()

    async def close(self) -> None:
        self._ready = False
        self._thread.shutdown(wait=False, cancel_futures=True)


class ProcessPool:
    """Several processes; one that is over its time or has died is replaced."""

    def __init__(self, spec: Spec, seconds: float, count: int, failed: Callable[[str], None]) -> None:
        """`failed` is called with the reason where a worker cannot be replaced."""
        self.width = count
        self._handler = RequestHandler(spec)  # never opened: it says what the pipeline is
        self._seconds = seconds
        self._failed = failed
        self._threads = ThreadPoolExecutor(count, "caspipe-worker")
        self._workers = [_Worker(spec) for _ in range(count)]
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._returning: set[asyncio.Future[None]] = set()
        self._closed = False

    @property
    def ready(self) -> bool:
        return not self._closed and any(worker.loaded for worker in self._workers)

    async def start(self) -> None:
        await asyncio.gather(*map(self._begin, self._workers))

    async def _begin(self, worker: _Worker) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, worker.start)
        self._idle.put_nowait(worker)

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        worker = await _taken(self._idle.get(), None if patient else self._seconds)
        if worker is None:
            return problem_answer(_busy(), job)
        call = asyncio.get_running_loop().run_in_executor(self._threads, worker.call, job, self._seconds)
        call.add_done_callback(lambda _: self._give_back(worker))
        return await asyncio.shield(call)

    def _give_back(self, worker: _Worker) -> None:
        if self._closed:
            return
        if worker.loaded:
            self._idle.put_nowait(worker)
            return
        returning = asyncio.ensure_future(self._replace(worker))
        self._returning.add(returning)
        returning.add_done_callback(self._returning.discard)

    async def _replace(self, worker: _Worker) -> None:
        try:
            await self._begin(worker)
        except CaspipeError as error:
            self._failed(str(error))
        except Exception as error:  # no memory, no more processes: the message is the system's, the place says enough
            self._failed(str(ComponentError("worker", error)))

    def describe(self) -> dict[str, Any]:
        return self._handler.describe()

    async def close(self) -> None:
        self._closed = True
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Worker:
    """One process and the way to it. Its methods block: they run in threads."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._process: Any = None
        self._connection: Connection | None = None
        self.loaded = False
        """True if the process is there and can take a job."""

    def start(self) -> None:
        """Start the process and waits until its models are loaded. Raises CaspipeError."""
        own_end, child_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(child_end, self._spec), name="caspipe-worker", daemon=True)
        self._process.start()
        child_end.close()
        self._connection = own_end
        try:
            message = own_end.recv() if own_end.poll(_START_SECONDS) else "it did not start in time"
        except (EOFError, OSError):
            message = "it died while it started"
        if message:
            self.stop()
            raise CaspipeError(f"worker: {message}")
        self.loaded = True

    def call(self, job: Job, seconds: float) -> Answer:
        """Return the answer to a job; the process is killed if there is none in time."""
        connection = self._connection
        try:
            if connection is None:
                raise EOFError
            connection.send(job)
            if connection.poll(seconds):
                answer: Answer = connection.recv()
                if answer.worn:
                    self.stop()
                return answer
        except (EOFError, OSError):
            self.stop()
            log.error("a worker died and is replaced")
            return problem_answer(Problem(500, "worker-died", "the worker died on the document"), job)
        except BaseException:
            self.stop()  # half an answer may be left on the connection, and must not reach another request
            raise
        self.stop()
        log.error("a worker took longer than %g s and is replaced", seconds)
        return problem_answer(_late(seconds), job)

    def stop(self) -> None:
        """Kill the process."""
        self.loaded = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            self._process.kill()
            self._process.join(10)


def _work(connection: Connection, spec: Spec) -> None:
    """The worker process: ends when its connection to the service is closed."""
    quiet()
    try:
        handler = RequestHandler(spec)
        handler.open()
    except CaspipeError as error:
        connection.send(str(error))
        return
    except Exception as error:
        connection.send(str(ComponentError("worker", error)))
        return
    gc.collect()
    gc.freeze()  # models stay: the garbage collector need not look at them again and again
    connection.send("")
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            connection.send(handler.handle(connection.recv()))


def quiet() -> None:
    """Set up a process of the service: it ignores signals, and never prints anything of a document."""

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        logging.getLogger("caspipe.service").warning("%s", warning_text(message, category, filename, lineno))

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    logging.getLogger().addHandler(logging.NullHandler())
    own = logging.StreamHandler()
    own.setFormatter(logging.Formatter("%(message)s"))
    logging.getLogger("caspipe.service").addHandler(own)
    warnings.simplefilter("default", UserWarning)
    warnings.showwarning = show


async def _taken(wait: Any, seconds: float | None) -> Any:
    """Return what is waited for, or None if that takes too long."""
    try:
        return await asyncio.wait_for(wait, seconds)
    except TimeoutError:
        return None


def _late(seconds: float) -> Problem:
    return Problem(504, "document-timeout", f"the document took longer than {seconds:g} s")


def _busy() -> Problem:
    return Problem(503, "busy", "no worker became free in time", headers={"Retry-After": "5"})
