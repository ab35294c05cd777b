"""Probabilities of spans under a linear-chain CRF, for all spans of a document in parallel.

Constrained forward-backward (Culotta and McCallum 2004, "Confidence Estimation for Information Extraction"), as in
`lattice.Lattice`, but for all sentences with spans in parallel, forward and backward in the same steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from math import log

import numpy as np

from .extraction import Floats
from .lattice import LINEAR, lattice
from .viterbi import Ints

SMALLEST = 650.0
"""Sums stay between e^-650 and e^650, within a double (e^708), by scaling. A step divides all sums together by at most e^apart,
where `apart` is the distance of transitions, and multiplies them by at most the number of labels. A single sum is lower than all
together before the step by at most the distance of the token's scores and that of transitions."""


class SpanProbabilities:
    """Probabilities of spans under `transitions`, of shape (labels, labels), from row to column.

    `before[y, a]` is 0 if label a of the previous token extends a span that begins with label y, else 1; `after[y, b]` is the
    same for its last label y and label b of the next token.
    """

    def __init__(self, transitions: Floats, before: Floats, after: Floats) -> None:
        self._transitions = transitions
        self._before, self._after = before, after
        self._logs = transitions - transitions.max()
        self._steps = np.exp(self._logs)
        self._both = np.stack([self._steps, self._steps.T])  # forward, and backward
        self._apart = float(np.ptp(transitions))

    def of(
        self,
        scores: Floats,
        path: Sequence[int],
        spans: Sequence[tuple[int, int]],
        sequences: Sequence[tuple[int, int]],
    ) -> list[float]:
        """Return the probability that the tokens of each span (first, last + 1) have the labels of `path`, and it is not longer.

        `scores` has shape (tokens, labels); `sequences` are sorted disjoint ranges of tokens, `spans` lie within one each.
        """
        if not spans:
            return []
        starts = [first for first, _ in sequences]
        owners = [bisect_right(starts, first) - 1 for first, _ in spans]
        held = [sequences[i] for i in dict.fromkeys(owners)]
        kept = np.concatenate([scores[a:b] for a, b in held])
        most = kept.max(axis=1, keepdims=True)
        lowest = float((most - kept.min(axis=1, keepdims=True)).max()) + self._apart
        if lowest >= LINEAR:
            return self._one_by_one(scores, path, spans, [sequences[i] for i in owners])
        kept -= most
        lengths = np.array([b - a for a, b in held])
        forward, backward, scales = self._sums(np.exp(kept), lengths, lowest)
        places = dict(zip(dict.fromkeys(owners), (lengths.cumsum() - lengths).tolist(), strict=True))
        shifts = np.array([places[i] - starts[i] for i in owners])
        bounds = np.array(spans)
        firsts, lasts = bounds[:, 0] + shifts, bounds[:, 1] - 1 + shifts
        opens = bounds[:, 0] == np.array([sequences[i][0] for i in owners])
        closes = bounds[:, 1] == np.array([sequences[i][1] for i in owners])
        labels = [path[a:b] for a, b in spans]
        opening, closing = np.array([y[0] for y in labels]), np.array([y[-1] for y in labels])

        coming = np.where(opens[:, None], 0.0, forward[firsts - 1])
        into = np.where(opens[:, None], 1.0, coming @ self._steps)
        whole = (into * backward[firsts]).sum(axis=1)
        alone = (coming * self._steps.T[opening] * self._before[opening]).sum(axis=1)
        alone[opens] = 1.0
        following = np.where(closes, 0, lasts + 1)
        leaving = (backward[following] * self._steps[closing] * self._after[closing]).sum(axis=1)
        leaving[closes] = 1.0
        inside = np.array([self._inside(kept, first, y) for first, y in zip(firsts.tolist(), labels, strict=True)])
        inside += np.where(closes, 0.0, scales[following]) - scales[firsts]
        found: list[float] = np.clip(alone * np.exp(inside) * leaving / whole, 0.0, 1.0).tolist()
        return found

    def of_tokens(self, scores: Floats, sequences: Sequence[tuple[int, int]]) -> Floats:
        """Return the probability of each label at each token of the sequences: shape (tokens, labels), rows sum to 1."""
        found = np.zeros_like(scores)
        held = [(a, b) for a, b in sequences if b > a]
        if not held:
            return found
        most = scores.max(axis=1, keepdims=True)
        lowest = float((most - scores.min(axis=1, keepdims=True)).max()) + self._apart
        if lowest >= LINEAR:
            for a, b in held:
                found[a:b] = lattice(np.ascontiguousarray(scores[a:b]), self._transitions).marginals()
            return found
        states = np.exp(scores - most)
        kept = np.concatenate([states[a:b] for a, b in held])
        forward, backward, _ = self._sums(kept, np.array([b - a for a, b in held]), lowest)
        products = forward / kept * backward
        products /= products.sum(axis=1, keepdims=True)
        begin = 0
        for a, b in held:
            found[a:b] = products[begin : begin + b - a]
            begin += b - a
        return found

    def _inside(self, kept: Floats, first: int, labels: Sequence[int]) -> float:
        """Return the logarithm of the weight of a sequence of labels that begins at token `first`."""
        logs = self._logs
        found = kept[first, labels[0]]
        for t in range(1, len(labels)):
            found += kept[first + t, labels[t]] + logs[labels[t - 1], labels[t]]
        return float(found)

    def _sums(self, states: Floats, lengths: Ints, lowest: float) -> tuple[Floats, Floats, Floats]:
        """Return the scaled sums over all paths up to each token and from each token, both including the token's own state.

        `states` are the tokens of consecutive sequences with the given lengths, `lowest` the logarithm by which a sum may be
        lower than those of the step before together. The third array are the logarithms of the factors by which the backward
        sums were scaled down.
        """
        ends = lengths.cumsum()
        order = np.argsort(-lengths, kind="stable")
        falling, begins, lasts = lengths[order], (ends - lengths)[order], ends[order] - 1
        longest = int(falling[0])
        active = np.searchsorted(-falling, -np.arange(longest), side="left")  # how many sequences are longer than t
        steps, sizes = np.repeat(np.arange(longest), active), np.repeat(active, active)
        firsts = np.repeat(active.cumsum() - active, active)
        rank = np.arange(len(states)) - firsts
        tokens = np.stack([begins[rank] + steps, lasts[rank] - steps])
        places = np.arange(2)[:, None] * sizes + firsts + np.arange(len(states))
        sums, factors = np.empty((2 * len(states), states.shape[1])), np.ones(2 * len(states))
        sums[places] = states[
            tokens
        ]  # the first token of each sequence, then the last of each; then the second of each, ...
        self._accumulate(sums, factors, active.tolist(), lowest)
        logs = np.zeros(len(states))
        logs[tokens[1]] = np.log(factors[places[1]])
        ordered = np.empty((2, *states.shape))
        ordered[0, tokens[0]], ordered[1, tokens[1]] = sums[places]
        done = logs.cumsum()
        scales = np.repeat(done[ends - 1], lengths) - done + logs  # from the end of each sequence back to the token
        return ordered[0], ordered[1], scales

    def _accumulate(self, sums: Floats, factors: Floats, active: list[int], lowest: float) -> None:
        """Multiply states by the sums of the step before, forward and backward. Step t has `active[t]` sequences."""
        labels, first, t = sums.shape[1], 0, 0
        step = max(self._apart, log(labels), 1.0)
        every = 1 + int(
            min(SMALLEST - lowest, (SMALLEST - step) / 2) / step
        )  # half: forward sums are multiplied by backward ones
        before: Floats | None = None
        for n, some in groupby(active):
            count = len(list(some))
            last = first + 2 * n * count
            reached = np.empty((2, n, labels))
            for now, factor in zip(
                sums[first:last].reshape(count, 2, n, labels), factors[first:last].reshape(count, 2, n, 1), strict=True
            ):
                if before is not None:
                    np.matmul(before[:, :n], self._both, reached)
                    np.multiply(now, reached, now)
                    if t % every == 0:
                        np.add.reduce(now, axis=2, out=factor, keepdims=True)
                        np.divide(now, factor, now)
                before, t = now, t + 1
            first = last

    def _one_by_one(
        self, scores: Floats, path: Sequence[int], spans: Sequence[tuple[int, int]], held: Sequence[tuple[int, int]]
    ) -> list[float]:
        """Return the same for single spans, if the differences of scores exceed the range of a double."""
        found = []
        for (first, last), (begin, end) in zip(spans, held, strict=True):
            sums = lattice(np.ascontiguousarray(scores[begin:end]), self._transitions)
            joined = np.flatnonzero(self._before[path[first]] == 0).tolist()
            going_on = np.flatnonzero(self._after[path[last - 1]] == 0).tolist()
            found.append(sums.span(first - begin, path[first:last], joined, going_on))
        return found
