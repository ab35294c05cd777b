"""An experiment's file: every fault at once, each with its line, and overrides that reach everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import read_plan
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]


def faults(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read_plan(path, overrides)
    return [str(f).replace(f"{path}:", "") for f in error.value.faults]


def test_a_file_in_order_is_read_whole(write: Write) -> None:
    plan = read_plan(write("sweep", "seed: 7"))
    assert (plan.experiment.name, plan.settings.seed, plan.settings.folds) == ("sweep", 7, 3)
    assert list(plan.corpora) == ["wards", "clinics"]
    assert plan.trainable == ["memory"]
    assert plan.corpora["wards"].group == "patient"
    assert plan.models["both"].members == ["digits", "memory"]


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(
        """\
experiment: {sweep: {value: [1]}}
folds: 1
corpora:
  wards: {reader: {x_corpsu: {}}, engine: [segmenter]}
  clinics: {reader: {x_corpus: {documents: many}}}
models:
  memory: {trainer: x_trainer}
  rules: {engines: [x_digit]}
  all: {of: [rule, memory]}
  odd: {}
trian: wards
""",
        encoding="utf-8",
    )
    assert faults(path) == [
        "1: experiment.sweep.value: no such parameter; did you mean values?",
        "2: folds: expected 2 or more, got 1",
        "4: corpora.wards.engine: no such key; did you mean engines?",
        "4: reader: no reader called 'x_corpsu'; did you mean x_corpus?",
        "5: x_corpus.documents: expected whole number, got 'many'",
        "7: models.memory: has a trainer but no annotator",
        "8: engines: no engine called 'x_digit'; did you mean x_digits?",
        "9: models.all.of: no model called 'rule'; did you mean rules?",
        "10: models.odd: expected a mapping with trainer, annotator, of, engines, resolver",
        "11: trian: no such section; did you mean train?",
    ]


def test_faults_of_components_inside_models_are_told(write: Write, tmp_path: Path) -> None:
    path = write(
        extra="  odd: {trainer: {x_trainer: {alhpa: 1}}, annotator: {x_memory: {model: mine}}}\n  bad: {engines: [x_digit]}"
    )
    told = faults(path)
    assert any(t.endswith("odd/x_memory.model: set by the experiment: remove it") for t in told)
    assert any("x_trainer.alhpa: no such parameter; did you mean alpha?" in t for t in told)
    assert any("no engine called 'x_digit'; did you mean x_digits?" in t for t in told)


def test_a_trainer_that_lacks_tokens_names_who_would_make_them(write: Write) -> None:
    path = write()
    path.write_text(path.read_text(encoding="utf-8").replace("engines: [segmenter]", "engines: []"), encoding="utf-8")
    assert any("needs Token, which no earlier component creates; segmenter would create it" in t for t in faults(path))


def test_corpora_that_are_not_there_are_told_with_the_nearest(write: Write) -> None:
    path = write("{mixing: {add: clinic}}", "test: ward")
    assert "12: test: no corpus called 'ward'; did you mean wards?" in faults(path)
    told = faults(write("{mixing: {add: clinic}}"))
    assert told == ["2: experiment.mixing.add: no corpus called 'clinic'; did you mean clinics?"]


def test_models_made_of_themselves_are_refused(write: Write) -> None:
    assert any("contains a itself" in t for t in faults(write(extra="  a: {of: [b]}\n  b: {of: [a]}")))


def test_a_parameter_that_a_trainer_does_not_have_or_refuses_is_told_before_any_document(write: Write) -> None:
    assert faults(write("{sweep: {parameter: alhpa}}")) == [
        "2: experiment.sweep.parameter: x_trainer has no parameter 'alhpa'; did you mean alpha?"
    ]
    told = faults(write("{sweep: {values: [1, 0]}}"))
    assert "2: experiment.sweep: memory: C: expected a number above 0, got 0" in told
    assert faults(write("{sweep: {models: [digits]}}")) == ["2: experiment.sweep.models: digits has no trainer"]


def test_a_criterion_or_scheme_that_is_none_is_told(write: Write) -> None:
    assert faults(write(extra="criteria: [stict]")) == ["12: criteria: no criterion 'stict'; did you mean strict?"]
    assert faults(write(extra="schemes: [medocan]")) == ["12: schemes: no scheme 'medocan'; did you mean meddocan?"]


def test_overrides_reach_settings_experiments_corpora_and_models(write: Write) -> None:
    plan = read_plan(
        write("learning_curve"),
        [
            "folds=4",
            "experiment.repetitions=2",
            "models.memory.trainer.C=3",
            "corpora.wards.reader.documents=9",
            "models.memory.annotator.least=2",
        ],
    )
    assert plan.settings.folds == 4
    assert plan.experiment.repetitions == 2  # type: ignore[attr-defined]
    assert plan.models["memory"].trainer is not None
    assert plan.models["memory"].trainer.given == {"C": 3}
    assert plan.models["memory"].annotator is not None
    assert plan.models["memory"].annotator.given == {"least": 2}
    assert len(plan.corpora["wards"].config.readers) == 1
    assert plan.corpora["wards"].config.readers[0].given == {"documents": 9}


def test_overrides_that_lead_nowhere_are_told_with_the_nearest(write: Write) -> None:
    told = faults(write(), "fold=3", "models.memry.trainer.C=1", "folds", "experiment.reps=1")
    assert "--set fold: no such section; did you mean folds?" in told
    assert "--set models.memry.trainer.C: models has no 'memry' in this file; did you mean memory?" in told
    assert "--set folds: expected NAME.PARAMETER=VALUE" in told
    assert any("experiment.comparison.reps: no such parameter" in t for t in told)


def test_an_override_of_an_engine_goes_by_its_name(write: Write) -> None:
    plan = read_plan(write(), ["corpora.wards.engines.segmenter.id=cut"])
    assert [s.id for s in plan.corpora["wards"].config.engines] == ["cut"]
    assert any("'sgmenter' is not a component" in t for t in faults(write(), "corpora.wards.engines.sgmenter.x=1"))


def test_a_file_without_experiment_says_what_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("corpora: {}\n", encoding="utf-8")
    assert faults(path) == ["1: expected a mapping with experiment, corpora and models"]


def test_an_unknown_kind_of_experiment_names_the_nearest(write: Write) -> None:
    assert faults(write("learnig_curve")) == [
        "2: experiment: no experiment called 'learnig_curve'; did you mean learning_curve?"
    ]
