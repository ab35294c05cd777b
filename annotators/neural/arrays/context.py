"""Encoders, which compute contextual token vectors.

`prepare` does what depends on a token alone: (U, size) -> (U, prepared). The encoder reads the tokens in their contexts: (U,
prepared), and the row of each token (N,) -> (N, size).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .attributes import Dense
from .lstm import BiLstm
from .packing import Ints, Packing
from .weights import Floats32, Weights


class StackedLstm:
    """Stacked bidirectional LSTMs."""

    def __init__(self, weights: Weights, size: int, width: int, layers: int) -> None:
        self._layers = [
            BiLstm(weights.under(f"layers.{i}"), size if i == 0 else 2 * width, width) for i in range(layers)
        ]
        self.size = 2 * width

    def prepare(self, x: Floats32) -> Floats32:
        return self._layers[0].project(x)

    def __call__(self, prepared: Floats32, rows: Ints, packing: Packing) -> Floats32:
        x = self._layers[0].joined(prepared, rows, packing)
        for layer in self._layers[1:]:
            x = layer.joined(layer.project(x), np.arange(len(x)), packing)
        return x


class IteratedCnn:
    """Iterated dilated convolutions over sequences that are laid out with zeros between them."""

    def __init__(
        self, weights: Weights, size: int, filters: int, width: int, dilations: Sequence[int], repeats: int
    ) -> None:
        self._entry = _Convolution(weights.under("entry"), size, filters, width, 1)
        self._block = [
            _Convolution(weights.under(f"block.{i}"), filters, filters, width, d) for i, d in enumerate(dilations)
        ]
        self._repeats = repeats
        self._gap = max([1, *dilations]) * (width // 2)
        self.size = filters

    def prepare(self, x: Floats32) -> Floats32:
        return x

    def __call__(self, prepared: Floats32, rows: Ints, packing: Packing) -> Floats32:
        gap, gaps = self._gap, np.zeros(len(rows), dtype=np.intp)
        gaps[[first for first, _ in packing.sequences]] = self._gap
        places = np.arange(len(rows)) + gaps.cumsum()
        laid = np.zeros((len(rows) + gap * (len(packing.sequences) + 1), prepared.shape[1]), dtype=np.float32)
        laid[places] = prepared[rows]
        inside = np.zeros((len(laid), 1), dtype=np.float32)
        inside[places] = 1.0
        laid = self._entry(laid) * inside
        for _ in range(self._repeats):
            for convolution in self._block:
                laid = convolution(laid) * inside
        vectors: Floats32 = laid[places]
        return vectors


class _Convolution:
    """A dilated convolution and a rectifier: (N, size) -> (N, filters), with zeros outside."""

    def __init__(self, weights: Weights, size: int, filters: int, width: int, dilation: int) -> None:
        self._taps = np.ascontiguousarray(weights.take("weight", filters, size, width).transpose(2, 1, 0))
        self._bias = weights.take("bias", filters)
        self._shifts = [(k - width // 2) * dilation for k in range(width)]

    def __call__(self, x: Floats32) -> Floats32:
        n = len(x)
        y = np.tile(self._bias, (n, 1))
        for tap, shift in zip(self._taps, self._shifts, strict=True):
            first, last = max(0, -shift), n - max(0, shift)
            if first < last:
                y[first:last] += x[first + shift : last + shift] @ tap
        return np.maximum(y, 0.0, out=y)


class WindowLstm:
    """A bidirectional LSTM over the window around each token, and dense layers on its states at the token.

    Each direction reads only to the middle of the window.
    """

    def __init__(self, weights: Weights, size: int, window: int, width: int, dense: Sequence[int]) -> None:
        self._lstm = BiLstm(weights.under("lstm"), size, width)
        self._dense = Dense(weights.under("dense"), [self._lstm.size, *dense])
        self._half = window // 2
        self._outside = self._lstm.project(np.zeros((1, size), dtype=np.float32))
        self.size = dense[-1] if dense else self._lstm.size

    def prepare(self, x: Floats32) -> Floats32:
        return self._lstm.project(x)

    def __call__(self, prepared: Floats32, rows: Ints, packing: Packing) -> Floats32:
        n, half = len(rows), self._half
        begins, ends = np.empty((2, n), dtype=np.intp)
        for first, last in packing.sequences:
            begins[first:last], ends[first:last] = first, last
        steps = np.arange(-half, 1)[:, None]
        tokens = np.arange(n)[None]
        read = np.stack([tokens + steps, tokens - steps])  # (2, steps, tokens)
        inside = (read >= begins) & (read < ends)
        chosen = np.where(inside, rows[np.clip(read, 0, n - 1)], len(prepared)).reshape(2, -1)
        states = self._lstm.run(np.concatenate([prepared, self._outside]), chosen, [n] * (half + 1))
        return self._dense(np.concatenate([states[-2 * n : -n], states[-n:]], axis=1))
