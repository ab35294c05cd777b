"""Shared memory in which each worker notes what it is doing. It can be read even if the worker is stuck or dead."""

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
class Activity:
    """The current activity of a worker."""

    number: int
    """Number of the document; 0: none."""
    component: int
    """Index of the engine, or of a consumer after all engines; -1: reading."""
    size: int
    """Length of the document in code points, 0 if it is not known yet."""
    seconds: float
    """Time since the start of the document."""
    component_seconds: float
    """Time since the start of the component."""


class Slots:
    """One slot for each worker, in a memory-mapped file. Times are those of the monotonic clock, which all processes share."""

    def __init__(self, path: Path, count: int) -> None:
        self.path = path
        self.count = count
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(count * _SIZE)
            self.memory = mmap.mmap(file.fileno(), count * _SIZE)

    def activity(self, slot: int) -> Activity:
        """Return what the worker of a slot is doing."""
        while True:
            data = self.memory[slot * _SIZE : slot * _SIZE + _FORM.size]
            if data == self.memory[slot * _SIZE : slot * _SIZE + _FORM.size]:
                break  # otherwise it was being written
        number, component, size, started, component_started = _FORM.unpack(data)
        now = time.monotonic()
        if not started or not component_started:
            return Activity(0, -1, 0, 0.0, 0.0)
        return Activity(number, component, size, now - started, now - component_started)

    def clear(self, slot: int) -> None:
        """Note that the worker is idle."""
        _FORM.pack_into(self.memory, slot * _SIZE, 0, -1, 0, 0.0, 0.0)

    def close(self) -> None:
        """Remove the file."""
        self.memory.close()
        self.path.unlink(missing_ok=True)


class Slot:
    """The slot as its worker sees it."""

    def __init__(self, slots: Slots, slot: int) -> None:
        self._map = slots.memory
        self._at = slot * _SIZE
        self._number = 0
        self._started = 0.0

    def begin(self, number: int) -> None:
        """Note the start of a document."""
        self._number, self._started = number, time.monotonic()

    def watch(self, component: int, size: int) -> None:
        """Note the start of a component."""
        _FORM.pack_into(self._map, self._at, self._number, component, size, self._started, time.monotonic())

    def end(self) -> None:
        """Note the end of the document."""
        _FORM.pack_into(self._map, self._at, 0, -1, 0, 0.0, 0.0)


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes; 0 if the system does not provide it."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
