"""The quick way through texts that are nearly all outside finds the path of the plain Viterbi, whatever the weights."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence import viterbi as module
from caspipe.annotators.sequence.crf import FORCED
from caspipe.annotators.sequence.viterbi import SparseViterbi, decoder, viterbi


def sequences_of(cuts: list[int], n: int) -> list[tuple[int, int]]:
    return list(pairwise(sorted({0, n, *[c % (n + 1) for c in cuts]})))


@given(
    seed=st.integers(0, 10**6),
    tokens=st.integers(0, 30),
    labels=st.integers(1, 6),
    cuts=st.lists(st.integers(0, 30), max_size=6),
    spread=st.sampled_from([0.3, 2.0, 50.0]),
    leaning=st.sampled_from([0.0, 1.0, 3.0, 8.0]),
    forbidden=st.sampled_from([0.0, 0.3]),
)
def test_the_path_is_that_of_viterbi(
    seed: int, tokens: int, labels: int, cuts: list[int], spread: float, leaning: float, forbidden: float
) -> None:
    chance = np.random.default_rng(seed)
    scores, transitions = chance.normal(0, spread, (tokens, labels)), chance.normal(0, spread, (labels, labels))
    transitions[chance.random((labels, labels)) < forbidden] = -10_000.0
    rest = int(chance.integers(labels))
    scores[:, rest] += leaning * spread
    sequences = sequences_of(cuts, tokens)
    assert SparseViterbi(transitions, rest).path(scores, sequences) == viterbi(scores, sequences, transitions)


@given(
    seed=st.integers(0, 10**6), tokens=st.integers(1, 30), labels=st.integers(2, 5), cuts=st.lists(st.integers(0, 9))
)
def test_the_path_is_the_same_if_it_is_known_which_tokens_are_inside(
    seed: int, tokens: int, labels: int, cuts: list[int]
) -> None:
    chance = np.random.default_rng(seed)
    scores, transitions = chance.normal(0, 3, (tokens, labels)), chance.normal(0, 3, (labels, labels))
    rest, inside = int(chance.integers(labels)), chance.random(tokens) < 0.3
    scores[:, rest] += np.where(inside, -FORCED, FORCED)
    sequences = sequences_of(cuts, tokens)
    for decode in (SparseViterbi(transitions, rest).path, decoder([str(i) for i in range(labels)], transitions)):
        assert decode(scores, sequences, inside=inside) == viterbi(scores, sequences, transitions)


@given(
    seed=st.integers(0, 10**6), tokens=st.integers(1, 12), labels=st.integers(2, 4), cuts=st.lists(st.integers(0, 9))
)
def test_ties_go_to_the_lower_number_as_in_viterbi(seed: int, tokens: int, labels: int, cuts: list[int]) -> None:
    chance = np.random.default_rng(seed)
    scores, transitions = (
        chance.integers(-1, 2, shape).astype(float) for shape in ((tokens, labels), (labels, labels))
    )
    sequences = sequences_of(cuts, tokens)
    for rest in range(labels):
        assert SparseViterbi(transitions, rest).path(scores, sequences) == viterbi(scores, sequences, transitions)


def test_only_stretches_that_may_hold_something_are_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def spy(scores: Any, sequences: Any, transitions: Any) -> list[int]:
        seen.append((len(scores), list(sequences)))
        return viterbi(scores, sequences, transitions)

    monkeypatch.setattr(module, "viterbi", spy)
    transitions = np.array([[0.0, -1.0, -9.0], [-1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])  # O, B, I
    scores = np.tile([5.0, 0.0, 0.0], (100, 1))
    way = SparseViterbi(transitions, 0)
    assert way.path(scores, [(0, 50), (50, 100)]) == [0] * 100 and not seen
    scores[[10, 49, 50], 1] = 9.0
    scores[[11, 51], 2] = 9.0
    expected = [0] * 100
    expected[10], expected[11], expected[49], expected[50], expected[51] = 1, 2, 1, 1, 2
    assert way.path(scores, [(0, 50), (50, 100)]) == expected
    ((tokens, stretches),) = seen
    assert tokens < 20 and len(stretches) == 3


def test_scores_that_are_no_numbers_rule_nothing_out() -> None:
    scores = np.array([[0.0, 1.0], [np.inf, 0.0], [0.0, 2.0]])
    with np.errstate(invalid="ignore"):
        found = SparseViterbi(np.zeros((2, 2)), 0).path(scores, [(0, 3)])
    assert found == viterbi(scores, [(0, 3)], np.zeros((2, 2)))


def test_labels_without_an_outside_are_decoded_the_plain_way() -> None:
    scores, transitions = np.array([[0.0, 1.0], [2.0, 0.0]]), np.zeros((2, 2))
    assert decoder(["NN", "VB"], transitions)(scores, [(0, 2)]) == [1, 0]
    assert decoder(["A", "O"], transitions)(scores, [(0, 2)]) == [1, 0]
