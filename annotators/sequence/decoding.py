"""The best labels of a sequence and their probabilities: Viterbi and forward-backward, over all sentences of a document at once.

Lafferty, McCallum and Pereira 2001, "Conditional Random Fields"; the probability of a whole span after Culotta and McCallum
2004, "Confidence Estimation for Information Extraction" (constrained forward-backward).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .extraction import Floats

Ints = npt.NDArray[np.int64]

ROOM = 2_000_000
"""Doubles that one step of Viterbi may take: sequences beyond it are gone through in several turns."""

LINEAR = 500.0
"""Scores further apart than this are summed as logarithms: their ratio would leave the range of a double (e^709)."""


def viterbi(scores: Floats, sequences: Sequence[tuple[int, int]], transitions: Floats) -> list[int]:
    """The label numbers of the best path through each sequence, for all tokens in order.

    `scores` has shape (tokens, labels), `transitions` (labels, labels) from row to column. Ties go to the lower number.
    """
    order = sorted((s for s in sequences if s[1] > s[0]), key=lambda s: s[0] - s[1])
    path = np.zeros(len(scores), dtype=np.int64)
    together = max(1, ROOM // transitions.size)
    for i in range(0, len(order), together):
        tokens, found = _best(scores, order[i : i + together], transitions)
        path[tokens] = found
    return path.tolist()


def _best(scores: Floats, order: Sequence[tuple[int, int]], transitions: Floats) -> tuple[Ints, Ints]:
    """Tokens of some sequences, longest sequence first, and the labels of the best paths through them."""
    starts = np.array([first for first, _ in order])
    lengths = np.array([last - first for first, last in order])
    longest, labels = int(lengths[0]), len(transitions)
    active = np.searchsorted(-lengths, -np.arange(longest), side="left")  # how many sequences are longer than t
    steps = np.repeat(np.arange(longest), active)
    places = [0, *np.cumsum(active).tolist()]
    rank = np.arange(len(steps)) - np.repeat(np.array(places[:-1]), active)
    tokens = starts[rank] + steps  # first tokens of all sequences, then their second ones, ...
    # the best score of a path that ends here in each label: (tokens, labels), in that order
    best = scores.take(tokens, axis=0)
    pairs, room = transitions[:, None, :], np.empty(labels * labels * len(order))
    for t in range(1, longest):
        here, end = places[t], places[t + 1]
        before, n = places[t - 1], end - here
        reached = room[: labels * labels * n].reshape(labels, n, labels)
        np.add(best[before : before + n].T[:, :, None], pairs, out=reached)
        best[here:end] += reached.max(axis=0)
    found = best.argmax(axis=1)  # right for last tokens of sequences
    onto = np.ascontiguousarray(transitions.T)
    for t in range(longest - 2, -1, -1):  # others: the best predecessor of the label chosen after it
        here, after, end = places[t], places[t + 1], places[t + 2]
        further = end - after
        reached = onto.take(found[after:end], axis=0)
        reached += best[here : here + further]
        reached.argmax(axis=1, out=found[here : here + further])
    return tokens, found


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

    def span(self, first: int, path: Sequence[int], joined: Sequence[int] = (), going_on: Sequence[int] = ()) -> float:
        """Probability that tokens from `first` have the labels of `path`, 0 to 1.

        `joined` are labels that the token before must not have, `going_on` those that the token after must not have,
        because either would make the span longer.
        """
        last = first + len(path) - 1
        weight = self._alpha[first, path[0]]
        if first and len(joined):
            coming = self._alpha[first - 1, list(joined)] @ self._steps[list(joined), path[0]]
            weight -= coming * self._states[first, path[0]] / self._scale[first]
        for t in range(first + 1, last + 1):
            a, b = path[t - first - 1], path[t - first]
            weight *= self._steps[a, b] * self._states[t, b] / self._scale[t]
        whole = self._beta[last, path[-1]]
        if last + 1 < len(self._scale) and len(going_on):
            following = self._steps[path[-1]] * self._states[last + 1] * self._beta[last + 1] / self._scale[last + 1]
            whole -= following[list(going_on)].sum()
        return float(min(max(weight * whole, 0.0), 1.0))


class LogLattice(Lattice):
    """The same in logarithms: for weights so far apart that ratios of probabilities are no doubles any more. Slower."""

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

    def span(self, first: int, path: Sequence[int], joined: Sequence[int] = (), going_on: Sequence[int] = ()) -> float:
        last, steps = first + len(path) - 1, self._transitions
        labels = range(len(steps))
        weight = self._scores[first, path[0]]
        if first:
            coming = self._before[first - 1] + steps[:, path[0]]
            weight += _log_sum(coming[[label for label in labels if label not in joined]])
        for t in range(first + 1, last + 1):
            weight += steps[path[t - first - 1], path[t - first]] + self._scores[t, path[t - first]]
        if last + 1 < len(self._scores):
            following = steps[path[-1]] + self._scores[last + 1] + self._after[last + 1]
            weight += _log_sum(following[[label for label in labels if label not in going_on]])
        return float(np.exp(min(weight - self._all, 0.0)))


def _log_sum(logarithms: Floats) -> float:
    return float(np.logaddexp.reduce(logarithms)) if len(logarithms) else -np.inf


def lattice(scores: Floats, transitions: Floats) -> Lattice:
    """Forward and backward sums of one sequence, as ratios where they fit a double, else as logarithms."""
    apart = float(np.ptp(scores, axis=1).max() + np.ptp(transitions))
    return (Lattice if apart < LINEAR else LogLattice)(scores, transitions)
