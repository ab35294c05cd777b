"""A resumed run does again what has changed, and only that; what comes out is what a run from scratch writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import running
from resuming import ALL, CONSUMERS, NAMES, again, first, killed

from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import CaspipeError, ConsumerError
from caspipe.pipeline.running.ledger import Ledger
from caspipe.typesystem import Annotation, Cas
from caspipe.typesystem.typesystem import TypeSystem
from caspipe.typesystem.xmi.writer import write_xmi


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return running.notes(tmp_path / "notes", running.texts_of(NAMES))


@pytest.mark.slow
def test_where_nothing_has_changed_nothing_is_done(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    assert again(tmp_path / "out", notes) == []
    assert again(tmp_path / "out", notes, "run.workers=2") == []


@pytest.mark.slow
def test_only_documents_that_changed_are_done_again(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    (notes / "n2.txt").write_text("Another text with number 5.")
    assert again(out, notes) == [3]
    (notes / "n2a.txt").write_text("A new one with number 6.")
    assert again(out, notes) == [4]
    (notes / "n0.txt").unlink()
    assert again(out, notes) == []
    assert not (out / "release/text/n0.txt").exists()
    assert not (out / "restricted/html/n0.html").exists()
    (notes / "n4.txt").rename(notes / "n9.txt")
    assert again(out, notes) == [8]
    assert not (out / "release/text/n4.txt").exists()


@pytest.mark.slow
def test_metadata_are_a_part_of_a_document(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("id,text,ward\na,number 1,north\nb,number 2,south\n")
    reader = f"{{csv: {{files: {json.dumps(str(file))}, metadata: [ward]}}}}"
    first(tmp_path / "out", reader)
    file.write_text("id,text,ward\na,number 1,north\nb,number 2,west\n")
    assert again(tmp_path / "out", reader) == [2]


@pytest.mark.slow
def test_another_parameter_does_everything_again(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    assert again(tmp_path / "out", notes, "trouble.least=2") == ALL
    assert again(tmp_path / "out", notes, "trouble.least=2") == []


@pytest.mark.slow
def test_another_byte_of_a_rule_file_does_everything_again(tmp_path: Path, notes: Path) -> None:
    rules = tmp_path / "words.yaml"
    rules.write_text("rules:\n  - {name: numbers, kind: ID, pattern: 'number [0-9]+', confidence: 0.9, examples: []}\n")
    engines = f"[{{patterns: {{rules: {json.dumps(str(rules))}}}}}, trouble, resolver, masker]"
    first(tmp_path / "out", notes, engines=engines)
    assert again(tmp_path / "out", notes, engines=engines) == []
    rules.write_text(rules.read_text() + "# a remark\n")
    assert again(tmp_path / "out", notes, engines=engines) == ALL


@pytest.mark.slow
def test_another_key_does_everything_again(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    consumers = '[{text: {names: pseudonym, key: "${RUN_KEY}"}}, jsonl]'
    monkeypatch.setenv("RUN_KEY", "first key of this test")
    first(tmp_path / "out", notes, consumers=consumers)
    assert again(tmp_path / "out", notes, consumers=consumers) == []
    before = set(running.files(tmp_path / "out"))
    monkeypatch.setenv("RUN_KEY", "second key of this test")
    assert again(tmp_path / "out", notes, consumers=consumers) == ALL
    assert not (before & set(running.files(tmp_path / "out"))) - {"release/documents.jsonl"}


@pytest.mark.slow
def test_another_source_of_a_plug_in_does_everything_again(tmp_path: Path, notes: Path) -> None:
    plugin = tmp_path / "own.py"
    plugin.write_text(running.TROUBLES.read_text().replace('"trouble"', '"own"').split('@component("ids")')[0])

    def done(*more: str) -> int:
        (tmp_path / "run.yaml").write_text(
            "reader: {text: {folder: notes}}\nengines: [own, resolver, masker]\nconsumers: [text]\n"
        )
        call = [
            sys.executable,
            "-m",
            "caspipe.pipeline.application.cli.main",
            "run",
            "run.yaml",
            "--plugin",
            "own.py",
            "-w",
            "0",
            *more,
        ]
        events = tmp_path / "events.jsonl"
        events.unlink(missing_ok=True)
        done = subprocess.run([*call, "-q", "--events", str(events)], cwd=tmp_path, check=True)
        assert done.returncode == 0
        told = [json.loads(line) for line in events.read_text().splitlines()]
        return sum(1 for e in told if e.get("event") == "document" and not e.get("reused"))

    assert done() == 8
    assert done("--resume") == 0
    plugin.write_text(plugin.read_text() + "\n# a remark\n")
    assert done("--resume") == 8


@pytest.mark.slow
def test_options_of_the_run_and_the_place_of_its_folder_change_nothing(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    given = ["run.max_errors=5", "run.limits.seconds=50", "run.on_error=skip", "run.retries=3"]
    assert again(tmp_path / "out", notes, *given) == []
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    assert again(tmp_path / "elsewhere", notes, "run.workers=2") == []


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("how", [damage, Path.unlink])
@pytest.mark.parametrize("path", ["release/text/n3.txt", "restricted/html/n3.html"])
def test_an_output_that_is_not_what_was_written_is_written_again(
    tmp_path: Path, notes: Path, path: str, how: Callable[[Path], None]
) -> None:
    first(tmp_path / "out", notes)
    how(tmp_path / "out" / path)
    assert again(tmp_path / "out", notes) == [4]


@pytest.mark.slow
@pytest.mark.parametrize("consumers", [CONSUMERS, "[jsonl, html, text]", "[csv, text, brat, jsonl]"])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_common_file_that_was_changed_in_the_middle_is_written_again_there(
    tmp_path: Path, notes: Path, consumers: str, workers: int
) -> None:
    out = tmp_path / "out"
    first(out, notes, consumers=consumers)
    file = out / "release/documents.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b"n", b"m", 1)
    file.write_bytes(b"".join(lines))
    assert again(out, notes, f"run.workers={workers}", consumers=consumers) == [5]


@pytest.mark.slow
def test_a_common_file_that_is_gone_is_written_again(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    (tmp_path / "out/release/documents.jsonl").unlink()
    assert again(tmp_path / "out", notes) == ALL


@pytest.mark.slow
def test_the_list_of_pages_is_written_again_with_pages_that_keep_their_names(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, consumers="[text, html, brat]")
    damage(tmp_path / "out/restricted/html/index.html")
    (tmp_path / "out/restricted/html/index.html").unlink()
    assert again(tmp_path / "out", notes, consumers="[text, html, brat]") == ALL


@pytest.mark.slow
def test_documents_with_types_of_their_own_keep_their_names(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "made", notes, consumers="[xmi]")
    reader = f"{{xmi: {{folder: {json.dumps(str(tmp_path / 'made/restricted/xmi'))}}}}}"
    consumers = "[text, jsonl, xmi, html]"
    first(tmp_path / "out", reader, consumers=consumers)
    assert again(tmp_path / "out", reader, consumers=consumers) == []
    (tmp_path / "made/restricted/xmi/n0.xmi").unlink()  # the one that brought the types
    assert again(tmp_path / "out", reader, consumers=consumers) == [1]
    assert again(tmp_path / "out", reader, "run.workers=2", consumers=consumers) == []


def badges(folder: Path, ranges: list[str]) -> str:
    """A reader of a document for each range of a feature that they define each in their way."""
    for n, range_ in enumerate(ranges):
        types = TypeSystem()
        made = types.create_type("org.example.Badge", Annotation, {f"a{n % 3}": "uima.cas.String", "number": range_})
        cas = Cas(f"badge 1{n}", id=f"n{n}", typesystem=types)
        cas.add(made(6, 8))
        (folder / f"n{n}").mkdir(parents=True)
        (folder / f"n{n}" / f"n{n}.xmi").write_bytes(write_xmi(cas, typesystem=types))
        (folder / f"n{n}" / "TypeSystem.xml").write_bytes(types.to_xml())
    return f"{{xmi: {{folder: {json.dumps(str(folder))}}}}}"


@pytest.mark.slow
def test_documents_whose_types_contradict_each_other_are_taken_over(tmp_path: Path) -> None:
    string, integer = "uima.cas.String", "uima.cas.Integer"
    reader = badges(tmp_path / "in", [string, integer, string, integer, integer, string])
    out, consumers = tmp_path / "out", "[xmi, text]"
    first(out, reader, consumers=consumers)
    beside = sorted(p.name for p in out.rglob("*.typesystem.xml"))
    assert beside == ["n1.typesystem.xml", "n3.typesystem.xml", "n4.typesystem.xml"]
    assert again(out, reader, consumers=consumers) == []
    (out / "restricted/xmi/n1/n1.typesystem.xml").unlink()
    assert again(out, reader, consumers=consumers) == []
    (out / "release/text/n1/n1.txt").unlink()
    assert again(out, reader, consumers=consumers) == [2]
    for n in (0, 2, 5):
        shutil.rmtree(tmp_path / f"in/n{n}")
    again(out, reader, consumers=consumers)
    assert not list(out.rglob("*.typesystem.xml"))


@pytest.mark.slow
def test_names_that_collide_stay_with_their_documents(tmp_path: Path) -> None:
    documents = [(i, f"{n} is number {100 + n}") for n, i in enumerate(["a:b", "a?b", "A:b", "c", "", "", "x" * 999])]
    file = running.records(tmp_path / "r.jsonl", documents)
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    out = tmp_path / "out"
    first(out, reader)
    again(out, reader)
    running.records(file, [documents[1], ("a|b", "new 7"), *documents[2:], documents[0]])
    again(out, reader)
    (out / "release/text/a_b-2.txt").unlink()
    again(out, reader)


@pytest.mark.slow
def test_a_document_that_a_consumer_refused_has_no_name(tmp_path: Path) -> None:
    file = running.records(tmp_path / "r.jsonl", [(i, f"number {n}") for n, i in enumerate(["a:b", "a?b", "a|b"])])
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    consumers = "[text, html, xmi, jsonl: {folder: release/json}, inception, halves: {fail_in: commit, on: 'a:b'}]"
    out = tmp_path / "out"
    first(out, reader, consumers=consumers)
    assert sorted(p.name for p in (out / "release/text").iterdir()) == ["a_b-2.txt", "a_b.txt"]
    assert (out / "release/text/a_b.txt").read_text() == "number [ID]"
    assert again(out, reader, consumers=consumers) == []
    for path in ("release/json/a_b.json", "restricted/html/a_b-2.html", "release/text/a_b.txt"):
        (out / path).unlink()
    assert again(out, reader, consumers=consumers) == [2, 3]


@pytest.mark.slow
def test_strange_ids_are_taken_over_as_well(tmp_path: Path) -> None:
    ids = ["lone \ud800", "two\nlines", "y" * 1000, "../up", "nul", "a'b\"c", "\u202e", "ward/1", "ward"]
    file = running.records(tmp_path / "r.jsonl", [(i, f"number {n}") for n, i in enumerate(ids)])
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    first(tmp_path / "out", reader)
    assert again(tmp_path / "out", reader) == []


# -- runs that were cut off ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_goes_on_after_its_limit(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, "run.limit=3")
    assert again(tmp_path / "out", notes) == [4, 5, 6, 7, 8]


@pytest.mark.slow
def test_a_limited_run_removes_nothing(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes)
    _, seen = running.run(tmp_path / "out", notes, "run.limit=3", "run.resume=true", consumers=CONSUMERS)
    assert seen.reused() == [1, 2, 3]
    assert (tmp_path / "out/release/text/n7.txt").exists()
    assert again(tmp_path / "out", notes) == [4, 5, 6, 7, 8]


@pytest.mark.slow
def test_a_run_goes_on_after_too_many_errors(tmp_path: Path, notes: Path) -> None:
    (notes / "n2.txt").write_text("do=fails 1")
    (notes / "n4.txt").write_text("do=fails 2")
    report, _ = running.run(tmp_path / "out", notes, "run.max_errors=1", consumers=CONSUMERS)
    assert report.exit_code == 4
    (notes / "n4.txt").write_text("number 2")
    assert again(tmp_path / "out", notes) == [5, 6, 7, 8]


@pytest.mark.slow
def test_a_killed_resume_of_a_killed_run_goes_on(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    killed(out, notes, 6)
    killed(out, notes, 3, "run.resume=true")
    killed(out, notes, 7, "run.resume=true")
    again(out, notes)


@pytest.mark.slow
def test_what_a_killed_run_released_of_a_document_that_is_quarantined_now_goes(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", 1e9)  # however slow the disk is
    killed(out, notes, 5)
    assert (out / "release/text/n1.txt").exists()
    (notes / "n1.txt").write_text("do=fails 1")
    running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
    assert not (out / "release/text/n1.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("consumer", ["text", "jsonl: {folder: release/text}"])
def test_a_file_that_was_placed_before_its_row_was_written_goes_with_its_document(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, consumer: str
) -> None:
    out, consumers = tmp_path / "out", f"[{consumer}]"

    def add(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "add", add)
        killed(out, notes, 5, consumers=consumers)
    assert [p.stem for p in out.glob("release/text/n*")] == ["n0"]
    (notes / "n0.txt").write_text("do=fails 1")
    running.run(out, notes, "run.resume=true", consumers=consumers)
    assert sorted(p.stem for p in out.glob("release/text/n*")) == NAMES[1:]


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
    assert sorted(p.name for p in folder.iterdir()) == ["000003.json", "000003.txt"]


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
    assert [name for name in running.files(out) if not name.endswith(".csv")] == []


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


def ledger_of(out: Path) -> Path:
    return out / "restricted/ledger.sqlite"


def test_a_ledger_that_is_none_is_told(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    ledger_of(out).write_bytes(b"no database at all, but long enough to be one" * 100)
    with pytest.raises(CaspipeError, match=r"ledger\.sqlite"):
        running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
    with pytest.raises(CaspipeError, match="expected a ledger"):
        Ledger.read(out)


def test_a_ledger_that_is_damaged_inside_is_told(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    with sqlite3.connect(ledger_of(out)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    data = ledger_of(out).read_bytes()
    ledger_of(out).write_bytes(data[:4096] + b"\xab" * (len(data) - 4096))
    with pytest.raises(CaspipeError, match=r"ledger\.sqlite"):
        running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
    with pytest.raises(CaspipeError, match=r"ledger\.sqlite"), Ledger.read(out) as ledger:
        ledger.run()


def test_a_ledger_of_another_form_is_told(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    with sqlite3.connect(ledger_of(out)) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(ConsumerError, match="expected a ledger of form 1, found form 7"):
        running.run(out, notes, "run.resume=true", consumers=CONSUMERS)


def test_a_database_of_others_is_not_made_a_ledger(tmp_path: Path, notes: Path) -> None:
    file = tmp_path / "own.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE mine(a)")
    database.close()
    with pytest.raises(CaspipeError, match=r"own\.sqlite: expected a ledger"):
        running.run(tmp_path / "out", notes, f"run.ledger={file}", consumers=CONSUMERS)
    with sqlite3.connect(file) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    database.close()
    assert tables == [("mine",)]


def test_a_ledger_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    told: list[str] = []

    class Telling(sqlite3.Connection):
        def executescript(self, script: str) -> sqlite3.Cursor:
            told.append(script)
            return super().executescript(script)

    import unittest.mock

    real = sqlite3.connect
    with unittest.mock.patch("sqlite3.connect", lambda *a, **k: real(*a, **k, factory=Telling)):
        Ledger.write(tmp_path / "ledger.sqlite").close()
    (script,) = told
    assert script.strip().startswith("BEGIN")
    assert "INSERT INTO secrets" in script
    assert script.strip().endswith("COMMIT;")


@pytest.mark.slow
def test_the_ledger_holds_neither_texts_nor_keys(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUN_KEY", "Rumpelstiltskin key")
    (notes / "n1.txt").write_text("Marmaduke do=fails 1")
    (notes / "n2.txt").write_bytes(b"Marmaduke \xff")
    (notes / "n3.txt").write_text("Marmaduke 123456789")
    consumers = '[{text: {names: pseudonym, key: "${RUN_KEY}"}}, jsonl, csv, html, xmi, brat, report]'
    for resume in ("false", "true"):
        running.run(tmp_path / "out", notes, f"run.resume={resume}", "run.workers=2", consumers=consumers)
        for path in (tmp_path / "out/restricted").glob("ledger.*"):
            data = path.read_bytes()
            for text in ("Marmaduke", "123456789", "Rumpelstiltskin", "has number"):
                assert text.encode() not in data
                assert text.encode("utf-16-le") not in data
            assert path.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_report_of_a_resumed_run_counts_as_that_of_a_whole_one(tmp_path: Path, notes: Path) -> None:
    (notes / "n5.txt").write_text("do=fails 1")
    first(tmp_path / "whole", notes)
    first(tmp_path / "out", notes, "run.limit=6")
    again(tmp_path / "out", notes)

    def findings(out: Path) -> list[str]:
        page = (out / "release/report.html").read_text()
        rows = re.findall(r"<tr>.*?</tr>", page, re.S)
        return [row for row in rows if re.search(r"digits|>ID<|masked|resolver", row) and "ms" not in row]

    assert findings(tmp_path / "whole")
    assert findings(tmp_path / "out") == findings(tmp_path / "whole")


@pytest.mark.slow
def test_warnings_about_unusual_texts_outlive_a_resume(tmp_path: Path, notes: Path) -> None:
    (notes / "n5.txt").write_text("")
    first(tmp_path / "out", notes)
    report, _ = running.run(tmp_path / "out", notes, "run.resume=true", consumers=CONSUMERS)
    assert report.warnings == ["1 released document with no text"]


def test_the_reader_of_a_ledger_needs_no_right_to_write(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    with sqlite3.connect(ledger_of(out)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    before = {p.name: p.read_bytes() for p in (out / "restricted").glob("ledger.*")}
    with Ledger.read(out) as ledger:
        assert ledger.run().released == 8
        assert len(list(ledger.rows())) == 8
    assert {p.name: p.read_bytes() for p in (out / "restricted").glob("ledger.*") if p.name in before} == before


@pytest.mark.slow
def test_without_a_ledger_a_resume_does_everything(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, "run.ledger=false")
    assert not ledger_of(tmp_path / "out").exists()
    assert again(tmp_path / "out", notes) == ALL


@pytest.mark.slow
def test_a_consumer_that_cannot_go_on_makes_a_resume_do_everything(tmp_path: Path, notes: Path) -> None:
    consumers = "[text, ids]"
    first(tmp_path / "out", notes, consumers=consumers)
    report, seen = running.run(tmp_path / "out", notes, "run.resume=true", consumers=consumers)
    assert seen.done() == ALL
    assert "resume: everything is done again, since ids cannot continue an interrupted run" in report.warnings


@pytest.mark.slow
def test_pipelines_made_in_python_resume_as_well(tmp_path: Path, notes: Path) -> None:
    made = running.pipeline(tmp_path / "out", f"{{text: {{folder: {json.dumps(str(notes))}}}}}")
    assert isinstance(made, Pipeline)
    assert made.run().documents.released == 8
    assert made.run().reused == 0
    made.options.resume = True
    assert made.run().reused == 8


@pytest.mark.slow
def test_a_resume_without_order_loses_nothing(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    consumers = "[text, {jsonl: {folder: release/single}}, html]"
    first(out, notes, consumers=consumers)
    damage(out / "release/single/n3.json")
    given = ["run.workers=2", "run.ordered=false", "run.resume=true"]
    _, seen = running.run(out, notes, *given, consumers=consumers)
    assert (seen.done(), seen.reused()) == ([4], [1, 2, 3, 5, 6, 7, 8])
    assert again(out, notes, consumers=consumers) == []
