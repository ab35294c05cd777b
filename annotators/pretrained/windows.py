"""Overlapping windows over long texts, and the merging of their scores.

A model reads a few hundred pieces at a time. What stands near a window's edge was judged with little context, so each window's
word counts by its distance to that edge; the text's own begin and end are not edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Merge = Literal["weighted", "max_context"]
Window = tuple[int, int]


def cut(count: int, room: int, overlap: int) -> list[Window]:
    """Return windows of `room` items over `count`, each sharing `overlap` with the one before; the last one ends with the text.

    All windows are equally long, unless one is enough.
    """
    if count <= room:
        return [(0, count)] if count else []
    begins = [*range(0, count - room, room - overlap), count - room]
    return [(begin, begin + room) for begin in begins]


def context(window: Window, count: int) -> Floats:
    """How far each item of a window lies from the nearest edge, at least 1; shape (items,)."""
    first, last = window
    n = last - first
    far = float(n + 1)
    left = np.full(n, far, dtype=np.float32) if first == 0 else np.arange(1, n + 1, dtype=np.float32)
    right = np.full(n, far, dtype=np.float32) if last == count else np.arange(n, 0, -1, dtype=np.float32)
    return np.minimum(left, right)


def merged(windows: Iterable[tuple[Window, Floats, Floats]], merge: Merge) -> Iterator[tuple[int, Floats]]:
    """Yield the scores of all items, from windows in order: (first item, scores) of one stretch after the other, without gaps.

    Each window comes with its scores, shape (items, ..., classes), and the weights of these, shape (items, ...). Where all
    weights are 0 the score is NaN. Only what later windows can still reach is kept in memory.
    """
    base = 0
    total: npt.NDArray[np.float64] | None = None
    weight: npt.NDArray[np.float64] = np.zeros(0)
    for (first, last), scores, weights in windows:
        if total is None:
            total, weight, base = np.zeros((0, *scores.shape[1:])), np.zeros((0, *weights.shape[1:])), first
        if first > base:
            yield base, _settled(total[: first - base], weight[: first - base])
            total, weight, base = total[first - base :], weight[first - base :], first
        more = last - base - len(total)
        if more > 0:
            total = np.concatenate([total, np.zeros((more, *total.shape[1:]))])
            weight = np.concatenate([weight, np.zeros((more, *weight.shape[1:]))])
        here = slice(0, last - base)
        parts = scores * weights[..., None].astype(
            np.float64
        )  # as doubles: what one window says alone comes back as it was
        if merge == "weighted":
            total[here] += parts
            weight[here] += weights
        else:
            better = weights > weight[here]
            total[here][better] = parts[better]
            weight[here][better] = weights[better]
    if total is not None:
        yield base, _settled(total, weight)


def _settled(total: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> Floats:
    with np.errstate(invalid="ignore"):
        return (total / weight[..., None]).astype(np.float32)


def padded(rows: list[list[int]], pad: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows as one array padded with `pad`, and the mask: 0 for padding; both of shape (rows, longest)."""
    width = max(map(len, rows))
    ids = np.full((len(rows), width), pad, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask
