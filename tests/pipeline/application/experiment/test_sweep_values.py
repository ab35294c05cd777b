"""Sweeps and grids over parameters of parts, and over names and parts instead of numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.application.experiment import ExperimentRunner, Result, experiment_of, read_plan
from caspipe.pipeline.application.experiment.tables import plain_values, value_text
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]
NETWORK = """
  network: {trainer: {neural_trainer: {encoder: {window: {size: 5, width: 8}}, characters: null, decoder: softmax}},
      annotator: neural}
"""


@pytest.fixture
def run(write: Write, tmp_path: Path) -> Callable[[str], Result]:
    def done(kind: str) -> Result:
        plan = read_plan(write(kind))
        return experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))

    return done


def faults(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read_plan(path)
    return [str(f).replace(f"{path}:", "") for f in error.value.faults]


def sweep(parameter: str, values: str = "[4, 8]") -> str:
    return f"{{sweep: {{models: [network], parameter: {parameter}, values: {values}}}}}"


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        ("encoder.window.width", "[4, 8]"),
        ("encoder.window", "[{size: 3, width: 4}, {size: 5, width: 8}]"),
        ("optimizer", "[adam, {sgd: {rate: 0.1}}]"),
        ("optimizer.adam.rate", "[1e-3, 0.01]"),  # YAML reads the first one as a text
        ("binary", "[true, false]"),
        ("encoder", "[lstm, {window: {size: 3}}]"),
    ],
)
def test_a_parameter_of_a_part_and_values_that_are_no_numbers_are_accepted(
    write: Write, parameter: str, values: str
) -> None:
    assert read_plan(write(sweep(parameter, values), NETWORK))


@pytest.mark.parametrize(
    ("parameter", "fault"),
    [
        (
            "encoder.window.widht",
            ".parameter: neural_trainer has no parameter 'encoder.window.widht'; did you mean encoder.window.width?",
        ),
        (
            "encoder.width",
            ".parameter: neural_trainer has no parameter 'encoder.width'; did you mean encoder.window.width?",
        ),
        ("encodr", ".parameter: neural_trainer has no parameter 'encodr'; did you mean encoder?"),
        ("encoder.lstm.width", ".parameter: expected encoder.window, as the model has it, got 'encoder.lstm.width'"),
        (
            "characters.char_lstm.dim",
            ".parameter: expected no path below characters, as the model has it, got 'characters.char_lstm.dim'",
        ),
        ("features.0", ".parameter: neural_trainer has no parameter 'features.0'; did you mean features?"),
        ("encoder.window.size", ": network: encoder.window: size: expected an odd number from 1 to 51, got 4"),
    ],
)
def test_a_path_that_leads_nowhere_is_told_with_the_nearest(write: Write, parameter: str, fault: str) -> None:
    assert f"2: experiment.sweep{fault}" in faults(write(sweep(parameter), NETWORK))


def test_a_name_that_is_no_value_is_told(write: Write) -> None:
    told = faults(write(sweep("optimizer", "[adm, adam]"), NETWORK))
    assert told == ["2: experiment.sweep: network: optimizer: no optimizer called 'adm'; did you mean adam?"]


def test_a_path_changes_its_parameter_and_leaves_the_others(write: Write, tmp_path: Path) -> None:
    plan = read_plan(write(sweep("encoder.window.width"), NETWORK))
    runner = ExperimentRunner(plan, tmp_path)
    documents = runner.corpus().all
    one, two = (runner.training("network", documents, {"encoder.window.width": n}) for n in (4, 8))
    assert one.step.given["encoder"] == {"window": {"size": 5, "width": 4}}
    assert plan.models["network"].trainer.given["encoder"] == {"window": {"size": 5, "width": 8}}  # type: ignore[union-attr]
    assert one.key != two.key
    plain = runner.training("network", documents, {"optimizer.adam.rate": 0.5})  # not in the file: the default part
    assert plain.step.given["optimizer"] == {"adam": {"rate": 0.5}}


def test_a_sweep_over_lists_has_rows_and_a_figure_with_their_texts(
    run: Callable[[str], Result], tmp_path: Path
) -> None:
    result = run("{sweep: {parameter: features, values: [[token, lower], [token], [lower]]}}")
    (table,) = result.tables
    assert [row[0] for row in table.rows] == ["[token, lower]", "[token]", "[lower]"]
    assert result.findings[0].startswith("memory: best covering R ")
    figure = result.figures[0]
    assert figure.data[0] == ["[token, lower]", "[token]", "[lower]"]
    (axes,) = figure.draw().axes
    assert [t.get_text() for t in axes.get_xticklabels()] == figure.data[0]
    assert {line.get_linestyle() for line in axes.lines} == {"None"}, "no line between names"
    assert {r["value"] for r in result.records} == {"[token, lower]", "[token]", "[lower]"}


def test_a_grid_may_cross_numbers_with_names(run: Callable[[str], Result]) -> None:
    result = run("{grid: {x: C, xs: [1, 2], y: features, ys: [[token], [lower]]}}")
    table = result.tables[0]
    assert table.columns == ["features \\ C", "1", "2"]
    assert [row[0] for row in table.rows] == ["[token]", "[lower]"]
    assert {(r["C"], r["features"]) for r in result.records} == {(c, f) for c in (1, 2) for f in ("[token]", "[lower]")}
    assert all(f.draw() for f in result.figures)


def test_values_are_shown_as_yaml_and_texts_that_are_numbers_are_numbers() -> None:
    values: list[Any] = ["1e-6", 3, True, None, "adam", {"sgd": {"rate": 0.1, "momentum": 0}}]
    assert plain_values(values) == [1e-6, *values[1:]]
    shown = ["1e-06", "3", "true", "null", "adam", "{sgd: {rate: 0.1, momentum: 0}}"]
    assert [value_text(v) for v in plain_values(values)] == shown
