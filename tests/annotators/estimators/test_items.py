"""Items in the formats of sklearn_crfsuite: the same attributes, labels and probabilities as CRFsuite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.estimators.items import ItemScorer, attributes, ordered
from caspipe.annotators.sequence.weights import Weights

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
NUMBERS = st.floats(-4, 4, allow_nan=False) | st.booleans() | st.integers(-3, 3)
ITEMS = st.recursive(
    st.dictionaries(NAMES, NAMES | NUMBERS | st.lists(NAMES, max_size=3) | st.sets(NAMES, max_size=3), max_size=4),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@given(ITEMS | st.lists(NAMES, max_size=4))
def test_attributes_are_those_of_crfsuite(item: Any) -> None:
    made = list(attributes(item))
    assert dict(made) == pycrfsuite.ItemSequence([item]).items()[0]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"word": "Ann"}, [("word:Ann", 1.0)]),
        ({b"word": b"\xc3\x85sa"}, [("word:Åsa", 1.0)]),
        ({"length": 3, "capital": True}, [("length", 3.0), ("capital", 1.0)]),
        (
            {"next": {"word": "x", "tags": ["a", "a"]}},
            [("next:word:x", 1.0), ("next:tags:a", 1.0), ("next:tags:a", 1.0)],
        ),
        (["a", "b", "a"], [("a", 1.0), ("b", 1.0), ("a", 1.0)]),
        ({"a\0b": {"c": 2}}, [("a", 2.0)]),
        ({}, []),
    ],
)
def test_attributes_of_each_format(item: Any, expected: list[tuple[str, float]]) -> None:
    assert list(attributes(item)) == expected


@given(st.lists(st.lists(ITEMS | st.lists(NAMES, max_size=4), max_size=4), max_size=3))
def test_scores_are_sums_of_weights_of_attributes(sequences: list[list[Any]]) -> None:
    weights = {
        name: n + 0.5 for n, (name, _) in enumerate(a for s in sequences for item in s for a in attributes(item))
    }
    scorer = ItemScorer(
        Weights.of(["O", "X"], {("never", "O"): 1.0} | {(name, "X"): w for name, w in weights.items()}, {})
    )
    scores, ranges = scorer.scores(sequences)
    expected = [sum(weights[name] * value for name, value in attributes(item)) for s in sequences for item in s]
    assert scores[:, 1].tolist() == pytest.approx(expected)
    assert [last - first for first, last in ranges] == [len(s) for s in sequences]


def test_the_order_of_sets_does_not_depend_on_the_hash_seed() -> None:
    item = {"words": {"b", "a", "c"}, "more": {"inner": {"z", "y"}}}
    assert ordered(item) == {"words": ["a", "b", "c"], "more": {"inner": ["y", "z"]}}
    assert list(attributes({"b", "a"})) == [("a", 1.0), ("b", 1.0)]


def test_repeated_attributes_count_each_time() -> None:
    scorer = ItemScorer(Weights.of(["O", "X"], {("a", "X"): 0.5, ("b", "O"): 2.0}, {}))
    scores, ranges = scorer.scores([[["a", "a", "b"], ["c"]], [], [{"a": 3.0}]])
    assert scores.tolist() == [[2.0, 1.0], [0.0, 0.0], [0.0, 1.5]]
    assert ranges == [(0, 2), (2, 2), (2, 3)]


def test_sequences_without_items_have_no_labels() -> None:
    scorer = ItemScorer(Weights.of(["O", "X"], {("a", "X"): 0.5}, {}))
    assert scorer.best([]) == [] and scorer.best([[], []]) == [[], []]
    assert [m.shape for m in scorer.marginals([[], [["a"]]])] == [(0, 2), (1, 2)]
    assert np.allclose(scorer.marginals([[["a"]]])[0].sum(axis=1), 1)
