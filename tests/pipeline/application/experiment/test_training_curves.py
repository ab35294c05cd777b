"""Curves of trainings: counts of tokens, the figure, and the experiment that draws them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.annotators.neural.token_counts import TokenCounts, count_tokens
from caspipe.consumers.scoring.plots import CURVES, training_curves
from caspipe.pipeline.application.experiment import ExperimentRunner, experiment_of, read_plan, run_experiment
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]
NETWORKS = """
  one: {trainer: {neural_trainer: {encoder: {window: {size: 3, width: 8, dense: [4]}}, characters: null, decoder: softmax,
      tokens: {random: {dim: 8}}, epochs: 3, patience: 0, held_out: 0.25, optimizer: {adam: {rate: 0.05}}}}, annotator: neural}
  two: {trainer: {neural_trainer: {encoder: {window: {size: 3, width: 8, dense: [4]}}, characters: null, decoder: softmax,
      balance: 1, tokens: {random: {dim: 8}}, epochs: 2, patience: 0, held_out: 0.25, optimizer: {adam: {rate: 0.05}}}},
      annotator: neural}
"""


def test_tokens_are_counted_as_phi_or_not() -> None:
    gold = ["B-DATE", "I-DATE", "O", "B-AGE", "O", "O"]
    found = ["B-AGE", "O", "O", "B-AGE", "B-AGE", "O"]
    counts = count_tokens([(gold, found), (["O"], ["O"])])
    assert counts == TokenCounts(true_positives=2, false_positives=1, true_negatives=3, false_negatives=1)
    assert (counts.accuracy, counts.true_negative_rate) == (5 / 7, 3 / 4)
    assert counts.as_dict() == {
        "token_accuracy": 0.71429,
        "true_negative_rate": 0.75,
        "true_positives": 2,
        "false_positives": 1,
        "true_negatives": 3,
        "false_negatives": 1,
    }
    assert (TokenCounts().accuracy, TokenCounts().true_negative_rate) == (0, 0)


def test_the_figure_has_four_panels_and_a_ring_on_the_kept_epoch() -> None:
    row = {"loss": 0.5, "token_accuracy": 0.9, "token_recall": 0.8, "true_negative_rate": 0.95}
    runs = {"whole": [{"epoch": 1, **row}, {"epoch": 2, "loss": 0.25}], "balanced": [{"epoch": 1, **row}]}
    figure = training_curves(runs, chosen={"whole": 2})
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(CURVES.values())
    loss, accuracy = figure.axes[:2]
    whole, ring, balanced = loss.lines
    assert (list(whole.get_ydata()), list(ring.get_xdata()), list(ring.get_ydata())) == ([0.5, 0.25], [2], [0.25])
    assert list(balanced.get_ydata()) == [0.5]
    assert str(accuracy.lines[0].get_ydata()[1]) == "nan", "no value: a gap"
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["whole", "balanced"]


@pytest.mark.parametrize(
    ("extra", "models", "fault"),
    [
        ("", "", "memory: x_trainer has no epochs and held-out documents; neural_trainer has them"),
        ("", "models: [digits]", "digits has no trainer"),
        (NETWORKS.replace("held_out: 0.25", "held_out: 0"), "models: [one]", "one: held_out is 0"),
    ],
)
def test_models_without_curves_are_told(write: Write, extra: str, models: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=f"2: experiment.training_curves.models: {fault}"):
        read_plan(write(f"{{training_curves: {{{models}}}}}", extra))


@pytest.mark.neural
def test_each_training_has_a_row_for_each_epoch(write: Write, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")
    plan = read_plan(write("{training_curves: {models: [one, two]}}", NETWORKS))
    result = experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))
    assert [(r["system"], r["epoch"]) for r in result.records] == [
        ("one", 1),
        ("one", 2),
        ("one", 3),
        ("two", 1),
        ("two", 2),
    ]
    assert not any("seconds" in r for r in result.records), "the same bytes every time"
    summary, epochs = result.tables
    for row in summary.rows:
        phi, found, others, left = row[6:]
        assert phi == 6 * 3, "six documents of 24 are held out, each with a name twice and a number"
        assert row[4] == pytest.approx(found / phi, abs=1e-5) and row[5] == pytest.approx(left / others, abs=1e-5)  # type: ignore[operator]
    assert epochs.columns[:4] == ["epoch", "one|loss", "one|accuracy", "one|TP rate"]
    assert [row[7] for row in epochs.rows][2] == "", "the second one stopped after two epochs"
    again = run_experiment(plan, tmp_path / "out")
    assert again.skipped == 2
    assert [f.name for f in sorted((tmp_path / "out" / "figures").iterdir())] == ["curves.png", "curves.svg"]
