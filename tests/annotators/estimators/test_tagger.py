"""`PhiTagger`: the labels of CRFsuite, models exchanged with sklearn_crfsuite in both directions, clear errors."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn_crfsuite
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from caspipe.annotators.estimators import PhiTagger
from caspipe.annotators.estimators.tagger import CHOICES

NAMES = "Smith Novak Çelik 李小龍 O'Neill Zoë".split()
FRAMES = ("Dr. {} saw the patient .", "{} came .", "No fever today .", "Mrs. {} and Dr. {} left ; {} stayed .", "")


def corpus(count: int, seed: int = 1) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences as tokens, and their labels."""
    chance = random.Random(seed)
    X, y = [], []
    for _ in range(count):
        tokens = [chance.choice(NAMES) if t == "{}" else t for t in chance.choice(FRAMES).split()]
        X.append(tokens)
        y.append(["B-PERSON" if t in NAMES else "O" for t in tokens])
    return X, y


def dicts(X: list[list[str]]) -> list[list[dict[str, Any]]]:
    """Feature dicts of every format that sklearn_crfsuite takes."""
    return [
        [
            {
                "word": t.lower(),
                "length": len(t) / 3,
                "title": t.istitle(),
                "affix": {"end": t[-2:], "all": [t[:1], t[-1:]]},
            }
            | ({"before": sequence[i - 1]} if i else {"first": 1})
            for i, t in enumerate(sequence)
        ]
        for sequence in X
    ]


X, y = corpus(60)
NEW, _ = corpus(40, seed=2)


@pytest.mark.parametrize(
    "parameters",
    [
        {"c1": 0.1, "c2": 0.01, "max_iterations": 30},
        {"c2": 0.5, "all_possible_transitions": True, "all_possible_states": True, "max_iterations": 20},
        {"algorithm": "l2sgd", "max_iterations": 20},
        {"algorithm": "ap", "max_iterations": 5},
        {"algorithm": "pa", "max_iterations": 5, "pa_type": 2},
        {"algorithm": "arow", "max_iterations": 5, "min_freq": 2},
        {"linesearch": "Backtracking", "max_linesearch": 5, "num_memories": 3, "max_iterations": 20},
    ],
)
def test_dicts_in_the_same_labels_out(parameters: dict[str, Any]) -> None:
    tagger = PhiTagger(**parameters).fit(dicts(X), y)
    crf = tagger.to_crfsuite()
    items = dicts(NEW)
    assert tagger.predict(items).tolist() == [list(labels) for labels in crf.predict(items)]
    assert tagger.classes_ == crf.classes_
    assert tagger.score(dicts(X), y) == pytest.approx(crf.score(dicts(X), y), abs=1e-12)
    assert "B-PERSON" in {label for labels in tagger.predict(items).tolist() for label in labels}


def test_labels_stay_equal_under_random_weights_with_many_ties() -> None:
    chance = random.Random(5)
    for number in range(40):
        labels = "ABCDE"[: chance.randrange(2, 6)]
        sequences = [
            [[chance.choice("pqrs") for _ in range(3)] for _ in range(chance.randrange(1, 12))] for _ in range(30)
        ]
        marked = [[chance.choice(labels) for _ in sequence] for sequence in sequences]
        tagger = PhiTagger(algorithm=chance.choice(["ap", "lbfgs"]), max_iterations=chance.randrange(1, 6))
        tagger.fit(sequences, marked)
        assert tagger.predict(sequences).tolist() == [
            list(found) for found in tagger.to_crfsuite().predict(sequences)
        ], number


def test_probabilities_are_those_of_crfsuite() -> None:
    tagger = PhiTagger(c2=0.1, max_iterations=20).fit(dicts(X), y)
    items = dicts(NEW[:10])
    theirs = tagger.to_crfsuite().predict_marginals(items)
    for ours, expected, row in zip(tagger.predict_marginals(items), theirs, tagger.predict_proba(items), strict=True):
        assert [set(token) for token in ours] == [set(token) for token in expected]
        for i, token in enumerate(ours):
            assert token == pytest.approx(expected[i], abs=1e-9)
            assert row[i].tolist() == [token[label] for label in tagger.classes_]


def test_a_model_trained_there_loads_here_and_back(tmp_path: Path) -> None:
    there = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.05, c2=0.02, max_iterations=25)
    there.fit(dicts(X), y)
    here = PhiTagger.from_crfsuite(there)
    assert (here.c1, here.c2, here.max_iterations, here.algorithm) == (0.05, 0.02, 25, "lbfgs")
    back = here.to_crfsuite()
    items = dicts(NEW)
    expected = [list(labels) for labels in there.predict(items)]
    assert here.predict(items).tolist() == expected == [list(labels) for labels in back.predict(items)]
    assert Path(back.modelfile.name).read_bytes() == Path(there.modelfile.name).read_bytes()
    assert back.get_params()["c1"] == 0.05
    (tmp_path / "model.crfsuite").write_bytes(here.crfsuite_)
    assert PhiTagger.from_crfsuite(tmp_path / "model.crfsuite").predict(items).tolist() == expected
    again = here.fit(dicts(X), y)  # the same training with the same parameters
    assert again.predict(items).tolist() == expected


