"""sklearn-crfsuite is the trainer; `temperature`: the labels of a perceptron stay, its confidences become less extreme."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pycrfsuite
import pytest
import sklearn_crfsuite

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crf_trainer import CrfTrainer, by_sentence
from caspipe.annotators.sequence.linear import seed_c_library

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
