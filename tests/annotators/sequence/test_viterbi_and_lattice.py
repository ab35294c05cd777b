"""Viterbi, marginals and probabilities of spans against counting all paths, and against python-crfsuite elsewhere."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.labels import Encoding, decode
from caspipe.annotators.sequence.lattice import Lattice, LogLattice, lattice
from caspipe.annotators.sequence.viterbi import viterbi

LABELS: dict[Encoding, list[str]] = {
    "iob2": ["O", "B-A", "I-A", "B-B", "I-B"],
    "bilou": ["O", "B-A", "I-A", "L-A", "U-A"],
    "io": ["O", "A", "B"],
}


def random_model(seed: int, tokens: int, labels: int, spread: float) -> tuple[Any, Any]:
    chance = np.random.default_rng(seed)
    return chance.normal(0, spread, (tokens, labels)), chance.normal(0, spread, (labels, labels))


def all_paths(scores: Any, transitions: Any) -> list[tuple[float, tuple[int, ...]]]:
    n, labels = scores.shape
    found = []
    for path in itertools.product(range(labels), repeat=n):
        score = sum(scores[t, y] for t, y in enumerate(path))
        score += sum(transitions[a, b] for a, b in itertools.pairwise(path))
        found.append((float(score), path))
    return found


def probabilities(scores: Any, transitions: Any) -> dict[tuple[int, ...], float]:
    paths = all_paths(scores, transitions)
    highest = max(score for score, _ in paths)
    weights = {path: np.exp(score - highest) for score, path in paths}
    whole = sum(weights.values())
    return {path: float(w / whole) for path, w in weights.items()}


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), st.sampled_from([0.5, 3.0, 50.0]))
def test_viterbi_finds_the_best_of_all_paths(seed: int, tokens: int, labels: int, spread: float) -> None:
    scores, transitions = random_model(seed, tokens, labels, spread)
    best = max(all_paths(scores, transitions))[1]
    assert tuple(viterbi(scores, [(0, tokens)], transitions)) == best


@given(st.integers(0, 10**6), st.lists(st.integers(0, 6), max_size=7), st.integers(1, 5))
def test_sequences_decoded_together_are_those_decoded_one_by_one(seed: int, lengths: list[int], labels: int) -> None:
    scores, transitions = random_model(seed, sum(lengths), labels, 2.0)
    ends = list(itertools.accumulate(lengths))
    sequences = [(end - length, end) for end, length in zip(ends, lengths, strict=True)]
    alone = [i for a, b in sequences for i in viterbi(scores[a:b], [(0, b - a)], transitions)]
    assert viterbi(scores, sequences, transitions) == alone


def test_more_sequences_than_fit_at_once_are_gone_through_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, transitions = random_model(7, 60, 4, 2.0)
    sequences = [(i, i + 3) for i in range(0, 60, 3)]
    whole = viterbi(scores, sequences, transitions)
    monkeypatch.setattr("caspipe.annotators.sequence.viterbi.ROOM", 40)
    assert viterbi(scores, sequences, transitions) == whole


def test_ties_go_to_the_lower_number_and_no_tokens_have_no_labels() -> None:
    assert viterbi(np.zeros((3, 4)), [(0, 3)], np.zeros((4, 4))) == [0, 0, 0]
    assert viterbi(np.zeros((0, 4)), [], np.zeros((4, 4))) == []


@pytest.mark.parametrize("cls", [Lattice, LogLattice])
@given(seed=st.integers(0, 10**6), tokens=st.integers(1, 5), labels=st.integers(1, 4))
def test_marginals_are_sums_over_all_paths(cls: type[Lattice], seed: int, tokens: int, labels: int) -> None:
    scores, transitions = random_model(seed, tokens, labels, 2.0)
    expected = np.zeros((tokens, labels))
    for path, p in probabilities(scores, transitions).items():
        expected[range(tokens), path] += p
    assert np.abs(cls(scores, transitions).marginals() - expected).max() < 1e-12


@pytest.mark.parametrize("encoding", ["iob2", "bilou", "io"])
@given(seed=st.integers(0, 10**6), tokens=st.integers(1, 4), spread=st.sampled_from([0.3, 2.0]))
def test_the_probability_of_a_span_is_that_of_all_paths_that_have_it(
    encoding: Encoding, seed: int, tokens: int, spread: float
) -> None:
    labels = LABELS[encoding]
    scores, transitions = random_model(seed, tokens, len(labels), spread)
    tagger = CrfAnnotator.__new__(CrfAnnotator)
    tagger.__dict__.update(model=_Model(encoding, labels, transitions))
    path = viterbi(scores, [(0, tokens)], transitions)
    spans = list(decode([labels[i] for i in path], [(0, tokens)], encoding))
    sure = tagger.confidences(scores, path, spans, [(0, tokens)])
    for (first, last, kind), confidence in zip(spans, sure, strict=True):
        expected = 0.0
        for other, p in probabilities(scores, transitions).items():
            if list(other[first:last]) != path[first:last]:
                continue
            if (first, last, kind) in decode([labels[i] for i in other], [(0, tokens)], encoding):
                expected += p
        assert confidence == pytest.approx(expected, abs=1e-12)


class _Model:
    """As much of a bundle as confidences need."""

    def __init__(self, encoding: str, labels: list[str], transitions: Any) -> None:
        self.meta, self.weights, self.transitions = {"encoding": encoding}, self, transitions
        self.labels = labels


def test_both_lattices_agree_where_both_can_count() -> None:
    scores, transitions = random_model(3, 30, 6, 4.0)
    one, other = Lattice(scores, transitions), LogLattice(scores, transitions)
    for first, path, joined, going_on in ((0, [1], [], [2]), (4, [1, 2, 2], [3], [2]), (27, [0, 1, 1], [1, 2], [5])):
        assert one.span(first, path, joined, going_on) == pytest.approx(
            other.span(first, path, joined, going_on), abs=1e-12
        )


def test_weights_too_far_apart_for_a_double_still_give_probabilities() -> None:
    scores = np.array([[0.0, 900.0], [900.0, 0.0], [0.0, 0.0]])
    transitions = np.array([[0.0, -2000.0], [-2000.0, 0.0]])
    sums = lattice(scores, transitions)
    assert isinstance(sums, LogLattice)
    assert np.isfinite(sums.marginals()).all()
    assert sums.marginals().sum(axis=1) == pytest.approx([1, 1, 1])
    assert sums.span(0, [0, 0, 0]) == pytest.approx(0.5)
    assert sums.span(0, [0], after=[0, 1]) == 0.0
    assert isinstance(lattice(scores / 10, transitions / 10), Lattice)


def test_a_long_sequence_neither_overflows_nor_vanishes() -> None:
    scores, transitions = random_model(5, 20_000, 3, 5.0)
    marginals = lattice(scores, transitions).marginals()
    assert np.abs(marginals.sum(axis=1) - 1).max() < 1e-9
