"""What each worker is doing, in memory that the run's process can read even where the worker is stuck or dead."""

from __future__ import annotations

import mmap
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

_FORM = struct.Struct("=qqqdd")
_SIZE = 64


@dataclass(frozen=True, slots=True)
class Doing:
    """What a worker is doing."""

    number: int
    """Document, in reading order; 0: none."""
    component: int
    """Engine, counted from 0, consumers behind them; -1: reading."""
    size: int
    """Code points of the document, 0 where they are not known yet."""
    seconds: float
    """Since the document began."""
    component_seconds: float
    """Since the component began."""


class Slots:
    """One slot for each worker, in a file that is mapped into memory. Times are those of the system's monotonic clock, which
    all processes share."""

    def __init__(self, path: Path, count: int) -> None:
        self.path = path
        self.count = count
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(count * _SIZE)
            self._map = mmap.mmap(file.fileno(), count * _SIZE)

    def doing(self, slot: int) -> Doing:
        """What the worker of a slot is doing now."""
        while True:
            data = self._map[slot * _SIZE : slot * _SIZE + _FORM.size]
            if data == self._map[slot * _SIZE : slot * _SIZE + _FORM.size]:  # else it was being written
                break
        number, component, size, started, at = _FORM.unpack(data)
        now = time.monotonic()
        if not started or not at:
            return Doing(0, -1, 0, 0.0, 0.0)
        return Doing(number, component, size, now - started, now - at)

    def clear(self, slot: int) -> None:
        """The worker does nothing."""
        _FORM.pack_into(self._map, slot * _SIZE, 0, -1, 0, 0.0, 0.0)

    def close(self) -> None:
        """Removes the file."""
        self._map.close()
        self.path.unlink(missing_ok=True)


class Slot:
    """A worker's own side of its slot."""

    def __init__(self, slots: Slots, slot: int) -> None:
        self._map = slots._map
        self._at = slot * _SIZE
        self._number = 0
        self._started = 0.0

    def begin(self, number: int) -> None:
        """A document begins."""
        self._number, self._started = number, time.monotonic()

    def watch(self, component: int, size: int) -> None:
        """A component begins."""
        _FORM.pack_into(self._map, self._at, self._number, component, size, self._started, time.monotonic())

    def end(self) -> None:
        """The document has ended."""
        _FORM.pack_into(self._map, self._at, 0, -1, 0, 0.0, 0.0)


def resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
