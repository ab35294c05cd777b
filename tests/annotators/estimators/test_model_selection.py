"""The estimators in the pipelines, grids and cross-validations of scikit-learn, in one process and in several."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from caspipe.annotators.estimators import PhiDetector, PhiTagger, SpanScorer, score_spans

from .texts import corpus

X, y = corpus(48)
GROUPS = [i // 4 for i in range(48)]
DETECTOR = PhiDetector(features=["lower", "shape"], window=(-1, 1), max_iterations=15)


def spaced(texts: list[str]) -> list[str]:
    """Replace no-break spaces by spaces: offsets stay."""
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def test_a_pipeline_with_a_cleaning_step() -> None:
    raw = [text.replace(" ", "\N{NO-BREAK SPACE}") for text in X]
    pipeline = Pipeline([("clean", FunctionTransformer(spaced)), ("phi", clone(DETECTOR))])
    assert pipeline.fit(raw, y).predict(raw).tolist() == y
    assert pipeline.score(raw, y) == 1.0
    assert pipeline.set_params(phi__c1=0.5).get_params()["phi__c1"] == 0.5
    assert clone(pipeline).named_steps["phi"].c1 == 0.5


def test_a_grid_over_the_parameters_of_a_pipeline() -> None:
    pipeline = Pipeline([("clean", FunctionTransformer(spaced)), ("phi", clone(DETECTOR))])
    grid = GridSearchCV(
        pipeline, {"phi__c1": [0.0, 0.1], "phi__c2": np.array([0.01, 1000.0])}, cv=2, error_score="raise"
    )
    grid.fit(X, y)
    assert grid.best_params_["phi__c2"] == 0.01
    assert grid.best_score_ > 0.9 > grid.cv_results_["mean_test_score"].min()
    assert grid.predict(X).tolist() == grid.best_estimator_.predict(X).tolist()


def test_a_nested_grid() -> None:
    grid = GridSearchCV(clone(DETECTOR), {"c2": [0.01, 1000.0]}, cv=2, error_score="raise")
    scores = cross_val_score(grid, X, y, cv=2, error_score="raise")
    assert scores.shape == (2,) and scores.min() > 0.8


def test_a_grid_over_the_learner_and_its_features() -> None:
    grid = GridSearchCV(
        clone(DETECTOR).set_params(max_iterations=None),
        {"learner": ["crf", "svm"], "features": [["length"], ["lower", "shape"]]},
        cv=2,
        error_score="raise",
    )
    assert grid.fit(X, y).best_params_["features"] == ["lower", "shape"]


def test_folds_of_groups_and_several_scores() -> None:
    frame = pandas.DataFrame({"text": X, "spans": y, "group": GROUPS})
    scoring = {"strict": SpanScorer(), "recall": SpanScorer("covering", "recall"), "names": SpanScorer(kind="PERSON")}
    found = cross_validate(
        DETECTOR, frame.text, frame.spans, groups=frame.group, cv=GroupKFold(3), scoring=scoring, error_score="raise"
    )
    assert {name: len(found[f"test_{name}"]) for name in scoring} == dict.fromkeys(scoring, 3)
    assert min(found["test_recall"]) > 0.8
    alone = cross_val_score(DETECTOR, X, y, groups=GROUPS, cv=GroupKFold(3), error_score="raise")
    assert alone.tolist() == found["test_strict"].tolist()


def test_a_failed_fit_is_reported_by_the_grid() -> None:
    with (
        pytest.warns(FitFailedWarning, match="crf_trainer: c1: expected a finite number of 0 or more"),
        pytest.warns(UserWarning),
    ):
        grid = GridSearchCV(clone(DETECTOR), {"c1": [0.1, -1.0]}, cv=2).fit(X, y)
    assert grid.best_params_ == {"c1": 0.1}


@pytest.mark.slow
def test_two_processes_find_the_same() -> None:
    one, two = (
        cross_validate(DETECTOR, X, y, cv=2, n_jobs=jobs, return_estimator=True, error_score="raise") for jobs in (1, 2)
    )
    assert one["test_score"].tolist() == two["test_score"].tolist()
    for a, b in zip(one["estimator"], two["estimator"], strict=True):
        assert a.model_.files == b.model_.files
        assert a.predict(X).tolist() == b.predict(X).tolist()


def test_predictions_of_all_folds_are_in_the_order_of_the_texts() -> None:
    found = cross_val_predict(DETECTOR, X, y, groups=GROUPS, cv=GroupKFold(3))
    assert found.shape == (48,) and score_spans(X, y, found).value("strict") > 0.8
    tokens = [text.split() or ["."] for text in X]
    labels = [["B-X" if token[:1].isupper() else "O" for token in sequence] for sequence in tokens]
    found = cross_val_predict(PhiTagger(max_iterations=10), tokens, labels, cv=3)
    assert [len(row) for row in found] == [len(row) for row in labels]


@pytest.mark.slow
def test_only_this_package_imports_scikit_learn() -> None:
    program = (
        "import sys; from caspipe.pipeline.contract import registry; registry.discover()\n"
        "print([m for m in ('sklearn', 'sklearn_crfsuite', 'caspipe.annotators.estimators') if m in sys.modules])\n"
        "import caspipe.annotators.estimators; print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nTrue\n"
