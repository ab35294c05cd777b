"""Every kind of experiment on a corpus small enough to know the answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caspipe.pipeline.application.experiment import Experiment, ExperimentRunner, Result, experiment_of, read_plan
from caspipe.pipeline.application.experiment.tables import training_table
from caspipe.pipeline.contract import registration, registry
from caspipe.pipeline.errors import ConfigError

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
        *("ablation", "comparison", "corpus_counts", "cross_corpus", "cross_validation", "fine_tuning", "grid"),
        *(
            "learning_curve",
            "mixing",
            "operating_point",
            "positions",
            "priority_order",
            "ranking",
            "sweep",
            "threshold",
            "threshold_pairs",
            "training_curves",
        ),
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
    assert digits.rows[2][1:4] == [None, 0.0, None]


def test_a_kind_whose_precision_is_not_counted_has_no_f1(run: Callable[..., Result]) -> None:
    result = run("comparison", "test: clinics\ncriteria: [masking]")
    memory = next(t for t in result.tables if t.title == "memory on clinics")
    person = next(row for row in memory.rows if row[0] == "PERSON")
    assert person[1] is None and person[2] == 0.7 and person[3] is None
    by_kind = next(t for t in result.tables if t.title == "F1 by kind and system, masking")
    assert ["PERSON", None, None, None] in by_kind.rows


def test_a_comparison_tells_the_time_of_each_training(run: Callable[..., Result]) -> None:
    result = run("{comparison: {training: true}}", "test: clinics")
    table = next(t for t in result.tables if t.title == "Training")
    assert table.columns[:4] == ["model", "documents", "tokens", "epochs"]
    (row,) = table.rows  # the other two systems train nothing of their own
    assert row[:4] == ["memory", 24, 24 * 16, 1]
    assert isinstance(row[4], float) and row[4] >= 0


def test_the_speed_of_trainings_is_that_of_an_epoch() -> None:
    told = {
        "slow": {"documents": 10, "tokens": 1000, "epochs": 4, "processor_seconds": 80.0},
        "fast": {"documents": 10, "tokens": 1000, "epochs": 10, "processor_seconds": 50.0},
        "crf": {"documents": 10, "tokens": 1000, "epochs": None, "processor_seconds": 7.0},
    }
    runner: Any = SimpleNamespace(plan=SimpleNamespace(trainable=list(told)), trained=lambda o, name: [told[name]])
    assert training_table(runner, {name: [None] for name in [*told, "rules"]}).rows == [  # type: ignore[list-item]
        ["slow", 10, 1000, 4, 80.0, 20.0, 50, 1.0],
        ["fast", 10, 1000, 10, 50.0, 5.0, 200, 4.0],
        ["crf", 10, 1000, "", 7.0, "", "", ""],
    ]


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
    table, *by_kind = result.tables
    assert [row[:2] for row in table.rows] == [[2, 4], [12, 4], [24, 4]]
    assert [t.title for t in by_kind] == ["memory, 24 documents for training", "digits, no training"]
    assert by_kind[0].rows[0][-1] == by_kind[1].rows[0][-1] == 30  # the spans of the clinics, once
    curve = result.figures[0].data[1]["F1"]["memory"]
    assert [p[1] for p in curve] == sorted(p[1] for p in curve)
    assert curve[2][0] == curve[2][1] == curve[2][2]
    trained = [p for p in (tmp_path / "out" / "jobs").iterdir() if '"active_features"' in p.read_text(encoding="utf-8")]
    assert len(trained) <= 9  # four of each small size at most, and one of the full one


def test_a_learning_curve_shows_each_kind_with_the_untrained_models_as_lines(run: Callable[..., Result]) -> None:
    result = run("{learning_curve: {repetitions: 2, proportions: [0.5, 1.0], criterion: strict}}", "test: clinics")
    figures = {f.name: f for f in result.figures}
    assert list(figures) == [
        *(f"curve-overall-{c}" for c in ("strict", "covering", "overlapping")),
        *("curve-id-strict", "curve-person-strict"),
    ]
    number = figures["curve-id-strict"]
    assert list(number.data[1]) == ["F1", "Recall", "Precision"]
    assert list(number.data[1]["F1"]) == ["memory"]
    assert number.options["levels"] == {
        "F1": {"digits": pytest.approx(2 / 3)},
        "Recall": {"digits": 1.0},
        "Precision": {"digits": 0.5},
    }
    assert figures["curve-person-strict"].options["levels"]["Recall"] == {"digits": 0.0}
    (line,) = records(result, system="digits", criterion="strict", kind="ID")
    assert (line["documents"], line["recall"]) == (0, 1.0)


def test_an_interrupted_learning_curve_has_as_many_repetitions_of_each_size(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    usual = ExperimentRunner.run

    def observed(self: ExperimentRunner, jobs: Any) -> Any:
        sizes.extend(len(training.documents) for job in jobs for training in job.needs)
        return usual(self, jobs)

    monkeypatch.setattr(ExperimentRunner, "run", observed)
    run("{learning_curve: {repetitions: 2, proportions: [0.25, 0.5, 1.0]}}", "test: clinics")
    assert sizes == [6, 12, 24, 6, 12, 24]


def test_a_learning_curve_of_chosen_models_has_no_other_lines(run: Callable[..., Result]) -> None:
    extra = "repetitions: 1, proportions: [1.0], models: "
    result = run(f"{{learning_curve: {{{extra}[memory]}}}}", "test: clinics")
    assert {r["system"] for r in result.records} == {"memory"}
    result = run(f"{{learning_curve: {{{extra}[digits, both]}}}}", "test: clinics")
    assert list(result.figures[0].data[1]["F1"]) == ["both"]
    assert list(result.figures[0].options["levels"]["F1"]) == ["digits"]


def test_defaults_are_the_source_s() -> None:
    registry.import_package("caspipe.pipeline.application.experiment.studies")
    curve: Any = registry.find_part(Experiment, "learning_curve")()
    assert curve.repetitions == 100
    assert curve.proportions == [n / 10 for n in range(1, 11)]
    ranking: Any = registry.find_part(Experiment, "ranking")()
    assert ranking.n == 20


def test_corpora_are_counted_by_hand(run: Callable[..., Result]) -> None:
    result = run("corpus_counts")
    # The patient NAME was seen . Record NUMBER was filed for NAME in ward 7 .  : 16 tokens, 3 of them PHI
    sizes, kinds = result.tables
    assert sizes.rows == [["wards", 24, 384, 72, 0.1875, 72, 0], ["clinics", 10, 160, 30, 0.1875, 30, 0]]
    assert kinds.columns == ["kind", "wards", "clinics"]
    assert kinds.rows == [["PERSON", 48, 20], ["ID", 24, 10], ["Total", 72, 30]]
    (person,) = records(result, corpus="clinics", kind="PERSON")
    assert (person["spans"], person["documents"], person["tokens"], person["phi_tokens"]) == (20, 10, 160, 30)


def test_corpora_are_counted_at_a_level_and_in_the_order_asked_for(run: Callable[..., Result]) -> None:
    kinds = run("{corpus_counts: {corpora: [clinics, wards]}}", "level: vigibase").tables[1]
    assert kinds.columns == ["kind", "clinics", "wards"]
    assert [row[0] for row in kinds.rows] == ["Person", "IdNumber", "Total"]


def test_optional_spans_are_counted_on_their_own(write: Write, tmp_path: Path) -> None:
    text = "=====\n#id: one\nSeen by [[PERSON_DOCTOR|Ann Bell]], a [[?PROFESSION|nurse]], on [[DATE|3 May]].\n"
    (tmp_path / "notes.txt").write_text(text, encoding="utf-8")
    path = write()
    path.write_text(
        "experiment: corpus_counts\nlevel: top\n"
        "corpora: {notes: {reader: {marked: {folder: '.', pattern: notes.txt}}, engines: [segmenter]}}\n",
        encoding="utf-8",
    )
    plan = read_plan(path)
    sizes, kinds = experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out")).tables
    assert sizes.rows == [["notes", 1, 12, 4, 4 / 12, 2, 1]]
    assert kinds.rows == [["DATE", 1], ["PERSON", 1], ["Total", 2]]


def test_a_corpus_that_is_not_there_cannot_be_counted(write: Write) -> None:
    with pytest.raises(
        ConfigError, match=r"experiment.corpus_counts.corpora: no corpus called 'ward'; did you mean wards\?"
    ):
        read_plan(write("{corpus_counts: {corpora: [ward]}}"))


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
