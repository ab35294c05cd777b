"""Documents that bring tokens of their own: what a model learns from, and what it says where tokens differ."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.svm_trainer import SvmTrainer
from caspipe.annotators.sequence.tagger_trainer import TaggerTrainer
from caspipe.annotators.sequence.tokenization import CHECKED
from caspipe.annotators.sequence.training import Trainer
from caspipe.pipeline.errors import CasError
from caspipe.typesystem import Cas, CaspipeWarning, Phi, PhiCandidate, PhiKind, Sentence, Token

from .small_models import document, features, trained

TEXT = "Seen on 3/4/2020 in Oslo, by A. Smith."


def foreign(name: str = "one") -> Cas:
    """A document whose tokens are its words between spaces."""
    cas = Cas(TEXT, id=name)
    begin, begins, ends = 0, [], []
    for word in TEXT.split(" "):
        begins.append(begin)
        ends.append(begin + len(word))
        begin += len(word) + 1
    cas.view().add_spans(Token, begins, ends, "reader")
    cas.view().add(Sentence(0, len(TEXT)))
    cas.create_view("gold", TEXT).add_all([Phi(8, 16, kind=PhiKind.DATE), Phi(20, 24, kind=PhiKind.LOCATION)])
    return cas


def own(name: str = "one") -> Cas:
    return document(TEXT, [(8, 16, PhiKind.DATE), (20, 24, PhiKind.LOCATION)], name=name)


def model(folder: Path, cls: type[Trainer], cases: list[Cas], **given: Any) -> LinearModel:
    more = {"max_iterations": 20} if cls is CrfTrainer else {"calibration_share": 0.0}
    return trained(cls, folder, cases, features=["lower", "shape"], **more, **given)


@pytest.mark.parametrize("cls", [CrfTrainer, SvmTrainer])
def test_a_model_learns_from_the_tokens_that_the_segmenter_makes_of_raw_text(
    cls: type[Trainer], tmp_path: Path
) -> None:
    cases = [foreign(str(i)) for i in range(4)]
    a = model(tmp_path / "a", cls, cases)
    b = model(tmp_path / "b", cls, [own(str(i)) for i in range(4)])
    assert (a.weights.attributes, a.weights.values.tolist()) == (b.weights.attributes, b.weights.values.tolist())
    assert a.meta["training"]["tokenization"] == {"by": "segmenter", "replaced": 4}
    assert b.meta["training"]["tokenization"] == {"by": "segmenter"}
    assert not any(a.meta["training"]["misfits"].values())  # `Oslo,` is a token of the document
    assert cases[0].view().count(Token) == len(TEXT.split(" "))  # the document itself is as it was
    card = (tmp_path / "a/model/README.md").read_text(encoding="utf-8")
    assert "Tokens of the segmenter; it replaced those that came with 4 documents." in card


def test_given_tokens_are_learned_on_request_and_recorded(tmp_path: Path) -> None:
    found = model(tmp_path, CrfTrainer, [foreign(str(i)) for i in range(4)], tokenization="given")
    assert found.meta["training"]["tokenization"] == {"by": "given", "differing": 0.5}
    card = (tmp_path / "model/README.md").read_text(encoding="utf-8")
    assert "50.0% are not those of the segmenter. It needs such tokens." in card


def warned(found: LinearModel, cases: list[Cas]) -> list[str]:
    engine = CrfAnnotator(model=found)
    engine.open()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaspipeWarning)
        for cas in cases:
            list(engine.annotate(cas.view()))
    return [str(w.message).replace(found.place, "MODEL") for w in caught]


def test_a_model_warns_once_where_tokens_are_not_those_of_its_training(tmp_path: Path) -> None:
    cases = [own(str(i)) for i in range(CHECKED)]
    usual = model(tmp_path / "a", CrfTrainer, cases)
    given = model(tmp_path / "b", CrfTrainer, [foreign(str(i)) for i in range(4)], tokenization="given")
    assert warned(usual, cases) == warned(given, [foreign()]) == []
    assert warned(usual, [foreign(), foreign()]) == [
        "model MODEL was trained on tokens of the segmenter, but 4 of 8 tokens in view _InitialView are not: "
        "read text without tokens"
    ]
    assert warned(given, [*cases, own()]) == [
        f"model MODEL was trained on other tokens than those of the segmenter, but {CHECKED} documents have these: "
        "train it with `tokenization: segmenter`, or read documents with such tokens"
    ]


def test_tags_of_given_tokens_cannot_be_features_of_other_tokens(tmp_path: Path) -> None:
    trainer = CrfTrainer(model=Path("model"), features=features("pos"))
    trainer.output = tmp_path
    trainer.open()
    with pytest.raises(CasError) as fault:
        trainer.process(foreign())
    assert str(fault.value) == (
        "4 tokens are not those of the segmenter, and features need Token:pos of them: expected a reader without tokens, or "
        "`tokenization: given`"
    )


def test_a_tagger_learns_from_the_tokens_of_the_segmenter_too(tmp_path: Path) -> None:
    cases = [foreign(str(i)) for i in range(3)]
    for cas in cases:
        gold = cas.view("gold")
        gold.add_spans(Token, *cas.view().spans(Token))
        gold.add(Sentence(0, len(TEXT)))
        gold.set_feature(Token, "pos", "VBN IN CD IN NNP IN NNP NNP".split())
    trainer = TaggerTrainer(model=Path("tagger"), max_iterations=2, min_count=1)
    trainer.output = tmp_path
    trainer.open()
    for cas in cases:
        trainer.process(cas)
    trainer.close()
    training = json.loads((tmp_path / "tagger/model.json").read_text(encoding="utf-8"))["training"]
    assert training["tokenization"] == {"by": "segmenter", "replaced": 3}
    assert training["carried"]["cut"] > 0


def test_candidates_of_the_replaced_tokens_are_still_features(tmp_path: Path) -> None:
    cases = [foreign(str(i)) for i in range(3)]
    for cas in cases:
        cas.view().add(PhiCandidate(8, 16, kind=PhiKind.DATE))
    found = trained(CrfTrainer, tmp_path, cases, features=["candidate"], max_iterations=5)
    assert any("candidate=B-DATE" in a for a in found.weights.attributes)
