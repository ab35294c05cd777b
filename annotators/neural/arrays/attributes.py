"""The feed-forward network for the features of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .packing import Ints
from .weights import Floats32, Weights


class Dense:
    """Linear layers, each followed by a rectifier."""

    def __init__(self, weights: Weights, sizes: Sequence[int]) -> None:
        self._layers = [
            (weights.under(str(i)).take("weight", b, a).T.copy(), weights.under(str(i)).take("bias", b))
            for i, (a, b) in enumerate(pairwise(sizes))
        ]

    def __call__(self, x: Floats32) -> Floats32:
        for weight, bias in self._layers:
            x = np.maximum(x @ weight + bias, 0.0)
        return x


class AttributeNetwork:
    """A feed-forward network: (N, K) attribute indexes and (N, V) numbers -> (N, last width)."""

    def __init__(self, weights: Weights, attributes: int, numbers: int, widths: Sequence[int]) -> None:
        self._rows = weights.take("rows", attributes, widths[0])
        self._rows[:1] = 0.0  # padding
        self._bias = weights.take("bias", widths[0])
        self._numbers = weights.under("numbers").take("weight", widths[0], numbers).T.copy() if numbers else None
        self._layers = Dense(weights.under("layers"), widths)
        self.size = widths[-1]

    def __call__(self, attributes: Ints, numbers: Floats32) -> Floats32:
        x = self._bias + np.take(self._rows, attributes, axis=0).sum(axis=1) if len(self._rows) else self._bias[None]
        if self._numbers is not None:
            x = x + numbers @ self._numbers
        return self._layers(np.maximum(x, 0.0))
