"""The command: what it refuses, what it prints, and the way from texts to gold without a browser."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from review_corpus import Corpus, Server, make_folder
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app

pytestmark = pytest.mark.server


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["review", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--adjudicate", "anna", "anna"], "--adjudicate: expected two different annotators"),
        (["--level", "word"], "--level: expected top or kind, got 'word'"),
        (["--all"], "--all: goes with --export"),
        (["--json", "x.json"], "--json: goes with --agreement"),
        (["--agreement", "--export", "x"], "--export: does not go with --agreement"),
        (["--agreement"], "--agreement: expected at least two annotators, found: none"),
        (["--adjudicate", "anna", "ben"], "annotator: 'anna' has reviewed nothing here; there are: none"),
    ],
)
def test_wrong_usage_is_told(folder: Path, arguments: list[str], told: str) -> None:
    assert run(folder, *arguments) == (2, told + "\n")


def test_a_pipeline_writes_into_an_empty_folder_only(folder: Path) -> None:
    code, told = run(folder, "--config", "deidentify")
    assert (code, told) == (
        2,
        f"--config: {folder} holds XMI already: leave --config out to review that, or name a new folder\n",
    )


def test_an_unknown_folder_is_told(tmp_path: Path) -> None:
    code, told = run(tmp_path / "nowhere")
    assert code == 4
    assert "expected a file, found none at" in told


def test_any_reader_s_texts_can_be_reviewed(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "n1.txt").write_text("Seen on 3 May 2020.")
    (tmp_path / "my.yaml").write_text(
        "reader: {text: {folder: notes}}\nengines: [segmenter, dates, resolver, masker]\nrun: {output: out}\n"
    )
    folder, gold = tmp_path / "narratives", tmp_path / "gold"
    code, told = run(folder, "--config", tmp_path / "my.yaml", "--export", gold, "--all", "-q")
    assert (code, told) == (0, f"1 documents written to {gold}\n")
    assert (folder / "n1.xmi").is_file() and (gold / "n1.xmi").is_file()
    assert not (tmp_path / "out").exists()


def test_agreement_as_table_and_json(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "xmi")
    for name in ("anna", "ben"):
        corpus = Corpus(folder, name)
        if name == "ben":
            corpus.do("reject", span=corpus.sid("44"))
        corpus.do("done")
        corpus.close()
    code, told = run(folder, "--agreement", "--json", tmp_path / "a.json")
    assert code == 0
    assert "anna and ben: 1 documents that both have completed" in told
    (found,) = json.loads((tmp_path / "a.json").read_text())
    assert found["all"]["strict_f1"] == pytest.approx(8 / 9)
    assert found["kinds"]["AGE"] == {
        "left": 1,
        "right": 0,
        "strict_f1": 0.0,
        "overlapping_f1": 0.0,
        "kappa_characters": 0.0,
        "kappa_tokens": 0.0,
    }
    assert list(found["documents"]) == ["a"]
    assert run(folder, "--adjudicate", "anna", "ben", "-a", "ben")[1] == (
        "--annotator: ben is one of the two annotators to adjudicate\n"
    )


def test_what_cannot_be_exported_is_told_and_the_rest_is_written(folder: Path, tmp_path: Path) -> None:
    (folder / "b.xmi").write_bytes(b"<xmi")
    code, told = run(folder, "--export", tmp_path / "gold", "--all")
    assert code == 3
    assert "2 documents written" in told and "b: " in told


def test_nothing_that_is_done_is_told_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    code, told = run(folder, "--annotator", "anna", "--export", tmp_path / "gold")
    assert code == 0
    assert "0 documents written" in told and "`d` on the page" in told and "--all" in told


def test_without_the_extra_nothing_is_begun(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name))
    wanted = "needs uvicorn: pip install 'caspipe[server]'\n"
    assert run(folder, "--annotator", "anna") == (4, f"caspipe review {wanted}")
    assert run(tmp_path / "new", "--config", "none.yaml") == (4, f"caspipe review {wanted}")
    assert not (folder / "review").exists()
    done = CliRunner().invoke(app, ["serve", "none.yaml"])
    assert (done.exit_code, done.output) == (4, f"caspipe serve {wanted}")


def test_the_end_of_the_review_of_a_run_names_the_release(folder: Path, tmp_path: Path) -> None:
    server = Server(folder, "--annotator", "anna")
    assert "caspipe release" not in server.stop()
    run_folder = tmp_path / "out"
    code = (
        CliRunner()
        .invoke(app, ["run", "deidentify-fast", "--output", str(run_folder), "--set", "run.limit=1"])
        .exit_code
    )
    assert code == 0
    server = Server(run_folder, "--annotator", "anna")
    assert f"caspipe release {run_folder} --review anna" in server.stop()
