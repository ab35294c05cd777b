"""Progress: what it tells, where, and how seldom."""

from __future__ import annotations

import io
import sys
import threading

import pytest
from rich.console import Console

from caspipe.pipeline.application.cli import console
from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.contract.report import Documents, RunReport
from caspipe.pipeline.running.observers import ObserverGroup
from caspipe.pipeline.running.observing.progress import Bar, Lines, Progress, Rate, shown, span
from caspipe.pipeline.running.runners.events import DocumentEvent, Observer, WorkerEvent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock: what is in the list is the time."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def report(read: int, failed: int = 0) -> RunReport:
    return RunReport(documents=Documents(read, read - failed, failed, 0))


def test_the_rate_is_that_of_the_last_seconds() -> None:
    rate = Rate(0.0, window=10.0)
    assert rate.at(0.0, 0) == 0.0
    for second in range(1, 31):
        rate.at(float(second), second * 100)
    assert rate.at(30.0, 3000) == pytest.approx(100)
    assert [rate.at(30.0 + s, 3000) for s in (5, 10)] == [pytest.approx(1000 / 15, rel=0.4), pytest.approx(0, abs=20)]
    assert rate.at(100.0, 3000) == 0.0
    for second in range(2000):
        rate.at(100.0 + second / 100, second)
    assert len(rate._samples) < 60


def test_a_line_tells_rate_time_left_failures_workers_and_memory(seconds: list[float]) -> None:
    stream = io.StringIO()
    lines = Lines(stream)
    lines.started(report(0), 5000)
    lines.worker(WorkerEvent(1, 0, "started"))
    lines.worker(WorkerEvent(2, 0, "started"))
    for second in range(1, 11):
        seconds[0] += 1
        lines.tick(report(second * 120, 3), 5000)
    line = stream.getvalue()
    assert line.startswith("1,200 of 5,000 documents, 120/s, 32 s left, 3 failed, 2 workers, ")
    assert line.endswith(" MB\n")
    assert "\x1b" not in line
    assert line.count("\n") == 1


def test_without_a_total_there_is_no_time_left(seconds: list[float]) -> None:
    stream = io.StringIO()
    lines = Lines(stream, every=1.0)
    seconds[0] += 2
    lines(report(3), None)
    assert stream.getvalue().startswith("3 documents, 1.5/s, ")
    assert "left" not in stream.getvalue()
    assert "failed" not in stream.getvalue()
    assert "worker" not in stream.getvalue()


def test_a_worker_that_ended_does_not_count(seconds: list[float]) -> None:
    progress = Progress()
    for worker in (1, 2):
        progress.worker(WorkerEvent(worker, 0, "started"))
    assert "2 workers" in progress.facts(report(1), None)
    progress.worker(WorkerEvent(2, 0, "killed"))
    assert "1 worker" in progress.facts(report(1), None)


def test_a_closed_stream_does_not_end_the_run(seconds: list[float]) -> None:
    stream = io.StringIO()
    lines = Lines(stream)
    stream.close()
    seconds[0] += 20
    lines.tick(report(1), None)


def test_a_bar_is_drawn_without_a_thread_and_is_gone_in_the_end(
    seconds: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = io.StringIO()
    threads = threading.active_count()
    with Bar(Console(file=out, force_terminal=True, width=120, color_system="standard")) as bar:
        assert threading.active_count() == threads
        seconds[0] += 1
        bar.tick(report(500, 2), 1000)
        drawn = out.getvalue()
        assert "500/1000" in drawn
        assert "500/s · 1 s left · 2 failed" in drawn
        for _ in range(100):
            bar.tick(report(501, 2), 1000)
        assert out.getvalue() == drawn
    assert out.getvalue().endswith("\x1b[2K") or out.getvalue().rstrip().endswith("\x1b[2K")


@pytest.mark.parametrize("no_color", ["", "1"])
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch, seconds: list[float], no_color: str) -> None:
    monkeypatch.setenv("NO_COLOR", no_color) if no_color else monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with console.progress(False) as progress:
        assert isinstance(progress, Bar)
        seconds[0] += 1
        progress(report(5), 10)
    assert ("\x1b[38;5;" in terminal.getvalue() or "\x1b[3" in terminal.getvalue()) == (not no_color)


@pytest.mark.parametrize(("stream", "term"), [(io.StringIO(), "xterm"), (Terminal(), "dumb")])
def test_lines_where_there_is_no_terminal_for_a_bar(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, term: str
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stderr", stream)
    with shown(False) as progress:
        assert isinstance(progress, Lines)


def test_quiet_shows_nothing() -> None:
    with console.progress(True) as progress:
        assert progress is None


@pytest.mark.parametrize(
    ("left", "told"), [(8.4, "8 s"), (59, "59 s"), (200, "3 min"), (7500, "2 h 5 min"), (360_000, "100 h 0 min")]
)
def test_time_left_is_for_people(left: float, told: str) -> None:
    assert span(left) == told


class Printing(Observer):
    def document(self, event: DocumentEvent) -> None:
        print(f"document {event.number}")


def test_output_is_let_through_only_when_an_observer_may_print(
    seconds: list[float], capfd: pytest.CaptureFixture[str]
) -> None:
    lines, lifted = Lines(every=10), list[int]()
    for observers in ([lines], [lines, Printing()]):
        group = ObserverGroup(RunOptions(), report(1), None, observers)
        group.output.lifted = lambda before=group.output.lifted: (lifted.append(1), before())[1]  # type: ignore[method-assign, misc]
        lines.started(report(0), None)
        group.output.begin()
        for number in range(4):
            seconds[0] += 4
            group.document(DocumentEvent(number, "released"), None)
        group.output.end()
        assert len(lifted) == (1 if len(observers) == 1 else 5)
    out, err = capfd.readouterr()
    assert out.count("document") == 4 and err.count("1 documents") == 2
