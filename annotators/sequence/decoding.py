"""The best labels of a sequence and their probabilities: Viterbi and forward-backward, over all sentences of a document at once.

Lafferty, McCallum and Pereira 2001, "Conditional Random Fields"; the probability of a whole span after Culotta and McCallum
2004, "Confidence Estimation for Information Extraction" (constrained forward-backward).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .extraction import Floats


def viterbi(scores: Floats, sequences: Sequence[tuple[int, int]], transitions: Floats) -> list[int]:
    """The label numbers of the best path through each sequence, for all tokens in order.

    `scores` has shape (tokens, labels), `transitions` (labels, labels) from row to column. Ties go to the lower number.
    """
    found = np.zeros(len(scores), dtype=np.int64)
    order = sorted((s for s in sequences if s[1] > s[0]), key=lambda s: s[0] - s[1])
    if not order:
        return []
    starts = np.array([first for first, _ in order])
    lengths = np.array([last - first for first, last in order])
    longest = int(lengths[0])
    active = np.searchsorted(
        -lengths, -np.arange(longest), side="left"
    ).tolist()  # how many sequences are longer than t
    columns = np.ascontiguousarray(scores.T)
    pairs, labels = transitions[:, :, None], len(transitions)
    room = np.empty(labels * labels * len(order))
    best = [columns[:, starts]]  # at each step: the best score of a path that ends in each label, (labels, sequences)
    for t in range(1, longest):
        n = active[t]
        reached = room[: labels * labels * n].reshape(labels, labels, n)
        np.add(best[-1][:, None, :n], pairs, out=reached)
        best.append(reached.max(axis=0) + columns[:, starts[:n] + t])
    last = np.zeros(len(order), dtype=np.int64)
    for t in range(longest - 1, -1, -1):
        n, further = active[t], active[t + 1] if t + 1 < longest else 0
        if further:  # best predecessor of the label chosen after this one
            last[:further] = (best[t][:, :further] + transitions[:, last[:further]]).argmax(axis=0)
        if further < n:
            last[further:n] = best[t][:, further:].argmax(axis=0)
        found[starts[:n] + t] = last[:n]
    return found.tolist()


class Lattice:
    """Forward and backward sums of one sequence, from which marginal probabilities are read.

    `scores` has shape (tokens, labels). All numbers are scaled token by token, so long sequences neither overflow nor vanish.
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
        """Probability of each label at each token: shape (tokens, labels), rows sum to 1."""
        product = self._alpha * self._beta
        return np.asarray(product / product.sum(axis=1, keepdims=True))

    def span(self, first: int, path: Sequence[int], going_on: Sequence[int]) -> float:
        """Probability that tokens from `first` have the labels of `path` and the next one none of `going_on`, 0 to 1.

        `going_on` are the labels that would make the span longer.
        """
        last = first + len(path) - 1
        weight = self._alpha[first, path[0]]
        for t in range(first + 1, last + 1):
            a, b = path[t - first - 1], path[t - first]
            weight *= self._steps[a, b] * self._states[t, b] / self._scale[t]
        whole = self._beta[last, path[-1]]
        if last + 1 < len(self._scale) and len(going_on):
            following = self._steps[path[-1]] * self._states[last + 1] * self._beta[last + 1] / self._scale[last + 1]
            whole -= following[list(going_on)].sum()
        return float(min(max(weight * whole, 0.0), 1.0))
