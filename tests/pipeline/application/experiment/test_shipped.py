"""The experiments that come with caspipe: every file loads anywhere, and those on synthetic narratives run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import read_plan, run_experiment
from caspipe.pipeline.application.experiment.shipped import folder, locate, names

KINDS = {
    *("ablation", "comparison", "corpus_counts", "cross_corpus", "cross_validation", "grid", "learning_curve"),
    *("mixing", "operating_point", "positions", "priority_order", "ranking", "sweep", "threshold"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_shipped_experiment_loads_without_any_corpus(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("MEDDOCAN", "WIKIGOLD", "BTC"):
        monkeypatch.delenv(variable, raising=False)
    plan = read_plan(locate(name))
    assert plan.settings.title
    text = (folder() / f"{name}.yaml").read_text(encoding="utf-8")
    assert f"caspipe experiment {name}\n" in text


def test_every_kind_can_be_tried_without_a_corpus() -> None:
    without = [n for n in names() if n.startswith("synthetic-") or n == "corpus-counts"]
    assert {read_plan(locate(n)).experiment.name for n in without} == KINDS


def test_every_figure_and_table_of_the_source_has_its_file_for_meddocan() -> None:
    sources = " ".join(read_plan(locate(n)).settings.source for n in names() if n.startswith("meddocan-"))
    for what in (
        "Fig. 10",
        "Fig. 15 and 16",
        "Fig. 17 and 19",
        "Fig. 18 and 21-23",
        "Fig. 20",
        "Tables 10-15",
        "Tables 1 and 2",
        "Appendix D",
    ):
        assert what in sources


def test_the_source_s_repetitions_stand_in_the_files() -> None:
    for name in ("meddocan-learning-curve", "synthetic-learning-curve"):
        assert read_plan(locate(name)).experiment.repetitions == 100  # type: ignore[attr-defined]


def test_a_name_that_is_none_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean synthetic-comparison"):
        locate("synthetic-comparisn")


@pytest.mark.slow
def test_a_real_crf_is_trained_ranked_and_scored_on_synthetic_narratives(tmp_path: Path) -> None:
    small = ["limit=16", "corpora.narratives.reader.documents=16", "models.crf.trainer.max_iterations=15"]
    plan = read_plan(locate("synthetic-ranking"), [*small, "experiment.models=[crf]", "experiment.n=3"])
    summary = run_experiment(plan, tmp_path / "ranking")
    assert summary.failures == []
    tables = {t.title: t for t in summary.result.tables}
    assert all(len(t.rows) == 3 for t in tables.values())
    weights = [abs(row[2]) for row in tables["crf, O"].rows]  # type: ignore[arg-type]
    assert weights == sorted(weights, reverse=True)

    plan = read_plan(locate("synthetic-cross-validation"), [*small, "folds=2", "experiment.models=[crf]"])
    run_experiment(plan, tmp_path / "folds")
    data = json.loads((tmp_path / "folds" / "results.json").read_text(encoding="utf-8"))
    overall = [r["f1"] for r in data["records"] if r["kind"] == "OVERALL" and r["criterion"] == "overlapping"]
    assert len(overall) == 2
    assert min(overall) > 0.2


@pytest.mark.slow
def test_positions_run_on_the_shipped_file(tmp_path: Path) -> None:
    plan = read_plan(locate("synthetic-positions"), ["corpora.narratives.reader.documents=5"])
    assert run_experiment(plan, tmp_path).result.tables[0].rows
