"""SIGTERM and SIGHUP end a run as Ctrl-C does: whole files, an exit code that names the signal, and a run that can be resumed."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")

PLUGIN = '''
import time
from caspipe.pipeline import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind

@component("slow_numbers", outputs=[PhiCandidate])
class SlowNumbers(Annotator):
    """Mark numbers, slowly."""

    def annotate(self, view):
        time.sleep(0.03)
        at = view.text.find("number ") + 7
        yield PhiCandidate(at, len(view.text), kind=PhiKind.ID, rule="digits", confidence=1.0)
'''
CONFIG = """
reader: {text: {folder: notes}}
engines: [slow_numbers, resolver, masker]
consumers: [text, jsonl]
"""
DOCUMENTS = 120


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with notes, a slow plug-in and a configuration."""
    (tmp_path / "notes").mkdir()
    for n in range(DOCUMENTS):
        (tmp_path / "notes" / f"n{n:03}.txt").write_text(f"Patient has number {1000 + n}")
    (tmp_path / "slow.py").write_text(PLUGIN)
    (tmp_path / "run.yaml").write_text(CONFIG)
    return tmp_path


def command(*options: str) -> list[str]:
    cli = [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", "run.yaml", "--plugin", "slow.py"]
    return [*cli, "--set", "run.output=out", *options]


def written(project: Path) -> int:
    return len(list(project.glob("out/release/text/*.txt")))


def signalled(
    project: Path, send: Callable[[int], None], *options: str, ignored: tuple[int, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A run that gets a signal after some documents."""

    def ignore() -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):  # the tests themselves may run below `nohup`
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    with subprocess.Popen(
        command(*options),
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=ignore,
    ) as run:
        while run.poll() is None and written(project) < 3:
            time.sleep(0.005)
        send(run.pid)
        said, _ = run.communicate(timeout=100)
    return subprocess.CompletedProcess(run.args, run.returncode, said)


def resumes(project: Path) -> int:
    """Resume the run, check that every document is released once, and return how many were kept."""
    events = project / "events.jsonl"
    done = command("-w", "0", "--resume", "--events", str(events))
    subprocess.run(done, cwd=project, check=True, capture_output=True)
    documents = [e for e in map(json.loads, events.read_text().splitlines()) if e["event"] == "document"]
    assert [e["status"] for e in documents] == ["released"] * DOCUMENTS
    return sum(e["reused"] for e in documents)


@pytest.mark.attack("signals")
@pytest.mark.parametrize("whom", [os.kill, os.killpg], ids=["the run", "all its processes"])
@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_whole_files_and_a_resumed_run_does_the_rest(
    project: Path, number: signal.Signals, workers: str, whom: Callable[[int, int], None]
) -> None:
    done = signalled(project, lambda pid: whom(pid, number), "-w", workers)
    assert done.returncode == 128 + number, done.stdout
    assert "Traceback" not in done.stdout
    assert f"The run ended early: interrupted by {number.name}; --resume continues it" in done.stdout
    assert " 0 quarantined" in done.stdout  # no worker died of it
    assert not list((project / "out").rglob("*.tmp"))
    released = written(project)
    assert 3 <= released < DOCUMENTS
    lines = (project / "out/release/documents.jsonl").read_bytes().splitlines()
    assert len([json.loads(line) for line in lines]) == released
    assert resumes(project) == released


@pytest.mark.attack("signals")
def test_nohup_is_respected(project: Path) -> None:
    done = signalled(project, lambda pid: os.killpg(pid, signal.SIGHUP), "-w", "2", ignored=(signal.SIGHUP,))
    assert (done.returncode, written(project)) == (0, DOCUMENTS), done.stdout


@pytest.mark.attack("signals")
def test_a_second_signal_ends_a_run_at_once(project: Path) -> None:
    (project / "slow.py").write_text(PLUGIN.replace("0.03", "0.5 if '1010' in view.text else 0.03"))

    def twice(pid: int) -> None:
        os.kill(pid, signal.SIGTERM)
        time.sleep(0.02)
        os.kill(pid, signal.SIGTERM)

    done = signalled(project, twice, "-w", "0")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    assert written(project) < DOCUMENTS
    resumes(project)


@pytest.mark.attack("signals")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_closing_the_terminal_ends_a_run_that_shows_its_progress_there(project: Path, workers: str) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(project)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.execv(sys.executable, command("-w", workers))
    while written(project) < 3:
        time.sleep(0.005)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    assert not list((project / "out").rglob("*.tmp"))
    released = written(project)
    assert 3 <= released < DOCUMENTS
    assert resumes(project) == released


@pytest.mark.attack("signals")
def test_a_handler_of_the_program_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from caspipe.pipeline.running.interruption import graceful_interrupt

    def own(*_: object) -> None: ...

    before = signal.signal(signal.SIGTERM, own)
    try:
        with graceful_interrupt() as interruption:
            assert signal.getsignal(signal.SIGTERM) is own
            with contextlib.suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
            assert interruption.signal == signal.SIGINT
    finally:
        signal.signal(signal.SIGTERM, before)
