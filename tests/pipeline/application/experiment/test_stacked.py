"""A model that learns from what others find: never in documents that those were trained on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import ExperimentRunner, read_plan
from caspipe.pipeline.application.experiment.job import bundle_folder
from caspipe.pipeline.application.experiment.plan import system_steps
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import Phi

Write = Callable[..., Path]

STACKED = """\
  stacked:
    of: [digits, memory]
    trainer: {stacking_trainer: {voters: [digits, memory], features: [length], window: [0, 0], C: 10.0}}
    annotator: {resolver: {strategy: {stacking: {minority: drop}}}}
criteria: [strict]
keep_models: true
"""
FILTERED = """\
  filtered:
    of: [digits]
    trainer: {filter_trainer: {features: [lower], window: [-1, 1], min_count: 1, C: 1.0, keep: 1.0}}
    annotator: {filter: {sources: [digits], threshold: 0.5}}
criteria: [strict]
"""


def bench(write: Write, folder: Path, extra: str, workers: int = 1) -> ExperimentRunner:
    made = ExperimentRunner(read_plan(write("comparison", extra)), folder, workers)
    made.corpus()
    return made


def test_it_is_taught_on_candidates_of_models_that_were_not_trained_on_the_document(
    write: Write, tmp_path: Path
) -> None:
    b = bench(write, tmp_path / "out", STACKED)
    training = b.training("stacked", b.corpus().all)
    assert len(training.needs) == 3
    seen: list[int] = []
    for test in training.needs:
        (taught,) = test.needs
        assert not set(taught.documents) & set(test.documents)
        groups = b.corpus().groups
        assert not {groups[i] for _, i in taught.documents} & {groups[i] for _, i in test.documents}
        seen += [i for _, i in test.documents]
    assert sorted(seen) == list(range(24))
    b.run([training])
    meta = json.loads((bundle_folder(b.folder, training) / "model" / "model.json").read_text(encoding="utf-8"))
    alone = meta["training"]["stacking"]["alone_f1"]
    assert alone["digits"] == pytest.approx(2 * 24 / (48 + 72), abs=1e-4)  # every number, and every ward 7
    (in_sample,) = b.run([b.test("memory", b.corpus().all, b.corpus().all)])
    assert alone["memory"] < 0.9 < (in_sample.scores.value("strict", "OVERALL", "f1") or 0)


def test_it_decides_last_and_what_it_learnt_is_put_into_the_resolver(write: Write, tmp_path: Path) -> None:
    b = bench(write, tmp_path / "out", STACKED)
    found = system_steps(b.plan.models, "stacked")
    assert [(p.step.name, p.trained) for p in found] == [
        ("x_digits", ""),
        ("x_memory", "memory"),
        ("resolver", "stacked"),
    ]
    assert found[-1].step.given["priority"] == ["digits", "memory"]
    train, test = b.splits()[0]
    (stacked, both) = b.run([b.test("stacked", train, test), b.test("both", train, test)])
    assert not stacked.failed
    precision = [o.scores.value("strict", "OVERALL", "precision") or 0.0 for o in (stacked, both)]
    assert precision[0] == 1.0 > precision[1]  # ward 7 is voted out


def test_a_filter_too_learns_from_what_is_found_before_it(write: Write, tmp_path: Path) -> None:
    b = bench(write, tmp_path / "out", FILTERED)
    assert [p.step.name for p in system_steps(b.plan.models, "filtered")] == ["x_digits", "filter", "resolver"]
    train, test = b.splits()[0]
    (outcome,) = b.run([b.test("filtered", train, test)])
    assert outcome.scores.value("strict", "ID", "precision") == 1.0
    assert outcome.scores.value("strict", "ID", "recall") == 1.0


def test_the_number_of_processes_changes_nothing_and_finished_jobs_are_not_done_again(
    write: Write, tmp_path: Path
) -> None:
    results = []
    for workers in (1, 2):
        b = bench(write, tmp_path / f"out{workers}", STACKED, workers)
        train, test = b.splits()[0]
        (outcome,) = b.run([b.test("stacked", train, test)])
        results.append(outcome.scores.to_json())
    assert results[0] == results[1]
    again = bench(write, tmp_path / "out1", STACKED)
    again.run([again.test("stacked", train, test)])
    assert again.schedule.skipped == len(again.schedule.finished) == 3 + 3 + 1 + 1 + 1


def test_a_vote_whose_bundle_is_gone_is_trained_again_from_kept_candidates(write: Write, tmp_path: Path) -> None:
    b = bench(write, tmp_path / "out", STACKED.replace("keep_models: true\n", ""))
    train, test = b.splits()[0]
    job = b.test("stacked", train, test)
    b.run([job])
    before = (b.folder / "jobs" / f"{job.key}.json").read_text(encoding="utf-8")
    assert not (b.folder / "bundles").exists()
    (b.folder / "jobs" / f"{job.key}.json").unlink()
    done: list[str] = []

    class Told:
        def batch(self, jobs: int, finished: int) -> None: ...

        def done(self, name: str, failed: bool) -> None:
            done.append(name)

    b = bench(write, tmp_path / "out", STACKED.replace("keep_models: true\n", ""))
    b.progress = Told()
    job = b.test("stacked", train, test)
    b.run([job])
    assert done == ["memory", "stacked", "stacked"]  # the two bundles, and the test
    after = (b.folder / "jobs" / f"{job.key}.json").read_text(encoding="utf-8")
    assert json.loads(after)["result"] == json.loads(before)["result"]


def test_what_is_kept_of_candidates_quotes_no_document(write: Write, tmp_path: Path) -> None:
    b = bench(write, tmp_path / "out", STACKED)
    training = b.training("stacked", b.corpus().all)
    b.run([training])
    names = {p.covered_text for cas in b.corpus().documents for p in cas.view("gold").select(Phi)}
    for test in training.needs:
        kept = (b.folder / "jobs" / f"{test.key}.json").read_text(encoding="utf-8")
        assert not [name for name in names if name.isalpha() and name in kept]
        assert all(len(row) == 6 for rows in json.loads(kept)["result"]["candidates"] for row in rows)


@pytest.mark.parametrize(
    ("extra", "fault"),
    [
        (
            STACKED.replace("voters: [digits, memory]", "voters: [digits]"),
            "voters: expected two or more different names",
        ),
        (STACKED.replace("{minority: drop}", "{model: here}"), "set by the experiment: remove it"),
        (
            STACKED.replace("{stacking: {minority: drop}}", "{stacking: {minority: none}}"),
            "expected one of drop or keep",
        ),
        (STACKED.replace("{stacking: {minority: drop}}", "union"), "resolver has no parameter model"),
    ],
)
def test_faults_are_told_with_the_file(write: Write, extra: str, fault: str) -> None:
    with pytest.raises(ConfigError) as found:
        read_plan(write("comparison", extra))
    assert fault in str(found.value)
