"""Linear models of one yes-or-no question (LIBLINEAR, scikit-learn), and the curve that turns margins into probabilities."""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Sequence
from math import exp
from typing import Any

import numpy as np

from .extraction import Floats


def seed_c_library(seed: int) -> None:
    """Seed `rand()`, by which CRFsuite and LIBLINEAR order what they learn from.

    Without this a second training in the same process makes another model.
    """
    ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None).srand(seed)


def binary_matrix(rows: Sequence[Sequence[str]], min_count: int) -> tuple[Any, dict[str, int]]:
    """Return the sparse matrix of rows of attributes (1 where a row has the attribute of the column), and the column of each
    attribute. Attributes of fewer than `min_count` rows are left out."""
    from scipy.sparse import csr_matrix

    counts = Counter(name for row in rows for name in row)
    place = {name: i for i, name in enumerate(sorted(name for name, n in counts.items() if n >= min_count))}
    indices = [sorted(place[a] for a in row if a in place) for row in rows]
    ends = np.cumsum([0, *map(len, indices)])
    flat = np.array([i for row in indices for i in row], dtype=np.int64)
    return csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(place))), place


def fit_svm(
    rows: Sequence[Sequence[str]], right: Sequence[bool], min_count: int, C: float
) -> tuple[dict[str, float], float]:
    """Return weights by attribute, and the bias, of a linear support vector machine (L2 regularization); positive: `right`.

    Attributes of fewer than `min_count` rows are left out.
    """
    from liblinear.liblinear import parameter, problem
    from liblinear.liblinearutil import train

    matrix, place = binary_matrix(rows, min_count)
    y = np.where(np.array(right, dtype=bool), 1.0, -1.0)
    seed_c_library(1)
    fitted = train(problem(y, matrix, 1), parameter(f"-s 3 -c {C!r} -B 1 -q"))
    sign = 1.0 if fitted.get_labels()[0] == 1 else -1.0
    values = sign * np.ctypeslib.as_array(fitted.w, (fitted.nr_feature + 1,))
    return {name: float(values[i]) for name, i in place.items() if values[i]}, float(values[-1])


def probability(z: float) -> float:
    """Return the logistic function, 0 to 1."""
    return 1 / (1 + exp(-z)) if z > -500 else 0.0


def logistic(margins: Floats, right: Any) -> dict[str, float] | None:
    """Platt's curve (1999), fitted with his softened targets; None if there is nothing to fit.

    `margins` and `right` (booleans) are arrays of one length. The probability of a margin m is
    1 / (1 + exp(-(slope m + offset))).
    """
    if len(margins) < 10 or right.all() or not right.any():
        return None
    from sklearn.linear_model import LogisticRegression

    good, bad = int(right.sum()), int((~right).sum())
    targets = np.where(right, (good + 1) / (good + 2), 1 / (bad + 2))
    twice = np.tile(margins, 2)[
        :, None
    ]  # a softened target is a positive example and a negative one, with its shares as weights
    answers = np.repeat([1, 0], len(margins))
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
    fitted.fit(twice, answers, sample_weight=np.concatenate([targets, 1 - targets]))
    return {"slope": float(fitted.coef_[0, 0]), "offset": float(fitted.intercept_[0])}
