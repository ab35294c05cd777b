"""What the workers of tests do. A module of its own, so that a process that is spawned can import it."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.running.worker import Handler, Send

SECRET = "Featherstone"


def obedient(factor: int) -> Handler:
    """Do what a task says; numbers are multiplied."""

    def handle(task: Any, send: Send) -> None:
        if task == "sleep":
            time.sleep(600)
        elif task == "exit":
            raise SystemExit(7)
        elif task == "raise":
            raise KeyError(SECRET)
        elif task == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif task == "twice":
            send(1)
            send(2)
        elif task == "large":
            send(b"x" * 5_000_000)
        else:
            send(task * factor)

    return handle


def without_model() -> Handler:
    raise ResourceError("model x: not there")


def quoting() -> Handler:
    raise ValueError(SECRET)
