"""`caspipe synthesize` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.typesystem import GOLD_VIEW, Phi


def synthesize(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["synthesize", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


def test_json_lines_hold_gold_that_the_reader_takes(tmp_path: Path) -> None:
    out = synthesize("-n", "30", "--seed", "7", "-o", str(tmp_path / "corpus"))
    assert "30 documents, " in out
    assert "  DATE  " in out
    reader = JsonlReader(folder=tmp_path / "corpus", spans_field="spans")
    read = list(reader)
    assert len(read) == 30
    assert reader.failed == []
    assert sum(len(list(c.view(GOLD_VIEW).select(Phi))) for c in read) > 100
    again = tmp_path / "again"
    assert synthesize("-n", "10", "--first", "20", "--seed", "7", "-o", str(again), "-q") == ""
    lines = (tmp_path / "corpus" / "synthetic.jsonl").read_text(encoding="utf-8").splitlines()
    assert (again / "synthetic.jsonl").read_text(encoding="utf-8").splitlines() == lines[20:]


def test_a_dash_prints_the_documents() -> None:
    out = synthesize("-n", "3", "--layout", "email=2", "--layout", "face_sheet", "-o", "-")
    assert {json.loads(line)["layout"] for line in out.splitlines()} <= {"email", "face_sheet"}
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(("format_", "suffixes"), [("text", {".txt"}), ("brat", {".txt", ".ann"}), ("i2b2", {".xml"})])
def test_other_formats_are_a_file_or_two_a_document(tmp_path: Path, format_: str, suffixes: set[str]) -> None:
    synthesize("-n", "4", "-f", format_, "-o", str(tmp_path / "o"), "-q")
    files = sorted(p for p in (tmp_path / "o").iterdir())
    assert len(files) == 4 * len(suffixes)
    assert {p.suffix for p in files} == suffixes
    assert files[0].stem == "synthetic-1-000000"


def test_layouts_are_listed() -> None:
    assert "en  discharge_summary" in synthesize("--list")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-n", "2"], 2, "Missing option --output: a folder, or - for standard output"),
        (["-o", "-", "--layout", "emial"], 2, "layouts: no layout 'emial'; did you mean email?"),
        (["-o", "-", "--layout", "email=x"], 2, "--layout email: expected a weight after =, got 'x'"),
        (["-o", "-", "--language", "xx"], 4, "no templates for 'xx'; there are: en"),
        (["-o", "-", "--noise", "3"], 2, "noise: expected a number from 0 to 1, got 3"),
        (["-o", "-", "-n", "-3"], 2, "--documents: expected 0 or more, got -3"),
    ],
)
def test_mistakes_are_told(arguments: list[str], code: int, message: str) -> None:
    assert message in synthesize(*arguments, code=code)


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "o").write_text("")
    assert "expected a folder" in synthesize("-n", "2", "-o", str(tmp_path / "o"), code=4)
    assert (tmp_path / "o").read_text() == ""
