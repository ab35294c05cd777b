"""sklearn-crfsuite is the trainer; parameters of the CRF trainer: the temperature of confidences, the line search of L-BFGS."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pycrfsuite
import pytest
import sklearn_crfsuite

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crf_trainer import CrfTrainer, by_sentence
from caspipe.annotators.sequence.linear import seed_c_library
from caspipe.pipeline.contract import params

from .small_models import crf, documents


def test_labels_stay_and_confidences_fall(tmp_path: Path) -> None:
    found = []
    for temperature in (1.0, 20.0):
        folder = tmp_path / f"{temperature:g}"
        model = crf(folder, algorithm="ap", max_iterations=5, keep_crfsuite=False, temperature=temperature)
        annotator = CrfAnnotator(model=model)
        annotator.open()
        found.append([c for cas in documents(8, seed=3) for c in annotator.annotate(cas.view())])
    sharp, flat = found
    assert [(c.begin, c.end, c.kind) for c in sharp] == [(c.begin, c.end, c.kind) for c in flat]
    assert sharp
    assert sum(c.confidence for c in flat) < 0.9 * sum(c.confidence for c in sharp)


def test_a_kept_crfsuite_model_would_differ() -> None:
    with pytest.raises(
        ValueError, match=r"^temperature: expected 1 with keep_crfsuite: the kept model would have other weights$"
    ):
        CrfTrainer(model=Path("m"), temperature=2.0)
    with pytest.raises(ValueError, match=r"^temperature: expected a finite number above 0, got 0"):
        CrfTrainer(model=Path("m"), temperature=0.0, keep_crfsuite=False)


LBFGS = {"linesearch": "Backtracking", "max_linesearch": 3, "num_memories": 2}


def test_another_line_search_gives_another_model_with_the_same_labels(tmp_path: Path) -> None:
    models = {
        name: crf(tmp_path / name, c1=0.0, max_iterations=100, **given)
        for name, given in {"default": {}, "MoreThuente": {"linesearch": "MoreThuente"}, "small steps": LBFGS}.items()
    }
    assert models["default"].meta["crfsuite"]["loss"] == models["MoreThuente"].meta["crfsuite"]["loss"]
    assert (models["default"].weights.values == models["MoreThuente"].weights.values).all()
    assert (models["default"].weights.values != models["small steps"].weights.values).any()
    assert models["small steps"].labels == models["default"].labels


def test_the_card_says_how_the_model_was_trained(tmp_path: Path) -> None:
    model = crf(tmp_path, c1=0.0, **LBFGS)
    assert {k: model.meta["crfsuite"]["options"][k] for k in LBFGS} == LBFGS
    assert (
        "* Trained by CRFsuite: algorithm lbfgs, c1 = 0.0, c2 = 0.01, max_iterations = 20, linesearch = Backtracking, "
        "max_linesearch = 3, num_memories = 2\n"
    ) in (tmp_path / "model/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"linesearch": "MoreThuent"},
            "linesearch: expected one of MoreThuente, Backtracking, StrongBacktracking, got 'MoreThuent'",
        ),
        (
            {"linesearch": "MoreThuente"},
            "linesearch: expected Backtracking, or no L1 (c1: 0; with C, alpha: 0), got MoreThuente: "
            "with L1, CRFsuite uses no other",
        ),
        (
            {"linesearch": "StrongBacktracking", "C": 0.1, "alpha": 0.1},
            "linesearch: expected Backtracking, or no L1 (c1: 0; with C, alpha: 0), got StrongBacktracking: with L1, CRFsuite "
            "uses no other",
        ),
        ({"linesearch": "Backtracking", "algorithm": "ap"}, "linesearch: expected algorithm lbfgs, got ap"),
        ({"max_linesearch": 0}, "max_linesearch: expected 1 or more, got 0"),
        ({"num_memories": 0}, "num_memories: expected 1 or more, got 0"),
        ({"num_memories": 3, "algorithm": "l2sgd"}, "num_memories: expected algorithm lbfgs, got l2sgd"),
    ],
)
def test_parameters_that_crfsuite_would_ignore_are_errors(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        CrfTrainer(model=Path("m"), **given)


def test_with_l2_alone_every_line_search_is_taken() -> None:
    for given in ({"c1": 0.0}, {"C": 0.1}, {"C": 0.0, "alpha": 1.0}):
        assert CrfTrainer(model=Path("m"), linesearch="StrongBacktracking", **given).linesearch == "StrongBacktracking"


def test_an_unknown_line_search_in_a_file_names_the_nearest() -> None:
    faults: list[str] = []
    params.build(CrfTrainer, {"model": "m", "linesearch": "Backtrack"}, lambda at, what: faults.append(f"{at}: {what}"))
    assert faults == [
        "('linesearch',): expected one of MoreThuente, Backtracking or StrongBacktracking, got 'Backtrack'; "
        "did you mean Backtracking?"
    ]


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_sklearn_crfsuite_trains_the_same_bytes_as_crfsuite(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    fit, train = sklearn_crfsuite.CRF.fit, CrfTrainer.train
    monkeypatch.setattr(sklearn_crfsuite.CRF, "fit", lambda *given: seen.append("fit") or fit(*given))
    monkeypatch.setattr(CrfTrainer, "train", lambda *given: seen.append(given) or train(*given))
    crf(tmp_path, algorithm=algorithm, max_iterations=5)
    (trainer, examples), called = seen
    assert called == "fit"
    direct = pycrfsuite.Trainer(algorithm, trainer._options(0), verbose=False)
    for example in examples:
        for attributes, labels in by_sentence(trainer.feature_set, example):
            direct.append(attributes, labels)
    seed_c_library(1)
    direct.train(str(tmp_path / "direct"))
    assert (tmp_path / "direct").read_bytes() == (tmp_path / "model" / "model.crfsuite").read_bytes()
