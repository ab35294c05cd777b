"""`caspipe train tagger` as a person meets it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from treebank import conllu, sentences
from typer.testing import CliRunner

from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.model_files import read_card
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.application.training.tagger import score_tagger, train_tagger
from caspipe.pipeline.errors import ReaderError


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A treebank to learn from, and one to score on."""
    train, dev = tmp_path / "xx-train.conllu.gz", tmp_path / "xx-dev.conllu"
    some = sentences(120)
    train.write_bytes(gzip.compress(conllu(some[:100]).encode()))
    dev.write_text(conllu(some[100:]), encoding="utf-8")
    return train, dev


def train_it(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["train", "tagger", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_it_trains_scores_and_says_so(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, dev = files
    out = train_it(train, "--dev", dev, "--test", dev, "--output", tmp_path / "m", "-n", 6, "--language", "xx")
    assert "tags, 0.0" in out
    assert "dev: xx-dev.conllu\n  accuracy 1.0000 on " in out
    assert "test: xx-dev.conllu\n" in out
    assert "(the file's own tokens)" in out
    model = LinearModel.load(str(tmp_path / "m"))
    assert [s["accuracy"] for s in model.meta["scores"]] == [1.0] * 4
    assert '"newline_breaks": "line"' in json.dumps(model.meta["preprocessing"])
    text = read_card(str(tmp_path / "m"))
    assert "Made by `caspipe train tagger xx-train.conllu.gz --algorithm ap --iterations 6" in text
    assert str(tmp_path) not in text
    assert str(tmp_path) not in json.dumps(model.meta)


def test_a_zip_can_be_made_and_used(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, dev = files
    assert train_it(train, "--dev", dev, "-o", tmp_path / "m.zip", "--quiet") == ""
    tagger = Tagger(model=LinearModel.load(str(tmp_path / "m.zip")))
    tagger.open()
    assert score_tagger(str(tmp_path / "m.zip"), [dev]).own.accuracy == 1.0


def test_several_files_and_another_column(tmp_path: Path) -> None:
    some = sentences(60)
    rows = conllu(some).replace("\t_\t_\t", "\t_\tX\t", 1)
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_text(rows, encoding="utf-8")
    made = train_tagger([tmp_path / "a.conllu", tmp_path / "b.conllu"], tmp_path / "m", max_iterations=1)
    assert made.carried["same"] + made.carried["cut"] == 2 * sum(map(len, some))
    out = train_it(tmp_path / "a.conllu", "--tags", "UPOS", "-o", tmp_path / "n", code=4)
    assert "only one tag occurs in training" in out


def test_it_is_the_same_model_every_time(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = files
    for name in ("first", "second"):
        train_it(train, "-o", tmp_path / name / "m", "-n", 2, "--runs", 2, "-q")
    for file in ("model.json", "weights.npz", "README.md"):
        assert (tmp_path / "first/m" / file).read_bytes() == (tmp_path / "second/m" / file).read_bytes()


def test_wrong_files_are_told_before_anything_is_trained(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = files
    out = train_it(train, "--dev", tmp_path / "absent.conllu", "-o", tmp_path / "m", code=4)
    assert "absent.conllu" in out
    assert not (tmp_path / "m").exists()
    assert "absent.conllu" in train_it(tmp_path / "absent.conllu", code=4)


def test_a_file_that_is_no_conllu_is_told_without_its_text(tmp_path: Path) -> None:
    file = tmp_path / "notes.conllu"
    file.write_text("Zyqqvander saw the patient\n", encoding="utf-8")
    out = train_it(file, "-o", tmp_path / "m", code=4)
    assert "line 1: expected 10 columns, found 1" in out
    assert "Zyqqvander" not in out
    with pytest.raises(ReaderError, match="expected 10 columns"):
        score_tagger("en-tagger", [file])


def test_an_unknown_algorithm_is_told_with_the_nearest(files: tuple[Path, Path]) -> None:
    out = train_it(files[0], "--algorithm", "lbgfs", code=2)
    assert "algorithm: expected one of ap, lbfgs, l2sgd, pa, arow, got lbgfs; did you mean lbfgs?" in out


def test_a_column_without_tags_cannot_be_scored(files: tuple[Path, Path]) -> None:
    with pytest.raises(ReaderError, match=r"^xx-dev.conllu: no tags in column UPOS$"):
        score_tagger("en-tagger", [files[1]], column="UPOS")
