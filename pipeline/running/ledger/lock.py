"""The lock beside a ledger: one run at a time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...errors import ConsumerError, OutputError


def lock_of(path: Path) -> Path:
    """Return the path of the lock of a file."""
    return path.with_name(f"{path.name}.lock")


def locked(path: Path) -> int:
    """Acquire the lock of a file. Raises ConsumerError if another process has it."""
    beside = lock_of(path)
    try:
        fd = os.open(beside, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise OutputError(f"{beside}: cannot write: {error.strerror}") from None
    try:
        import fcntl
    except ImportError:  # not available on this system: the caller must not start two runs
        return fd
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise ConsumerError(f"{path}: another run is writing to this output folder") from None
    return fd


def unlock(lock: int) -> None:
    """Release a lock."""
    with contextlib.suppress(OSError):
        os.close(lock)
