"""A worker: a process that does one task after the other, and that can be killed and replaced at any time."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.util import Finalize
from typing import Any, TypeVar

from ..errors import CaspipeError, ComponentError
from .interruption import leave_signals_to_parent
from .withheld_output import WithheldOutput

Send = Callable[[Any], None]
Handler = Callable[[Any, Send], None]
"""Does a task and sends its answers."""

_EXIT_SECONDS = 10.0
"""Time that a process has to exit."""
_POLL_SECONDS = 2.0
"""Time between two checks whether the parent process is alive."""
_PR_SET_PDEATHSIG = 1


class WorkerError(CaspipeError):
    """A worker cannot start."""


class WorkerDied(Exception):
    """A worker died. What it was doing is lost."""


class Worker:
    """A worker process as its parent sees it. Components that it opened stay open between tasks."""

    def __init__(
        self,
        name: str,
        start: str,
        set_up: Callable[..., Handler],
        *arguments: Any,
        output: WithheldOutput | None = None,
    ) -> None:
        """Start a process that calls `set_up(*arguments)` once and then its result for each task. `start`: fork or spawn.

        `output`: withholds what the process prints, from its start on; None: everything is withheld.
        """
        context: Any = multiprocessing.get_context(start)
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        arguments = (theirs, os.getpid(), set_up, arguments, output or WithheldOutput())
        self.process = context.Process(target=_main, args=arguments, name=name, daemon=True)
        self.process.start()
        Finalize(
            self, self.process.kill, exitpriority=1
        )  # before `multiprocessing` waits for it at the end of the program
        theirs.close()
        self.pid: int = self.process.pid
        self.ready = False
        """True after the message that the worker is set up was received."""

    def send(self, task: Any) -> None:
        """Send a task; None asks the worker to exit. Raises WorkerDied."""
        try:
            self.connection.send(task)
        except OSError:
            raise WorkerDied from None

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next answer, or None if the worker is ready for its first task. Waits for `seconds`, or without a limit.

        Raises TimeoutError, WorkerDied, or WorkerError if the worker could not be set up.
        """
        try:
            late = not self.connection.poll(seconds)
            message = None if late else self.connection.recv()
        except (EOFError, OSError):
            raise WorkerDied from None
        if late:
            raise TimeoutError
        if isinstance(message, WorkerError):
            raise message
        self.ready = True
        return message

    def kill(self) -> None:
        """Kill the process. Answers that it sent before can still be received."""
        self.process.kill()
        self.process.join(_EXIT_SECONDS)

    def stop(self) -> None:
        """Kill the process and close the connection to it."""
        self.kill()
        self.connection.close()

    @property
    def ending(self) -> str:
        """How the process ended: `SIGSEGV`, `exit code 1`."""
        code = self.process.exitcode
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return signal.Signals(-code).name
            return f"signal {-code}"
        return f"exit code {code}"


W = TypeVar("W", bound=Worker)


def wait_for(workers: Sequence[W], seconds: float | None = None) -> list[W]:
    """Wait until some workers have sent an answer or died, and return them."""
    ready = wait([worker.connection for worker in workers], seconds)
    return [worker for worker in workers if worker.connection in ready]


def safe_start_method() -> str:
    """Return `fork` if a copy of this process works: on Linux, without other threads, whose locks would stay locked."""
    forks = sys.platform == "linux" and "fork" in multiprocessing.get_all_start_methods()
    return "fork" if forks and threading.active_count() == 1 else "spawn"


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


# -- in the worker process ---------------------------------------------------------------------------------------


def _main(
    connection: Connection,
    parent: int,
    set_up: Callable[..., Handler],
    arguments: Sequence[Any],
    output: WithheldOutput,
) -> None:
    """Set up the worker and do tasks until the parent asks to exit, closes the connection, or dies."""
    leave_signals_to_parent()
    output.begin()
    try:
        _die_with(parent)
        try:
            handler = set_up(*arguments)
        except Exception as error:
            shown = error if isinstance(error, CaspipeError) else ComponentError("worker", error)
            connection.send(WorkerError(str(shown)))
            return
        gc.collect()
        gc.freeze()  # components are never garbage, and untouched pages stay shared
        connection.send(None)
        while (task := _next(connection, parent)) is not None:
            handler(task, connection.send)
    except BaseException as error:  # its message may quote a document and would be printed
        code = error.code if isinstance(error, SystemExit) else 1
        os._exit(code & 0xFF if isinstance(code, int) else 1)


def _next(connection: Connection, parent: int) -> Any:
    """Return the next task; None after the last one."""
    while not connection.poll(_POLL_SECONDS):
        if os.getppid() != parent:
            return None
    try:
        return connection.recv()
    except (EOFError, OSError):
        return None


def _die_with(parent: int) -> None:
    """Ask the system to end this process together with the thread that started it (Linux only; otherwise see `_next`)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the call
            os._exit(1)
