"""Probabilities of labels in a sequence under a linear-chain CRF: forward-backward.

Lafferty, McCallum and Pereira 2001, "Conditional Random Fields"; the probability of a whole span after Culotta and McCallum
2004, "Confidence Estimation for Information Extraction" (constrained forward-backward).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .extraction import Floats

LINEAR = 500.0
"""Scores further apart than this are summed as logarithms: their ratio would leave the range of a double (e^709)."""


class Lattice:
    """Forward and backward sums of one sequence, for marginal probabilities.

    `scores` has shape (tokens, labels). Numbers are scaled token by token: long sequences neither overflow nor underflow.
    """

    def __init__(self, scores: Floats, transitions: Floats) -> None:
        n, labels = scores.shape
        self._steps = steps = np.exp(transitions - transitions.max())
        self._states = states = np.exp(scores - scores.max(axis=1, keepdims=True))
        self._alpha = alpha = np.empty((n, labels))
        self._scale = scale = np.empty(n)
        before = states[0]
        for t in range(n):
            if t:
                before = (alpha[t - 1] @ steps) * states[t]
            scale[t] = before.sum()
            alpha[t] = before / scale[t]
        self._beta = beta = np.empty((n, labels))
        beta[-1] = 1.0
        for t in range(n - 2, -1, -1):
            beta[t] = steps @ (states[t + 1] * beta[t + 1]) / scale[t + 1]

    def marginals(self) -> Floats:
        """Return the probability of each label at each token: shape (tokens, labels), rows sum to 1."""
        product = self._alpha * self._beta
        return np.asarray(product / product.sum(axis=1, keepdims=True))

    def span(self, first: int, path: Sequence[int], before: Sequence[int] = (), after: Sequence[int] = ()) -> float:
        """Return the probability (0 to 1) that the tokens from `first` on have the labels of `path`.

        `before` are labels that the token before must not have, `after` those that the token after must not have,
        because either would make the span longer.
        """
        last = first + len(path) - 1
        weight = self._alpha[first, path[0]]
        if first and len(before):
            coming = self._alpha[first - 1, list(before)] @ self._steps[list(before), path[0]]
            weight -= coming * self._states[first, path[0]] / self._scale[first]
        for t in range(first + 1, last + 1):
            a, b = path[t - first - 1], path[t - first]
            weight *= self._steps[a, b] * self._states[t, b] / self._scale[t]
        whole = self._beta[last, path[-1]]
        if last + 1 < len(self._scale) and len(after):
            following = self._steps[path[-1]] * self._states[last + 1] * self._beta[last + 1] / self._scale[last + 1]
            whole -= following[list(after)].sum()
        return float(min(max(weight * whole, 0.0), 1.0))


class LogLattice(Lattice):
    """The same in logarithms, for weights so far apart that ratios of probabilities exceed the range of a double. Slower."""

    def __init__(self, scores: Floats, transitions: Floats) -> None:
        n, labels = scores.shape
        self._transitions, self._scores = transitions, scores
        self._before = before = np.empty((n, labels))
        self._after = after = np.zeros((n, labels))
        before[0] = scores[0]
        for t in range(1, n):
            before[t] = np.logaddexp.reduce(before[t - 1][:, None] + transitions, axis=0) + scores[t]
        for t in range(n - 2, -1, -1):
            after[t] = np.logaddexp.reduce(transitions + scores[t + 1] + after[t + 1], axis=1)
        self._all = _log_sum(before[-1])

    def marginals(self) -> Floats:
        found = self._before + self._after
        return np.asarray(np.exp(found - np.logaddexp.reduce(found, axis=1)[:, None]))

    def span(self, first: int, path: Sequence[int], before: Sequence[int] = (), after: Sequence[int] = ()) -> float:
        last, steps = first + len(path) - 1, self._transitions
        labels = range(len(steps))
        weight = self._scores[first, path[0]]
        if first:
            coming = self._before[first - 1] + steps[:, path[0]]
            weight += _log_sum(coming[[label for label in labels if label not in before]])
        for t in range(first + 1, last + 1):
            weight += steps[path[t - first - 1], path[t - first]] + self._scores[t, path[t - first]]
        if last + 1 < len(self._scores):
            following = steps[path[-1]] + self._scores[last + 1] + self._after[last + 1]
            weight += _log_sum(following[[label for label in labels if label not in after]])
        return float(np.exp(min(weight - self._all, 0.0)))


def _log_sum(logarithms: Floats) -> float:
    return float(np.logaddexp.reduce(logarithms)) if len(logarithms) else -np.inf


def lattice(scores: Floats, transitions: Floats) -> Lattice:
    """Return forward and backward sums of one sequence: as ratios if these fit a double, else as logarithms."""
    apart = float(np.ptp(scores, axis=1).max() + np.ptp(transitions))
    return (Lattice if apart < LINEAR else LogLattice)(scores, transitions)
