"""`extends`: an experiment file takes corpora, settings and models from another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import read_plan
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]


def extending(base: Path, text: str, name: str = "own.yaml") -> Path:
    path = base.with_name(name)
    path.write_text(f"extends: {base.name}\n{text}", encoding="utf-8")
    return path


def faults(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read_plan(path, overrides)
    return [str(f).replace(str(path.parent) + "/", "") for f in error.value.faults]


def test_what_the_file_does_not_have_comes_from_the_other(write: Write) -> None:
    plan = read_plan(extending(write(), "title: Mine\nexperiment: {sweep: {values: [1, 2]}}\n"))
    assert (plan.settings.title, plan.settings.folds, plan.experiment.name) == ("Mine", 3, "sweep")
    assert list(plan.corpora) == ["wards", "clinics"]
    assert list(plan.models) == ["memory", "digits", "both"]


def test_models_are_added_by_name_and_other_sections_are_replaced(write: Write) -> None:
    plan = read_plan(
        extending(
            write(),
            "corpora: {wards: {reader: {x_corpus: {documents: 5}}, engines: [segmenter]}}\n"
            "models:\n  memory: {trainer: {x_trainer: {C: 3}}, annotator: x_memory}\n  more: {of: [memory]}\n",
        )
    )
    assert list(plan.corpora) == ["wards"]
    assert plan.corpora["wards"].config.readers[0].given == {"documents": 5}
    assert list(plan.models) == ["memory", "digits", "both", "more"]
    assert plan.models["memory"].trainer is not None
    assert plan.models["memory"].trainer.given == {"C": 3}


def test_overrides_reach_what_was_taken_over(write: Write) -> None:
    path = extending(write(), "folds: 4\n")
    plan = read_plan(path, ["corpora.wards.reader.documents=9", "models.memory.trainer.C=3"])
    assert plan.corpora["wards"].config.readers[0].given == {"documents": 9}
    assert plan.models["memory"].trainer is not None
    assert plan.models["memory"].trainer.given == {"C": 3}


def test_files_and_includes_are_relative_to_the_file_that_names_them(write: Write, tmp_path: Path) -> None:
    (tmp_path / "parts.yaml").write_text("[segmenter]\n", encoding="utf-8")
    base = write(name="base.yaml")
    base.write_text(
        base.read_text(encoding="utf-8").replace("engines: [segmenter]", "engines: [include: parts.yaml]"),
        encoding="utf-8",
    )
    below = tmp_path / "below"
    below.mkdir()
    own = below / "own.yaml"
    own.write_text("extends: ../base.yaml\ntitle: Mine\n", encoding="utf-8")
    assert [s.name for s in read_plan(own).corpora["wards"].config.engines] == ["segmenter"]


def test_faults_name_the_file_in_which_they_are(write: Write) -> None:
    base = write(extra="fold: 3")
    assert "small.yaml:12: fold: no such section; did you mean folds?" in faults(extending(base, "titel: Mine\n"))
    assert "own.yaml:2: titel: no such section; did you mean title?" in faults(extending(base, "titel: Mine\n"))
    assert faults(
        extending(write(), "models: {memory: {trainer: {x_trainer: {alhpa: 1}}, annotator: x_memory}}\n")
    ) == ["own.yaml:2: x_trainer.alhpa: no such parameter; did you mean alpha?"]


def test_the_text_of_both_files_is_kept_for_the_report(write: Write) -> None:
    text = read_plan(extending(write(), "title: Mine\n")).text
    assert text.startswith("extends: small.yaml\ntitle: Mine\n\n# small.yaml:\n\ntitle: A small one\n")


def test_a_file_that_is_not_there_or_extends_itself_is_told(write: Write) -> None:
    base = write()
    missing = base.with_name("own.yaml")
    missing.write_text("extends: smal.yaml\n", encoding="utf-8")
    assert faults(missing) == ["own.yaml:1: extends: smal.yaml: no such file; the folder holds own.yaml, small.yaml"]
    base.write_text("extends: own.yaml\n", encoding="utf-8")
    assert faults(extending(base, "")) == [
        "own.yaml:1: extends: small.yaml: cyclic: own.yaml -> small.yaml -> own.yaml"
    ]
    missing.write_text("extends: [small.yaml]\n", encoding="utf-8")
    assert faults(missing) == ["own.yaml:1: extends: expected the name of an experiment file"]
    missing.write_text("extend: small.yaml\nexperiment: comparison\n", encoding="utf-8")
    assert "own.yaml:1: extend: no such section; did you mean extends?" in faults(missing)
