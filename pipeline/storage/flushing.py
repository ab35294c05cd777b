"""Flush many files to the disk (fsync)."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable

from .files import Staged

_TOGETHER = 8
"""Number of files that are flushed at the same time on a slow disk."""
_SLOW_SECONDS = 0.002
"""A disk that takes longer for a file is slow."""
_SLOW_FILES = 2
"""Number of files that must take so long: one may do so by chance."""


def settle(files: Iterable[Staged]) -> None:
    """Flush staged files to the disk. Errors are raised by `place`.

    All files are being written before the first one is waited for. File systems then write their journal once for all of them, so
    the others take a fraction of a millisecond each on a local disk. On a slow one, several files are flushed at the same time.
    """
    waiting = [file for file in files if file.waits]
    if len(waiting) > 1:
        for file in waiting:
            _start_writing(file)
    slow = 0
    for n, file in enumerate(waiting, 1):
        began = time.monotonic()
        file.sync()
        slow += n > 1 and time.monotonic() - began > _SLOW_SECONDS
        if slow == _SLOW_FILES:
            _flush_together(waiting[n:])
            return


def _start_writing(file: Staged) -> None:
    """Let the system begin to write a file (Linux; elsewhere, `sync` begins it). Advice may fail: `sync` shows every error."""
    if hasattr(os, "posix_fadvise"):
        with contextlib.suppress(OSError):
            fd = os.open(file.temporary, os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)  # it is not read soon: write it back now
            finally:
                os.close(fd)


def _flush_together(files: list[Staged]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with contextlib.suppress(RuntimeError), ThreadPoolExecutor(_TOGETHER) as threads:
        list(threads.map(Staged.sync, files))
    for file in files:  # if no thread can be started
        if file.waits:
            file.sync()
