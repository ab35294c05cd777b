"""The order in which a recurrent network reads several sequences together: the first element of each, the second of each, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.intp]


@dataclass(slots=True)
class Packing:
    """Sequences of elements, longest first, step by step.

    `order` of shape (2, elements) holds the elements in the order of reading, forward and backward. Step t reads `active[t]`
    sequences. `lasts` of shape (sequences,) are the places of the last steps of the
    sequences, in their given order.
    """

    order: Ints
    active: list[int]
    lasts: Ints
    sequences: Sequence[tuple[int, int]]


def pack(sequences: Sequence[tuple[int, int]]) -> Packing:
    """Return the packing of ranges of elements, of which none is empty."""
    begins, ends = np.array(sequences, dtype=np.intp).T
    lengths = ends - begins
    falling = np.argsort(-lengths, kind="stable")
    sizes = lengths[falling]
    active = np.searchsorted(-sizes, -np.arange(int(sizes[0])), side="left")  # how many sequences are longer than t
    offsets = np.concatenate([[0], active.cumsum()])
    steps = np.repeat(np.arange(len(active)), active)
    rank = np.arange(len(steps)) - offsets[steps]
    order = np.stack([begins[falling][rank] + steps, ends[falling][rank] - 1 - steps])
    lasts = np.empty(len(lengths), dtype=np.intp)
    lasts[falling] = offsets[sizes - 1] + np.arange(len(sizes))
    return Packing(order, active.tolist(), lasts, sequences)


def places(active: Sequence[int], parts: int) -> Ints:
    """Return where each part of each element is if the memory of every step is contiguous: (parts, elements).

    A step holds part 0 of its elements, then part 1 of them, ...
    """
    sizes = np.repeat(active, active)
    begins = np.repeat(np.cumsum(active) - active, active)
    found: Ints = np.arange(len(sizes)) + (parts - 1) * begins + np.arange(parts)[:, None] * sizes
    return found
