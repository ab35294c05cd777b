"""Record files that are written back are taken over whole: where all their documents are as they were, and nowhere else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import running
from e2b_files import r2, r3
from resuming import killed

from caspipe.pipeline.application.audit.released import ledger_of, released_texts
from caspipe.pipeline.errors import ConsumerError

FHIR = "{fhir: {ids_key: a-key-of-the-tests}}"
CONSUMERS = f"[text, {FHIR}, jsonl]"
SCAN = "run.scan=false"
"""The masker of these tests masks numbers only, and names of the records stay in the texts."""


def patient(name: str, number: int) -> dict[str, Any]:
    return {"resourceType": "Patient", "id": f"p{number}", "name": [{"family": name}], "birthDate": "1970-02-03"}


def report(text: str, number: int) -> dict[str, Any]:
    of = {"reference": f"Patient/p{number}"}
    return {"resourceType": "DiagnosticReport", "id": f"d{number}", "subject": of, "conclusion": text}


def write(folder: Path, name: str, *resources: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    entries = [{"resource": r} for r in resources]
    data = json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries}, indent=1)
    (folder / name).write_text(data)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Three files: of three documents, of one, and of two."""
    folder = tmp_path / "in"
    texts = [report(f"Seen Tollivant with number {n}.", n) for n in range(1, 6)]
    write(folder, "a.json", patient("Tollivant", 1), *texts[:3])
    write(folder, "b.json", texts[3])
    lines = [patient("Quillerby", 5), texts[4], report("And number 7.", 5)]
    (folder / "c.ndjson").write_text("".join(json.dumps(r) + "\n" for r in lines))
    return folder


def reader_of(records: Path) -> str:
    return f"{{fhir: {{folder: {json.dumps(str(records))}}}}}"


def first(out: Path, records: Path, *overrides: str, consumers: str = CONSUMERS) -> running.Seen:
    return running.run(out, reader_of(records), SCAN, *overrides, consumers=consumers)[1]


def again(out: Path, records: Path, *overrides: str, consumers: str = CONSUMERS) -> list[str]:
    """Resumes, checks that all is as a run from scratch writes it, and returns the ids of what was not taken over."""
    given = reader_of(records)
    report, seen = running.run(out, given, SCAN, "run.resume=true", *overrides, consumers=consumers)
    scratch = out.with_name("scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    expected, _ = running.run(scratch, given, SCAN, *overrides, consumers=consumers)
    assert running.files(out) == running.files(scratch)
    assert running.plain(report) == running.plain(expected)
    assert report.warnings == expected.warnings
    with ledger_of(out) as ledger:
        ids = {row.number: row.id for row in ledger.rows()}
    return [ids[n] for n in seen.done()]


def test_the_files_of_these_tests_have_several_documents(tmp_path: Path, records: Path) -> None:
    seen = first(tmp_path / "out", records)
    assert set(seen.statuses().values()) == {"released"}
    with ledger_of(tmp_path / "out") as ledger:
        files = [[o.path for o in row.outputs if o.consumer == "fhir"] for row in ledger.rows()]
    written = [f"release/fhir/{name}" for name in ("a.json", "b.json", "c.ndjson")]
    assert [path for paths in files for path in paths] == written
    assert len(files) > 5
    assert sorted(p.name for p in (tmp_path / "out/release/fhir").iterdir()) == ["a.json", "b.json", "c.ndjson"]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_only_documents_of_files_that_changed_are_done_again(tmp_path: Path, records: Path, workers: int) -> None:
    out, given = tmp_path / "out", f"run.workers={workers}"
    first(out, records, given)
    assert again(out, records, given) == []
    write(records, "b.json", report("Another with number 8.", 4))
    assert [i.partition("/")[0] for i in again(out, records, given)] == ["b"]
    write(records, "a.json", patient("Tollivant", 1), *(report(f"Number {n}.", n) for n in (1, 2, 30)))
    assert {i.partition("/")[0] for i in again(out, records, given)} == {"a"}
    (records / "b.json").unlink()
    assert again(out, records, given) == []
    assert not (out / "release/fhir/b.json").exists()


@pytest.mark.slow
def test_what_other_files_say_of_people_is_a_part_of_a_file(tmp_path: Path, records: Path) -> None:
    out = tmp_path / "out"
    write(records, "people.json", patient("Ansgarde", 3))
    first(out, records)
    assert again(out, records) == []
    write(records, "people.json", patient("Dunmere", 3))
    done = again(out, records)
    assert {i.partition("/")[0] for i in done} == {"a", "people"}
    assert len(done) > 3  # those of other patients as well: one file is made of all


@pytest.mark.slow
@pytest.mark.parametrize("how", ["changed", "gone"])
@pytest.mark.parametrize("name", ["a.json", "c.ndjson"])
def test_a_file_that_is_not_what_was_written_is_written_again(
    tmp_path: Path, records: Path, how: str, name: str
) -> None:
    out = tmp_path / "out"
    first(out, records)
    file = out / "release/fhir" / name
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes().replace(b"Seen", b"Sent").replace(b"And", b"Any"))
    assert {i.partition("/")[0] for i in again(out, records)} == {name[0]}


