"""Runs that were interrupted or killed, quarantine, and what resumed runs leave alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import running
from resuming import CONSUMERS, again, first

from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.running.ledger import Ledger


def call(out: Path, *arguments: str) -> list[str]:
    """A run by command: plug-ins that other tests have loaded belong to the fingerprint of a run in this process."""
    run = [
        sys.executable,
        "-m",
        "caspipe.pipeline.application.cli.main",
        "run",
        "run.yaml",
        "--plugin",
        str(running.TROUBLES),
    ]
    return [*run, "--set", f"run.output={out}", *arguments]


def interrupted(out: Path, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run in another process that gets Ctrl-C after some documents."""
    (tmp_path / "run.yaml").write_text(
        "reader: {text: {folder: many}}\nengines: [trouble, resolver, masker]\nconsumers: [text, jsonl, html]\n"
    )
    run = subprocess.Popen(
        call(out, *arguments),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        while run.poll() is None and len(list(out.glob("release/text/*.txt"))) < 3:
            time.sleep(0.005)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all processes
        said, _ = run.communicate(timeout=100)
    finally:
        run.kill()
        run.wait()
    return subprocess.CompletedProcess(run.args, run.returncode, said)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_leaves_whole_files_and_a_resumed_run_does_the_rest(tmp_path: Path, workers: str) -> None:
    texts = {f"n{n:03d}": "do=dawdles number 12" if n % 10 == 9 else f"number {n}" for n in range(80)}
    running.notes(tmp_path / "many", texts)
    out = tmp_path / "out"
    done = interrupted(out, tmp_path, "-w", workers)
    assert done.returncode == 130, done.stdout
    assert "Traceback" not in done.stdout
    assert not list(out.rglob("*.tmp"))
    written = len(list(out.glob("release/text/*.txt")))
    assert 3 <= written < 80
    assert len((out / "release/documents.jsonl").read_bytes().splitlines()) == written
    assert (out / "restricted/html/index.html").read_bytes().endswith(b"</html>\n")
    events = tmp_path / "events.jsonl"
    subprocess.run(
        call(out, "-w", "0", "--resume", "--events", str(events)), cwd=tmp_path, check=True, capture_output=True
    )
    documents = [e for e in map(json.loads, events.read_text().splitlines()) if e["event"] == "document"]
    assert [e["status"] for e in documents] == ["released"] * 80
    assert [e["number"] for e in documents if e["reused"]] == list(range(1, written + 1))


# -- quarantine ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_was_quarantined_stays_so_until_it_is_tried_again(tmp_path: Path, notes: Path) -> None:
    out, mark = tmp_path / "out", tmp_path / "mark"
    (notes / "n2.txt").write_text("do=fails number 3")
    engines = f"[{{trouble: {{mark: {json.dumps(str(mark))}}}}}, resolver, masker]"
    first(out, notes, engines=engines)
    assert mark.exists()
    kept = running.files(out)
    report, seen = running.run(out, notes, "run.resume=true", consumers=CONSUMERS, engines=engines)
    assert seen.done() == []
    assert seen.statuses()[3] == "error"
    assert report.documents.quarantined == 1
    assert running.files(out) == kept
    report, seen = running.run(
        out, notes, "run.resume=true", "run.retry_quarantined=true", consumers=CONSUMERS, engines=engines
    )
    assert seen.done() == [3]
    assert report.documents.released == 8
    assert not (out / "restricted/quarantine").exists()


@pytest.mark.slow
def test_a_document_that_brought_its_worker_down_is_not_tried_again_by_a_resumed_run(
    tmp_path: Path, notes: Path
) -> None:
    (notes / "n2.txt").write_text("do=dies number 3")
    given = ["run.workers=1", "run.retries=0"]
    first(tmp_path / "out", notes, *given)
    _, seen = running.run(tmp_path / "out", notes, *given, "run.resume=true", consumers=CONSUMERS)
    assert seen.statuses()[3] == "crash"
    assert seen.done() == []
    (notes / "n2.txt").write_text("do=dies number 4")
    _, seen = running.run(tmp_path / "out", notes, *given, "run.resume=true", consumers=CONSUMERS)
    assert seen.done() == [3]


@pytest.mark.slow
@pytest.mark.parametrize("resume", ["true", "false"])
def test_a_document_that_fails_now_is_taken_out_of_the_release_at_once(
    tmp_path: Path, notes: Path, resume: str
) -> None:
    out = tmp_path / "out"
    first(out, notes)
    (notes / "n1.txt").write_text("do=fails 1")
    running.run(out, notes, f"run.resume={resume}", "run.limit=2", consumers=CONSUMERS)
    left = running.files(out)
    assert not [name for name in left if "n1." in name]
    assert b'"n1"' not in left["release/documents.jsonl"]
    assert "restricted/quarantine/000002.txt" in left
    (notes / "n1.txt").write_text("number 1")
    assert 2 in again(out, notes)
    assert not (out / "restricted/quarantine").exists()


@pytest.mark.slow
def test_quarantine_moves_with_its_document(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    (notes / "n3.txt").write_text("do=fails 1")
    first(out, notes)
    (notes / "n0.txt").unlink()
    again(out, notes)
    folder = out / "restricted/quarantine"
    assert sorted(p.name for p in folder.iterdir()) == ["000003.cas", "000003.json", "000003.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("resume", ["true", "false"])
def test_files_of_others_are_never_touched(tmp_path: Path, notes: Path, resume: str) -> None:
    out = tmp_path / "out"
    (notes / "n3.txt").write_text("do=fails 1")
    first(out, notes)
    own = [
        "release/README",
        "release/text/own.txt",
        "release/text/.hidden.tmp",
        "restricted/html/own.html",
        "restricted/quarantine/notes.json",
        "restricted/quarantine/7.json",
        "other/thing",
    ]
    for name in own:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    (notes / "n1.txt").unlink()
    (notes / "n3.txt").write_text("number 1")
    running.run(out, notes, f"run.resume={resume}", consumers=CONSUMERS)
    assert all((out / name).read_text() == "mine" for name in own)


@pytest.mark.slow
def test_files_of_a_consumer_that_is_there_no_more_go(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes, consumers="[text, jsonl, csv, html]")
    running.run(out, notes, consumers="[csv]")
    assert [name for name in running.files(out) if not name.endswith(".csv")] == ["release/manifest.json"]


@pytest.mark.slow
def test_a_quarantined_document_that_is_taken_over_by_a_run_that_skips_counts_once(tmp_path: Path, notes: Path) -> None:
    (notes / "n3.txt").write_text("do=fails 1")
    first(tmp_path / "out", notes)
    report, _ = running.run(tmp_path / "out", notes, "run.resume=true", "run.on_error=skip", consumers=CONSUMERS)
    with Ledger.read(tmp_path / "out") as ledger:
        run, counts = ledger.run(), ledger.counts()
    assert (run.released, run.quarantined, run.skipped) == (
        report.documents.released,
        report.documents.quarantined,
        report.documents.skipped,
    )
    assert sum(n for (status, _), n in counts.items() if status == "skipped") == report.documents.skipped
    assert bool(report.documents.quarantined) == (tmp_path / "out/restricted/quarantine/000004.json").exists()


# -- the ledger itself --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_runs_cannot_write_to_one_folder(tmp_path: Path, notes: Path) -> None:
    ready, go = os.pipe(), os.pipe()

    class Waiting(running.Seen):
        def document(self, event: object) -> None:
            os.write(ready[1], b"1")
            os.read(go[0], 1)
            os.write(go[1], b"1")

    child = os.fork()
    if child == 0:
        try:
            running.pipeline(
                tmp_path / "out", f"{{text: {{folder: {json.dumps(str(notes))}}}}}", consumers=CONSUMERS
            ).run(observers=[Waiting()])
        finally:
            os._exit(0)
    os.read(ready[0], 1)
    try:
        for resume in ("true", "false"):
            with pytest.raises(ConsumerError, match="another run is writing to this output folder"):
                running.run(tmp_path / "out", notes, f"run.resume={resume}", consumers=CONSUMERS)
    finally:
        os.write(go[1], b"1")
        os.waitpid(child, 0)
    assert again(tmp_path / "out", notes) == []
