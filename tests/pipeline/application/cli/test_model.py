"""`caspipe model`: what there is, what one is, and what it looks at."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caspipe.annotators.sequence.linear_model import write_linear_model
from caspipe.annotators.sequence.weights import Weights
from caspipe.pipeline.application.cli import model as cli_model
from caspipe.pipeline.application.cli.main import app

META = {
    "format": 1,
    "name": "ward-crf",
    "type": "crf",
    "title": "Finds names on wards.",
    "language": "en",
    "licence": "CC0-1.0",
    "caspipe": "0.1.0",
    "labels": ["O", "B-PERSON", "I-PERSON", "B-DATE"],
    "encoding": "iob2",
    "features": ["lower", {"suffix": {"length": 4}}],
    "window": [-1, 1],
    "context": "sentence",
    "active_features": 3,
    "preprocessing": [{"id": "segmenter", "component": "segmenter", "parameters": {}}],
    "training": {
        "documents": 1200,
        "tokens": 34567,
        "spans": {"DATE": 10, "PERSON": 20},
        "misfits": {"widened": 2, "lost": 0},
        "corpora": ["made up, CC0"],
        "parameters": {"c1": 0.05, "C": None},
    },
    "versions": {"numpy": "2.0"},
}
WEIGHTS = Weights.of(
    META["labels"],  # type: ignore[arg-type]
    {("0:lower=dr", "B-PERSON"): -0.5, ("-1:lower=dr", "B-PERSON"): 2.25, ("1:bos", "O"): 1.0},
    {("B-PERSON", "I-PERSON"): 1.0},
)


def caspipe(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["model", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_linear_model(tmp_path / "ward-crf", dict(META), WEIGHTS, "# Ward CRF\n\nFinds names.\n")
    write_linear_model(tmp_path / "packed.zip", META | {"name": "packed", "language": ""}, WEIGHTS, "# Packed\n")
    monkeypatch.setenv("CASPIPE_MODELS", str(tmp_path))
    return tmp_path


def test_list_shows_every_model_with_what_matters(folder: Path) -> None:
    rows = {line.split()[0]: line for line in caspipe("list").splitlines() if line.strip()}
    for shown in ("crf", "en", "DATE, PERSON", "CC0-1.0", "MB", str(folder / "ward-crf")):
        assert shown in rows["ward-crf"]
    assert str(folder / "packed.zip") in rows["packed"]


def test_list_shows_long_paths_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("long" * 50)
    write_linear_model(folder / "ward-crf", dict(META), WEIGHTS, "# Ward CRF\n")
    monkeypatch.setenv("CASPIPE_MODELS", str(folder))
    assert str(folder / "ward-crf") in caspipe("list")


def test_list_marks_a_damaged_model_and_goes_on(folder: Path) -> None:
    (folder / "ward-crf" / "model.json").write_text("{", encoding="utf-8")
    rows = {line.split()[0]: line for line in caspipe("list").splitlines() if line.strip()}
    assert "damaged" in rows["ward-crf"] and "crf" in rows["packed"]


def test_list_without_models_says_how_to_come_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.annotators.sequence.model_files.known_models", dict)
    assert caspipe("list").startswith("no models: none are shipped or installed, and CASPIPE_MODELS names no folder")


def test_info_says_what_a_model_is(folder: Path) -> None:
    out = caspipe("info", "ward-crf")
    for line in (
        "type             crf",
        "labels           4 in IOB2: O, B-PERSON, I-PERSON, B-DATE",
        "active weights   3",
        "features         lower, suffix(length=4)",
        "window           -1 to 1 tokens around, within the sentence",
        "engines before   segmenter",
        "training         1,200 documents, 34,567 tokens",
        "gold spans       10 DATE, 20 PERSON",
        "misfits          2 widened",
        "parameters       c1=0.05",
        "corpora          made up, CC0",
    ):
        assert line in out.splitlines(), line
    assert "lower=dr" not in out  # attributes hold words of the training texts: on request only
    assert caspipe("info", str(folder / "packed.zip")).startswith("name             packed")


def test_info_ranks_attributes_on_request(folder: Path) -> None:
    assert caspipe("info", "ward-crf", "--label", "B-PERSON").splitlines() == [
        "B-PERSON",
        "    +2.2500  -1:lower=dr",
        "    -0.5000  0:lower=dr",
    ]
    out = caspipe("info", "ward-crf", "-n", "1").splitlines()
    assert out == ["O", "    +1.0000  1:bos", "B-PERSON", "    +2.2500  -1:lower=dr", "I-PERSON", "B-DATE"]


def test_unknown_names_and_labels_are_told_with_the_nearest(folder: Path) -> None:
    assert "no model or file called 'ward-crv'; did you mean ward-crf?" in caspipe("info", "ward-crv", code=4)
    out = caspipe("info", "ward-crf", "--label", "B-PERSN", code=4)
    assert "no label B-PERSN; did you mean B-PERSON?" in out
    assert "did you mean packed?" in caspipe("card", "pcked", code=4)


def test_card_prints_the_card(folder: Path) -> None:
    assert caspipe("card", "ward-crf") == "# Ward CRF\n\nFinds names.\n\n"


def test_names_are_completed(folder: Path) -> None:
    assert cli_model.model_names("wa") == ["ward-crf"]
    assert {"packed", "ward-crf"} <= set(cli_model.model_names(""))


def test_models_of_other_sorts_are_listed_by_their_labels(folder: Path) -> None:
    shutil.copytree(folder / "ward-crf", folder / "pos")
    meta = json.loads((folder / "pos" / "model.json").read_text(encoding="utf-8"))
    meta |= {"type": "tagger", "labels": ["NN", "VB", "JJ", "DT"], "encoding": "io"}
    (folder / "pos" / "model.json").write_text(json.dumps(meta), encoding="utf-8")
    row = next(line for line in caspipe("list").splitlines() if line.split()[:1] == ["pos"])
    assert "4 labels" in row and "tagger" in row