@pytest.mark.slow
@pytest.mark.parametrize("consumers", [f"[text, {FHIR}]", f"[{FHIR}, text]"])
@pytest.mark.parametrize("lost", [[0], [1], [2], [0, 2], [0, 1, 2], [0, 1, 2, 3]])
def test_a_document_that_another_consumer_writes_again_keeps_its_file(
    tmp_path: Path, records: Path, consumers: str, lost: list[int]
) -> None:
    out = tmp_path / "out"
    first(out, records, consumers=consumers)
    texts = sorted((out / "release/text").rglob("*.txt"))
    for n in lost:
        texts[n].unlink()
    assert len(again(out, records, consumers=consumers)) == len(lost)


@pytest.mark.slow
def test_a_file_that_was_held_back_is_done_again_whole(tmp_path: Path, records: Path) -> None:
    out = tmp_path / "out"
    texts = [report("Number 1.", 1), report("do=fails number 2.", 2), report("Number 3.", 3)]
    write(records, "a.json", patient("Tollivant", 1), *texts)
    first(out, records)
    assert not (out / "release/fhir/a.json").exists()
    done = again(out, records)
    assert {i.partition("/")[0] for i in done} == {"a"}  # nobody knows what is in the released ones
    assert not (out / "release/fhir/a.json").exists()


@pytest.mark.slow
def test_a_file_goes_when_one_of_its_documents_fails_now(tmp_path: Path, records: Path) -> None:
    out, mark = tmp_path / "out", tmp_path / "mark"
    engines = f"[{{trouble: {{mark: {json.dumps(str(mark))}}}}}, resolver, masker]"
    mark.write_text("")
    texts = [report("Number 1.", 1), report("do=fails number 2.", 2), report("Number 3.", 3)]
    write(records, "a.json", patient("Tollivant", 1), *texts)
    running.run(out, reader_of(records), SCAN, consumers=CONSUMERS, engines=engines)
    assert (out / "release/fhir/a.json").exists()
    texts_of_a = sorted((out / "release/text/a").rglob("*.txt"))
    for path in texts_of_a:
        if "fails" in path.read_text():
            path.unlink()
    mark.unlink()
    report_, seen = running.run(out, reader_of(records), SCAN, "run.resume=true", consumers=CONSUMERS, engines=engines)
    assert report_.documents.quarantined == 1
    assert len(seen.done()) == 1
    assert not (out / "release/fhir/a.json").exists()
    assert any("1 file was not written back" in w for w in report_.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 2, 3, 4, 5, 6])
def test_a_killed_run_goes_on(tmp_path: Path, records: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", -1)
    out = tmp_path / "out"
    killed(out, records, after, reader=reader_of(records), consumers=f"[text, {FHIR}]")
    killed(out, records, 2, "run.resume=true", reader=reader_of(records), consumers=f"[text, {FHIR}]")
    again(out, records, consumers=f"[text, {FHIR}]")


@pytest.mark.slow
def test_a_limit_in_the_middle_of_a_file_is_gone_on_from(tmp_path: Path, records: Path) -> None:
    out = tmp_path / "out"
    first(out, records, "run.limit=2")
    assert not list((out / "release/fhir").iterdir())
    again(out, records)
    running.run(out, reader_of(records), SCAN, "run.limit=2", "run.resume=true", consumers=f"[text, {FHIR}]")
    assert (out / "release/fhir/a.json").exists()
    again(out, records)


@pytest.mark.slow
def test_files_whose_names_collide_keep_them(tmp_path: Path, records: Path) -> None:
    out = tmp_path / "out"
    for name in ("a_b", "a?b", "a|b"):
        write(records, f"{name}.json", report(f"Number 1{len(name)}.", 1), report(f"{name} number 5.", 2))
    first(out, records)
    assert again(out, records) == []
    (records / "a?b.json").unlink()
    again(out, records)


@pytest.mark.slow
def test_case_reports_are_taken_over_as_well(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.xml").write_bytes(r3())
    (tmp_path / "in/b.xml").write_bytes(r2())
    reader = f"{{e2b: {{folder: {json.dumps(str(tmp_path / 'in'))}}}}}"
    consumers, out, scratch = "[text, {e2b: {ids_key: a-key-of-the-tests}}]", tmp_path / "out", tmp_path / "scratch"
    running.run(out, reader, SCAN, consumers=consumers)
    running.run(scratch, reader, SCAN, consumers=consumers)
    file = out / "release/e2b/a.xml"
    for done in (0, 2):
        report, seen = running.run(out, reader, SCAN, "run.resume=true", consumers=consumers)
        assert len(seen.done()) == done
        assert report.documents.released == 4
        assert running.files(out) == running.files(scratch)
        file.write_bytes(file.read_bytes() + b"\n")


def test_no_shard_has_all_documents_of_a_file(tmp_path: Path, records: Path) -> None:
    with pytest.raises(ConsumerError, match="fhir needs all documents: run it without --shard"):
        first(tmp_path / "out", records, "run.shard=1/2")


def test_an_audit_reads_texts_and_not_record_files(tmp_path: Path, records: Path) -> None:
    first(tmp_path / "out", records, consumers=f"[text, {FHIR}]")
    with ledger_of(tmp_path / "out") as ledger:
        assert {d.output.consumer for d in released_texts(ledger, tmp_path)} == {"text"}
