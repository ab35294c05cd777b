"""Figures against those of seqeval and nervaluate, where they are installed, over random label sequences."""

from __future__ import annotations

import random
import warnings

import pytest

from caspipe.consumers.scoring import score
from caspipe.consumers.scoring.schemes.conll import pair_of_labels

FIGURES = ("precision", "recall", "f1")
Sequences = list[list[str]]


def sequences(seed: int) -> tuple[Sequences, Sequences]:
    draw = random.Random(seed)
    labels = ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    gold = [[draw.choice(labels) for _ in range(draw.randint(1, 12))] for _ in range(8)]
    return gold, [[x if draw.random() < 0.7 else draw.choice(labels) for x in line] for line in gold]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_chunks_count_as_in_seqeval(seed: int, average: str) -> None:
    pytest.importorskip("seqeval", reason="needs seqeval (MIT): pip install seqeval")
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as lenient
    from seqeval.metrics.v1 import precision_recall_fscore_support as strict
    from seqeval.scheme import IOB2

    gold, system = sequences(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = lenient(gold, system, average=average, zero_division=0)[:3]
        theirs_strict = strict(gold, system, average=average, scheme=IOB2, zero_division=0)[:3]
    ours = score([pair_of_labels("d", gold, system)], scheme="conll")
    ours_strict = score([pair_of_labels("d", gold, system, "strict")], scheme="conll")
    assert [ours.value("chunk", average, f) or 0 for f in FIGURES] == pytest.approx(list(theirs))  # type: ignore[arg-type]
    assert [ours_strict.value("chunk", average, f) or 0 for f in FIGURES] == pytest.approx(list(theirs_strict))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_strict_spans_count_as_in_nervaluate(seed: int) -> None:
    nervaluate = pytest.importorskip("nervaluate", reason="needs nervaluate (MIT): pip install nervaluate")
    gold, system = sequences(seed)
    pairs = pair_of_labels("d", gold, system)
    spans = [
        [[{"label": m.kind, "start": m.begin, "end": m.end} for m in marks]] for marks in (pairs.gold, pairs.system)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = nervaluate.Evaluator(*spans, tags=["PER", "LOC"], loader="default").evaluate()["overall"]
    ours = score([pairs], ["strict", "strict-binary"])
    for criterion, name in (("strict", "strict"), ("strict-binary", "exact")):
        found = theirs[name]
        assert ours.value(criterion, "micro", "recall") == pytest.approx(found.recall)
        assert ours.value(criterion, "micro", "precision") == pytest.approx(found.precision)
