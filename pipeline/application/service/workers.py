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
from .desk import Desk
from .jobs import Answer, Job, refusal
from .problems import Problem
from .settings import Spec

log = logging.getLogger("caspipe.service")
_SPAWN = multiprocessing.get_context("spawn")  # forking a process with threads may copy a lock that nobody will open
_START_SECONDS = 300.0


class Pool(Protocol):
    """What serves jobs."""

    width: int
    """Jobs at a time."""

    @property
    def ready(self) -> bool:
        """Whether a worker is there, its models loaded."""

    async def start(self) -> None:
        """Loads everything. Raises CaspipeError where a pipeline cannot be opened."""

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        """The answer to a job. `patient`: waits for a free worker however long that takes."""

    def describe(self) -> dict[str, Any]:
        """The pipeline as plain data."""

    async def close(self) -> None:
        """Ends the workers."""


class Inline:
    """The pipeline in this process, in one thread: nothing is started, but nothing can be stopped either.

    A document over its time is answered with 504 while its thread goes on; the next one waits for it.
    """

    width = 1

    def __init__(self, spec: Spec, seconds: float) -> None:
        self._desk = Desk(spec)
        self._seconds = seconds
        self._thread = ThreadPoolExecutor(1, "caspipe-desk")
        self._free = asyncio.Semaphore(1)
        self._ready = False

    @property
    def ready(self) -> bool:
        return self._ready

    async def start(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._desk.open)
        self._ready = True

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        if not await _taken(self._free.acquire(), None if patient else self._seconds):
            return refusal(_busy(), job)
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._desk.handle, job)
        future.add_done_callback(lambda _: self._free.release())
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._seconds)
        except TimeoutError:
            return refusal(_late(self._seconds), job)

    def describe(self) -> dict[str, Any]:
        return self._desk.describe()

    async def close(self) -> None:
        self._ready = False
        self._thread.shutdown(wait=False, cancel_futures=True)


class Processes:
    """Several processes; one that is over its time or has died is replaced."""

    def __init__(self, spec: Spec, seconds: float, count: int, failed: Callable[[str], None]) -> None:
        """`failed` is called with the reason where a worker cannot be replaced."""
        self.width = count
        self._desk = Desk(spec)  # never opened: it says what the pipeline is
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
            return refusal(_busy(), job)
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
        return self._desk.describe()

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
        self._way: Connection | None = None
        self.loaded = False
        """Whether the process is there and can take a job."""

    def start(self) -> None:
        """Starts the process and waits until its models are loaded. Raises CaspipeError."""
        here, there = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(there, self._spec), name="caspipe-worker", daemon=True)
        self._process.start()
        there.close()
        self._way = here
        try:
            said = here.recv() if here.poll(_START_SECONDS) else "it did not start in time"
        except (EOFError, OSError):
            said = "it died while it started"
        if said:
            self.stop()
            raise CaspipeError(f"worker: {said}")
        self.loaded = True

    def call(self, job: Job, seconds: float) -> Answer:
        """The answer to a job; the process is ended where there is none in time."""
        way = self._way
        try:
            if way is None:
                raise EOFError
            way.send(job)
            if way.poll(seconds):
                answer: Answer = way.recv()
                if answer.worn:
                    self.stop()
                return answer
        except (EOFError, OSError):
            self.stop()
            log.error("a worker died and is replaced")
            return refusal(Problem(500, "worker-died", "the worker died on the document"), job)
        except BaseException:
            self.stop()  # half an answer may be left on the way: nobody else may get it
            raise
        self.stop()
        log.error("a worker took longer than %g s and is replaced", seconds)
        return refusal(_late(seconds), job)

    def stop(self) -> None:
        """Ends the process, whatever it is doing."""
        self.loaded = False
        if self._way is not None:
            self._way.close()
            self._way = None
        if self._process is not None:
            self._process.kill()
            self._process.join(10)


def _work(way: Connection, spec: Spec) -> None:
    """The worker process: ends when its way to the service is closed."""
    quiet()
    try:
        desk = Desk(spec)
        desk.open()
    except CaspipeError as error:
        way.send(str(error))
        return
    except Exception as error:
        way.send(str(ComponentError("worker", error)))
        return
    gc.collect()
    gc.freeze()  # models stay: the garbage collector need not look at them again and again
    way.send("")
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            way.send(desk.handle(way.recv()))


def quiet() -> None:
    """What processes of the service share: signals are the service's business, and nothing of a document is ever printed."""

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
    """What is waited for, or None where that takes too long."""
    try:
        return await asyncio.wait_for(wait, seconds)
    except TimeoutError:
        return None


def _late(seconds: float) -> Problem:
    return Problem(504, "document-timeout", f"the document took longer than {seconds:g} s")


def _busy() -> Problem:
    return Problem(503, "busy", "no worker became free in time", headers={"Retry-After": "5"})
