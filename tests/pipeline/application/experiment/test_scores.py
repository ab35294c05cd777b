"""Figures and their statistics, against numbers counted by hand."""

from __future__ import annotations

import pytest

from caspipe.pipeline.application.experiment.scores import (
    OVERALL,
    Counts,
    Scores,
    averaged,
    best,
    deviation,
    kinds_of,
    mean,
    quantile,
    spread,
)


def test_figures_of_table_10_of_the_source_come_out_of_their_counts() -> None:
    age = Counts(gold=30, gold_hits=24, system=26, system_hits=24)  # strict: P 0,923 R 0,800 F1 0,857
    assert [round(age.value(m) or 0, 3) for m in ("precision", "recall", "f1")] == [0.923, 0.8, 0.857]


def test_precision_and_f1_are_undefined_where_nothing_was_found() -> None:
    location = Counts(gold=9)  # the source prints 1,000 0,000 0,000
    assert (location.value("precision"), location.value("recall"), location.value("f1")) == (None, 0.0, None)


def test_a_kind_that_is_nowhere_has_no_figure() -> None:
    assert [Counts().value(m) for m in ("precision", "recall", "f1")] == [None, None, None]
    assert [Counts(system=2).value(m) for m in ("precision", "recall", "f1")] == [0.0, None, None]


def test_undefined_values_are_left_out_of_averages() -> None:
    assert mean([0.5, None, 1.0]) == 0.75
    assert mean([None]) is None
    assert deviation([0.5, None, 1.0]) == pytest.approx(0.3535533905932738)
    assert deviation([0.5]) is None


def test_quantiles_are_interpolated() -> None:
    assert quantile([4, 1, 3, 2, None], 0.5) == 2.5
    assert quantile([1, 2, 3, 4, 5], 0.25) == 2
    assert quantile([7], 0.9) == 7
    assert quantile([], 0.5) is None


def test_a_cross_validation_is_scored_by_the_mean_over_its_folds() -> None:
    folds = [
        Scores({("strict", OVERALL): Counts(10, 5, 5, 5), ("strict", "AGE"): Counts(10, 5, 5, 5)}),
        Scores({("strict", OVERALL): Counts(2, 2, 2, 2), ("strict", "DATE"): Counts(2, 2, 2, 2)}),
    ]
    assert averaged(folds, "strict", OVERALL, "recall") == 0.75
    assert averaged(folds, "strict", "AGE", "recall") == 0.5
    assert spread(folds, "strict", "AGE", "recall") is None
    assert kinds_of(folds) == [OVERALL, "AGE", "DATE"]


def test_scores_survive_json() -> None:
    scores = Scores({("strict", OVERALL): Counts(4, 3, 2, 1), ("strict", "AGE"): Counts(4, 3, 2, 1)})
    assert Scores.from_json(scores.to_json()).counts == scores.counts


def test_the_best_is_the_first_of_the_highest() -> None:
    assert best({1: 0.2, 2: None, 3: 0.9, 4: 0.9}) == 3
    assert best({1: None}) is None


def test_counts_add_up() -> None:
    assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 40) == Counts(11, 22, 33, 44)


def test_an_f1_where_nothing_was_found_counts_0_beside_folds_where_something_was() -> None:
    """Otherwise a system would gain by finding nothing in a fold."""
    found, silent, nothing = (Scores({("strict", OVERALL): c}) for c in (Counts(10, 8, 10, 8), Counts(10), Counts()))
    assert averaged([found, silent], "strict", OVERALL, "f1") == pytest.approx(0.4)
    assert spread([found, silent], "strict", OVERALL, "f1") == pytest.approx(0.8 / 2**0.5)
    assert averaged([found, nothing], "strict", OVERALL, "f1") == pytest.approx(0.8)  # nothing was to be found
    assert averaged([found, silent], "strict", OVERALL, "precision") == pytest.approx(0.8)
    assert averaged([silent, silent], "strict", OVERALL, "f1") is None
    assert averaged([silent, silent], "strict", OVERALL, "recall") == 0
