"""Releases and scores of runs that were interrupted or are partly in quarantine."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from releasing import LETTERS, caspipe, make_run, released, reviewer


def interrupt(run: Path, after: int) -> None:
    """Make the ledger that of a run that was killed after some documents."""
    with sqlite3.connect(run / "restricted" / "ledger.sqlite") as ledger:
        ledger.execute("DELETE FROM documents WHERE number > ?", (after,))
        ledger.execute("UPDATE runs SET state = 'running', ended = ''")
    ledger.close()


@pytest.mark.attack("partial-runs")
def test_a_release_of_an_interrupted_run_has_what_is_done_and_says_what_is_not(run: Path) -> None:
    before = released(run)
    interrupt(run, 2)
    with reviewer(run) as anna:
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 3
    assert released(run) == before[:2]
    assert "2 documents released, 0 withheld" in result.output
    assert "the run did not finish: 2 documents not processed; `caspipe run --resume` processes them" in result.output


@pytest.mark.attack("partial-runs")
def test_a_limit_is_not_an_interruption(tmp_path: Path) -> None:
    run = make_run(tmp_path, limit=2)
    with reviewer(run) as anna:
        anna.done("a")
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert "did not finish" not in result.output


def make_gold(folder: Path, documents: str) -> Path:
    """Reference annotations of letters in the format `marked`."""
    folder.mkdir()
    for name in documents:
        text = LETTERS[name].replace("Tom Berg", "[[PERSON|Tom Berg]]")
        (folder / f"{name}.txt").write_text(f"=====\n#id: {name}\n{text}")
    return folder


@pytest.mark.attack("partial-runs")
def test_a_run_is_scored_over_the_documents_that_are_done(run: Path, tmp_path: Path) -> None:
    gold = make_gold(tmp_path / "gold", "abcd")
    arguments = ["evaluate", "--gold", gold, "--system", run, "--reader", "marked", "--criterion", "strict", "-q"]
    result = caspipe(*arguments)
    assert result.exit_code == 0, result.output
    assert "warning: 1 of 4 documents of the run are not scored: 1 in quarantine (leak 1)" in result.stderr
    interrupt(run, 2)
    result = caspipe(*arguments)
    assert result.exit_code == 0, result.output
    assert "warning: 2 of 4 documents of the run are not scored: 2 not processed" in result.stderr


@pytest.mark.attack("partial-runs")
def test_a_document_that_only_the_reference_has_is_still_an_error(run: Path, tmp_path: Path) -> None:
    gold = make_gold(tmp_path / "gold", "abcd")
    (gold / "z.txt").write_text("=====\n#id: z\nNobody ran this.")
    result = caspipe("evaluate", "--gold", gold, "--system", run, "--reader", "marked", "-q")
    assert result.exit_code == 4
    assert "z" in result.stderr
