"""Tests of the rows of trained configurations: every one that trains has a row or says why not, and the page shows them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import train_configurations
from benchmarks.systems import corpora
from benchmarks.systems.corpora import CORPORA
from benchmarks.systems.results import overrides_of, path_of, read
from benchmarks.systems.trained import Declared, declared, file_of
from benchmarks.systems.trained_page import reason, rendered, trainable, write_page

KNOWN = declared()
SYSTEMS = train_configurations.PAGE.parent / "systems"
TRAINING = """
reader: {synthetic: {documents: 30, seed: 3}}
engines: [segmenter]
consumers: [{crf_trainer: {model: small, features: [lower, shape], max_iterations: 40}}]
"""


@pytest.mark.parametrize("name", trainable())
def test_a_configuration_that_trains_was_trained_or_says_why_not(name: str) -> None:
    """A new configuration: declare it in benchmarks/systems/configurations.yaml, or say `Untrained here, because ...` in it."""
    if name not in KNOWN:
        assert reason(name), f"{name}: no row, and its first lines lack `Untrained here, because ...`"
        return
    assert not reason(name), f"{name}: has a row, and says that it was not trained"
    told = KNOWN[name]
    if told.row:
        file = path_of(SYSTEMS, told.row, told.corpus)
        assert told.of_row().path.is_file()
    elif told.engines:
        file = file_of(train_configurations.ROWS, name)
        assert overrides_of(file) == list(told.set), "the row was trained with other overrides"
        assert not told.set or told.note
    elif told.page:
        file = train_configurations.PAGE.parent / told.page
        assert told.told and told.trained
    else:
        file = train_configurations.ROOT / "configs" / "models" / told.card / "model.json"
        assert told.trained
    assert file.is_file()


def test_only_configurations_that_train_are_declared() -> None:
    assert set(KNOWN) <= set(trainable())


def test_the_page_in_the_docs_is_the_one_of_its_rows() -> None:
    page = train_configurations.PAGE.read_text(encoding="utf-8")
    assert page == rendered(KNOWN, trainable(), train_configurations.ROWS, SYSTEMS)


def table(tmp_path: Path, text: str) -> dict[str, Declared]:
    file = tmp_path / "configurations.yaml"
    file.write_text(text, encoding="utf-8")
    return declared(file)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{engine: []}", "systems/a: no key engine; known: corpus, binary, engines"),
        ("{corpus: names}", "systems/a: expected one of engines, row, card, page"),
        ("{corpus: names, card: x, row: y}", "systems/a: expected one of engines, row, card, page"),
        ("{corpus: nams, engines: [segmenter]}", "systems/a: no corpus nams; expected one of meddocan, names"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        table(tmp_path, f"systems/a: {text}")


def test_a_row_that_trains_something_else_is_refused(tmp_path: Path) -> None:
    known = table(tmp_path, "systems/s2_crf: {row: S4, corpus: names}")
    with pytest.raises(ValueError, match="systems/s2_crf: S4 on names does not train it"):
        known["systems/s2_crf"].of_row()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a small configuration, declared; its test documents are synthetic."""
    config = tmp_path / "small.yaml"
    config.write_text(TRAINING, encoding="utf-8")
    engines: list[Any] = ["segmenter", {"crf": {"model": "@bundle"}}, {"resolver": {"merge": []}}]
    made = Declared(str(config), corpus="synthetic", engines=engines, set=("synthetic.documents=40",), note="Small.")
    monkeypatch.setattr(train_configurations, "declared", lambda: {made.name: made})

    @contextlib.contextmanager
    def prepared(corpus: corpora.Corpus, folder: Path) -> Iterator[list[dict[str, Any]]]:
        assert corpus is CORPORA["synthetic"]
        yield [{"synthetic": {"documents": 10, "seed": 4}}]

    monkeypatch.setattr(corpora, "prepared", prepared)
    return made.name


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["train_configurations", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        train_configurations.main()
    return int(ended.value.code or 0)


def test_a_row_tells_scores_time_size_and_overrides(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ("--rows", tmp_path / "rows", "--out", tmp_path / "out")
    assert run(monkeypatch, small, *places) == 0
    file = file_of(tmp_path / "rows", small)
    result = read(file)
    assert (result.row, result.corpus, result.documents, result.bundles) == (small, "synthetic", 10, ["small"])
    assert result.bytes > 1000 and result.training_cpu_seconds is not None and result.training_cpu_seconds > 0
    assert (result.value("token-binary", "recall") or 0) > 0.2
    assert overrides_of(file) == ["synthetic.documents=40"]
    assert run(monkeypatch, small, *places) == 0
    assert "trained before" in capsys.readouterr().out


def test_a_name_that_is_not_declared_is_told(
    small: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "systems/s9") == 2
    assert f"no systems/s9; expected all, page or one of {small}" in capsys.readouterr().err


def test_the_page_is_written(tmp_path: Path) -> None:
    assert write_page(tmp_path / "page.md", train_configurations.ROWS).endswith(f"{len(trainable())} configurations")
