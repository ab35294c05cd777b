"""Whoever does the work and however many they are: the same documents give the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running

SPLIT = """
  - text
  - text: {id: shouted, folder: release/again, suffix: .text}
  - jsonl
  - jsonl: {id: single, folder: release/single}
  - csv
  - html
  - brat
  - conll
  - i2b2
  - xmi
  - jsoncas
  - label_studio
  - prodigy
  - doccano
  - inception
  - report
"""
WAYS = [("fork", 1), ("fork", 3), ("spawn", 2)]
ODD_IDS = ["", "", "a:b", "a?b", "A?b", "x" * 1000, "two\nlines", "ward/1", "ward", "lone \ud800", "../up", "con"]


def corpus(folder: Path) -> dict[str, str]:
    """Readers by name: those whose workers read for themselves, and those that read one document after the other."""
    notes = running.notes(folder / "notes", running.texts_of(f"n{n:02d}" for n in range(30)))
    (notes / "broken.txt").write_bytes(b"\xff\xfe1")
    more = running.notes(folder / "more", {"n03": "The same id, number 1.", "z1": "", "z2": "do=fails 7"})
    documents = [(name, f"Record {n} of 12345.") for n, name in enumerate(ODD_IDS)]
    file = running.records(folder / "r.jsonl", [*documents, *((f"r{n}", f"Number {n} \ud83d") for n in range(30))])
    xmi = folder / "made"
    running.run(xmi, notes, consumers="[xmi]")
    text, again = (f"text: {{folder: {json.dumps(str(f))}, encoding: utf-8}}" for f in (notes, more))
    records = f"jsonl: {{files: {json.dumps(str(file))}}}"
    return {
        "text": f"{{{text}}}",
        "jsonl": f"{{{records}}}",
        "texts": f"[{{{text}}}, {{{again}}}]",
        "both": f"[{{{text}}}, {{{records}}}, {{{again}}}]",
        "xmi": f"{{xmi: {{folder: {json.dumps(str(xmi / 'restricted/xmi'))}}}}}",
    }


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["text", "jsonl", "texts", "both", "xmi"])
def test_any_number_of_workers_however_they_start_write_the_same_bytes(tmp_path: Path, reader: str) -> None:
    given = corpus(tmp_path)[reader]
    report, seen = running.run(tmp_path / "alone", given, consumers=SPLIT)
    expected = running.files(tmp_path / "alone")
    assert expected
    ways = WAYS if reader == "both" else WAYS[1:2]
    for start, workers in ways:
        out = tmp_path / f"{start}{workers}"
        other, there = running.run(out, given, f"run.workers={workers}", f"run.start={start}", consumers=SPLIT)
        assert other.workers == workers
        assert running.plain(other) == running.plain(report)
        assert there.statuses() == seen.statuses()
        assert running.files(out) == expected


@pytest.mark.slow
def test_a_plug_in_file_works_in_new_processes(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "do=fails 1", "b": "number 22"})
    report, seen = running.run(tmp_path / "out", notes, "run.workers=1", "run.start=spawn")
    assert report.workers == 1
    assert seen.statuses() == {1: "error", 2: "released"}
    assert running.files(tmp_path / "out")["release/text/b.txt"] == b"number [ID]"


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_consumers_that_are_not_split_get_every_document_in_order(tmp_path: Path, start: str) -> None:
    notes = running.notes(tmp_path / "notes", running.texts_of(f"n{n:02d}" for n in range(20)))
    running.run(tmp_path / "out", notes, "run.workers=2", f"run.start={start}", consumers="[ids, text]")
    assert (tmp_path / "out/ids").read_text().split("\n") == [f"'n{n:02d}'" for n in range(20)]


@pytest.mark.slow
def test_a_table_in_a_database_is_the_same_with_workers(tmp_path: Path) -> None:
    import sqlite3

    notes = running.notes(tmp_path / "notes", running.texts_of(f"n{n:02d}" for n in range(20)))
    found = []
    for workers in (0, 2):
        table = tmp_path / f"{workers}.sqlite"
        consumers = f"[{{sql: {{url: {json.dumps(f'sqlite:///{table}')}}}}}]"
        running.run(tmp_path / str(workers), notes, f"run.workers={workers}", consumers=consumers)
        with sqlite3.connect(table) as database:
            names = [n for (n,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
            found.append({name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names})
        database.close()
    assert found[0] == found[1]
    assert any(len(rows) == 20 for rows in found[0].values())


@pytest.mark.slow
def test_without_order_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path) -> None:
    texts = running.texts_of(f"n{n:02d}" for n in range(60))
    texts["n07"], texts["n30"] = "do=dawdles 1", "do=fails 2"
    notes = running.notes(tmp_path / "notes", texts)
    running.run(tmp_path / "ordered", notes)
    report, seen = running.run(tmp_path / "out", notes, "run.workers=3", "run.ordered=false")
    assert sorted(e.number for e in seen.events) == list(range(1, 61))
    assert (report.documents.read, report.documents.released, report.documents.quarantined) == (60, 59, 1)
    ordered, out = running.files(tmp_path / "ordered"), running.files(tmp_path / "out")
    lines = [sorted(f.pop("release/documents.jsonl").splitlines()) for f in (ordered, out)]
    assert lines[0] == lines[1]
    assert ordered == out


@pytest.mark.slow
def test_results_of_many_megabytes_come_back_whole(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", {n: f"{n} 12 " + "word " * 600_000 for n in ("a", "b", "c")})
    running.run(tmp_path / "alone", notes, consumers="[jsonl]")
    running.run(tmp_path / "out", notes, "run.workers=2", consumers="[jsonl]")
    assert running.files(tmp_path / "out") == running.files(tmp_path / "alone")
