"""The lock beside a ledger: one run at a time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...errors import ConsumerError, OutputError


def lock_of(path: Path) -> Path:
    """Where the lock of a file lies."""
    return path.with_name(f"{path.name}.lock")


def locked(path: Path) -> int:
    """Takes the lock beside a file. Raises ConsumerError where another process has it."""
    beside = lock_of(path)
    try:
        fd = os.open(beside, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise OutputError(f"{beside}: cannot write: {error.strerror}") from None
    try:
        import fcntl
    except ImportError:  # no such locks on this system: two runs at once are then the caller's care
        return fd
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise ConsumerError(f"{path}: another run is writing to this output folder") from None
    return fd


def unlock(lock: int) -> None:
    """Lets go of it."""
    with contextlib.suppress(OSError):
        os.close(lock)
