"""The commands around a run: exit codes, what is printed and what not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    running.notes(tmp_path / "notes", running.texts_of(["a", "b", "c", "d"]))
    (tmp_path / "run.yaml").write_text(
        "reader: {text: {folder: notes}}\nengines: [trouble, resolver, masker]\nconsumers: [text, jsonl]\n"
        "run: {workers: 0}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def bad(folder: Path, name: str = "b") -> None:
    (folder / f"notes/{name}.txt").write_text(f"{running.SECRET} do=fails 1")


def test_a_run_that_releases_all_ends_with_0_and_a_quiet_one_says_nothing(folder: Path) -> None:
    code, said = call("run", "run.yaml")
    assert code == 0
    assert "4 documents read, 4 released, 0 quarantined, 0 skipped" in said
    assert call("run", "run.yaml", "-q") == (0, "")
    assert call("run", "run.yaml", "-q", "--resume") == (0, "")


def test_a_run_with_failures_ends_with_3_and_tells_them_even_quietly(folder: Path) -> None:
    bad(folder)
    code, said = call("run", "run.yaml", "-q")
    assert code == 3
    assert "document 2: trouble: ValueError at troubles.py:" in said
    assert "out/restricted/quarantine" in said
    assert running.SECRET not in said
    code, said = call("run", "run.yaml", "--set", "run.on_error=skip", "-q")
    assert code == 3


def test_a_run_that_cannot_go_on_ends_with_4(folder: Path) -> None:
    bad(folder)
    code, said = call("run", "run.yaml", "-q", "--set", "run.on_error=stop")
    assert code == 4
    assert "on_error is stop" in said
    code, said = call("run", "run.yaml", "--set", "run.max_errors=0")
    assert code == 4
    assert "The run ended early: 1 documents failed: more than max_errors 0" in said
    (folder / "file").touch()
    code, said = call("run", "run.yaml", "--set", "run.output=file")
    assert code == 4
    assert "expected a folder" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--shard", "3/2"],
        ["--workers", "many"],
        ["--workers=-1"],
        ["--runner", "cloud"],
        ["--set", "run.limit=0"],
        ["--set", "run.limits.seconds=0"],
        ["--set", "run.error_window=0"],
    ],
)
def test_a_wrong_option_ends_with_2_before_anything_is_written(folder: Path, arguments: list[str]) -> None:
    code, said = call("run", "run.yaml", *arguments)
    assert code == 2, said
    assert not (folder / "out").exists()


def test_status_tells_what_became_of_a_run(folder: Path) -> None:
    bad(folder)
    call("run", "run.yaml", "-q")
    code, said = call("status", "--json")
    told = json.loads(said)
    assert code == 0
    assert (told["state"], told["total"], told["shard"]) == ("done", 4, "")
    assert told["documents"] == {"quarantined": 1, "released": 3}
    assert told["reasons"] == {"error": 1}
    assert len(told["fingerprint"]) == 64
    assert running.SECRET not in said
    code, said = call("status", "out")
    assert code == 0
    assert "4 of 4 documents done" in said
    assert "'b'" not in said


def test_status_of_a_limited_run_and_of_a_part(folder: Path) -> None:
    call("run", "run.yaml", "-q", "--set", "run.limit=2")
    assert json.loads(call("status", "out", "--json")[1])["state"] == "stopped: limit"
    assert call("run", "run.yaml", "-q", "--shard", "2/3")[0] == 0
    told = json.loads(call("status", "out/shards/2-of-3", "--json")[1])
    assert (told["shard"], told["total"], told["documents"]) == ("2/3", 1, {"released": 1})
    assert "1 of 1 documents done" in call("status", "out/shards/2-of-3")[1]


def test_status_where_there_is_no_run_ends_with_4(folder: Path) -> None:
    code, said = call("status", "nowhere")
    assert code == 4
    assert "no ledger" in said
    (folder / "own.txt").write_text(running.SECRET * 100)
    code, said = call("status", "own.txt")
    assert code == 4
    assert "expected a ledger" in said
    assert running.SECRET not in said


def test_retry_does_what_failed_and_nothing_else(folder: Path) -> None:
    bad(folder)
    call("run", "run.yaml", "-q")
    events = folder / "events.jsonl"
    code, _ = call("retry", "run.yaml", "-q", "--set", f"run.events={events}")
    assert code == 3
    told = [json.loads(line) for line in events.read_text().splitlines()]
    documents = [e for e in told if e["event"] == "document"]
    assert [not e.get("reused") for e in documents] == [False, True, False, False]


def test_shards_and_merge(folder: Path) -> None:
    bad(folder)
    call("run", "run.yaml", "-q", "--set", "run.output=whole")
    for part in (1, 2):
        call("run", "run.yaml", "-q", "--shard", f"{part}/2")
        if part == 1:
            code, said = call("merge", "run.yaml")
            assert code == 4
            assert "parts that are missing: 2 of 2" in said
    code, said = call("merge", "run.yaml")
    assert code == 3
    assert "4 documents read, 3 released, 1 quarantined, 0 skipped" in said
    assert running.files(folder / "out") == running.files(folder / "whole")
