"""Means over several trainings of each model of a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.application.experiment import ExperimentRunner, Result, experiment_of, read_plan, run_experiment
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]
MODELS = """
  lucky: {trainer: {x_lucky: {}}, annotator: x_memory}
  all: {of: [digits, lucky]}
test: clinics
criteria: [strict]
"""


@pytest.fixture
def run(write: Write, tmp_path: Path) -> Callable[..., Result]:
    def done(seeds: str, extra: str = MODELS) -> Result:
        plan = read_plan(write(f"{{comparison: {{models: [digits, memory, lucky, all], seeds: {seeds}}}}}", extra))
        return experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))

    return done


def values(result: Result, system: str, measure: str = "f1") -> dict[Any, Any]:
    return {r.get("seed"): r[measure] for r in result.records if (r["system"], r["kind"]) == (system, "OVERALL")}


def test_each_model_is_trained_once_with_each_seed_and_others_once(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("3")
    assert set(values(result, "lucky")) == set(values(result, "all")) == {1, 2, 3}
    assert set(values(result, "digits")) == set(values(result, "memory")) == {1}, "nothing in them depends on a seed"
    trained = [p for p in (tmp_path / "out" / "jobs").iterdir() if '"active_features"' in p.read_text(encoding="utf-8")]
    assert len(trained) == 4


def test_tables_show_mean_and_standard_deviation(run: Callable[..., Result]) -> None:
    result = run("[7, 5, 6]")
    found = values(result, "lucky", "recall")
    assert list(found) == [7, 5, 6]
    average = math.fsum(found.values()) / 3
    spread = math.sqrt(math.fsum((v - average) ** 2 for v in found.values()) / 2)
    assert spread > 0
    table = result.tables[0]
    assert table.title == "All kinds together, on clinics, mean ± standard deviation of 3 seeds"
    shown = {row[0]: row[2] for row in table.rows}
    assert shown["lucky"] == f"{average:.3f} ± {spread:.3f}"
    assert isinstance(shown["digits"], float), "one training, one figure"
    kinds = next(t for t in result.tables if t.title == "lucky on clinics")
    assert kinds.rows[0][2] == shown["lucky"]
    assert kinds.rows[0][-1] == 30, "spans of the ten documents, not of three times ten"


def test_the_figures_beside_a_publication_have_their_deviation(run: Callable[..., Result]) -> None:
    seeds = "2, reference: [{title: Table 2, criterion: strict, rows: {Theirs: [90, 91, 92]}, ours: {Theirs: lucky}}]"
    result = run(seeds)
    table = next(t for t in result.tables if t.title == "Table 2")
    found = values(result, "lucky", "recall")
    average, spread = 50 * (found[1] + found[2]), 100 * abs(found[1] - found[2]) / math.sqrt(2)
    assert table.rows[0][2] == f"{average:.3f} ± {spread:.3f}"
    assert table.rows[0][4:] == [90, 91, 92]


def test_a_number_of_seeds_can_grow_and_repeats_nothing(write: Write, tmp_path: Path) -> None:
    path = write("{comparison: {models: [lucky], seeds: 2}}", MODELS)
    first = run_experiment(read_plan(path), tmp_path / "out")
    again = run_experiment(read_plan(path, ["experiment.seeds=3"]), tmp_path / "out")
    assert (first.done, again.done, again.skipped) == (4, 6, 4)


@pytest.mark.parametrize(
    ("seeds", "fault"),
    [
        ("0", "seeds: expected a number of 1 or more, or a list of seeds, got 0"),
        ("[1, 2, 1]", "seeds: expected each seed once, got 1, 2, 1"),
    ],
)
def test_seeds_that_are_none_are_told(write: Write, seeds: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault.replace("[", r"\[")):
        read_plan(write(f"{{comparison: {{seeds: {seeds}}}}}"))
