"""Overlapping windows over long texts, and the merging of their scores.

The input of a model is limited to a few hundred pieces. Near the edge of a window the model has little context, so scores are
weighted by the distance from the edge. The begin and end of the text are not edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Merge = Literal["weighted", "max_context"]
Window = tuple[int, int]


def check_window_parameters(
    min_window: int, *, batch: int, threads: int, window: int | None, stride: int | None
) -> None:
    """Raise ValueError for a parameter below its minimum."""
    for name, value, minimum in (
        ("batch", batch, 1),
        ("threads", threads, 0),
        ("window", window, min_window),
        ("stride", stride, 0),
    ):
        if value is not None and value < minimum:
            raise ValueError(f"{name} must be {minimum} or more, got {value}")


def split_windows(count: int, size: int, overlap: int) -> list[Window]:
    """Return windows of `size` items that cover `count` items. Neighbors share at least `overlap` items.

    All windows have this size, unless there are fewer items.
    """
    if count <= size:
        return [(0, count)] if count else []
    begins = [*range(0, count - size, size - overlap), count - size]
    return [(begin, begin + size) for begin in begins]


def edge_distance(window: Window, count: int) -> Floats:
    """Return the distance of each item of a window from the nearest edge, at least 1. Shape: (items,)."""
    first, last = window
    n = last - first
    no_edge = float(n + 1)
    left = np.full(n, no_edge, dtype=np.float32) if first == 0 else np.arange(1, n + 1, dtype=np.float32)
    right = np.full(n, no_edge, dtype=np.float32) if last == count else np.arange(n, 0, -1, dtype=np.float32)
    return np.minimum(left, right)


def merge_windows(windows: Iterable[tuple[Window, Floats, Floats]], merge: Merge) -> Iterator[tuple[int, Floats]]:
    """Yield the merged scores of all items in consecutive chunks: the index of the first item, and the scores.

    The input is windows in order, with scores of shape (items, ..., classes) and weights of shape (items, ...). If all weights
    are 0, the score is NaN. Only the items that later windows can overlap are kept in memory.
    """
    start = 0
    total: npt.NDArray[np.float64] | None = None
    weight: npt.NDArray[np.float64] = np.zeros(0)
    for (first, last), scores, weights in windows:
        if total is None:
            total, weight, start = np.zeros((0, *scores.shape[1:])), np.zeros((0, *weights.shape[1:])), first
        if first > start:
            yield start, _average(total[: first - start], weight[: first - start])
            total, weight, start = total[first - start :], weight[first - start :], first
        missing = last - start - len(total)
        if missing > 0:
            total = np.concatenate([total, np.zeros((missing, *total.shape[1:]))])
            weight = np.concatenate([weight, np.zeros((missing, *weight.shape[1:]))])
        covered = slice(0, last - start)
        weighted = scores * weights[..., None].astype(np.float64)  # doubles: the scores of a single window stay exact
        if merge == "weighted":
            total[covered] += weighted
            weight[covered] += weights
        else:
            better = weights > weight[covered]
            total[covered][better] = weighted[better]
            weight[covered][better] = weights[better]
    if total is not None:
        yield start, _average(total, weight)


def _average(total: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> Floats:
    with np.errstate(invalid="ignore"):
        return (total / weight[..., None]).astype(np.float32)


def pad_rows(rows: list[list[int]], pad: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows as one array padded with `pad`, and its mask, 0 for padding. Shape of both: (rows, longest)."""
    width = max(map(len, rows))
    ids = np.full((len(rows), width), pad, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask
