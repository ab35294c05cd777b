"""A bidirectional LSTM over several sequences together, both directions in the same steps."""

from __future__ import annotations

import sys
from itertools import groupby

import numpy as np

from .packing import Ints, Packing, places
from .weights import Floats32, Weights

FEW = 8
"""Number of sequences below which one product per sequence is faster than one for all: OpenBLAS copies the weights for those."""
_GATES = np.arange(8).reshape(2, 4).T.reshape(8, 1)
"""The places of gates in the rows of `project`, in the order in which a step holds them: input forward, input backward, ..."""
_ONE = np.ones((), dtype=np.float32)


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

    def run(self, projected: Floats32, rows: Ints, active: list[int]) -> Floats32:
        """Return the states of both directions of all elements: (U, 8 width), (2, N) -> (2 N, width).

        `rows` are the rows of `projected` for the elements of each direction: those of step 0, then those of step 1, ... Step t
        reads `active[t]` of them, at most as many as the step before. `places(active, 2)` are the rows of the states.
        """
        width = self.width
        chosen = np.empty(8 * rows.shape[1], dtype=np.intp)
        chosen[places(active, 8)] = 8 * np.tile(rows, (4, 1)) + _GATES
        gates = projected.reshape(-1, width).take(chosen, axis=0)
        states = np.empty((2 * rows.shape[1], width), dtype=np.float32)
        cell = np.zeros((2, active[0], width), dtype=np.float32)
        before: Floats32 | None = None
        done = 0
        with np.errstate(over="ignore"):  # exp(x) is infinite for a gate that is closed: 1 / inf is 0
            for n, some in groupby(active):
                steps = len(list(some))
                first, done = done, done + 2 * n * steps
                cell = np.ascontiguousarray(cell[:, :n])
                states_here = states[first:done].reshape(steps, 2, n, width)
                self._run(gates[4 * first : 4 * done].reshape(steps, 4, 2, n, width), states_here, cell, before)
                before = states_here[-1]
        return states

    def _run(self, gates: Floats32, states: Floats32, cell: Floats32, before: Floats32 | None) -> None:
        """Compute the states of steps in which as many sequences are read. The gates are overwritten, the cells updated.

        Every array of a step is contiguous: NumPy needs twice the time for others. `before` are the states of the step before.
        """
        n, width = cell.shape[1:]
        products = np.empty((2, n, 4 * width), dtype=np.float32)
        added = products.reshape(2, n, 4, width).transpose(2, 0, 1, 3)
        for now, sigmoids, state in zip(gates, gates[:, :3], states, strict=True):
            if before is not None:
                self._recur(before[:, :n], products)
                np.add(now, added, now)
            np.exp(sigmoids, sigmoids)
            np.add(sigmoids, _ONE, sigmoids)
            np.reciprocal(sigmoids, sigmoids)
            entering, kept, leaving, fresh = now
            np.tanh(fresh, fresh)
            np.multiply(fresh, entering, fresh)
            np.multiply(cell, kept, cell)
            np.add(cell, fresh, cell)
            np.tanh(cell, state)
            np.multiply(state, leaving, state)
            before = state

    def _recur(self, states: Floats32, products: Floats32) -> None:
        """Multiply states (2, n, width) with the recurrent weights: (2, n, 4 width)."""
        if states.shape[1] < self._few:
            np.matmul(states[:, :, None], self._states[:, None], products[:, :, None])
        else:
            np.matmul(states, self._states, products)

    def joined(self, projected: Floats32, rows: Ints, packing: Packing) -> Floats32:
        """Return the states of each element: (U, 8 width), (N,) -> (N, 2 width). `rows` are those of `projected`."""
        states = self.run(projected, rows[packing.order], packing.active)
        forwards, backwards = places(packing.active, 2)
        joined = np.empty((len(rows), self.size), dtype=np.float32)
        joined[packing.order[0], : self.width] = states[forwards]
        joined[packing.order[1], self.width :] = states[backwards]
        return joined

    def last(self, projected: Floats32, rows: Ints, packing: Packing) -> Floats32:
        """Return the final state of each direction of each sequence: (U, 8 width), (N,) -> (sequences, 2 width)."""
        states = self.run(projected, rows[packing.order], packing.active)
        found: Floats32 = states[places(packing.active, 2)[:, packing.lasts].T].reshape(-1, self.size)
        return found
