"""One configuration trains a model and, with other documents, measures it: nothing in it knows the corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app

FRENCH = [
    ("Patient: {} né à {}.", ("Anne Dupont", "PERSON"), ("Angers", "LOCATION")),
    ("Vue par le Dr {} de l'hôpital d'{}.", ("Luc Morel", "PERSON"), ("Orléans", "LOCATION")),
    ("{} habite {} depuis mai.", ("Jean Petit", "PERSON"), ("Lille", "LOCATION")),
    ("Le patient prend du paracétamol.",),
]


def corpus(folder: Path) -> Path:
    """A few sentences in a language that no part of caspipe was made for, as JSON Lines."""
    lines = []
    for number in range(12):
        template, *values = FRENCH[number % len(FRENCH)]
        text, spans = "", []
        pieces = str(template).split("{}")
        for piece, value in zip(pieces, [*values, None], strict=True):
            text += piece
            if value is not None:
                spans.append({"begin": len(text), "end": len(text) + len(value[0]), "kind": value[1]})
                text += value[0]
        lines.append(json.dumps({"id": f"fr{number}", "text": text, "spans": spans}))
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def sets(folder: Path, output: Path) -> list[str]:
    values = {
        "reader.jsonl.folder": folder,
        "reader.jsonl.spans_field": "spans",
        "crf_trainer.model": "my-model",
        "run.output": output,
    }
    return [part for name, value in values.items() for part in ("--set", f"{name}={value}")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::caspipe.typesystem.CaspipeWarning")
def test_a_model_is_trained_and_measured_by_the_same_configuration(tmp_path: Path) -> None:
    folder, runner = corpus(tmp_path / "corpus"), CliRunner()
    trained = runner.invoke(app, ["train", "training/phi-crf", *sets(folder, tmp_path / "out")])
    assert trained.exit_code == 0, trained.output
    measured = runner.invoke(
        app, ["evaluate", "training/phi-crf", *sets(folder, tmp_path / "out"), "--json", str(tmp_path / "scores.json")]
    )
    assert measured.exit_code == 0, measured.output
    assert json.loads((tmp_path / "out/my-model/model.json").read_text())["training"]["spans"] == {
        "LOCATION": 9,
        "PERSON": 9,
    }
    table = json.dumps(json.loads((tmp_path / "scores.json").read_text()))
    assert '"f1": 1.0' in table


def test_what_was_not_trained_yet_cannot_be_measured(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "corpus")
    measured = CliRunner().invoke(app, ["evaluate", "training/phi-crf", *sets(folder, tmp_path / "out")])
    assert measured.exit_code == 4
    assert "crf_trainer: no model or file called" in measured.output
    assert "`caspipe train` makes it" in measured.output.replace("\n", " ")
