"""Documents with gold spans made up by a seed, and models trained on them in a second."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.feature import Feature
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.svm_trainer import SvmTrainer
from caspipe.annotators.sequence.training import Trainer
from caspipe.pipeline.contract.params import convert
from caspipe.typesystem import (
    Cas,
    CaspipeWarning,
    ListHit,
    MedicalTerm,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    TermGroup,
    Token,
)
from caspipe.typesystem.tokenize import token_spans

NAMES = "Ågot Bøe|Çelik|José Peña|Smith|van der Berg|O'Neill|李小龍|Мария|Zoë|ΣΊΣΥΦΟΣ".split("|")
PLACES = "Oslo|San José|New York|Gävle|Łódź|Ulm".split("|")
DRUGS = "aspirin|ibuprofen|metoprolol".split("|")
FRAMES = (
    "Dr. {P} saw the patient on {D} .",
    "Patient {P} , living in {L} , was given {M} .",
    "{P}",
    "On {D} and {D} no fever .",
    "The {M} dose was doubled \N{GREEK SMALL LETTER ALPHA}\N{GRINNING FACE} .",
    "Seen in {L} by {P} and Dr. {P} ( {L} ) .",
    "He denies pain .",
)


def documents(count: int, seed: int = 1, marked: bool = True) -> list[Cas]:
    """Documents with tokens, sentences, list hits, terms and candidates; some sentences are empty, some have one token."""
    chance = random.Random(seed)
    return [_document(chance, f"{seed}-{i}", marked) for i in range(count)]


def _document(chance: random.Random, name: str, marked: bool) -> Cas:
    text, spans, sentences, hits, terms = "", [], [], [], []
    for _ in range(chance.randrange(1, 6)):
        begin = len(text)
        for piece in chance.choice(FRAMES).split(" "):
            if len(text) > begin:
                text += " "
            at = len(text)
            if piece == "{P}":
                text += chance.choice(NAMES)
                spans.append((at, len(text), PhiKind.PERSON))
            elif piece == "{L}":
                text += chance.choice(PLACES)
                spans.append((at, len(text), PhiKind.LOCATION))
                hits.append((at, len(text)))
            elif piece == "{D}":
                text += f"{chance.randrange(1, 29)}/{chance.randrange(1, 13)}/20{chance.randrange(10, 25)}"
                spans.append((at, len(text), PhiKind.DATE))
            elif piece == "{M}":
                text += chance.choice(DRUGS)
                terms.append((at, len(text)))
            else:
                text += piece
        sentences.append((begin, len(text)))
        text += "\n"
    cas = document(text, spans, sentences, name=name)
    if marked:
        view = cas.view()
        view.add_all([ListHit(b, e, list="places") for b, e in hits])
        view.add_all([MedicalTerm(b, e, group=TermGroup.MEDICATION) for b, e in terms])
        for b, e, kind in spans:
            if kind is PhiKind.DATE and chance.random() < 0.8:
                candidate = PhiCandidate(b, e, kind=kind)
                candidate._source = "dates"
                view.add(candidate)
    return cas


def document(
    text: str,
    gold: Iterable[tuple[int, int, PhiKind]] = (),
    sentences: Iterable[tuple[int, int]] | None = None,
    name: str = "one",
) -> Cas:
    """A text with tokens, sentences (by default one over all) and gold spans."""
    cas = Cas(text, id=name)
    view = cas.view()
    view.add_spans(Token, *token_spans(text))
    for begin, end in [(0, len(text))] if sentences is None else sentences:
        view.add(Sentence(begin, end))
    cas.create_view("gold", text).add_all([Phi(b, e, kind=k) for b, e, k in gold])
    return cas


def features(*given: Any) -> list[Feature]:
    """Features as a YAML file declares them."""
    faults: list[str] = []
    made = [convert(Feature, f, lambda _, what: faults.append(what), ()) for f in given]
    assert not faults, faults
    return made


def trained(cls: type[Trainer], folder: Path, cases: Iterable[Cas], **given: Any) -> LinearModel:
    """What a trainer makes of documents."""
    if "features" in given:
        given["features"] = features(*given["features"])
    trainer = cls(**{"model": Path("model"), **given})
    trainer.output = folder
    trainer.open()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)
        for cas in cases:
            trainer.process(cas)
        trainer.close()
    return LinearModel.load(str(folder / trainer.model))


def crf(folder: Path, cases: Iterable[Cas] | None = None, **given: Any) -> LinearModel:
    """A small CRF."""
    given = {"features": ["lower", "suffix2", "shape"], "max_iterations": 20} | given
    return trained(CrfTrainer, folder, documents(12) if cases is None else cases, **given)


def svm(folder: Path, cases: Iterable[Cas] | None = None, **given: Any) -> LinearModel:
    """A small SVM."""
    given = {"features": ["lower", "suffix2", "shape"]} | given
    return trained(SvmTrainer, folder, documents(12) if cases is None else cases, **given)


def disjoint(spans: list[tuple[int, int]]) -> bool:
    return all(a[1] <= b[0] for a, b in pairwise(sorted(spans)))
