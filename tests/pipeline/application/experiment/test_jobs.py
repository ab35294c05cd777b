"""Jobs: the same results for any number of workers, resumed where they were, done anew where anything changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import ExperimentRunner, fingerprint, read_plan, run_experiment
from caspipe.pipeline.application.experiment.scheduler import Progress
from caspipe.pipeline.errors import CaspipeError, ComponentError, ReaderError

Write = Callable[..., Path]
RESULTS = ("results.json", "results.csv", "report.html", "report.md")


class Noted(Progress):
    """Counts what was really done."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def done(self, name: str, failed: bool) -> None:
        self.ended.append(name)


def run(path: Path, folder: Path, *overrides: str, workers: int = 1) -> list[str]:
    noted = Noted()
    run_experiment(read_plan(path, overrides), folder, workers, noted)
    return noted.ended


def test_two_workers_give_the_same_bytes_as_one(write: Write, tmp_path: Path) -> None:
    path = write("cross_validation")
    run(path, tmp_path / "one")
    run(path, tmp_path / "two", workers=2)
    for name in RESULTS:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert len(list((tmp_path / "two" / "jobs").iterdir())) == 12  # 3 trainings; tests of three systems on 3 folds


@pytest.mark.slow
def test_processes_that_are_spawned_do_the_same(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(
        "{cross_validation: {models: [rules]}}", "  rules: {engines: [identifiers, dates]}"
    )  # known to any process
    run(path, tmp_path / "one")
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    run(path, tmp_path / "two", workers=2)
    assert (tmp_path / "one" / "results.json").read_bytes() == (tmp_path / "two" / "results.json").read_bytes()


def test_finished_jobs_are_not_done_again(write: Write, tmp_path: Path) -> None:
    path = write("cross_validation")
    assert len(run(path, tmp_path / "out")) == 12
    before = (tmp_path / "out" / "report.html").read_bytes()
    assert run(path, tmp_path / "out") == []
    assert (tmp_path / "out" / "report.html").read_bytes() == before


def test_only_what_changed_is_done_anew(write: Write, tmp_path: Path) -> None:
    path, out = write("cross_validation"), tmp_path / "out"
    run(path, out)
    assert sorted(run(path, out, "models.memory.trainer.C=2")) == ["both"] * 3 + ["memory"] * 6
    assert (
        sorted(run(path, out, "models.memory.annotator.least=4")) == ["both"] * 3 + ["memory"] * 6
    )  # the model is gone
    assert len(run(path, out, "corpora.wards.reader.seed=5")) == 12
    assert sorted(set(run(path, out, "criteria=[strict]"))) == ["both", "digits", "memory"]


def test_models_that_are_kept_are_used_again(write: Write, tmp_path: Path) -> None:
    path, out = write("cross_validation", "keep_models: true"), tmp_path / "out"
    run(path, out)
    assert len(list((out / "bundles").iterdir())) == 3
    assert os.name == "nt" or (out / "bundles").stat().st_mode & 0o077 == 0
    assert sorted(run(path, out, "models.memory.annotator.least=4")) == ["both"] * 3 + ["memory"] * 3


def test_models_that_are_not_kept_leave_no_folder(write: Write, tmp_path: Path) -> None:
    run(write("cross_validation"), tmp_path / "out")
    assert not (tmp_path / "out" / "bundles").exists()


def test_a_damaged_job_file_is_done_anew(write: Write, tmp_path: Path) -> None:
    path, out = write("cross_validation", "keep_models: true"), tmp_path / "out"
    run(path, out)
    first, second = sorted((out / "jobs").iterdir())[:2]
    first.write_text("{", encoding="utf-8")
    second.write_text('{"key": "another"}', encoding="utf-8")
    assert len(run(path, out)) == 2


def test_a_model_that_two_systems_need_is_trained_once(write: Write, tmp_path: Path) -> None:
    runner = ExperimentRunner(read_plan(write()), tmp_path)
    train, test = runner.split()
    alone, both = runner.test("memory", train, test), runner.test("both", train, test)
    assert [t.key for t in alone.needs] == [t.key for t in both.needs]


def test_a_combination_believes_the_first_named_first(write: Write, tmp_path: Path) -> None:
    plan = read_plan(write())
    assert [s.name for s in plan.models["both"].engines] == ["resolver"]
    assert plan.models["both"].engines[0].given == {"priority": ["digits", "memory"]}


def test_figures_are_those_counted_by_hand(write: Write, tmp_path: Path) -> None:
    runner = ExperimentRunner(read_plan(write()), tmp_path)
    corpus = runner.corpus()
    (outcome,) = runner.run([runner.test("digits", (), corpus.all)])
    counts = outcome.scores.counts["strict", "ID"]
    assert (counts.gold, counts.gold_hits, counts.system, counts.system_hits) == (
        24,
        24,
        48,
        24,
    )  # `ward 7` is marked as well
    assert outcome.scores.value("strict", "PERSON", "recall") == 0.0
    (learnt,) = runner.run([runner.test("memory", corpus.all, corpus.all)])
    assert learnt.scores.value("strict", "OVERALL", "f1") == 1.0


def test_a_failing_job_is_told_without_text_and_the_others_go_on(write: Write, tmp_path: Path) -> None:
    path = write("cross_validation", "  broken: {trainer: {x_trainer: {fail: true}}, annotator: x_memory}")
    for workers in (1, 2):
        summary = run_experiment(read_plan(path), tmp_path / str(workers), workers)
        assert len(summary.failures) == 1
        assert summary.failures[0].startswith("training broken: ")
        assert "KeyError" in summary.failures[0]
        assert "patient" not in summary.failures[0]
        assert "undefined" in (tmp_path / str(workers) / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "1" / "results.csv").read_bytes() == (tmp_path / "2" / "results.csv").read_bytes()


def test_where_every_job_fails_there_is_no_report(write: Write, tmp_path: Path) -> None:
    path = write("{cross_validation: {models: [memory]}}")
    with pytest.raises(CaspipeError, match="every job failed; the first: training memory: x_trainer: nothing to learn"):
        run(path, tmp_path / "out", "models.memory.trainer.C=99")
    assert not (tmp_path / "out" / "report.html").exists()


def test_corpora_that_cannot_be_used_say_why(write: Write, tmp_path: Path) -> None:
    path = write()
    with pytest.raises(
        ReaderError, match="corpus wards: 1 of 24 documents cannot be read; the first, doc2: expected UTF-8"
    ):
        run(path, tmp_path, "corpora.wards.reader.broken=3")
    with pytest.raises(ReaderError, match="corpus wards: document 1 has no view gold"):
        run(path, tmp_path, "corpora.wards.reader.gold=false")
    with pytest.raises(ReaderError, match="corpus wards: the reader found no document"):
        run(path, tmp_path, "corpora.wards.reader.documents=0")
    with pytest.raises(ReaderError, match="no document has metadata 'patiens' to group by; did you mean patient"):
        run(path, tmp_path, "corpora.wards.group=patiens")
    with pytest.raises(
        ReaderError,
        match=r"no document has metadata 'patiens' to stratify by \(or kinds\); did you mean patient\?; there is patient",
    ):
        run(path, tmp_path, "corpora.wards.stratify=patiens")
    with pytest.raises(
        CaspipeError, match="corpus wards: expected at least 9 documents or groups of documents for 9 parts"
    ):
        run(path, tmp_path, "folds=9")


def test_folds_have_the_same_mix_of_strata(write: Write, tmp_path: Path) -> None:
    def strata(*overrides: str) -> list[str]:
        runner = ExperimentRunner(read_plan(write(), list(overrides)), tmp_path)
        corpus = runner.corpus()
        for train, test in runner.folds():
            assert not {corpus.groups[i] for _, i in train} & {corpus.groups[i] for _, i in test}
        return corpus.strata

    assert strata() == []
    assert strata("corpora.wards.stratify=kinds") == ["ID"] * 24
    assert strata("corpora.wards.stratify=patient")[:4] == ["p0", "p0", "p0", "p1"]


def test_documents_of_one_patient_stay_together(write: Write, tmp_path: Path) -> None:
    runner = ExperimentRunner(read_plan(write()), tmp_path)
    patients = [cas.metadata["patient"] for cas in runner.corpus().documents]
    for train, test in [*runner.folds(), runner.split()]:
        assert not {patients[i] for _, i in train} & {patients[i] for _, i in test}


def test_a_limit_draws_documents_by_the_seed(write: Write, tmp_path: Path) -> None:
    def ids(seed: int) -> list[str]:
        corpus = ExperimentRunner(read_plan(write(), ["limit=6", f"seed={seed}"]), tmp_path).corpus()
        assert corpus.total == 24
        return [cas.id for cas in corpus.documents]

    assert ids(1) == ids(1) != ids(2)
    assert len(ids(1)) == 6
    assert ids(1) == sorted(ids(1), key=lambda i: int(i.partition("doc")[2]))


def test_documents_of_two_corpora_never_share_an_id(write: Write, tmp_path: Path) -> None:
    runner = ExperimentRunner(read_plan(write()), tmp_path)
    ids = [cas.id for name in ("wards", "clinics") for cas in runner.corpus(name).documents]
    assert len(set(ids)) == 34


def test_an_engine_that_fails_while_a_corpus_is_prepared_ends_the_experiment(write: Write, tmp_path: Path) -> None:
    path = write()
    text = path.read_text(encoding="utf-8").replace(
        "engines: [segmenter], group", "engines: [segmenter, x_broken], group"
    )
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ComponentError, match=r"^x_broken: KeyError at memory_parts.py:\d+$"):
        run(path, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_an_interrupt_leaves_finished_jobs_which_the_next_run_takes_over(write: Write, tmp_path: Path) -> None:
    path, out = write("cross_validation"), tmp_path / "out"
    text = path.read_text(encoding="utf-8").replace("x_trainer: {}", "x_trainer: {slow: 0.5}")
    path.write_text(text, encoding="utf-8")
    code = (
        "import memory_parts, signal, sys; from pathlib import Path; "
        "from caspipe.pipeline.application.experiment import read_plan, run_experiment; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # ignored if the tests run in the background of a shell
        "run_experiment(read_plan(Path(sys.argv[1])), Path(sys.argv[2]), 2)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(out)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MEMORY_PARTS_PACE": "10"},  # however busy the machine is, the signal comes before the end
    )
    deadline = time.monotonic() + 60
    while not list(out.glob("jobs/*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    finished = {p.name for p in out.glob("jobs/*.json")}
    assert 0 < len(finished) < 12
    assert not list(out.glob("*/.*"))
    assert len(run(path, out)) <= 12 - len(finished) + 3  # a model may have been trained, and gone, before its test
    assert len(list(out.glob("jobs/*.json"))) == 12


def test_what_is_known_beside_a_document_is_part_of_what_a_job_depends_on() -> None:
    from caspipe.pipeline.application.experiment import fingerprint
    from caspipe.typesystem import GOLD_VIEW, Cas, KnownPhi, PhiKind

    def of(*names: str) -> str:
        cas = Cas("Seen today.", id="note")
        cas.create_view(GOLD_VIEW, cas.text)
        for name in names:
            cas.add(KnownPhi(kind=PhiKind.PERSON_PATIENT, value=name))
        return fingerprint.of_document(cas)

    assert of() == of()
    assert of("Ann Reed") == of("Ann Reed")
    assert len({of(), of("Ann Reed"), of("Ann Reid")}) == 3


def test_a_change_of_a_figure_repeats_no_job_but_one_of_the_counting_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest(name: str, files: dict[str, str]) -> str:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        package = types.ModuleType("scoring")
        package.__file__ = str(folder / "__init__.py")
        monkeypatch.setattr(fingerprint, "scoring", package)
        return fingerprint.of_scoring()

    first = digest("first", {"__init__.py": "", "counts.py": "one", "plots.py": "one", "drawing.py": "one"})
    assert digest("drawn", {"__init__.py": "", "counts.py": "one", "plots.py": "two", "drawing.py": "two"}) == first
    assert digest("counted", {"__init__.py": "", "counts.py": "two", "plots.py": "one", "drawing.py": "one"}) != first
