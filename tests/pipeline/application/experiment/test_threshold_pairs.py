"""Pairs of thresholds from one application of a network, whose place a list of remembered words takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import ExperimentRunner, Result, experiment_of, read_plan
from caspipe.pipeline.contract.component import Annotator, component
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import Annotation, PhiCandidate, PhiKind, Token, TokenScore, View

KIND = "{threshold_pairs: {lows: [0.05, 0.5], highs: [0.5, 0.95], alone: [0.05, 0.5, 0.95], pair: [0.5, 0.95]}}"
MODELS = """
criteria: [masking, documents]
test: clinics
folds: 2
"""
MORE = """
  scores: {{trainer: {{x_trainer: {{}}}}, annotator: x_token_scores}}
  weighed: {{of: [scores], engines: [safe_lists: {{case: ambiguous}}, adaptive_threshold: {{{engine}}}]}}
"""


@component("x_token_scores", inputs=[Token], outputs=[TokenScore, PhiCandidate])
class ScoringAnnotator(Annotator):
    """Is nearly sure of words that its model remembers, half sure of numbers, and a little in doubt about `filed`."""

    model: Path
    """The model."""

    def open(self) -> None:
        super().open()
        self.words = json.loads((self.model / "model.json").read_text(encoding="utf-8"))["words"]

    def annotate(self, view: View) -> Iterator[Annotation]:
        for token in view.select(Token):
            form = token.covered_text.lower()
            score = 0.98 if form in self.words else 0.6 if form.isdigit() else 0.1 if form == "filed" else 0.001
            yield TokenScore(token.begin, token.end, score=score, kind=PhiKind.PERSON)
            if score > 0.5:
                yield PhiCandidate(token.begin, token.end, kind=PhiKind.PERSON)


def experiment(
    write: Callable[..., Path], engine: str = "instead_of: [scores]", kind: str = KIND, top: str = MODELS
) -> Path:
    path = write(kind)
    text = path.read_text(encoding="utf-8").replace("folds: 3", top.strip())
    path.write_text(text + MORE.format(engine=engine), encoding="utf-8")
    return path


def run(path: Path, folder: Path) -> Result:
    plan = read_plan(path)
    return experiment_of(plan).run(ExperimentRunner(plan, folder))


def test_every_way_to_decide_is_scored_after_one_training_and_one_test(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    plan = read_plan(experiment(write))
    runner = ExperimentRunner(plan, tmp_path)
    result = plan.experiment.run(runner)
    assert len(runner.schedule.finished) == 2, "one training, one test"
    table = result.tables[0]
    assert table.columns == ["decides", "low", "high", "masking|R", "masking|P", "documents|R"]
    ways = [tuple(row[:3]) for row in table.rows]
    assert ways == [
        ("lists and network", "0.05", "0.5"),
        ("lists and network", "0.05", "0.95"),
        ("lists and network", "0.5", "0.5"),
        ("lists and network", "0.5", "0.95"),
        ("network alone", "", "0.05"),
        ("network alone", "", "0.5"),
        ("network alone", "", "0.95"),
        ("lists alone", "", ""),
    ]


def test_the_scores_are_those_of_the_engine_itself(write: Callable[..., Path], tmp_path: Path) -> None:
    """The same thresholds given to the engine, under the experiment `comparison`."""
    pairs = run(experiment(write), tmp_path / "pairs")
    by_way = {
        (r["decides"], r["low"], r["high"]): r
        for r in pairs.records
        if r["kind"] == "OVERALL" and r["criterion"] == "masking"
    }
    for (mode, low, high), found in by_way.items():
        given = {
            "hybrid": f"low: {low}, high: {high}",
            "deep": f"mode: deep, low: 0, high: {high}",
            "rules": "mode: rules",
        }
        path = experiment(write, f"{given[str(mode)]}, instead_of: [scores]", "{comparison: {models: [weighed]}}")
        same = run(path, tmp_path / f"{mode}-{low}-{high}")
        (whole,) = (r for r in same.records if r["kind"] == "OVERALL" and r["criterion"] == "masking")
        for name in ("gold", "found", "marked", "right"):
            assert found[name] == whole[name], (mode, low, high, name)


def test_precision_is_compared_at_equal_recall(write: Callable[..., Path], tmp_path: Path) -> None:
    result = run(experiment(write), tmp_path)
    table = next(t for t in result.tables if t.title == "weighed: precision at equal masking recall")
    for row in table.rows:
        if row[3] != "none":
            assert row[4] >= row[1]
            assert row[6] == f"{row[5] - row[2]:+.3f}"  # type: ignore[operator]
    assert result.findings[0].startswith("weighed: at equal masking recall lists and network are more precise")
    assert any("lists alone" in f for f in result.findings)
    assert [f.plot for f in result.figures] == ["precision_recall"]
    kinds = next(t for t in result.tables if t.title == "weighed: masking recall by kind")
    assert [row[0] for row in kinds.rows] == ["OVERALL", "ID", "PERSON"]
    assert kinds.columns == ["kind", "low 0.5, high 0.95", "network alone, 0.95", "lists alone", "tokens"]


@pytest.mark.parametrize(
    ("kind", "top", "fault"),
    [
        (KIND, "folds: 2", "needs 'masking' among the file's criteria, got strict, covering, overlapping"),
        (KIND.replace("pair: ", "models: [digits], pair: "), MODELS, "digits has no engine adaptive_threshold"),
        ("{threshold_pairs: {lows: [2]}}", MODELS, "lows: expected thresholds from 0 to 1"),
        ("{threshold_pairs: {pair: [0.9, 0.8]}}", MODELS, "pair: expected low, then high, got 0.9 and 0.8"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_read(
    write: Callable[..., Path], kind: str, top: str, fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        read_plan(experiment(write, kind=kind, top=top))


def test_a_file_without_the_engine_is_told(write: Callable[..., Path]) -> None:
    path = write(KIND, "criteria: [masking]")
    with pytest.raises(ConfigError, match="no model of this file has the engine adaptive_threshold"):
        read_plan(path)
