"""`caspipe evaluate CONFIG --gold ...`: the engines of a configuration over the texts of a reference collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app
from caspipe.typesystem import Cas, Phi, PhiKind, write_xmi

DATES = "engines: [segmenter, dates]\n"
GOLD = (
    "=====\n#id: a  #genre: letter\nSeen on [[DATE|3/4/2020]] by [[PERSON|Featherstone]], a [[?PROFESSION|cook]].\n"
    "=====\n#id: b  #genre: note\nSeen on [[?DATE_YEAR|2019]] and [[DATE|5 May 2021]].\n"
)


def evaluate(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "dates.yaml"
    path.write_text(DATES, encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.txt"
    path.write_text(GOLD, encoding="utf-8")
    return path


def line(output: str, *begins: str) -> list[str]:
    return next(cells for cells in map(str.split, output.splitlines()) if cells[: len(begins)] == list(begins))


def test_the_engines_of_a_configuration_are_scored_over_a_collection(config: Path, gold: Path, tmp_path: Path) -> None:
    out = evaluate(config, "--gold", gold, "--reader", "marked", "--by", "genre", "--json", tmp_path / "s.json")
    assert "criteria, 2 documents" in out
    assert line(out, "strict", "DATE")[2:] == ["2", "2", "2", "0", "0", "1.000", "1.000", "1.000"]
    assert "1 of 2 documents with PHI are clean (50.0%); 2 of 3 spans are covered (66.7%); 0.0 false spans" in out
    assert line(out, "letter")[:3] == ["letter", "1", "0.667"]
    assert line(out, "note")[:3] == ["note", "1", "1.000"]
    assert "Featherstone" not in out + (tmp_path / "s.json").read_text()
    groups = json.loads((tmp_path / "s.json").read_text())["groups"]
    assert {
        "scheme": "",
        "by": "genre",
        "group": "letter",
        "documents": 1,
        "criterion": "covered",
        "figure": "recall",
        "value": 0.5,
    } in groups


def test_kinds_overrides_and_a_second_configuration(config: Path, gold: Path, tmp_path: Path) -> None:
    gold.write_text(GOLD.replace("PERSON", "NAME"), encoding="utf-8")
    given = (config, "--gold", gold, "--reader", "marked", "--kinds", "NAME=PERSON", "--criterion", "strict")
    assert line(evaluate(*given), "PERSON")[:2] == ["PERSON", "1"]
    other = tmp_path / "none.yaml"
    other.write_text("engines: [segmenter, ages, dates]\n", encoding="utf-8")
    out = evaluate(
        *given, "--compare", other, "--set", "marked.kinds.PROFESSION=null", "--set", "dates.latest_year=2030"
    )
    assert "second system less the first" in out


def test_metadata_that_no_document_has_are_told_with_the_nearest(config: Path, gold: Path) -> None:
    out = evaluate(config, "--gold", gold, "--reader", "marked", "--by", "gender", code=4)
    assert "--by: no document has metadata called 'gender'; did you mean genre?" in out
    out = evaluate(config, "--gold", gold, "--reader", "marked", "--by", "x", code=4)
    assert "--by: no document has metadata called 'x'; they have encoding, file, genre" in out


def test_a_reference_in_the_initial_view_is_not_shown_to_the_engines(config: Path, tmp_path: Path) -> None:
    cas = Cas("Seen on 3/4/2020 by Featherstone.", id="a")
    cas.add(Phi(20, 32, kind=PhiKind.PERSON))
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold/a.xmi").write_bytes(write_xmi(cas))
    out = evaluate(config, "--gold", tmp_path / "gold", "--reader", "xmi", "--criterion", "strict")
    assert line(out, "PERSON")[:6] == ["PERSON", "1", "0", "0", "0", "1"]
    assert line(out, "strict", "DATE")[2:6] == ["0", "1", "0", "1"]


def test_a_shipped_corpus_is_scored_anywhere_and_nothing_is_left(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    out = evaluate(config, "--gold", "shipped:phi-notes-dev", "--set", "marked.pattern=part1[58].txt", "--by", "file")
    assert "criteria, 6 documents" in out
    assert [line(out, part)[1] for part in ("part15", "part18")] == ["3", "3"]
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_finished_run_is_scored_against_a_shipped_corpus(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        "reader: {marked: {folder: shipped:phi-notes-dev, pattern: part18.txt}}\n"
        f"engines: [segmenter, dates, resolver]\nconsumers: [xmi]\nrun: {{output: {tmp_path / 'out'}}}\n",
        encoding="utf-8",
    )
    assert CliRunner().invoke(app, ["run", str(tmp_path / "run.yaml"), "--quiet"]).exit_code == 0
    given = ("--gold", "shipped:phi-notes-dev", "--set", "marked.pattern=part18.txt", "--criterion", "strict")
    finished = evaluate(*given, "--system", tmp_path / "out/restricted/xmi", "--reader", "xmi")
    assert line(finished, "DATE")[0] == "DATE"
    (tmp_path / "engines.yaml").write_text("engines: [segmenter, dates]\n", encoding="utf-8")
    assert finished == evaluate(tmp_path / "engines.yaml", *given)


@pytest.mark.slow
def test_the_default_configuration_is_scored_on_a_shipped_corpus() -> None:
    out = evaluate("deidentify", "--gold", "shipped:phi-notes-dev", "--set", "marked.pattern=part06.txt")
    assert "criteria, 12 documents" in out
    assert " of 125 spans are covered (9" in out
