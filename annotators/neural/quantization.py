"""Weights as 8-bit integers with a scale for each row: a quarter of the size. Loading makes 32-bit numbers of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ..sequence.arrays import Array

Quantize = Literal["int8"]

SMALLEST = 2_000
"""Minimum number of weights of an array to be quantized. Vectors (biases, scores of label pairs) never are."""
_SCALE, _LARGEST = "/scale", 127


def quantize(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return large arrays as rounded 8-bit integers, and the scale of each of their rows under the name `NAME/scale`.

    The largest weight of a row becomes 127 or -127, so that every weight changes by at most 1/254 of it.
    """
    rounded: dict[str, Array] = {}
    for name, array in arrays.items():
        if array.ndim < 2 or array.size < SMALLEST or array.dtype.kind != "f":
            rounded[name] = array
            continue
        rows = array.reshape(len(array), -1).astype(np.float32)
        scale = np.abs(rows).max(axis=1) / _LARGEST
        scale[scale == 0] = 1.0
        rounded[name] = np.rint(rows / scale[:, None]).astype(np.int8).reshape(array.shape)
        rounded[f"{name}{_SCALE}"] = scale.astype(np.float32)
    return rounded


def dequantize(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays as numbers. Raise ValueError if an array of integers has no scale for each of its rows."""
    scales = {name: array for name, array in arrays.items() if name.endswith(_SCALE)}
    numbers: dict[str, Array] = {}
    for name, array in arrays.items():
        if name.endswith(_SCALE):
            continue
        scale = scales.pop(f"{name}{_SCALE}", None)
        if array.dtype.kind == "f" and scale is None:
            numbers[name] = array
        elif array.dtype == np.int8 and array.ndim > 1 and scale is not None and scale.shape == (len(array),):
            rows = array.reshape(len(array), -1).astype(np.float32) * scale.astype(np.float32)[:, None]
            numbers[name] = rows.reshape(array.shape)
        else:
            raise ValueError(f"weights: {name}: expected numbers, or 8-bit integers and a scale for each row")
    if scales:
        raise ValueError(f"weights: {', '.join(sorted(scales))}: a scale without weights")
    return numbers
