"""The ledger as a file: damage, its content, its reader, and runs without one."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
import running
from resuming import ALL, CONSUMERS, again, first

from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import CaspipeError, ConsumerError
from caspipe.pipeline.running.ledger import Ledger


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
        page = (out / "restricted/report.html").read_text()
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
