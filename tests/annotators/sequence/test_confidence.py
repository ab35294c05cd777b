"""Probabilities of the spans of a whole document are those of one sentence after the other."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.confidence import SpanProbabilities
from caspipe.annotators.sequence.lattice import LogLattice


def one_by_one(scores: Any, transitions: Any, masks: Any, path: list[int], spans: Any, sequences: Any) -> list[float]:
    """Each span from a lattice of its own, in logarithms."""
    found = []
    for first, last in spans:
        begin, end = next(s for s in sequences if s[0] <= first < s[1])
        joined = [a for a in range(len(transitions)) if not masks[0][path[first], a]]
        going_on = [b for b in range(len(transitions)) if not masks[1][path[last - 1], b]]
        sums = LogLattice(scores[begin:end], transitions)
        found.append(sums.span(first - begin, path[first:last], joined, going_on))
    return found


@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    labels=st.integers(1, 5),
    spread=st.sampled_from([0.3, 3.0, 30.0, 2_000.0]),
)
def test_spans_of_a_document_have_the_probabilities_of_their_sentences(
    seed: int, lengths: list[int], labels: int, spread: float
) -> None:
    chance = np.random.default_rng(seed)
    n = sum(lengths)
    scores, transitions = chance.normal(0, spread, (n, labels)), chance.normal(0, min(spread, 100.0), (labels, labels))
    masks = (chance.random((2, labels, labels)) < 0.6).astype(float)
    path = chance.integers(labels, size=n).tolist()
    sequences = list(pairwise([0, *accumulate(lengths)]))
    spans = []
    for begin, end in sequences:
        bounds = sorted(set(chance.integers(begin, end + 1, size=4).tolist()))
        spans += [s for s in pairwise(bounds) if chance.random() < 0.6]
    found = SpanProbabilities(transitions, *masks).of(scores, path, spans, sequences)
    expected = one_by_one(scores, transitions, masks, path, spans, sequences)
    assert found == pytest.approx(expected, abs=1e-9)
    assert all(0 <= p <= 1 for p in found)


def test_long_sentences_neither_overflow_nor_vanish() -> None:
    chance = np.random.default_rng(5)
    scores, transitions = chance.normal(0, 20, (3_000, 3)), chance.normal(0, 20, (3, 3))
    ones = np.ones((3, 3))
    path, spans, sequences = [1] * 3_000, [(0, 1), (1_500, 1_501), (2_999, 3_000)], [(0, 3_000)]
    found = SpanProbabilities(transitions, ones, ones).of(scores, path, spans, sequences)
    assert found == pytest.approx(one_by_one(scores, transitions, (ones, ones), path, spans, sequences), abs=1e-9)


@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    labels=st.integers(1, 5),
    spread=st.sampled_from([0.3, 3.0, 30.0, 2_000.0]),
)
def test_labels_of_tokens_have_the_probabilities_of_their_sentences(
    seed: int, lengths: list[int], labels: int, spread: float
) -> None:
    chance = np.random.default_rng(seed)
    n = sum(lengths)
    scores, transitions = chance.normal(0, spread, (n, labels)), chance.normal(0, min(spread, 100.0), (labels, labels))
    sequences = list(pairwise([0, *accumulate(lengths)]))
    found = SpanProbabilities(transitions, *np.ones((2, labels, labels))).of_tokens(scores, sequences)
    assert found.shape == scores.shape
    for begin, end in sequences:
        if begin < end:
            assert found[begin:end] == pytest.approx(LogLattice(scores[begin:end], transitions).marginals(), abs=1e-9)


def test_a_document_without_spans_asks_for_nothing() -> None:
    assert SpanProbabilities(np.zeros((2, 2)), *np.ones((2, 2, 2))).of(np.zeros((3, 2)), [0, 0, 0], [], [(0, 3)]) == []


@pytest.mark.parametrize(("labels", "forbidden"), [(60, 0.0), (3, 0.0), (4, -200.0), (4, -240.0), (3, -400.0)])
@pytest.mark.parametrize("far", [0.0, 1.0, 50.0, 90.0])
def test_sums_are_scaled_before_they_leave_the_range_of_a_double(labels: int, forbidden: float, far: float) -> None:
    """Flat scores of many labels make sums grow at every step, forbidden pairs that the scores demand make them shrink."""
    tokens = 400
    transitions = np.full((labels, labels), forbidden)
    transitions[:, 0] = transitions[0, 0] = 0.0
    scores = np.zeros((tokens, labels))
    scores[np.arange(tokens), 1 + np.arange(tokens) % (labels - 1)] = far
    ones = np.ones((labels, labels))
    sums = SpanProbabilities(transitions, ones, ones)
    path, spans = [0] * tokens, [(0, 1), (200, 202), (399, 400)]
    found = sums.of(scores, path, spans, [(0, tokens)])
    assert found == pytest.approx(one_by_one(scores, transitions, (ones, ones), path, spans, [(0, tokens)]), abs=1e-9)
    expected = LogLattice(scores, transitions).marginals()
    np.testing.assert_allclose(sums.of_tokens(scores, [(0, tokens)]), expected, atol=1e-9)
