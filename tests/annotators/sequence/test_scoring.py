"""Scores by table look-up are those of the sparse dot product, for any features, windows and weights."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence import scoring
from caspipe.annotators.sequence.extraction import Context, FeatureSet
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.scoring import LabelScorer
from caspipe.annotators.sequence.weights import Weights

from .small_models import documents, features

FEATURES = [
    "lower",
    {"suffix3": {"window": [-1, 2]}},
    "hyphen",
    {"list": {"names": "places", "window": [-2, 0]}},
    "term",
    "candidate",
    "neighbours",
    "sentence_position",
    {"document_position": {"window": [-1, 1]}},
    "shape",
]
LABELS = ["O", "B-A", "I-A"]


def dot_products(of: FeatureSet, weights: Weights, words: Words) -> Any:
    """Scores added up one attribute after the other."""
    table: dict[str, list[tuple[int, float]]] = {}
    for row, column, value in zip(weights.rows, weights.columns, weights.values, strict=True):
        table.setdefault(weights.attributes[row], []).append((column, value))
    scores = np.zeros((len(words), len(weights.labels)))
    for i, found in enumerate(of.attributes(of.columns(words))):
        for name, size in found.items() if isinstance(found, dict) else dict.fromkeys(found, 1.0).items():
            for column, value in table.get(name, ()):
                scores[i, column] += size * value
    return scores


def random_weights(of: FeatureSet, words: list[Words], seed: int) -> Weights:
    """Weights for about half of the attributes that occur."""
    chance = random.Random(seed)
    seen = dict.fromkeys(name for w in words for found in of.attributes(of.columns(w)) for name in found)
    state = {(a, label): chance.gauss(0, 1) for a in seen for label in LABELS if chance.random() < 0.5}
    return Weights.of(LABELS, state)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    chosen=st.sets(st.integers(0, len(FEATURES) - 1), min_size=1),
    low=st.integers(-4, 0),
    high=st.integers(0, 4),
    context=st.sampled_from(["sentence", "document"]),
)
def test_scores_are_dot_products(seed: int, chosen: set[int], low: int, high: int, context: Context) -> None:
    of = FeatureSet(features(*[FEATURES[i] for i in sorted(chosen)]), (low, high), context)
    words = [Words(cas.view()) for cas in documents(3, seed)]
    weights = random_weights(of, words[:2], seed)
    scorer = LabelScorer(of, weights)
    for w in words:  # the third one has attributes without weights
        assert np.abs(scorer.scores(of.columns(w)) - dot_products(of, weights, w)).max(initial=0) < 1e-12


def test_full_tables_are_followed_by_others_and_scores_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [Words(cas.view()) for cas in documents(20, 3)]
    of = FeatureSet(features(*FEATURES))
    weights = random_weights(of, words, 3)
    free = [LabelScorer(FeatureSet(features(*FEATURES)), weights).scores(of.columns(w)) for w in words]
    tight, other = LabelScorer(of, weights), LabelScorer(of, random_weights(of, words, 4))
    monkeypatch.setattr(scoring, "TOGETHER", 3)
    of.numbering.limit = 10
    generations = []
    for i, (w, expected) in enumerate(zip(words, free, strict=True)):
        columns = of.columns(w)
        assert (tight.scores(columns) == expected).all()
        if i % 3 == 0:  # a scorer that does not see every document may miss a generation
            assert np.abs(other.scores(columns) - dot_products(of, other._weights, w)).max() < 1e-12
        generations.append(tight._tables[0].keys)
    assert len({id(keys) for keys in generations}) > 3
    assert len(generations[-1]) < 100 and tight._tables[0].matrix.shape[1] < 2_000


def test_generations_take_turns_in_two_matrices() -> None:
    of = FeatureSet(features(*FEATURES))
    words = [Words(cas.view()) for cas in documents(20, 3)]
    scorer = LabelScorer(of, random_weights(of, words, 3))
    of.numbering.limit = 10
    keys, places = set(), set()
    for w in words:
        scorer.scores(of.columns(w))
        keys.add(id(scorer._tables[0].keys))
        places.add(scorer._tables[0].matrix.ctypes.data)
    assert len(keys) > 3
    assert len(places) == 2


def test_rows_of_the_generation_before_are_copied_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    of = FeatureSet(features("lower"))
    words = [Words(cas.view()) for cas in (*documents(1, 3), *documents(1, 3))]
    scorer = LabelScorer(of, random_weights(of, words, 3))
    of.numbering.limit = 1
    first = scorer.scores(of.columns(words[0]))
    monkeypatch.setattr(scorer, "_rows", lambda several: pytest.fail(f"{len(several)} rows computed again"))
    assert (scorer.scores(of.columns(words[1])) == first).all()


def test_two_models_over_one_set_of_features_share_what_is_looked_up() -> None:
    asked: list[str] = []
    of = FeatureSet(features(*FEATURES))
    whole = of.bases_of
    of.bases_of = lambda forms: asked.extend(forms) or whole(forms)  # type: ignore[method-assign,func-returns-value]
    cas = documents(1, 3)[0]
    one, other = (
        LabelScorer(of, random_weights(FeatureSet(features(*FEATURES)), [Words(cas.view())], i)) for i in (1, 2)
    )
    columns = of.columns(Words(cas.view()))
    one.scores(columns)
    assert sorted(asked) == sorted(set(columns.forms))
    again = of.columns(Words(cas.view()))
    assert again is columns and of.places(again) is of.places(columns)
    other.scores(again)
    assert len(asked) == len(set(columns.forms))


def test_no_tokens_have_no_scores_and_unknown_words_score_nothing() -> None:
    of = FeatureSet(features("lower"), (0, 0))
    scorer = LabelScorer(of, Weights.of(LABELS, {("0:lower=x", "O"): 1.0}))
    empty, one = (Words(cas.view()) for cas in (documents(1, 1)[0], documents(1, 1)[0]))
    empty.forms.clear()
    assert scorer.scores(of.columns(one)).any() == ("x" in one.lowers)
    assert LabelScorer(of, Weights.of(LABELS, {})).scores(of.columns(one)).sum() == 0
