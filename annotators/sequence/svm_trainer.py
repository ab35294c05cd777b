"""Trains linear support vector machines with LIBLINEAR at the end of a pipeline run."""

from __future__ import annotations

import random
from dataclasses import field
from typing import Any, Literal

import numpy as np

from ...pipeline.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import Phi, Sentence, Token
from .extraction import FeatureSet, Floats
from .labels import OUTSIDE
from .matrix import design_matrix
from .scoring import LabelScorer
from .training import Example, Trainer, log
from .weights import Weights

SOLVERS = {
    "l2-hinge": 3,
    "l2-squared-hinge-dual": 1,
    "l2-squared-hinge": 2,
    "crammer-singer": 4,
    "l1-squared-hinge": 5,
    "l2-logistic": 0,
    "l1-logistic": 6,
}
"""LIBLINEAR's `-s`. `l2-hinge` is the problem of the seed system's eq. 10 (L2R_L1LOSS_DUAL)."""

Solver = Literal[
    "l2-hinge",
    "l2-squared-hinge-dual",
    "l2-squared-hinge",
    "crammer-singer",
    "l1-squared-hinge",
    "l2-logistic",
    "l1-logistic",
]


@component("svm_trainer", inputs=[Token, Sentence, Phi])
class SvmTrainer(Trainer):
    """Trains linear SVMs (LIBLINEAR, Fan et al. 2008), one for each label against the rest, on the gold view.

    `C` is LIBLINEAR's: the price of errors, so a larger one means *less* regularisation, the inverse of the `C` that a CRF
    takes (seed system, eq. 10 and 31).
    """

    solver: Solver = "l2-hinge"
    """The problem solved: `l2-hinge` as in the VigiBase system; `crammer-singer` learns all labels at once and is several times
    quicker with many labels; the `l1` ones make small models."""
    C: float = 0.1
    """Price of errors (LIBLINEAR's -c)."""
    tolerance: float | None = None
    """Ends when the problem is solved this well (LIBLINEAR's -e); its default."""
    class_weights: dict[str, float] = field(default_factory=dict)
    """Factors on `C` by label (`O: 0.5`) or by kind (`PERSON: 2`)."""
    outside_share: float = 1.0
    """Share of the tokens labelled `O` that is kept, drawn at random (`seed`)."""
    calibration_share: float = 0.2
    """Share of documents held out once to fit confidences on; the model itself learns from all. 0: no confidences."""
    prune: float = 0.0
    """Weights not larger than this are dropped: smaller bundles, and scores that differ by as much."""

    trained_as = "svm"
    libraries = ("liblinear-official", "scipy")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.C < float("inf"):
            raise ValueError(f"C: expected a finite number above 0, got {self.C}")
        if not 0 <= self.outside_share <= 1:
            raise ValueError(f"outside_share: expected a share from 0 to 1, got {self.outside_share}")
        if not 0 <= self.calibration_share < 1:
            raise ValueError(f"calibration_share: expected a share from 0 up to 1, got {self.calibration_share}")
        if self.prune < 0:
            raise ValueError(f"prune: expected 0 or more, got {self.prune}")
        for label, factor in self.class_weights.items():
            if not 0 < factor < float("inf"):
                raise ValueError(f"class_weights {label}: expected a finite number above 0, got {factor}")

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        calibration = self._calibrated(examples) if self.calibration_share else None
        weights = self._fit(examples)
        return weights, {"calibration": calibration, "solver": self.solver, "C": self.C}, None

    def _fit(self, examples: list[Example]) -> Weights:
        """Trains on documents. Labels are numbered by name, so the order of documents does not matter to ties."""
        from liblinear.liblinear import parameter, problem
        from liblinear.liblinearutil import train

        matrix, attributes = design_matrix(self.feature_set, [e.columns for e in examples], self.min_count)
        named = [label for e in examples for label in e.labels]
        labels = sorted(set(named))
        number = {label: i for i, label in enumerate(labels)}
        y = np.array([number[label] for label in named], dtype=np.float64)
        if self.outside_share < 1 and OUTSIDE in number:
            chance = np.random.default_rng(self.seed)
            kept = (y != number[OUTSIDE]) | (chance.random(len(y)) < self.outside_share)
            matrix, y = matrix[kept], y[kept]
        log.info("matrix", extra={"tokens": matrix.shape[0], "attributes": matrix.shape[1]})
        options = f"-s {SOLVERS[self.solver]} -c {self.C!r} -q"
        if self.tolerance is not None:
            options += f" -e {self.tolerance!r}"
        for label, factor in sorted(self.class_weights.items()):
            chosen = [i for i, name in enumerate(labels) if label in (name, name.partition("-")[2])]
            if not chosen:
                raise ConsumerError(f"{self.name}: class_weights: no label {label} occurs; labels: {', '.join(labels)}")
            options += "".join(f" -w{i} {factor!r}" for i in chosen)
        fitted = train(problem(y, matrix), parameter(options))
        return Weights.of_matrix(labels, attributes, _dense(fitted, len(labels), len(attributes)), self.prune)

    def _calibrated(self, examples: list[Example]) -> dict[str, float] | None:
        """Slope and offset of the logistic curve from margins to the share of right labels, on held-out documents."""
        order = list(range(len(examples)))
        random.Random(f"{self.seed}/calibration").shuffle(order)
        held = sorted(order[: round(len(order) * self.calibration_share)])
        rest = [e for i, e in enumerate(examples) if i not in set(held)]
        if not held or len({label for e in rest for label in e.labels}) < 2:
            return None
        weights = self._fit(rest)
        margins, right = _margins(self.feature_set, weights, [examples[i] for i in held])
        return _logistic(np.array(margins), np.array(right))


def _dense(fitted: Any, labels: int, attributes: int) -> Floats:
    """LIBLINEAR's weights as (attributes, labels), labels in the order of their numbers."""
    order = fitted.get_labels()
    columns = 1 if len(order) == 2 and fitted.param.solver_type != SOLVERS["crammer-singer"] else len(order)
    flat = np.ctypeslib.as_array(fitted.w, (fitted.nr_feature * columns,)).reshape(fitted.nr_feature, columns)
    found = np.zeros((attributes, labels))
    if columns == 1:  # two labels share one vector: positive for the first
        found[: len(flat), order[0]] = flat[:, 0] / 2
        found[: len(flat), order[1]] = -flat[:, 0] / 2
        return found
    for column, label in enumerate(order):
        found[: len(flat), label] = flat[:, column]
    return found


def _margins(features: FeatureSet, weights: Weights, examples: list[Example]) -> tuple[list[float], list[bool]]:
    """For tokens labelled as PHI: the margin to the next label, and whether the label was right."""
    scorer = LabelScorer(features, weights)
    outside = weights.labels.index(OUTSIDE) if OUTSIDE in weights.labels else -1
    margins, right = [], []
    for example in examples:
        scores = scorer.scores(example.columns)
        if not len(scores):
            continue
        best = scores.argmax(axis=1)
        ordered = np.sort(scores, axis=1)
        for i in np.flatnonzero(best != outside):
            margins.append(float(ordered[i, -1] - ordered[i, -2]))
            right.append(weights.labels[best[i]] == example.labels[i])
    return margins, right


def _logistic(margins: Floats, right: Any) -> dict[str, float] | None:
    """Platt's curve, fitted with his softened targets; None where there is nothing to fit."""
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
