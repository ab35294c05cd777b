"""A bidirectional LSTM over several sequences together, both directions in the same steps."""

from __future__ import annotations

import sys

import numpy as np

from .packing import Ints, Packing
from .weights import Floats32, Weights

FEW = 8
"""Number of sequences below which one product per sequence is faster than one for all: OpenBLAS copies the weights for those."""


class BiLstm:
    """A bidirectional LSTM (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005).

    The gates are in the order input, forget, output, cell. The signs of the weights of the first three are inverted: their
    sigmoid is 1 / (1 + exp(x)). With `alone`, the states of a sequence have the same bits for any sequences beside it: a
    row of a product of matrices depends, in its last bits, on its place in the matrix.
    """

    def __init__(self, weights: Weights, size: int, width: int, alone: bool = False) -> None:
        self.width, self.size = width, 2 * width
        self._few = sys.maxsize if alone else FEW
        order = np.concatenate([np.arange(2 * width), np.arange(3 * width, 4 * width), np.arange(2 * width, 3 * width)])
        signs = np.where(np.arange(4 * width) < 3 * width, -1.0, 1.0).astype(np.float32)
        inputs, states, biases = [], [], []
        for direction in ("forwards", "backwards"):
            own = weights.under(direction)
            inputs.append(own.take("weight_ih_l0", 4 * width, size)[order].T * signs)
            states.append(own.take("weight_hh_l0", 4 * width, width)[order].T * signs)
            bias = own.take("bias_ih_l0", 4 * width) + own.take("bias_hh_l0", 4 * width)
            biases.append(bias[order] * signs)
        self._inputs = np.ascontiguousarray(np.concatenate(inputs, axis=1))
        self._states = np.ascontiguousarray(np.stack(states))
        self._biases = np.concatenate(biases)

    def project(self, x: Floats32) -> Floats32:
        """Return what elements add to the gates, forward and then backward: (N, size) -> (N, 8 width)."""
        projected: Floats32 = x @ self._inputs
        projected += self._biases
        return projected

    def states(self, projected: Floats32, rows: Ints, packing: Packing) -> Floats32:
        """Return the states of each direction in the order of the packing: (U, 8 width), (N,) -> (2, N, width).

        `rows` are the rows of `projected` for the elements.
        """
        chosen = 2 * rows[packing.order]
        chosen[1] += 1
        gates = projected.reshape(-1, 4 * self.width).take(chosen, axis=0)
        return self.run(gates, packing.active, packing.offsets)

    def run(self, gates: Floats32, active: list[int], offsets: list[int]) -> Floats32:
        """Return the states: (2, elements, 4 width) -> (2, elements, width). The gates are overwritten."""
        width = self.width
        states = np.empty((2, gates.shape[1], width), dtype=np.float32)
        cells = np.zeros((2, active[0], width), dtype=np.float32)
        room = np.empty(8 * width * active[0], dtype=np.float32)
        with np.errstate(over="ignore"):  # exp(x) is infinite for a gate that is closed: 1 / inf is 0
            for t, n in enumerate(active):
                first = offsets[t]
                now, cell, state = gates[:, first : first + n], cells[:, :n], states[:, first : first + n]
                if t:
                    before, products = offsets[t - 1], room[: 8 * width * n].reshape(2, n, 4 * width)
                    self._recur(states[:, before : before + n], products)
                    now += products
                sigmoids = now[:, :, : 3 * width]
                np.exp(sigmoids, out=sigmoids)
                sigmoids += 1.0
                np.reciprocal(sigmoids, out=sigmoids)
                fresh = now[:, :, 3 * width :]
                np.tanh(fresh, out=fresh)
                fresh *= now[:, :, :width]
                cell *= now[:, :, width : 2 * width]
                cell += fresh
                np.tanh(cell, out=state)
                state *= now[:, :, 2 * width : 3 * width]
        return states

    def _recur(self, states: Floats32, products: Floats32) -> None:
        """Multiply states (2, n, width) with the recurrent weights: (2, n, 4 width)."""
        if states.shape[1] < self._few:
            np.matmul(states[:, :, None], self._states[:, None], out=products[:, :, None])
        else:
            np.matmul(states, self._states, out=products)

    def joined(self, projected: Floats32, rows: Ints, packing: Packing) -> Floats32:
        """Return the states of each element: (U, 8 width), (N,) -> (N, 2 width)."""
        states = self.states(projected, rows, packing)
        joined = np.empty((len(rows), self.size), dtype=np.float32)
        joined[packing.order[0], : self.width] = states[0]
        joined[packing.order[1], self.width :] = states[1]
        return joined

    def last(self, projected: Floats32, rows: Ints, packing: Packing) -> Floats32:
        """Return the final state of each direction of each sequence: (U, 8 width), (N,) -> (sequences, 2 width)."""
        states = self.states(projected, rows, packing)
        return np.concatenate([states[0][packing.lasts], states[1][packing.lasts]], axis=1)
