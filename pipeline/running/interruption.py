"""Signals that end a run: Ctrl-C (SIGINT), the end of a service or a job (SIGTERM), the end of a terminal (SIGHUP)."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_ENDING = tuple(number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None)


class Interruption:
    """The first signal that asked a run to end."""

    def __init__(self) -> None:
        self.signal = 0
        """Number of the signal; 0: none."""

    def is_set(self) -> bool:
        """Return whether the run must end."""
        return bool(self.signal)


@contextlib.contextmanager
def graceful_interrupt() -> Iterator[Interruption]:
    """Yield an object that the first SIGINT, SIGTERM or SIGHUP sets. The second one raises KeyboardInterrupt.

    SIGTERM and SIGHUP that are ignored, as with `nohup`, or that the program handles itself, stay as they are.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return

    def handler(number: int, frame: FrameType | None) -> None:
        if interruption.is_set():
            raise KeyboardInterrupt
        interruption.signal = number

    ours = [signal.SIGINT, *(number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL)]
    before = {number: signal.signal(number, handler) for number in ours}
    try:
        yield interruption
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def leave_signals_to_parent() -> None:
    """Ignore the signals that end a run: a terminal or a service manager sends them to all its processes, and the process of the
    run decides."""
    for number in (signal.SIGINT, *_ENDING):
        signal.signal(number, signal.SIG_IGN)
