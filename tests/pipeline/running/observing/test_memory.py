"""Memory of this process and of others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.running import memory
from caspipe.pipeline.running.observing import Memory, peak, resident
from caspipe.pipeline.running.observing import memory as observed
from caspipe.pipeline.running.runners.events import WorkerEvent

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
HELD = 64 << 20
WORKER = f"import sys; held = b'x' * {HELD}; print('ready', flush=True); sys.stdin.read()"


def test_what_this_process_holds_is_known() -> None:
    before = resident()
    held = b"x" * HELD
    assert resident() - before > HELD * 0.9 or not Path("/proc/self/statm").exists()
    assert peak() >= before > 1_000_000
    del held


@needs_proc
def test_a_worker_is_watched_from_its_start_to_its_end() -> None:
    watched = Memory()
    watched.started(RunReport(), None)
    assert list(watched.now) == ["run"]
    process = subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == b"ready\n"
    watched.worker(WorkerEvent(1, process.pid, "started"))
    watched.look()
    assert watched.now["worker 1"] > HELD
    assert watched.most["worker 1"] >= watched.now["worker 1"]
    assert watched.total == watched.now["run"] + watched.now["worker 1"]
    process.communicate(b"")
    watched.worker(WorkerEvent(1, process.pid, "ended", resident=5 << 30))
    assert list(watched.now) == ["run"]
    assert watched.most["worker 1"] == 5 << 30
    assert resident(process.pid) == peak(process.pid) == 0


def test_it_looks_now_and_then_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(observed, "resident", lambda pid=None: looks.append(1) or 1)
    watched = Memory()
    for _ in range(100):
        watched.tick(RunReport(), None)
    assert len(looks) == 1


def test_peaks_of_many_workers_stay_few() -> None:
    watched = Memory()
    for worker in range(1, 2000):
        watched.worker(WorkerEvent(worker, 0, "crashed", resident=worker))
    assert len(watched.most) <= 257


def test_without_proc_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "Path", lambda name: Path("/nowhere"))
    assert resident() == peak() > 1_000_000
    assert resident(1) == 0
