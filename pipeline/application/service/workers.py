"""The workers of the service. Each does one job at a time; a worker that exceeds its time limit or dies is replaced."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ....typesystem.errors import warning_text
from ...errors import CaspipeError, ComponentError
from ...running.interruption import leave_signals_to_parent
from ...running.withheld_output import WithheldOutput, counted
from ...running.worker import Handler, Send, Worker, WorkerDied, WorkerError
from .handler import RequestHandler
from .jobs import Answer, Job, problem_answer
from .problems import Problem
from .settings import Spec

log = logging.getLogger("caspipe.service")
_START_SECONDS = 300.0


class ServiceWorker:
    """A pipeline that does one job at a time, in a thread of this process. Its methods block: they run in threads."""

    def __init__(self, handler: RequestHandler) -> None:
        self.loaded = False
        """True if the models are loaded."""
        self._handler = handler
        self._output = WithheldOutput()

    def start(self) -> None:
        """Load the models. Raises CaspipeError."""
        self._handler.open()
        self.loaded = True

    def call(self, job: Job) -> Answer:
        """Return the answer to a job."""
        self._output.begin()
        try:
            return self._handler.handle(job)
        finally:
            lines = self._output.take()
            self._output.end()
            log_withheld(lines)

    def stop(self) -> None:
        """Stop taking jobs."""
        self.loaded = False


class ProcessWorker(ServiceWorker):
    """A pipeline in a separate process, which is killed if a document takes too long."""

    def __init__(self, spec: Spec, seconds: float) -> None:
        self.loaded = False
        self.process: Worker | None = None
        self._spec = spec
        self._seconds = seconds

    def start(self) -> None:
        """Start the process and wait until its models are loaded. Raises CaspipeError."""
        output = WithheldOutput()
        self.process = Worker("caspipe-worker", "spawn", _set_up, self._spec, output, output=output)
        try:
            self.process.receive(_START_SECONDS)
        except (WorkerError, WorkerDied, TimeoutError) as error:
            self.stop()
            late = "it did not start in time" if isinstance(error, TimeoutError) else "it died while it started"
            raise CaspipeError(f"worker: {str(error) or late}") from None
        self.loaded = True

    def call(self, job: Job) -> Answer:
        """Return the answer to a job. Kills the process if it exceeds the time limit."""
        assert self.process is not None
        keep = False
        try:
            self.process.send(job)
            answer: Answer = self.process.receive(self._seconds)
            keep = not answer.worn
            return answer
        except WorkerDied:
            log.error("a worker died and is replaced")
            return problem_answer(Problem(500, "worker-died", "the worker died on the document"), job)
        except TimeoutError:
            log.error("a worker took longer than %g s and is replaced", self._seconds)
            return problem_answer(_late(self._seconds), job)
        finally:  # after any other error, a partial answer may be on the connection, which must not reach another request
            if not keep:
                self.stop()

    def stop(self) -> None:
        """Kill the process."""
        self.loaded = False
        if self.process is not None:
            self.process.stop()


class WorkerPool:
    """The workers and the queue of jobs."""

    def __init__(self, spec: Spec, seconds: float, count: int, failed: Callable[[str], None]) -> None:
        """`count`: number of processes. 0: one thread of this process, in which a document that takes too long continues after
        its job was answered with 504; the next one waits for it. `failed` is called with the reason if a worker cannot be
        replaced."""
        self.width = max(count, 1)
        """Number of jobs in progress at a time."""
        self._handler = RequestHandler(spec)
        self._seconds = seconds
        self._failed = failed
        self._threads = ThreadPoolExecutor(self.width, "caspipe-worker")
        self._workers: list[ServiceWorker] = [ProcessWorker(spec, seconds) for _ in range(count)]
        self._workers = self._workers or [ServiceWorker(self._handler)]
        self._idle: asyncio.Queue[ServiceWorker] = asyncio.Queue()
        self._replacing: set[asyncio.Future[None]] = set()
        self._closed = False

    @property
    def ready(self) -> bool:
        """Return whether a worker has loaded its models."""
        return not self._closed and any(worker.loaded for worker in self._workers)

    async def start(self) -> None:
        """Start all workers. Raises CaspipeError if a pipeline cannot be opened."""
        await asyncio.gather(*map(self._begin, self._workers))

    async def _begin(self, worker: ServiceWorker) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, worker.start)
        self._idle.put_nowait(worker)

    async def run(self, job: Job, *, patient: bool = False) -> Answer:
        """Return the answer to a job. `patient`: wait for a free worker without a limit."""
        try:
            worker = await asyncio.wait_for(self._idle.get(), None if patient else self._seconds)
        except TimeoutError:
            busy = Problem(503, "busy", "no worker became free in time", headers={"Retry-After": "5"})
            return problem_answer(busy, job)
        call = asyncio.get_running_loop().run_in_executor(self._threads, worker.call, job)
        call.add_done_callback(lambda _: self._give_back(worker))
        done, _ = await asyncio.wait((call,), timeout=self._seconds)
        return call.result() if done else problem_answer(_late(self._seconds), job)

    def _give_back(self, worker: ServiceWorker) -> None:
        if self._closed:
            return
        if worker.loaded:
            self._idle.put_nowait(worker)
            return
        replacing = asyncio.ensure_future(self._replace(worker))
        self._replacing.add(replacing)
        replacing.add_done_callback(self._replacing.discard)

    async def _replace(self, worker: ServiceWorker) -> None:
        try:
            await self._begin(worker)
        except CaspipeError as error:
            self._failed(str(error))
        except Exception as error:  # such as a lack of memory or processes: class and position suffice
            self._failed(str(ComponentError("worker", error)))

    def describe(self) -> dict[str, Any]:
        """Return the pipeline as plain data."""
        return self._handler.describe()

    async def close(self) -> None:
        """Stop the workers."""
        self._closed = True
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _set_up(spec: Spec, output: WithheldOutput) -> Handler:
    """Set up a worker process."""
    quiet(output)
    handler = RequestHandler(spec)
    handler.open()
    output.take()

    def handle(job: Job, send: Send) -> None:
        send(handler.handle(job))
        log_withheld(output.take())

    return handle


def log_withheld(lines: int) -> None:
    """Log how many lines components printed."""
    if lines:
        log.warning("components printed %s", counted(lines))


def quiet(output: WithheldOutput) -> None:
    """Set up a process of the service: it ignores signals and never prints any text of a document."""

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        logging.getLogger("caspipe.service").warning("%s", warning_text(message, category, filename, lineno))

    leave_signals_to_parent()
    logging.getLogger().addHandler(logging.NullHandler())
    own = logging.StreamHandler(output.visible_stderr())
    own.setFormatter(logging.Formatter("%(message)s"))
    logging.getLogger("caspipe.service").addHandler(own)
    warnings.simplefilter("default", UserWarning)
    warnings.showwarning = show


def _late(seconds: float) -> Problem:
    return Problem(504, "document-timeout", f"the document took longer than {seconds:g} s")
