"""Calibration: the curve that turns the confidences of a model into probabilities, and their reliability.

A logistic curve over the logarithm of odds (Platt 1999); without its offset, it divides them by a temperature (Guo et al. 2017,
"On Calibration of Modern Neural Networks", ICML). Reliability is measured on documents that the curve was not fitted on.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .extraction import Floats
from .folds import folds
from .linear import logistic

NEAREST = 1e-6
"""Confidences closer to 0 or 1 count as this close: the odds of certainty are infinite."""
BINS = 10
_STEEPEST, _FLATTEST = 20.0, 0.05


@dataclass(frozen=True, slots=True)
class Curve:
    """The probability of a confidence c is 1 / (1 + exp(-(slope * logit(c) + offset))). Rising, so it changes no order."""

    slope: float = 1.0
    offset: float = 0.0

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Curve | None:
        """Return the curve in the description of a model, if any."""
        found = meta.get("confidence", {}).get("curve")
        return cls(float(found["slope"]), float(found["offset"])) if found else None

    def apply(self, confidences: Sequence[float] | Floats) -> list[float]:
        """Return probabilities."""
        found: list[float] = (1 / (1 + np.exp(-(self.slope * _log_odds(confidences) + self.offset)))).tolist()
        return found

    def after(self, first: Curve) -> Curve:
        """Return the curve that applies another one first."""
        return Curve(self.slope * first.slope, self.slope * first.offset + self.offset)

    def as_data(self) -> dict[str, float]:
        return {"slope": round(self.slope, 6), "offset": round(self.offset, 6)}


def fit_curve(confidences: Sequence[float], right: Sequence[bool]) -> Curve | None:
    """Return the curve that fits best; None if there are fewer than ten spans, or all are right or all are wrong."""
    found = logistic(_log_odds(confidences), np.array(right, dtype=bool))
    if found is None:
        return None
    slope = min(max(found["slope"], _FLATTEST), _STEEPEST)
    return Curve(slope, found["offset"])


def reliability(confidences: Sequence[float], right: Sequence[bool]) -> dict[str, Any]:
    """Return the number of spans, the expected calibration error (ECE, ten bins of equal width), the Brier score and the bins."""
    values, truth = np.array(confidences, dtype=float), np.array(right, dtype=float)
    if not len(values):
        return {"spans": 0, "ece": None, "brier": None, "bins": []}
    numbers = np.minimum((values * BINS).astype(int), BINS - 1)
    bins, error = [], 0.0
    for number in range(BINS):
        inside = numbers == number
        if count := int(inside.sum()):
            mean, share = float(values[inside].mean()), float(truth[inside].mean())
            error += count * abs(mean - share)
            bins.append({"spans": count, "confidence": round(mean, 4), "right": round(share, 4)})
    brier = float(((values - truth) ** 2).mean())
    return {"spans": len(values), "ece": round(error / len(values), 4), "brier": round(brier, 4), "bins": bins}


def cross_fitted(
    confidences: Sequence[float], right: Sequence[bool], groups: Sequence[Hashable], n: int, seed: int
) -> list[float]:
    """Return the calibrated confidence of each span, by the curve of the other folds.

    A group is never divided, and the `n` folds have about the same share of right spans. With fewer groups, nothing changes.
    """
    found = list(confidences)
    if len(set(groups)) < n:
        return found
    for rest, here in folds(groups, n, seed, ["right" if r else "wrong" for r in right]):
        curve = fit_curve([confidences[i] for i in rest], [right[i] for i in rest])
        if curve is not None:
            for i, value in zip(here, curve.apply([confidences[i] for i in here]), strict=True):
                found[i] = value
    return found


def _log_odds(confidences: Sequence[float] | Floats) -> Floats:
    values = np.clip(np.array(confidences, dtype=float), NEAREST, 1 - NEAREST)
    found: Floats = np.log(values) - np.log1p(-values)
    return found
