"""The released names of documents in runs: with and without a key, resumed, in shards, in workers."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest
import resuming
import running
from resuming import ALL, NAMES

from caspipe.pipeline.errors import ReaderError
from caspipe.pipeline.running.ledger.merging import merge
from caspipe.pipeline.running.released_names import read_names
from caspipe.pipeline.storage.file_names import pseudonym

NUMBERS = "run.names=pseudonym"
KEY = "a key of this test 0123456789"
MODES = {"numbers": (NUMBERS,), "keyed": (NUMBERS, f"run.key={KEY}")}
CONSUMERS = (
    "[text, jsonl, csv, parquet, {sql: {url: 'sqlite:///release/notes.db'}}, {brat: {annotations: masked}}, html]"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return running.notes(tmp_path / "notes", running.texts_of(NAMES))


def names(out: Path) -> dict[str, str]:
    with (out / "restricted/names.csv").open(newline="", encoding="utf-8") as file:
        return dict(list(csv.reader(file))[1:])


def stems(out: Path) -> list[str]:
    return sorted(p.stem for p in (out / "release/text").iterdir())


@pytest.mark.attack("names-of-files")
def test_names_are_numbers_or_keyed_hashes_and_one_map_tells_them(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "a", notes, NUMBERS)
    assert names(tmp_path / "a") == {name: f"{n:06d}" for n, name in enumerate(NAMES, 1)}
    running.run(tmp_path / "b", notes, *MODES["keyed"])
    assert names(tmp_path / "b") == {name: pseudonym(name, KEY) for name in NAMES}
    for out in (tmp_path / "a", tmp_path / "b"):
        assert stems(out) == sorted(names(out).values())
        lines = (out / "release/documents.jsonl").read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == list(names(out).values())
        assert read_names(out) == names(out)


@pytest.mark.parametrize("mode", MODES)
def test_workers_and_shards_write_the_same_bytes(tmp_path: Path, notes: Path, mode: str) -> None:
    options = MODES[mode]
    running.run(tmp_path / "one", notes, *options, consumers=CONSUMERS)
    expected = running.files(tmp_path / "one")
    running.run(tmp_path / "two", notes, *options, "run.workers=2", consumers=CONSUMERS)
    assert running.files(tmp_path / "two") == expected
    out = tmp_path / "shards"
    for shard in ("1/3", "2/3", "3/3"):
        running.run(out, notes, *options, f"run.shard={shard}", consumers=CONSUMERS)
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    merge(running.pipeline(out, reader, *options, consumers=CONSUMERS))
    assert running.files(out) == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("after", [1, 5])
def test_a_killed_run_is_resumed_with_the_same_names(tmp_path: Path, notes: Path, mode: str, after: int) -> None:
    resuming.killed(tmp_path / "out", notes, after, *MODES[mode], consumers=CONSUMERS)
    resuming.again(tmp_path / "out", notes, *MODES[mode], consumers=CONSUMERS)
    assert len(names(tmp_path / "out")) == len(NAMES)


@pytest.mark.parametrize(("mode", "redone"), [("numbers", list(range(1, 10))), ("keyed", [1])])
def test_a_new_first_document_moves_the_numbers_of_all_but_no_keyed_name(
    tmp_path: Path, notes: Path, mode: str, redone: list[int]
) -> None:
    out, consumers = tmp_path / "out", "[text, jsonl, csv, parquet, {brat: {annotations: masked}}, html]"
    resuming.first(out, notes, *MODES[mode], consumers=consumers)
    running.notes(notes, {"a0": "Patient a0 has number 1."})
    assert resuming.again(out, notes, *MODES[mode], consumers=consumers) == redone
    (notes / "a0.txt").unlink()
    (notes / "n7.txt").unlink()
    resuming.again(out, notes, *MODES[mode], consumers=consumers)
    assert len(names(out)) == len(NAMES) - 1


@pytest.mark.parametrize("mode", MODES)
def test_the_rows_of_a_table_follow_their_names(tmp_path: Path, notes: Path, mode: str) -> None:
    out, consumers = tmp_path / "out", "[{sql: {url: 'sqlite:///release/notes.db'}}]"

    def rows() -> list[tuple[str, str]]:
        with sqlite3.connect(out / "release/notes.db") as database:
            return sorted(database.execute("SELECT id, text FROM documents"))

    options = (*MODES[mode], "run.resume=true")
    for change in (
        lambda: running.notes(notes, {"a0": "Patient a0 has number 1."}),
        lambda: [(notes / f"{name}.txt").unlink() for name in ("a0", "n2", "n7")],
        lambda: running.notes(notes, {"n1": "Patient n1 has no number."}),
    ):
        report, _ = running.run(out, notes, *options, consumers=consumers)
        assert (report.failures, [name for name, _ in rows()]) == ([], sorted(names(out).values()))
        change()
    report, _ = running.run(out, notes, *options, consumers=consumers)
    assert [name for name, _ in rows()] == sorted(names(out).values())
    assert dict(rows())[names(out)["n1"]].endswith("has no number.")


def test_another_key_or_other_names_do_everything_again(tmp_path: Path, notes: Path) -> None:
    out, consumers = tmp_path / "out", "[text, jsonl]"
    resuming.first(out, notes, *MODES["keyed"], consumers=consumers)
    other = (NUMBERS, "run.key=another key of this test 0123")
    assert resuming.again(out, notes, *other, consumers=consumers) == ALL
    assert resuming.again(out, notes, NUMBERS, consumers=consumers) == ALL
    assert resuming.again(out, notes, "run.names=id", consumers=consumers) == ALL
    assert not (out / "restricted/names.csv").exists()
    assert read_names(out) == {}


def test_documents_that_failed_have_a_name_too(tmp_path: Path, notes: Path) -> None:
    (notes / "n3.txt").write_bytes(b"\xff\xfe\x00")
    report, _ = running.run(tmp_path / "out", notes, NUMBERS)
    assert report.documents.quarantined == 1
    assert names(tmp_path / "out")["n3"] == "000004"
    assert stems(tmp_path / "out") == [f"{n:06d}" for n in ALL if n != 4]


def test_a_run_that_stopped_has_the_names_of_what_it_read(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "out", notes, NUMBERS, "run.limit=3")
    assert list(names(tmp_path / "out")) == NAMES[:3]


def test_only_what_holds_original_text_keeps_the_ids(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "out", notes, NUMBERS, consumers="[text, xmi, html, brat, {jsonl: {annotations: found}}]")
    out = tmp_path / "out"
    for path in ("xmi/n0.xmi", "html/n0.html", "brat/n0.ann"):
        assert (out / "restricted" / path).is_file()
    assert json.loads((out / "restricted/documents.jsonl").read_text().splitlines()[0])["id"] == "n0"


def test_no_map_where_nothing_is_released(tmp_path: Path, notes: Path) -> None:
    running.run(tmp_path / "out", notes, NUMBERS, consumers="[xmi]")
    assert not (tmp_path / "out/restricted/names.csv").exists()


def test_a_map_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "restricted/names.csv"
    path.parent.mkdir()
    for text in ("", "id,name\na\n", "name,id\n"):
        path.write_text(text)
        with pytest.raises(ReaderError) as caught:
            read_names(tmp_path)
        assert str(caught.value) == f"{path}: expected the columns id and name"


def test_the_record_of_a_document_is_hidden_or_hashed(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id,note,letter\nberg-7,Patient n0 has number 1000.,Patient n1 has number 1001.\n")
    reader = f"{{csv: {{files: {json.dumps(str(rows))}, id_field: id, text_field: [note, letter]}}}}"
    made = {}
    for mode, options in MODES.items():
        consumers = "[{jsonl: {fields: [id, metadata]}}]"
        running.run(tmp_path / mode, reader, *options, consumers=consumers)
        lines = (tmp_path / mode / "release/documents.jsonl").read_text().splitlines()
        made[mode] = [json.loads(line)["metadata"].get("record") for line in lines]
    assert made == {"numbers": [None, None], "keyed": [pseudonym("berg-7", KEY)] * 2}
