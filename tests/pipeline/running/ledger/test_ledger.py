"""What a ledger is asked for every document is found by an index, and keeps what earlier runs knew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running
from resuming import CONSUMERS, NAMES, first

from caspipe.pipeline.contract.output import Output
from caspipe.pipeline.running.ledger import Ledger, Row
from caspipe.pipeline.running.ledger.session import LedgerSession


def row(number: int, *paths: str) -> Row:
    outputs = tuple(Output("text", path, 0, 1, "", True) for path in paths)
    return Row(number, f"n{number}", "00", "released", outputs=outputs)


def made(path: Path, runs: int = 2, documents: int = 3) -> Ledger:
    """A ledger of some runs, the last of them under way."""
    ledger = Ledger.write(path)
    for run in range(1, runs + 1):
        ledger.begin("a", "", "", "", "", None)
        for n in range(1, documents + 1):
            ledger.add(row(n, f"{run}/{n}.txt", "common.jsonl"))
        ledger.flush()
    return ledger


def test_whether_a_file_is_known_is_looked_up_and_not_searched_for(tmp_path: Path) -> None:
    with made(tmp_path / "ledger.sqlite") as ledger:
        asked: list[str] = []
        ledger.database.set_trace_callback(asked.append)
        assert (ledger.has_output("2/1.txt"), ledger.has_output("1/1.txt")) == (True, False)
        assert (ledger.mentions("1/1.txt"), ledger.mentions("3/1.txt")) == (True, False)
        ledger.database.set_trace_callback(None)
        assert len(asked) == 4
        for statement in asked:
            plan = [step[3] for step in ledger.database.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert len(plan) == 1
            assert plan[0].startswith("SEARCH files USING PRIMARY KEY (path=?"), plan


def test_files_of_rows_that_wait_are_known_without_writing_them(tmp_path: Path) -> None:
    with made(tmp_path / "ledger.sqlite", documents=0) as ledger:
        asked: list[str] = []
        ledger.add(row(1, "a.txt", "\ud800.txt"))
        ledger.database.set_trace_callback(asked.append)
        assert ledger.has_output("a.txt")
        assert ledger.mentions("\ud800.txt")
        assert not ledger.has_output("b.txt")
        assert [s for s in asked if not s.startswith("SELECT")] == []
        ledger.database.set_trace_callback(None)
        ledger.flush()
        assert ledger.has_output("\ud800.txt")


def test_files_of_runs_that_are_forgotten_are_forgotten(tmp_path: Path) -> None:
    with made(tmp_path / "ledger.sqlite") as ledger:
        ledger.delete_other_runs()
        assert not ledger.mentions("1/1.txt")
        assert ledger.mentions("2/1.txt")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_rows_of_documents_that_changed_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    sessions: list[LedgerSession] = []
    real = LedgerSession.__init__

    def noting(self: LedgerSession, *given: object, **named: object) -> None:
        real(self, *given, **named)  # type: ignore[arg-type]
        sessions.append(self)

    monkeypatch.setattr(LedgerSession, "__init__", noting)
    notes = running.notes(tmp_path / "notes", running.texts_of(NAMES))
    first(tmp_path / "out", notes)
    for name in ("n1", "n4"):
        (notes / f"{name}.txt").write_text("Another number 5.")
    (notes / "n6.txt").write_text("do=fails 1")
    given = ("run.resume=true", f"run.workers={workers}")
    report, seen = running.run(tmp_path / "out", notes, *given, consumers=CONSUMERS)
    assert (seen.done(), report.documents.quarantined) == ([2, 5, 7], 1)
    assert sessions[-1]._rows == {}


@pytest.mark.slow
def test_documents_that_are_taken_over_keep_their_number_of_tries(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", running.texts_of(NAMES))
    (notes / "n2.txt").write_text("do=fails 1")
    engines = f"[{{trouble: {{mark: {json.dumps(str(tmp_path / 'mark'))}}}}}, resolver, masker]"

    def tries(resume: bool) -> tuple[list[int], list[int]]:
        given = [f"run.resume={str(resume).lower()}", "run.retries=2", "run.retry_on=[error]"]
        report, seen = running.run(tmp_path / "out", notes, *given, consumers=CONSUMERS, engines=engines)
        assert report.reused == (8 if resume else 0)
        with Ledger.read(tmp_path / "out") as ledger:
            return [r.attempts for r in ledger.rows()], [e.attempts for e in seen.events]

    once = [1, 1, 2, 1, 1, 1, 1, 1]
    assert tries(resume=False) == (once, once)
    assert tries(resume=True) == (once, once)
    assert tries(resume=True) == (once, once)


@pytest.mark.slow
def test_a_quarantined_document_that_is_taken_over_keeps_its_number_of_tries(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "do=fails 1", "b": "number 2"})
    for resume in ("false", "true"):
        given = [f"run.resume={resume}", "run.retries=2", "run.retry_on=[error]"]
        running.run(tmp_path / "out", notes, *given, consumers=CONSUMERS)
        with Ledger.read(tmp_path / "out") as ledger:
            assert [(r.status, r.attempts) for r in ledger.rows()] == [("quarantined", 3), ("released", 1)]
