"""Output of components that is withheld: what they print may quote a document, so it is counted and not shown.

The file descriptors 1 and 2 lead into memory, which also catches programs in C, logging, tracebacks of threads and of finalizers,
and `faulthandler`.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import TextIO

_CHUNK = 1 << 16
_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")


class WithheldOutput:
    """Withholds the output of this process from `begin` to `end`."""

    def __init__(self, *, show: bool = False) -> None:
        """`show`: let everything through."""
        self.show = show
        self._sink = -1
        self._saved: list[int] = []
        self._before: dict[str, TextIO | None] = {}

    def begin(self) -> None:
        """Start to withhold."""
        if self.show or self._sink >= 0:
            return
        self._sink = _memory()
        self._redirect()

    def end(self) -> None:
        """Stop to withhold, without showing what was written before."""
        if self._sink >= 0:
            self._restore()
            os.close(self._sink)
            self._sink = -1

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """Let output through, for the program itself."""
        if not self._saved:
            yield
            return
        self._restore()
        try:
            yield
        finally:
            self._redirect()

    def visible_stderr(self) -> TextIO:
        """Return a stream that still leads to standard error while output is withheld, for the program's own log."""
        number = _duplicate(self._saved[1] if self._saved else 2)
        return open(number, "w", buffering=1, errors="backslashreplace", closefd=False)

    def take(self) -> int:
        """Return the number of lines since the last call, and forget them."""
        if self._sink < 0:
            return 0
        _flush([self._before.get(name) for name in _STREAMS] if self._saved else [])
        size = os.fstat(self._sink).st_size
        if not size:
            return 0
        lines, last = 0, b"\n"
        for offset in range(0, size, _CHUNK):
            chunk = os.pread(self._sink, min(_CHUNK, size - offset), offset)
            lines, last = lines + chunk.count(b"\n"), chunk[-1:] or last
        os.ftruncate(self._sink, 0)
        return lines + (last != b"\n")

    def _redirect(self) -> None:
        """Lead both descriptors and the streams of Python into the sink."""
        self._before = {name: getattr(sys, name) for name in _STREAMS}
        _flush(self._before.values())  # what the program itself has written
        self._saved = [_duplicate(number) for number in (1, 2)]
        for number in (1, 2):
            os.dup2(self._sink, number)
        for name, number in zip(_STREAMS, (1, 2, 1, 2), strict=True):
            raw = open(number, "wb", buffering=0, closefd=False)  # noqa: SIM115
            setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True))

    def _restore(self) -> None:
        _flush(
            [*self._before.values(), *(getattr(sys, name) for name in _STREAMS)]
        )  # into the sink, not to the terminal
        for number, saved in zip((1, 2), self._saved, strict=True):
            if saved < 0:  # it was closed before
                os.close(number)
            else:
                os.dup2(saved, number)
                os.close(saved)
        self._saved = []
        for name, stream in self._before.items():
            setattr(sys, name, stream)


def told(lines: int) -> str:
    """Return the warning about withheld lines."""
    return f"components printed {counted(lines)}; --show-output shows them"


def counted(lines: int) -> str:
    """Return `3 lines, withheld`."""
    return f"{lines:,} line{'s' * (lines != 1)}, withheld"


def _memory() -> int:
    """Return a descriptor to which everything is appended; without memory files, a deleted file that only its owner can read."""
    if hasattr(os, "memfd_create"):
        sink = os.memfd_create("caspipe-withheld")
    else:
        sink, path = tempfile.mkstemp(prefix="caspipe-")
        with contextlib.suppress(OSError):  # a system that keeps open files
            os.unlink(path)  # noqa: PTH108
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.fcntl(sink, fcntl.F_SETFL, fcntl.fcntl(sink, fcntl.F_GETFL) | os.O_APPEND)
    return sink


def _duplicate(number: int) -> int:
    try:
        return os.dup(number)
    except OSError:
        return -1


def _flush(streams: object) -> None:
    """Write what streams and the C library hold back."""
    for stream in {id(s): s for s in streams}.values():  # type: ignore[attr-defined]
        with contextlib.suppress(Exception):  # closed, none, or one of its own kind
            stream.flush()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        _c_library().fflush(None)


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
