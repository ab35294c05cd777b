"""Viterbi for texts in which nearly all tokens are outside: only stretches that could hold anything else are gone through.

A path is all outside but for runs of other labels. What a run gains over staying outside is at most what its tokens gain, each
with its best label and the best transition into it; where no run through a token can gain anything, the token is outside.
That is known of all tokens at once, from two running maxima. The rest are short stretches that no longer depend on each
other: of clinical narratives 2 to 8 tokens in a hundred. The path is the same, none is approximated; the test is that of Esposito
and Radicioni 2009, "CarpeDiem" (JMLR 10), for runs in place of single tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from .decoding import Ints, viterbi
from .extraction import Floats
from .labels import OUTSIDE

Decoder = Callable[[Floats, Sequence[tuple[int, int]]], list[int]]
"""From scores and sequences to the label number of every token."""

SLACK = 1e-9
"""Share of the largest sum that additions in another order may change: within it nothing is ruled out."""


def decoder(labels: Sequence[str], transitions: Floats) -> Decoder:
    """The best paths under a model: by the quick way where its labels have one for outside."""
    if OUTSIDE in labels:
        return RestingViterbi(transitions, list(labels).index(OUTSIDE)).path
    return partial(viterbi, transitions=transitions)


class RestingViterbi:
    """The best labels of sequences, nearly all of whose tokens have the label number `rest`.

    `transitions` has shape (labels, labels), from row to column.
    """

    def __init__(self, transitions: Floats, rest: int) -> None:
        self._transitions = np.asarray(transitions, dtype=np.float64)
        self._rest = rest
        self._others = np.array([label for label in range(len(transitions)) if label != rest], dtype=np.intp)
        gained = self._transitions - self._transitions[rest, rest]
        others = gained[self._others]
        self._opening = gained[rest, self._others][:, None]
        self._going_on = others[:, self._others].max(axis=0, initial=-np.inf)[:, None]
        self._closing = float(others[:, rest].max(initial=-np.inf))

    def path(self, scores: Floats, sequences: Sequence[tuple[int, int]]) -> list[int]:
        """The label numbers of the best path through each sequence, for all tokens in order.

        `scores` has shape (tokens, labels); `sequences` are sorted disjoint ranges of tokens that hold every token. Ties go to
        the lower number.
        """
        n, rest = len(scores), self._rest
        found = [rest] * n
        sequences = [s for s in sequences if s[0] < s[1]]
        if not n or not len(self._others):
            return found
        begins, ends = np.array(sequences).T
        busy = self._busy(scores, begins, ends - 1)
        if not len(busy):
            return found
        opens, closes = np.zeros(n + 1, dtype=bool), np.zeros(n + 1, dtype=bool)
        opens[begins] = closes[ends] = True
        cut = np.ones(len(busy) + 1, dtype=bool)  # whether a stretch begins with a busy token
        cut[1:-1] = (busy[1:] != busy[:-1] + 1) | opens[busy[1:]]
        firsts = np.flatnonzero(cut)
        firsts, lasts = firsts[:-1], firsts[1:] - 1
        kept = scores[busy]
        kept[firsts[~opens[busy[firsts]]]] += self._transitions[rest]
        kept[lasts[~closes[busy[lasts] + 1]]] += self._transitions[:, rest]
        labels = viterbi(kept, list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True)), self._transitions)
        for i, label in zip(busy.tolist(), labels, strict=True):
            found[i] = label
        return found

    def _busy(self, scores: Floats, firsts: Ints, lasts: Ints) -> Ints:
        """The tokens that some run of other labels might gain by, in order. All of them where scores are not finite."""
        across = np.ascontiguousarray(scores.T)  # maxima over labels are taken row by row
        gains = across.take(self._others, axis=0)
        gains -= across[self._rest]
        opening = (gains + self._opening).max(axis=0)
        opening[firsts] = gains[:, firsts].max(axis=0)  # no transition into the first token of a sequence
        going_on = (gains + self._going_on).max(axis=0)
        apart = 1.0 + float(np.abs(going_on).sum() + np.abs(opening).sum()) + abs(self._closing)
        going_on[firsts] = -2.0 * apart  # no run reaches over the beginning of a sequence
        sums = going_on.cumsum()
        before = np.maximum.accumulate(opening - sums)
        after = sums + self._closing
        after[lasts] = sums[lasts]
        after = np.maximum.accumulate(after[::-1])[::-1]
        slack = SLACK * float(abs(sums[-1]) + apart)
        return np.flatnonzero(~(before + after < -slack))
