"""LIBLINEAR for one yes-or-no question, and the curve that turns its margins into probabilities."""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Sequence
from math import exp
from typing import Any, Literal

import numpy as np

from .extraction import Floats


def seed_c_library(seed: int) -> None:
    """Seed `rand()`, by which CRFsuite and LIBLINEAR order what they learn from.

    Without this a second training in the same process makes another model.
    """
    ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None).srand(seed)


def fit_binary(
    loss: Literal["hinge", "logistic"], rows: Sequence[Sequence[str]], right: Sequence[bool], min_count: int, C: float
) -> tuple[dict[str, float], float]:
    """Return weights by attribute, and the bias, of a linear model with L2 regularization; positive means `right`.

    `hinge`: a support vector machine; `logistic`: a logistic regression, the bias regularized too, in which the probability of
    `right` is 1 / (1 + exp(-(sum of weights + bias))). Attributes of fewer than `min_count` rows are left out.
    """
    from liblinear.liblinear import parameter, problem
    from liblinear.liblinearutil import train
    from scipy.sparse import csr_matrix

    counts = Counter(name for row in rows for name in row)
    place = {name: i for i, name in enumerate(sorted(name for name, n in counts.items() if n >= min_count))}
    indices = [sorted(place[a] for a in row if a in place) for row in rows]
    ends = np.cumsum([0, *map(len, indices)])
    flat = np.array([i for row in indices for i in row], dtype=np.int64)
    matrix = csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(place)))
    y = np.where(np.array(right, dtype=bool), 1.0, -1.0)
    seed_c_library(1)
    options = {"hinge": f"-s 3 -c {C!r} -B 1 -q", "logistic": f"-s 0 -c {C!r} -B 1 -e 0.001 -q"}
    fitted = train(problem(y, matrix, 1), parameter(options[loss]))
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
    from scipy.optimize import minimize

    good, bad = int(right.sum()), int((~right).sum())
    targets = np.where(right, (good + 1) / (good + 2), 1 / (bad + 2))

    def loss(curve: Floats) -> float:
        z = curve[0] * margins + curve[1]
        return float(np.logaddexp(0, z).sum() - (targets * z).sum())

    slope, offset = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B").x
    return {"slope": float(slope), "offset": float(offset)}
