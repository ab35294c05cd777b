"""The progress of a run: a bar on a terminal, plain lines elsewhere; and the documents processed over time."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from ..runners.events import Observer, WorkerEvent
from .memory import Memory

if TYPE_CHECKING:
    from ...contract.report import RunReport

SLICES = 120
FIRST = 0.25


class Pace:
    """Documents in each slice of time. If there would be more than `slices`, pairs of slices are merged.

    `counts[i]` documents were processed from second `i * seconds` of the run to `(i + 1) * seconds`.
    """

    __slots__ = ("counts", "seconds", "slices")

    def __init__(self, slices: int = SLICES, seconds: float = FIRST) -> None:
        if slices < 2 or seconds <= 0:
            raise ValueError(f"expected 2 slices or more of more than 0 seconds, got {slices} of {seconds:g}")
        self.slices = slices
        self.seconds = seconds
        self.counts: list[int] = []

    def add(self, at: float, documents: int = 1) -> None:
        """Count documents that were processed `at` seconds after the start of the run."""
        slot = int(at / self.seconds) if at > 0 else 0
        if slot >= len(self.counts):
            while slot >= self.slices:
                self._join()
                slot = int(at / self.seconds)
            self.counts.extend([0] * (slot + 1 - len(self.counts)))
        self.counts[slot] += documents

    def _join(self) -> None:
        self.seconds *= 2
        counts = self.counts
        self.counts = [sum(counts[i : i + 2]) for i in range(0, len(counts), 2)]


LINES_EVERY = 10.0
"""Seconds between two plain lines."""
BAR_EVERY = 0.2
"""Seconds between two updates of the bar. It is drawn without a thread, which would prevent forking workers."""
RECENT = 10.0
"""Length of the window for the rate in seconds."""


class Rate:
    """Documents per second over the last seconds, in bounded memory."""

    def __init__(self, began: float, window: float = RECENT) -> None:
        self.window = window
        self._samples: deque[tuple[float, int]] = deque([(began, 0)])

    def at(self, now: float, done: int) -> float:
        """Return the rate after `done` documents at second `now`."""
        samples = self._samples
        while len(samples) > 1 and now - samples[1][0] >= self.window:
            samples.popleft()
        then, before = samples[0]
        if now - samples[-1][0] >= self.window / 50:
            samples.append((now, done))
        return (done - before) / (now - then) if now > then else 0.0


class Progress(Observer):
    """Shows the progress periodically. Can also be called with report and total after each document."""

    every = LINES_EVERY

    def __init__(self) -> None:
        self._began = self._shown = time.monotonic()
        self._rate = Rate(self._began)
        self._memory = Memory()
        self._alive: set[int] = set()

    def __call__(self, report: RunReport, total: int | None) -> None:
        self.tick(report, total)

    def started(self, report: RunReport, total: int | None) -> None:
        self._began = self._shown = time.monotonic()
        self._rate = Rate(self._began)

    def worker(self, event: WorkerEvent) -> None:
        self._memory.worker(event)
        (self._alive.add if event.what == "started" else self._alive.discard)(event.worker)

    @property
    def is_due(self) -> bool:
        """Return whether the next `tick` shows something."""
        return time.monotonic() - self._shown >= self.every

    def tick(self, report: RunReport, total: int | None) -> None:
        if self.is_due:
            self._shown = time.monotonic()
            self.show(report, total)

    def show(self, report: RunReport, total: int | None) -> None:
        """Show the state of the run."""

    def facts(self, report: RunReport, total: int | None) -> list[str]:
        """Return rate, remaining time, failures, workers and memory, each only if it is known."""
        d = report.documents
        rate = self._rate.at(time.monotonic(), d.read)
        self._memory.tick(report, total)
        parts = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
        if total and rate > 0 and total > d.read:
            parts.append(f"{span((total - d.read) / rate)} left")
        if failed := d.quarantined + d.skipped:
            parts.append(f"{failed:,} failed")
        if self._alive:
            parts.append(f"{len(self._alive)} worker{'s' * (len(self._alive) != 1)}")
        if self._memory.total:
            parts.append(f"{self._memory.total / 1e6:,.0f} MB")
        return parts


class Lines(Progress):
    """A plain line on standard error every ten seconds."""

    def __init__(self, stream: TextIO | None = None, every: float = LINES_EVERY) -> None:
        super().__init__()
        self.every = every
        self._stream = stream

    def show(self, report: RunReport, total: int | None) -> None:
        done = f"{report.documents.read:,}{f' of {total:,}' if total else ''} documents"
        with contextlib.suppress(OSError, ValueError):  # a closed stream must not end a run
            (self._stream or sys.stderr).write(", ".join((done, *self.facts(report, total))) + "\n")


class Bar(Progress):
    """A bar on the terminal, removed at the end of the run. A context manager."""

    every = BAR_EVERY

    def __init__(self, console: Any = None) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        text = TextColumn("{task.fields[facts]}")
        columns = (TextColumn("documents"), BarColumn(), MofNCompleteColumn(), text, TimeElapsedColumn())
        shown = console or Console(stderr=True)
        self._bar = RichProgress(*columns, console=shown, transient=True, auto_refresh=False)
        self._task = self._bar.add_task("documents", total=None, facts="")

    def __enter__(self) -> Bar:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        with contextlib.suppress(OSError):  # the terminal is closed: the run ends by SIGHUP, not here
            self._bar.__exit__(*error)

    def show(self, report: RunReport, total: int | None) -> None:
        text = " · ".join(self.facts(report, total))
        with contextlib.suppress(OSError):
            self._bar.update(self._task, completed=report.documents.read, total=total, facts=text, refresh=True)


@contextlib.contextmanager
def shown(quiet: bool) -> Iterator[Progress | None]:
    """Return the display: none if `quiet`, a bar on a terminal, lines elsewhere. NO_COLOR is respected."""
    if quiet:
        yield None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with Bar() as bar:
            yield bar
    else:
        yield Lines()


def span(seconds: float) -> str:
    """Format a remaining time: `8 s`, `3 min`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:,.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60} min"
