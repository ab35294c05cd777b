"""The memory limit of a worker."""

from __future__ import annotations

import sys
from pathlib import Path


def limit_memory(megabytes: int | None) -> None:
    """Make allocations raise MemoryError if this process grows by more than the limit (Linux). None: no limit."""
    if megabytes is None or sys.platform != "linux":
        return
    import resource

    data = _status("VmData")
    if data:
        most = data + megabytes * (1 << 20)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard in (resource.RLIM_INFINITY, -1) or most < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _status(name: str) -> int:
    """Return the bytes of a line of /proc/self/status; 0 if it is missing."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0
    return 0
