"""The pruned Viterbi finds the paths of the plain one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.decoding import viterbi
from caspipe.annotators.sequence.pruning import PrunedViterbi


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.lists(st.integers(0, 9), max_size=6),
    st.sampled_from([0.0, 0.1, 1.0, 10.0]),
)
def test_paths_are_those_of_viterbi(seed: int, labels: int, lengths: list[int], spread: float) -> None:
    chance = np.random.default_rng(seed)
    ends = np.cumsum([0, *lengths]).tolist()
    sequences = list(pairwise(ends))
    scores = chance.normal(size=(ends[-1], labels)) * 3
    transitions = chance.normal(size=(labels, labels)) * spread
    assert PrunedViterbi(transitions).path(scores, sequences) == viterbi(scores, sequences, transitions)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_paths_are_as_good_where_many_score_alike(seed: int, labels: int, lengths: list[int]) -> None:
    chance = np.random.default_rng(seed)
    ends = np.cumsum([0, *lengths]).tolist()
    scores = chance.integers(0, 2, (ends[-1], labels)).astype(float)
    transitions = chance.integers(-1, 2, (labels, labels)).astype(float)

    def total(path: list[int], first: int, last: int) -> float:
        own = sum(scores[i, path[i]] for i in range(first, last))
        return float(own + sum(transitions[path[i - 1], path[i]] for i in range(first + 1, last)))

    for sequence in pairwise(ends):
        found = PrunedViterbi(transitions).path(scores, [sequence])
        best = viterbi(scores, [sequence], transitions)
        assert total(found, *sequence) == total(best, *sequence)


@pytest.mark.parametrize("sequences", [[], [(0, 0)]])
def test_no_tokens_have_no_labels(sequences: list[tuple[int, int]]) -> None:
    assert PrunedViterbi(np.zeros((3, 3))).path(np.zeros((0, 3)), sequences) == []


def test_a_sure_token_parts_a_sequence_without_deciding_for_its_neighbours() -> None:
    transitions = np.array([[0.0, -9.0], [-9.0, 0.0]])
    scores = np.array([[1.0, 0.0], [0.0, 40.0], [1.0, 0.0]])
    assert PrunedViterbi(transitions).path(scores, [(0, 3)]) == [1, 1, 1]
