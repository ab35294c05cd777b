"""Every kind of experiment on a corpus small enough to know the answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.application.experiment import Experiment, ExperimentRunner, Result, experiment_of, read_plan
from caspipe.pipeline.contract import registration, registry

Write = Callable[..., Path]


@pytest.fixture
def run(write: Write, tmp_path: Path) -> Callable[..., Result]:
    def done(kind: str, extra: str = "", *overrides: str) -> Result:
        plan = read_plan(write(kind, extra), overrides)
        return experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))

    return done


def records(result: Result, **labels: Any) -> list[dict[str, Any]]:
    return [r for r in result.records if all(r.get(k) == v for k, v in labels.items())]


def test_all_kinds_of_the_source_are_there() -> None:
    registry.import_package("caspipe.pipeline.application.experiment.studies")
    assert [cls.name for cls in registry.parts(Experiment)] == [
        *("ablation", "comparison", "cross_corpus", "cross_validation", "fine_tuning", "grid", "learning_curve"),
        *("mixing", "operating_point", "positions", "ranking", "sweep", "threshold", "threshold_pairs"),
    ]


def test_tables_have_the_metrics_that_each_criterion_defines(run: Callable[..., Result]) -> None:
    """Masking has a precision over all kinds only, that of HIPAA's kinds has none, and a share is one number."""
    criteria = "criteria: [strict, masking, masking-hipaa, documents, safe-removed]\ntest: clinics"
    result = run("comparison", criteria, "experiment.comparison.measure=recall")
    assert result.tables[0].columns == [
        *("system", "strict|P", "strict|R", "strict|F1", "masking|P", "masking|R", "masking|F1", "masking-hipaa|R"),
        *("documents|share", "safe-removed|share"),
    ]
    assert all(isinstance(cell, float) for cell in result.tables[0].rows[0][1:])
    digits = next(t for t in result.tables if t.title == "digits on clinics")
    by_kind = {row[0]: row for row in digits.rows}
    assert by_kind["ID"][4] is None and by_kind["ID"][6] is None and by_kind["ID"][5] == 1.0
    assert by_kind["OVERALL"][4] is not None
    assert not any("safe-removed" in finding or "documents" in finding for finding in result.findings)


def test_kinds_that_have_only_a_recall_are_shown_once(run: Callable[..., Result]) -> None:
    criteria = "criteria: [masking, safe-removed]\ntest: clinics"
    short = run("comparison", criteria, "experiment.comparison.measure=recall")
    assert [t.title for t in short.tables] == ["All kinds together, on clinics", "R by kind and system, masking"]
    assert len(run("comparison", criteria).tables) == 2 + 3


def test_cross_validation_tests_every_document_once(run: Callable[..., Result]) -> None:
    result = run("cross_validation")
    gold = sum(r["gold"] for r in records(result, system="memory", criterion="strict", kind="ID"))
    assert gold == 24
    assert {r["fold"] for r in result.records} == {1, 2, 3}
    summary = result.tables[0]
    assert [row[0] for row in summary.rows] == ["memory", "digits", "both"]
    assert " ± " in str(summary.rows[0][1])


def test_a_comparison_has_the_tables_of_the_source(run: Callable[..., Result]) -> None:
    result = run("comparison", "test: clinics")
    titles = [t.title for t in result.tables]
    assert titles == [
        "All kinds together, on clinics",
        *(f"F1 by kind and system, {c}" for c in ("strict", "covering", "overlapping")),
        *(f"{s} on clinics" for s in ("memory", "digits", "both")),
    ]
    digits = result.tables[-2]
    assert digits.columns[:4] == ["kind", "strict|P", "strict|R", "strict|F1"]
    assert [row[0] for row in digits.rows] == ["OVERALL", "ID", "PERSON"]
    assert digits.rows[1][1:4] == [0.5, 1.0, pytest.approx(2 / 3)]
    assert digits.rows[2][1:4] == [None, 0.0, 0.0]


def test_official_figures_stand_in_a_table_of_their_own(run: Callable[..., Result]) -> None:
    result = run("comparison", "test: clinics\nschemes: [conll]")
    table = next(t for t in result.tables if t.title == "conll: official figures")
    assert {row[0] for row in table.rows} == {"memory", "digits", "both"}


