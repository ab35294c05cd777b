"""Limits of a case: time, memory, files outside its folder, the network, programs, pickles."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 5.0
"""Of CPU, for one case."""
MEGABYTES = 300
"""That a case may take beyond what was there."""
_WALL = 40
"""Seconds after which a case is taken for endless."""
_HARD = 120
"""Seconds after which the process is ended, because not even a signal got through."""

_FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn",
              "os.fork", "os.forkpty", "pickle.find_class")  # fmt: skip
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate", "os.utime",
            "shutil.rmtree")  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_folder: str | None = None
_thread = 0
_seen: list[str] = []
_installed = False


class Endless(BaseException):
    """A case that does not end; no `except Exception` catches it."""


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Told of everything the interpreter does; keeps what a case must not do."""
    if _folder is None or threading.get_ident() != _thread:
        return
    if event == "open":
        path, _, flags = arguments
        if isinstance(flags, int) and flags & _WRITES and not _inside(path):
            _seen.append("a file opened for writing outside the folder of the case")
    elif event in _CHANGES:
        if not all(_inside(path) for path in arguments if isinstance(path, str | bytes | os.PathLike)):
            _seen.append(f"{event} outside the folder of the case")
    elif event in _FORBIDDEN:
        _seen.append(event)


def _inside(path: Any) -> bool:
    """Return whether a case may write to a path. Bytecode of late imports is allowed."""
    if not isinstance(path, str | bytes | os.PathLike):
        return True  # a file descriptor was a path before
    name = os.path.realpath(os.fsdecode(path))
    return name.startswith(f"{_folder}{os.sep}") or f"{os.sep}__pycache__{os.sep}" in name or name == os.devnull


def _peak(*, anew: bool = False) -> int:
    """Return the peak resident size in kB, since the last reset if the system supports that."""
    try:
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _too_long(signum: int, frame: FrameType | None) -> None:
    raise Endless


@contextmanager
def watched(folder: Path, megabytes: int = MEGABYTES) -> Iterator[None]:
    """Run a case. Raises AssertionError that describes violations of its limits; it may write to `folder`."""
    global _folder, _thread, _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    _seen.clear()
    before = _peak(anew=True)
    timed = threading.current_thread() is threading.main_thread()
    old = signal.signal(signal.SIGALRM, _too_long) if timed else None
    if timed:
        signal.alarm(_WALL)
    faulthandler.dump_traceback_later(_HARD, exit=True)
    started = time.process_time()
    _thread, _folder = threading.get_ident(), os.path.realpath(folder)
    try:
        yield
    except Endless:
        raise AssertionError(f"expected an end within {SECONDS:.0f} seconds, found none in {_WALL}") from None
    finally:
        _folder = None
        faulthandler.cancel_dump_traceback_later()
        if timed:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, old)
    took, grown = time.process_time() - started, (_peak() - before) / 1024
    assert not _seen, f"expected nothing of the sort, found {', '.join(sorted(set(_seen)))}"
    assert took < SECONDS, f"expected an end within {SECONDS:.0f} s of CPU, found {took:.1f}"
    assert grown < megabytes, f"expected at most {megabytes} MB more memory, found {grown:.0f}"
