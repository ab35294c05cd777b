"""The learned combiner of a stacked vote: scikit-learn's logistic regression over the attributes of proposed spans."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from ..sequence.folds import folds
from ..sequence.linear import binary_matrix


@dataclass(frozen=True, slots=True)
class Combiner:
    """Weights of attributes: the probability that a span is correct is 1 / (1 + exp(-(their sum + bias)))."""

    weights: dict[str, float]
    bias: float
    C: float
    """Inverse strength of the L2 regularization that was used."""
    left_out: list[float]
    """The probability of each proposal, from the other folds; empty if there are too few documents."""


def fit_combiner(
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    strengths: Sequence[float],
    min_count: int,
    n: int,
    seed: int,
) -> Combiner:
    """Fit the combiner on proposals: their attributes, whether they are correct, and their documents.

    Of several values of C in `strengths`, that with the lowest log loss in `n` folds is used. A document (`groups`) is never
    divided, and all folds have about the same share of correct proposals. Attributes of fewer than `min_count` rows are left out.
    Raises ValueError if none is left.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import cross_val_predict

    matrix, place = binary_matrix(rows, min_count)
    if not place:
        raise ValueError(f"expected attributes that occur in at least {min_count} proposals, found none")
    model = LogisticRegression(C=strengths[0], tol=1e-6, max_iter=2000)
    divided = _folds(right, groups, n, seed)

    def left_out_with(C: float) -> list[float]:
        model.set_params(C=C)
        found: list[float] = cross_val_predict(model, matrix, right, cv=divided, method="predict_proba")[:, 1].tolist()
        return found

    left_out: list[float] = []
    if divided:
        tried = {C: left_out_with(C) for C in strengths}
        best = min(strengths, key=lambda C: float(log_loss(right, tried[C])))
        left_out = tried[best]
        model.set_params(C=best)
    values = model.fit(matrix, right).coef_[0]
    weights = {name: float(values[i]) for name, i in place.items() if values[i]}
    return Combiner(weights, float(model.intercept_[0]), float(model.C), left_out)


def _folds(right: Sequence[bool], groups: Sequence[Hashable], n: int, seed: int) -> list[Any]:
    """Return (train, test) indexes; empty if there are too few documents, or if a training part would have a single answer."""
    n = min(n, len(set(groups)))
    if n < 2:
        return []
    divided = folds(groups, n, seed, ["right" if answer else "wrong" for answer in right])
    return divided if all(len({right[i] for i in train}) == 2 for train, _ in divided) else []