def test_a_sweep_finds_the_best_value_and_tests_it_on_the_test_corpus(run: Callable[..., Result]) -> None:
    result = run("{sweep: {values: [1, 2, 4, 50], labels: {memory: times seen}}}", "test: clinics")
    assert result.findings[0].startswith("memory: best covering R ")
    assert result.findings[0].endswith("at C = 1.")
    assert result.tables[1].title == "memory with C = 1: trained on wards, tested on clinics"
    assert {r["value"] for r in records(result, part=None)} >= {1.0, 2.0, 4.0}
    counts = [r["active_features"] for r in records(result, fold=1, criterion="strict", kind="OVERALL") if "value" in r]
    assert counts[:3] == sorted(counts[:3], reverse=True)  # words seen more often are fewer
    assert [f.data[2] for f in result.figures] == ["times seen"] * 3
    series = result.figures[0].data[1]["strict"]
    assert series[-1] is None  # at 50 nothing is learnt: those jobs failed


def test_a_sweep_over_the_annotator_trains_once(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("{sweep: {parameter: least, on: annotator, values: [0, 5, 9], log: false}}")
    trained = [p for p in (tmp_path / "out" / "jobs").iterdir() if '"active_features"' in p.read_text(encoding="utf-8")]
    assert len(trained) == 3  # one for each fold
    recall = result.figures[0].data[1]["strict"]
    assert recall == sorted(recall, reverse=True)


def test_a_grid_has_a_cell_for_each_pair(run: Callable[..., Result]) -> None:
    result = run("{grid: {xs: [1, 2], ys: [0, 0.5, 0.9]}}")
    table = result.tables[0]
    assert table.columns == ["alpha \\ C", "1", "2"]
    assert [row[0] for row in table.rows] == ["0", "0.5", "0.9"]
    assert result.findings[0].startswith("memory: best covering F1 ")
    assert [f.name for f in result.figures] == ["memory-f1", "memory-recall", "memory-precision", "memory-features"]
    features = result.tables[-1].rows
    assert features[0][1] > features[2][1]  # type: ignore[operator]  # alpha forgets words


def test_a_learning_curve_rises_and_trains_the_full_size_once(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("{learning_curve: {repetitions: 4, proportions: [0.1, 0.5, 1.0]}}", "test: clinics")
    (table,) = result.tables
    assert [row[:2] for row in table.rows] == [[2, 4], [12, 4], [24, 4]]
    curve = result.figures[0].data[1]["memory"]
    assert [p[1] for p in curve] == sorted(p[1] for p in curve)
    assert curve[2][0] == curve[2][1] == curve[2][2]
    trained = [p for p in (tmp_path / "out" / "jobs").iterdir() if '"active_features"' in p.read_text(encoding="utf-8")]
    assert len(trained) <= 9  # four of each small size at most, and one of the full one
    assert {f.group for f in result.figures} == {"", "By kind"}


def test_defaults_are_the_source_s() -> None:
    registry.import_package("caspipe.pipeline.application.experiment.studies")
    curve: Any = registry.find_part(Experiment, "learning_curve")()
    assert curve.repetitions == 100
    assert curve.proportions == [n / 10 for n in range(1, 11)]
    ranking: Any = registry.find_part(Experiment, "ranking")()
    assert ranking.n == 20


def test_positions_are_those_counted_by_hand(run: Callable[..., Result]) -> None:
    result = run("positions")
    # The(0) patient(1) NAME(2) was(3) seen(4) .(5) | Record(6) NUMBER(7) was(8) filed(9) for(10) NAME(11) in ward 7 .(15)
    document = {r["kind"]: r for r in records(result, place="document")}
    sentence = {r["kind"]: r for r in records(result, place="sentence")}
    assert document["ID"]["mean"] == pytest.approx(7 / 15)
    assert sentence["ID"]["mean"] == pytest.approx(1 / 9)
    assert document["PERSON"]["mean"] == pytest.approx((2 + 11) / 2 / 15)
    assert sentence["PERSON"]["mean"] == pytest.approx((2 / 5 + 5 / 9) / 2)
    assert document["ID"]["tokens"] == 24
    assert document["outside"]["tokens"] == 24 * 13
    assert [row[0] for row in result.tables[0].rows] == ["ID", "PERSON", "outside"]


def test_cross_corpus_cross_validates_on_the_diagonal(run: Callable[..., Result]) -> None:
    result = run("{cross_corpus: {models: [memory]}}")
    cells = {(r["trained_on"], r["tested_on"]): 0 for r in result.records}
    for r in records(result, criterion="strict", kind="OVERALL"):
        cells[r["trained_on"], r["tested_on"]] += 1
    assert cells == {("wards", "wards"): 3, ("wards", "clinics"): 1, ("clinics", "wards"): 1, ("clinics", "clinics"): 3}
    assert result.tables[0].columns[:4] == ["trained on", "wards|P", "wards|R", "wards|F1"]


def test_mixing_adds_growing_shares_and_tests_on_the_first_corpus(run: Callable[..., Result]) -> None:
    result = run("{mixing: {add: clinics, proportions: [0, 0.5, 1], repetitions: 2}}")
    (table,) = result.tables
    assert [row[:2] for row in table.rows] == [["0", 0], ["0.5", 5], ["1", 10]]
    gold = [r["gold"] for r in records(result, kind="ID", criterion="strict", proportion=1.0)]
    assert sum(gold) == 2 * 24  # every document of wards once in each repetition, none of clinics
    curve = next(f for f in result.figures if f.name == "mixing-strict-recall").data[1]["memory"]
    assert curve[2] >= curve[0]  # more names were seen


def test_ablation_drops_and_adds_families(run: Callable[..., Result]) -> None:
    result = run("{ablation: {models: [memory], families: {lists: ['list:names', 'list:places']}}}")
    drop, add = result.tables
    assert [row[0] for row in drop.rows] == ["all features", "token", "lower", "lists"]
    assert [row[0] for row in add.rows] == ["base alone", "lower", "lists"]
    changes = dict(result.figures[0].data[0])
    assert changes["token"] < 0
    assert changes["lists"] == 0
    assert drop.rows[0][2] == ""


def test_ablation_names_features_that_are_none(write: Write) -> None:
    from caspipe.pipeline.errors import ConfigError

    with pytest.raises(ConfigError, match="memory has no feature 'suffix4'"):
        read_plan(write("{ablation: {families: {ends: [suffix4]}}}"))
    with pytest.raises(ConfigError, match="none of shape is a family of memory: token, lower, list"):
        read_plan(write("{ablation: {base: [shape]}}"))


def test_thresholds_trade_recall_for_precision(run: Callable[..., Result]) -> None:
    result = run("{threshold: {models: [memory], thresholds: [0.5, 0.9, 1.0]}}", "test: clinics")
    recall = [r["recall"] for r in records(result, criterion="strict")]
    assert recall == sorted(recall, reverse=True)
    assert recall[-1] == 0  # nothing is that sure
    assert records(result, threshold=1.0, criterion="strict")[0]["precision"] is None
    curves = result.figures[0].data[0]
    assert [p[0] for p in curves["memory"]] == sorted(p[0] for p in curves["memory"])


def test_ranking_lists_features_by_weight_and_the_share_they_hold(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def rankings(path: Path, n: int) -> dict[str, Any]:
        assert (path / "model.json").is_file()
        return {"B-AGE": {"top": [["0:lower=old", 2.0], ["1:lower=the", -1.0]], "share": 0.6, "of": 9}}

    monkeypatch.setattr("caspipe.pipeline.application.experiment.job.rankings", rankings)
    result = run("ranking")
    (table,) = result.tables
    assert table.rows == [[1, "0:lower=old", 2.0], [2, "1:lower=the", -1.0]]
    assert table.note == "Top 2 of 9 features; share of all weight shown: 60 %."
    assert result.figures[0].data == ([("0:lower=old", 2.0), ("1:lower=the", -1.0)],)


def test_every_number_is_finite_or_undefined(run: Callable[..., Result]) -> None:
    for record in run("comparison").records:
        assert all(v is None or not isinstance(v, float) or math.isfinite(v) for v in record.values())


def test_a_kind_of_somebody_else_s_is_found_and_run(write: Write, tmp_path: Path) -> None:
    from caspipe.pipeline.contract.component import part

    @part("x_count")
    class Count(Experiment):
        """Counts documents."""

        twice: bool = False
        """Counts them twice."""

        def run(self, runner: ExperimentRunner) -> Result:
            return Result(findings=[f"{len(runner.corpus().documents) * (1 + self.twice)} documents"])

    try:
        plan = read_plan(write("{x_count: {twice: true}}"))
        assert experiment_of(plan).run(ExperimentRunner(plan, tmp_path)).findings == ["48 documents"]
    finally:
        del registration.PARTS["Experiment", "x_count"]
