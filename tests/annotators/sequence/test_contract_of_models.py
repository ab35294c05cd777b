"""The contract battery over what needs a model: tagging and training components with a small bundle made here."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.svm import SvmAnnotator
from caspipe.annotators.sequence.svm_trainer import SvmTrainer
from caspipe.pipeline.contract.conformance import LONG, SECRET, TEXTS, check_component
from caspipe.typesystem import PhiKind

from .small_models import crf, document, documents, features, svm


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "make"), [(CrfAnnotator, crf), (SvmAnnotator, svm)], ids=["crf", "svm"])
def test_annotators_keep_the_contract(cls: Any, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as one sentence a line of 1 MB is 352,000 steps of Viterbi, ten seconds; the segmenter makes no such sentences
    monkeypatch.setitem(TEXTS, "a line of 1 MB", TEXTS["a line of 1 MB"][: LONG + 1])
    make(tmp_path, documents(8), features=["token", "lower", "shape", "suffix3", "sentence_position", "brackets"])
    findings = check_component(cls, model=str(tmp_path / "model"))
    assert not [f"{f.check}: {f.fault}" for f in findings if f.fault]
    assert {f"survives {name}" for name in TEXTS} <= {f.check for f in findings}


@pytest.mark.parametrize("cls", [CrfTrainer, SvmTrainer], ids=["crf", "svm"])
def test_trainers_keep_the_contract(cls: Any) -> None:
    findings = check_component(cls, model="somewhere")
    assert not [f"{f.check}: {f.fault}" for f in findings if f.fault]
    assert "can be pickled before it is opened" in {f.check for f in findings}


@pytest.mark.parametrize("cls", [CrfTrainer, SvmTrainer], ids=["crf", "svm"])
def test_trainers_survive_every_text_of_the_battery(cls: Any, tmp_path: Path) -> None:
    trainer = cls(model=Path("m"), features=features("token", "lower", "suffix3", "shape", "length"))
    trainer = pickle.loads(pickle.dumps(trainer))
    trainer.output = tmp_path
    trainer.open()
    for name, text in TEXTS.items():
        if len(text) < 10_000:  # the long line is for annotators; learning from it takes a minute
            at = text.find("3/4/2020")
            trainer.process(document(text, [(at, at + 8, PhiKind.DATE)] if at >= 0 else [], name=name))
    trainer.close()
    assert SECRET not in repr(trainer)
    assert (tmp_path / "m" / "weights.npz").is_file()
