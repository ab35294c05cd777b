"""The event log: whole lines, numbers only, nothing lost, and quick enough not to be felt."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caspipe.pipeline.contract.report import ComponentStats, Documents, Failure, RunReport
from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.running.observing import EventLog, event_log, read_events
from caspipe.pipeline.running.runners.events import DocumentEvent, WorkerEvent
from caspipe.typesystem import CaspipeWarning


def run_report() -> RunReport:
    stats = ComponentStats("regex/names", "Annotator")
    stats.add(0.25, 3)
    return RunReport(
        name="deidentify",
        documents=Documents(3, 2, 1, 0),
        failures=[Failure(2, "ward/Featherstone", "regex/names", "KeyError", "message of Featherstone")],
        warnings=["document Featherstone: left out"],
        components=[stats],
        versions={"caspipe": "0.1.0"},
        workers=2,
        attempts=1,
        reasons={"crash": 1},
        fingerprint="abc",
        stopped="reader/text: ReaderError: notes/Featherstone.txt",
    )


def logged(path: Path, report: RunReport | None = None) -> list[dict[str, object]]:
    report = report or run_report()
    log = EventLog(path)
    log.started(report, 3)
    log.worker(WorkerEvent(1, 4711, "started"))
    log.document(DocumentEvent(1, "released", seconds=0.5, worker=1, characters=140))
    log.document(DocumentEvent(2, "quarantined", "crash", 'odd "\\ id', 1.25, 2, 1))
    log.worker(WorkerEvent(1, 4711, "crashed", "SIGSEGV", 1_000_000, 1))
    log.document(DocumentEvent(3, "released", reused=True))
    log.tick(report, 3)
    log.ended(report)
    return list(read_events(path))


def test_every_event_is_an_object_on_a_line(tmp_path: Path) -> None:
    events = logged(tmp_path / "logs" / "events.jsonl")
    assert [e["event"] for e in events] == [
        "run_started",
        "worker",
        "document",
        "document",
        "worker",
        "document",
        "warning",
        "run_ended",
    ]
    for e in events:
        assert list(e)[:3] == ["event", "t", "time"]
        assert 0 <= e.pop("t") < 60  # type: ignore[operator]
        at = time.strptime(str(e.pop("time"))[:-5], "%Y-%m-%dT%H:%M:%S")
        assert abs(time.mktime(at) - time.mktime(time.gmtime())) < 60
    first, second, third = (e for e in events if e["event"] == "document")
    assert first == {
        "event": "document",
        "number": 1,
        "status": "released",
        "reason": "",
        "component": "",
        "seconds": 0.5,
        "attempts": 1,
        "worker": 1,
        "characters": 140,
        "reused": False,
    }
    assert (second["reason"], second["component"], second["attempts"]) == ("crash", 'odd "\\ id', 2)
    assert third["reused"] is True
    assert events[4]["what"] == "crashed"
    assert events[4]["resident"] == 1_000_000
    assert events[6] == {"event": "warning", "number": 1}
    end = events[-1]
    assert (end["read"], end["released"], end["quarantined"], end["skipped"]) == (3, 2, 1, 0)
    assert end["stopped"] == "errors"
    assert end["reasons"] == {"crash": 1}
    assert end["components"] == [
        {
            "id": "regex/names",
            "documents": 1,
            "errors": 0,
            "seconds": 0.25,
            "p50": pytest.approx(0.25, rel=0.05),
            "p95": pytest.approx(0.25, rel=0.05),
            "max": 0.25,
        }
    ]


def test_times_never_go_back(tmp_path: Path) -> None:
    times = [e["t"] for e in logged(tmp_path / "e")]
    assert times == sorted(times)  # type: ignore[type-var]


def test_no_line_names_a_document(tmp_path: Path) -> None:
    logged(tmp_path / "events.jsonl")
    assert "Featherstone" not in (tmp_path / "events.jsonl").read_text()


@pytest.mark.parametrize("stopped", ["", "limit", "interrupted"])
def test_how_the_run_ended_is_told(tmp_path: Path, stopped: str) -> None:
    report = run_report()
    report.stopped = stopped
    assert logged(tmp_path / "e", report)[-1]["stopped"] == stopped


def test_what_failed_is_written_at_once_and_the_rest_in_batches(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    log.started(run_report(), None)
    log.document(DocumentEvent(1, "released"))
    assert len(list(read_events(path))) == 1
    log.document(DocumentEvent(2, "quarantined", "time"))
    assert len(list(read_events(path))) == 3
    for number in range(3, 1000):
        log.document(DocumentEvent(number, "released"))
    there = len(list(read_events(path)))
    assert 200 < there < 1000
    log._flushed -= event_log.FLUSH_SECONDS
    log.tick(run_report(), None)
    assert len(list(read_events(path))) >= 1000


def test_a_cut_line_is_passed_over_and_the_next_run_begins_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    before = len(logged(path))
    whole = path.read_bytes()
    for cut in (1, 5, 60):
        path.write_bytes(whole[:-cut])
        assert len(list(read_events(path))) == before - (cut > 1)
    path.write_bytes(whole[:-60])
    assert len(logged(path)) == 2 * before - 1
    path.write_bytes(b'12\n"x"\n{}\n\xff\xfe\n' + whole)
    assert len(list(read_events(path))) == before


_ENDLESS = """
import sys
from pathlib import Path
from caspipe.pipeline.running.observing import EventLog
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.running.runners.events import DocumentEvent
log = EventLog(Path(sys.argv[1]))
log.started(RunReport(), None)
print("ready", flush=True)
number = 0
while True:
    number += 1
    log.document(DocumentEvent(number, "released", seconds=0.001))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_of_a_run_that_is_killed_at_most_one_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    process = subprocess.Popen([sys.executable, "-c", _ENDLESS, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as out:
        assert out.readline() == b"ready\n"
    deadline = time.monotonic() + 30
    while path.stat().st_size < 1_000_000 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    events = list(read_events(path))
    assert len(path.read_bytes().splitlines()) - len(events) in (0, 1)
    assert [e["number"] for e in events[1:]] == list(range(1, len(events)))
    assert len(events) > 1000


def test_a_file_that_cannot_be_opened_is_told_before_the_first_document(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConsumerError, match="cannot write"):
        EventLog(tmp_path / "file" / "events.jsonl").started(run_report(), None)
    with pytest.raises(ConsumerError, match="cannot write"):
        EventLog(tmp_path).started(run_report(), None)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_log_and_not_the_run() -> None:
    log = EventLog(Path("/dev/full"))
    with pytest.warns(
        CaspipeWarning, match="^/dev/full: cannot write: No space left on device; further events are not logged"
    ):
        log.started(run_report(), None)
    log.document(DocumentEvent(1, "quarantined", "error"))
    log.tick(run_report(), None)
    log.ended(run_report())


def test_an_event_costs_little(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.started(run_report(), None)
    event = DocumentEvent(7, "released", seconds=0.01, worker=1, characters=2000)
    best = 1.0
    for _ in range(5):
        began = time.process_time()
        for _ in range(5_000):
            log.document(event)
        best = min(best, (time.process_time() - began) / 5_000)
    log.ended(run_report())
    assert best < 20e-6  # some 3 microseconds on a quiet machine


def test_the_log_holds_plain_json(tmp_path: Path) -> None:
    logged(tmp_path / "e")
    assert all(isinstance(json.loads(line), dict) for line in (tmp_path / "e").read_text().splitlines())
    assert (tmp_path / "e").read_bytes().endswith(b"}\n")


def test_workers_that_start_before_the_run_are_told_after_its_beginning(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "e")
    log.worker(WorkerEvent(1, 4711, "started"))
    log.started(run_report(), None)
    log.ended(run_report())
    assert [e["event"] for e in read_events(tmp_path / "e")] == ["run_started", "worker", "warning", "run_ended"]