def test_tokens_get_our_features_which_sklearn_crfsuite_can_learn_from() -> None:
    features = ["lower", {"suffix": {"length": 2}}, "sentence_position"]
    tagger = PhiTagger(features=features, window=(-1, 1), c2=0.1, max_iterations=20).fit(X, y)
    items = tagger.attributes(X)
    assert all(isinstance(item, dict) for sequence in items for item in sequence)  # a feature is a number
    assert [len(a) for a in items] == [len(b) for b in X]
    there = sklearn_crfsuite.CRF(c2=0.1, max_iterations=20).fit(items, y)
    assert Path(there.modelfile.name).read_bytes() == tagger.crfsuite_
    loaded = PhiTagger.from_crfsuite(there, features=features, window=(-1, 1))
    assert (
        loaded.predict(NEW).tolist()
        == tagger.predict(NEW).tolist()
        == [list(f) for f in there.predict(tagger.attributes(NEW))]
    )
    assert tagger.score(X, y) > 0.95
    assert tagger.predict([["Dr.", "Unseen", "came", "."]])[0] == ["O", "B-PERSON", "O", "O"]


def test_attributes_need_no_training_and_leave_items_alone() -> None:
    assert PhiTagger(features=["lower"], window=(0, 0)).attributes([["Ann", "New York"]]) == [
        [["0:lower=ann"], ["0:lower=new york"]]
    ]
    items = [[{"a": 1}]]
    assert PhiTagger().attributes(items) == items
    assert PhiTagger().attributes([[]]) == [[]]


def test_the_same_sequences_give_the_same_bytes() -> None:
    first = PhiTagger(algorithm="ap", max_iterations=5).fit(X, y).crfsuite_
    PhiTagger(algorithm="arow", max_iterations=3).fit(X, y)
    assert PhiTagger(algorithm="ap", max_iterations=5).fit(X, y).crfsuite_ == first
    assert PhiTagger(algorithm="ap", max_iterations=5, random_state=2).fit(X, y).crfsuite_ != first


def test_a_fitted_tagger_can_be_pickled_and_cloned() -> None:
    tagger = PhiTagger(max_iterations=10).fit(X, y)
    state = tagger.__getstate__()
    assert not [name for name, value in state.items() if "Scorer" in type(value).__name__]
    assert pickle.loads(pickle.dumps(tagger)).predict(NEW).tolist() == tagger.predict(NEW).tolist()
    fresh = clone(tagger)
    assert fresh.get_params() == tagger.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(NEW)
    assert "crfsuite_" not in pickle.loads(pickle.dumps(fresh)).__dict__


@pytest.mark.slow
def test_a_grid_over_c1_and_c2_in_two_processes() -> None:
    grid = GridSearchCV(
        PhiTagger(max_iterations=15),
        {"c1": [0.0, np.float64(0.1)], "c2": [0.01, 100.0]},
        cv=3,
        n_jobs=2,
        error_score="raise",
    )
    grid.fit(X, y)
    assert grid.best_params_["c2"] == 0.01
    assert grid.best_estimator_.predict(NEW).tolist() == grid.predict(NEW).tolist()
    scores = cross_val_score(PhiTagger(max_iterations=15), np.array(X, dtype=object), np.array(y, dtype=object), cv=3)
    assert scores.min() > 0.9


