"""Memory of a process: its size, its peak, and its limit."""

from __future__ import annotations

import sys
from pathlib import Path


def resident(pid: int | None = None) -> int:
    """Return the resident memory of a process in bytes (by default this one). 0 if it has ended or is unknown.

    Read from /proc on Linux. On other systems, only the peak of this process is known.
    """
    return _status("VmRSS", pid) or (_most() if pid is None else 0)


def peak(pid: int | None = None) -> int:
    """Return the peak resident memory of a process in bytes (by default this one). 0 if it has ended or is unknown."""
    return _status("VmHWM", pid) or (_most() if pid is None else 0)


def _most() -> int:
    """Return the peak of this process on systems without /proc."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def limit_memory(megabytes: int | None) -> None:
    """Make allocations raise MemoryError if this process grows by more than the limit (Linux). None: no limit."""
    if megabytes is None or sys.platform != "linux":
        return
    import resource

    data = _status("VmData", None)
    if data:
        most = data + megabytes * (1 << 20)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard in (resource.RLIM_INFINITY, -1) or most < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _status(name: str, pid: int | None) -> int:
    """Return the bytes of a line of /proc/PID/status; 0 if it is missing."""
    try:
        status = Path(f"/proc/{'self' if pid is None else pid}/status").read_bytes()
        return int(status.partition(f"{name}:".encode())[2].split(None, 1)[0]) * 1024
    except (OSError, IndexError, ValueError):
        return 0
