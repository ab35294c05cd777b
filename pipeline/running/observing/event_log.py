"""Events of a run as JSON lines: one object for each document, worker and warning, and for the start and end."""

from __future__ import annotations

import contextlib
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....typesystem.errors import CaspipeWarning
from ...storage.files import cannot, write_all
from ..runners.events import DocumentEvent, Observer, WorkerEvent

if TYPE_CHECKING:
    from ...contract.report import RunReport

FORMAT = 1
FLUSH_SECONDS = 0.5
FLUSH_BYTES = 1 << 16


class EventLog(Observer):
    """Appends events to a file in complete lines. If the process is killed, only the last line can be incomplete.

    Every object has `event` (run_started, document, worker, warning, run_ended), `t` (seconds since the start of the run, from a
    monotonic clock) and `time` (UTC). Documents appear by their numbers in reading order; lines do not contain ids, paths
    or text. Lines are buffered for half a second or 64 kB; everything but released documents is written immediately.

    Several runs may append to one file. Raises ConsumerError if the file cannot be opened. If writing
    fails later, the log ends with a warning and the run continues.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._fd = -1
        self._lines: list[str] = []
        self._size = 0
        self._flushed = 0.0
        self._began = 0.0
        self._epoch = 0.0
        self._second = -1
        self._clock = ""
        self._warnings = 0
        self._early: list[WorkerEvent] = []

    # -- what happens ------------------------------------------------------------------------------------------------

    def started(self, report: RunReport, total: int | None) -> None:
        """Open the file. Raises ConsumerError with its path."""
        self._open()
        self._began, self._epoch = time.perf_counter(), time.time()
        self._warnings = 0
        self._put(
            "run_started",
            format=FORMAT,
            run=report.name,
            pid=os.getpid(),
            total=total,
            workers=report.workers,
            shard=report.shard,
            fingerprint=report.fingerprint,
            versions=report.versions,
        )
        early, self._early = self._early, []
        for event in early:
            self.worker(event)
        self.flush()

    def document(self, event: DocumentEvent) -> None:
        if self._fd < 0:
            return
        e = event
        line = (
            f'{{"event":"document",{self._stamp()},"number":{e.number},"status":"{e.status}","reason":{_text(e.reason)},'
            f'"component":{_text(e.component)},"seconds":{e.seconds:.6f},"attempts":{e.attempts},"worker":{e.worker},'
            f'"characters":{e.characters},"reused":{"true" if e.reused else "false"}}}\n'
        )
        self._add(line)
        if e.reason:
            self.flush()

    def worker(self, event: WorkerEvent) -> None:
        """Buffer events of workers that start before the run, and log them after its start."""
        if self._fd < 0 and not self._began:
            self._early.append(event)
            return
        e = event
        fields = {"worker": e.worker, "pid": e.pid, "what": e.what, "reason": e.reason}
        self._put("worker", **fields, resident=e.resident, documents=e.documents)
        self.flush()

    def tick(self, report: RunReport, total: int | None) -> None:
        if len(report.warnings) > self._warnings:
            self._warn(report)
        elif self._lines and time.perf_counter() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def ended(self, report: RunReport) -> None:
        """Write the last event and close the file."""
        self._warn(report)
        d = report.documents
        self._put(
            "run_ended",
            read=d.read,
            released=d.released,
            quarantined=d.quarantined,
            skipped=d.skipped,
            reused=report.reused,
            attempts=report.attempts,
            characters=report.characters,
            seconds=round(report.seconds, 3),
            stopped=report.stopped if report.stopped in ("", "limit", "interrupted") else "errors",
            reasons=report.reasons,
            resident=report.resident,
            components=[
                {"id": c.id, "documents": c.documents, "errors": c.errors, "seconds": round(c.timings.total, 6)}
                | {f"p{q}": round(c.timings.quantile(q / 100), 6) for q in (50, 95)}
                | {"max": round(c.timings.longest, 6)}
                for c in report.components
            ],
        )
        self.flush()
        self._close()

    def _warn(self, report: RunReport) -> None:
        """Log warnings by their index in the run report, because their text may name a document."""
        for number in range(self._warnings + 1, len(report.warnings) + 1):
            self._put("warning", number=number)
        if len(report.warnings) > self._warnings:
            self._warnings = len(report.warnings)
            self.flush()

    # -- lines -------------------------------------------------------------------------------------------------------

    def _stamp(self) -> str:
        t = time.perf_counter() - self._began
        at = self._epoch + t
        second = int(at)
        if second != self._second:
            self._second = second
            self._clock = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f'"t":{t:.6f},"time":"{self._clock}.{int((at - second) * 1000):03}Z"'

    def _put(self, event: str, **fields: Any) -> None:
        if self._fd >= 0:
            rest = json.dumps(fields, separators=(",", ":"))[1:]
            self._add(f'{{"event":"{event}",{self._stamp()},{rest}\n')

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line)
        if self._size >= FLUSH_BYTES or time.perf_counter() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the collected events."""
        self._flushed = time.perf_counter()
        if self._fd < 0 or not self._lines:
            return
        data = "".join(self._lines).encode()
        self._lines.clear()
        self._size = 0
        try:
            write_all(self._fd, data)
        except OSError as error:
            self._close()
            warnings.warn(f"{cannot(self.path, error)}; further events are not logged", CaspipeWarning, stacklevel=2)

    def _open(self) -> None:
        self._close()
        self._lines.clear()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
            self._fd = os.open(self.path, flags, 0o666)
            size = os.fstat(self._fd).st_size
            if size:
                os.lseek(self._fd, size - 1, os.SEEK_SET)
                if os.read(self._fd, 1) != b"\n":  # a run before was killed in the middle of a line
                    os.write(self._fd, b"\n")
        except OSError as error:
            self._close()
            raise cannot(self.path, error) from None

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with contextlib.suppress(OSError):
                os.close(fd)


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of all runs in a file, in order. Incomplete lines of a killed run are skipped."""
    with Path(path).open("rb") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and "event" in event:
                yield event


_TEXTS = {"": '""'}


def _text(value: str) -> str:
    """Return a component id or reason as JSON, cached because there are few of them."""
    text = _TEXTS.get(value)
    if text is None:
        text = json.dumps(value)
        if len(_TEXTS) < 1_000:
            _TEXTS[value] = text
    return text
