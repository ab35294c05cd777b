"""Scores against scikit-learn's metrics, over random labels: tokens, kinds, confusion, thresholds, confidences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    precision_recall_curve,
    precision_recall_fscore_support,
)

from caspipe.annotators.sequence.calibration import reliability
from caspipe.consumers.scoring import Mark, Pair, score
from caspipe.consumers.scoring.confusion import MISSED, SPURIOUS, confusion_of
from caspipe.consumers.scoring.curves import curve

KINDS = ["DATE", "ID", "PERSON"]
LABELS = st.lists(st.tuples(st.sampled_from(["", *KINDS]), st.sampled_from(["", *KINDS])), min_size=1, max_size=40)
CERTAIN = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=60)


def pair_of(labels: list[tuple[str, str]]) -> Pair:
    """Return a document of one-letter tokens; each token with a kind is one span."""
    sides = [[Mark(2 * i, 2 * i + 1, k) for i, k in enumerate(side) if k] for side in zip(*labels, strict=True)]
    begins = list(range(0, 2 * len(labels), 2))
    return Pair("d", "x " * len(labels), *sides, (begins, [b + 1 for b in begins]))


@given(LABELS)
def test_precision_recall_and_f1_of_tokens_by_kind_and_over_all(labels: list[tuple[str, str]]) -> None:
    scores = score([pair_of(labels)], ["token", "token-binary"])
    gold, system = zip(*labels, strict=True)
    for kind in {k for side in (gold, system) for k in side if k}:
        theirs = precision_recall_fscore_support(gold, system, labels=[kind], average="micro", zero_division=np.nan)
        for measure, value in zip(("precision", "recall"), theirs, strict=False):
            assert scores.value("token", kind, measure) == (None if np.isnan(value) else pytest.approx(value))
    micro = precision_recall_fscore_support(gold, system, labels=KINDS, average="micro", zero_division=np.nan)
    binary = precision_recall_fscore_support(
        [bool(k) for k in gold], [bool(k) for k in system], average="binary", zero_division=np.nan
    )
    for criterion, theirs in (("token", micro), ("token-binary", binary)):
        for measure, value in zip(("precision", "recall"), theirs, strict=False):
            found = scores.value(criterion, "micro", measure)
            assert found == (None if np.isnan(value) else pytest.approx(value))
        if theirs[0] + theirs[1] > 0:
            assert scores.value(criterion, "micro", "f1") == pytest.approx(theirs[2])


@given(LABELS)
def test_the_confusion_between_kinds(labels: list[tuple[str, str]]) -> None:
    ours = confusion_of([pair_of(labels)]).counts
    theirs = confusion_matrix(*zip(*labels, strict=True), labels=["", *KINDS])
    for i, gold in enumerate([SPURIOUS, *KINDS]):
        for j, system in enumerate([MISSED, *KINDS]):
            if i or j:
                assert ours[gold, system] == theirs[i, j]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9])), min_size=1, max_size=40))
def test_precision_and_recall_over_confidence(spans: list[tuple[bool, float]]) -> None:
    gold = [Mark(2 * i, 2 * i + 1, "DATE") for i, (right, _) in enumerate(spans) if right]
    system = [Mark(2 * i, 2 * i + 1, "DATE", "", confidence) for i, (_, confidence) in enumerate(spans)]
    made = curve([Pair("d", "x " * len(spans), gold, system, ([], []))])
    if not gold:
        assert made.average_precision is None
        return
    right, confidences = zip(*spans, strict=True)
    assert made.average_precision == pytest.approx(average_precision_score(right, confidences))
    precision, recall, thresholds = precision_recall_curve(right, confidences)
    theirs = dict(zip(thresholds.tolist(), zip(precision, recall, strict=False), strict=False))
    for point in made.points:
        assert (point.precision, point.recall) == pytest.approx(theirs[point.threshold])


@given(CERTAIN)
def test_reliability_of_confidences(spans: list[tuple[float, bool]]) -> None:
    confidences, right = [c for c, _ in spans], [r for _, r in spans]
    ours = reliability(confidences, right)
    assert ours["brier"] == pytest.approx(brier_score_loss(right, confidences, labels=[False, True]), abs=1e-4)
    inner = [(c, r) for c, r in spans if abs(c * 10 - round(c * 10)) > 1e-9]  # borders of bins fall on other sides
    if inner:
        shares, means = calibration_curve([r for _, r in inner], [c for c, _ in inner], n_bins=10)
        found = reliability([c for c, _ in inner], [r for _, r in inner])["bins"]
        assert [b["right"] for b in found] == pytest.approx(list(shares), abs=1e-4)
        assert [b["confidence"] for b in found] == pytest.approx(list(means), abs=1e-4)
