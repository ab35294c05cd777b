"""Scores and labels that are computed block by block are those of the whole document, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caspipe.annotators.sequence import extraction
from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.extraction import Block, Context, DocumentFeatures, FeatureSet, blocks_of
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.scoring import LabelScorer
from caspipe.annotators.sequence.svm import SvmAnnotator
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import Cas, PhiCandidate

from .small_models import FRAMES, NAMES, crf, document, documents, features, svm

FEATURES = [
    "lower",
    {"suffix3": {"window": [-1, 2]}},
    "shape",
    "neighbours",
    {"document_position": {"window": [-1, 1]}},
]


def long_document() -> Cas:
    """Forty sentences; the tenth has the words of twenty others, the last has one token."""
    text, sentences = "", []
    for number in range(40):
        begin = len(text)
        for copy in range(20 if number == 9 else 1):
            frame = FRAMES[(number + copy) % len(FRAMES)]
            text += frame.format(P=NAMES[(number + copy) % len(NAMES)], D="11/28/2000", L="Oslo", M="aspirin") + " "
        sentences.append((begin, len(text) - 1))
    return document(text + "x", sentences=[*sentences, (len(text), len(text) + 1)])


def test_blocks_hold_whole_sentences_and_a_longer_sentence_is_a_block() -> None:
    sentences = [(0, 2), (2, 3), (3, 9), (9, 12), (12, 13)]
    assert list(blocks_of(sentences, 3)) == [
        Block(0, 3, [(0, 2), (2, 3)]),
        Block(3, 9, [(0, 6)]),
        Block(9, 12, [(0, 3)]),
        Block(12, 13, [(0, 1)]),
    ]
    assert list(blocks_of(sentences, 100)) == [Block(0, 13, sentences)]
    assert list(blocks_of([], 3)) == []


@pytest.mark.attack("cost")
@pytest.mark.parametrize("context", ["sentence", "document"])
@pytest.mark.parametrize("most", [1, 7, 50, 10_000])
def test_scores_of_blocks_are_those_of_the_document(tmp_path: Path, context: Context, most: int) -> None:
    model = crf(tmp_path, features=FEATURES, window=(-3, 3), context=context)
    words = Words(long_document().view())
    columns = model.features.columns(words)
    whole = LabelScorer(model.features, model.weights).scores(columns)
    fresh = FeatureSet(features(*FEATURES), (-3, 3), context)
    fresh.numbering.limit = 10  # tables are replaced between blocks
    scorer = LabelScorer(fresh, model.weights)
    parts = [scorer.scores(columns, block) for block in columns.blocks(most)]
    assert len(parts) == 1 if most > len(words) else len(parts) > 2
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.attack("cost")
@pytest.mark.parametrize("threshold", [None, 0.2])
@pytest.mark.parametrize("context", ["sentence", "document"])
def test_a_crf_marks_the_same_in_blocks(
    tmp_path: Path, context: Context, threshold: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = crf(tmp_path, documents(40), features=FEATURES, context=context)
    whole = marked(CrfAnnotator(model=model, threshold=threshold))
    assert len(whole) > 30
    for most in (1, 7, 50):
        monkeypatch.setattr(extraction, "BLOCK", most)
        found = marked(CrfAnnotator(model=model, threshold=threshold))
        assert [c[:3] for c in found] == [c[:3] for c in whole]
        if threshold is None:  # sums of logarithms over all sentences are rounded differently
            assert [c[3] for c in found] == pytest.approx([c[3] for c in whole], abs=1e-12, rel=0)
        else:
            assert found == whole


@pytest.mark.attack("cost")
@pytest.mark.parametrize("order", ["free", "learned"])
def test_an_svm_marks_the_same_in_blocks(tmp_path: Path, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = svm(tmp_path, documents(40), label_order=order)
    whole = marked(SvmAnnotator(model=model))
    assert len(whole) > 30
    for most in (1, 7, 50):
        monkeypatch.setattr(extraction, "BLOCK", most)
        assert marked(SvmAnnotator(model=model)) == whole


@pytest.mark.attack("cost")
def test_a_tagger_gives_the_same_tags_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = Tagger()
    tagger.model = LinearModel.load("en-tagger")
    tagger.open()
    view = long_document().view()
    whole = tagger.tags(view)
    monkeypatch.setattr(extraction, "BLOCK", 7)
    assert tagger.tags(view) == whole


@pytest.mark.attack("cost")
def test_scores_are_never_computed_for_more_tokens_than_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = crf(tmp_path, features=FEATURES, context="document")
    held, compute = list[int](), LabelScorer.scores

    def counted(self: LabelScorer, columns: DocumentFeatures, block: Block | None = None) -> Any:
        scores = compute(self, columns, block)
        held.append(len(scores))
        return scores

    monkeypatch.setattr(extraction, "BLOCK", 20)
    monkeypatch.setattr(LabelScorer, "scores", counted)
    view = long_document().view()
    marked(CrfAnnotator(model=model, threshold=0.2))
    longest = max(last - first for first, last in Words(view).sentences)
    assert sum(held) == len(Words(view)) and sorted(held)[-2] <= 20 and max(held) == longest > 20
    assert model.features._last is None  # nothing of a long document is kept


def marked(annotator: CrfAnnotator | SvmAnnotator) -> list[tuple[Any, ...]]:
    annotator.open()
    cas = long_document()
    apply(annotator, cas)
    return [(c.begin, c.end, c.kind, c.confidence) for c in cas.select(PhiCandidate)]
