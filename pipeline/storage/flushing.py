"""Flush many files to the disk (fsync)."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Sequence

from .files import Staged

_TOGETHER = 4
"""Number of files that are flushed at the same time. More threads cost more processor time and are not faster."""


def settle(files: Iterable[Staged]) -> None:
    """Flush staged files to the disk, several at the same time. Errors are raised by `place`.

    All files are being written before the first one is waited for. File systems write their journal once for all waiting calls,
    so this takes a fifth of the time or less.
    """
    waiting = [file for file in files if file.waits]
    threads = list[threading.Thread]()
    if len(waiting) > 1:
        for file in waiting:
            _start_writing(file)
        with contextlib.suppress(RuntimeError):  # no thread can be started
            for n in range(1, min(_TOGETHER, len(waiting))):
                thread = threading.Thread(target=_flush, args=(waiting[n::_TOGETHER],), daemon=True)
                thread.start()
                threads.append(thread)
    _flush(waiting[::_TOGETHER])
    for thread in threads:
        thread.join()
    _flush([file for file in waiting if file.waits])


def _flush(files: Sequence[Staged]) -> None:
    for file in files:
        file.sync()


def _start_writing(file: Staged) -> None:
    """Let the system begin to write a file (Linux; elsewhere, `sync` begins it). Advice may fail: `sync` shows every error."""
    if hasattr(os, "posix_fadvise"):
        with contextlib.suppress(OSError):
            fd = os.open(file.temporary, os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)  # it is not read soon: write it back now
            finally:
                os.close(fd)