def test_its_parameters_are_those_of_sklearn_crfsuite() -> None:
    there = set(sklearn_crfsuite.CRF().get_params()) - {"verbose", "model_filename", "keep_tempfiles", "trainer_cls"}
    assert set(PhiTagger().get_params()) == there | {"features", "window", "random_state"}
    assert repr(PhiTagger(c1=0.1)) == "PhiTagger(c1=0.1)"
    for name, choices in CHOICES.items():
        for choice in choices:
            PhiTagger(**{name: choice}, max_iterations=1).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"algorithm": "lbgfs"}, "PhiTagger: algorithm: unknown value 'lbgfs'; did you mean lbfgs?"),
        ({"linesearch": "Backtrack"}, "PhiTagger: linesearch: unknown value 'Backtrack'; did you mean Backtracking?"),
        ({"algorithm": 3}, "PhiTagger: algorithm: unknown value 3; expected one of lbfgs, l2sgd, ap, pa, arow"),
        ({"c1": -0.1}, "PhiTagger: c1: expected a finite number of 0 or more, found -0.1"),
        ({"c2": "1"}, "PhiTagger: c2: expected a finite number of 0 or more, found '1'"),
        ({"algorithm": "ap", "c1": 0.1}, "PhiTagger: algorithm ap: Parameter not found: c1 = 0.1"),
        ({"random_state": None}, "PhiTagger: random_state: expected a whole number, found None"),
        ({"features": ["lowr"]}, "no feature called 'lowr'; did you mean lower?"),
        (
            {"features": ["list"]},
            "PhiTagger.fit: features need ListHit: expected features of tokens alone; see PhiDetector",
        ),
        (
            {"window": (1, 2)},
            "PhiTagger: window: expected (from, to) with from in -20..0 and to in 0..20, found (1, 2)",
        ),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        PhiTagger(**parameters).fit(X, y)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([["Ann"]], None, "requires y to be passed, but the target y is None"),
        ("Ann", [["O"]], "X: expected a list of sequences, found str"),
        (["Ann"], [["O"]], "X[0]: expected a list of tokens or feature dicts, found str"),
        ([["Ann", 3]], [["O", "O"]], "X[0][1]: expected a token (str) or a feature dict, found int"),
        ([["Ann"], [{"a": 1}]], [["O"], ["O"]], "X[1][0]: expected a token (str) as before, found dict"),
        ([[{"a": 1}, "Ann"]], [["O"], ["O"]], "X[0][1]: expected a feature dict as before, found str"),
        ([["Ann", ""]], [["O", "O"]], "X[0][1]: expected a token, found an empty str"),
        (
            [[{"a": {"b": None}}]],
            [["O"]],
            "X[0][0]: expected values that are str, numbers, dicts, lists or sets, found None",
        ),
        ([[{"a": float("nan")}]], [["O"]], "X[0][0]: expected finite numbers, found nan"),
        ([["Ann"]], [["O"], ["O"]], "y: expected 1 label sequences, one for each sequence, found 2"),
        ([["Ann"]], [["O", "O"]], "y[0]: expected 1 labels, one for each element, found 2"),
        ([["Ann"]], [[None]], "y[0][0]: expected a label (str), found None"),
        ([["Ann"]], [[""]], "y[0][0]: expected a label (str), found an empty str"),
        ([[], []], [[], []], "X: expected at least one token, found none in 2 sequences"),
        (
            np.zeros((2, 3)),
            [0, 1],
            "X: expected a list of sequences, found an array of shape (2, 3). Reshape your data",
        ),
    ],
)
def test_wrong_data(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        PhiTagger(max_iterations=2).fit(X, y)
    assert str(error.value) == f"PhiTagger.fit: {message}"


def test_tokens_for_a_model_of_dicts_are_refused() -> None:
    tagger = PhiTagger(max_iterations=5).fit(dicts(X), y)
    for method in (tagger.predict, tagger.predict_proba):
        with pytest.raises(ValueError) as error:
            method(NEW)
        assert (
            str(error.value)
            == f"PhiTagger.{method.__name__}: X: expected feature dicts, on which the model was trained, found tokens (str)"
        )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("inf"), "X[1][0]: expected finite numbers, found inf"),
        (None, "X[1][0]: expected values that are str, numbers, dicts, lists or sets, found None"),
        ({"b": (1,)}, "X[1][0]: expected values that are str, numbers, dicts, lists or sets, found tuple"),
    ],
)
def test_wrong_values_in_use(value: Any, message: str) -> None:
    tagger = PhiTagger(max_iterations=2).fit([[{"a": 1.0}, {"a": "b"}]], [["O", "X"]])
    with pytest.raises(ValueError) as error:
        tagger.predict([[{"a": 1}], [{"a": value}]])
    assert str(error.value) == f"PhiTagger.predict: {message}"


def test_models_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError) as missing:
        PhiTagger().to_crfsuite()
    assert str(missing.value) == "This PhiTagger instance is not fitted yet: call fit or load a model first."
    with pytest.raises(ValueError) as error:
        PhiTagger.from_crfsuite(sklearn_crfsuite.CRF())
    assert str(error.value) == "PhiTagger.from_crfsuite: expected a fitted CRF, found one without a model: call its fit"
    (tmp_path / "x").write_bytes(b"no model at all, and long enough for a header of CRFsuite")
    with pytest.raises(ValueError) as error:
        PhiTagger.from_crfsuite(tmp_path / "x")
    assert str(error.value) == f"PhiTagger.from_crfsuite: {tmp_path / 'x'}: expected a model of CRFsuite (lCRF, FOMC)"
    with pytest.raises(ValueError) as error:
        PhiTagger(max_iterations=2).fit(X, y).score([[]], [[]])
    assert str(error.value) == "PhiTagger.score: X: expected at least one token, found none in 1 sequences"
