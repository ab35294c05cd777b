"""The weights of a network by their PyTorch names, with checks of their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


class Weights:
    """The arrays whose names begin with `prefix`. The names that were taken are shared with the object it was made from."""

    def __init__(self, arrays: Mapping[str, Any], prefix: str = "", taken: set[str] | None = None) -> None:
        self._arrays, self._prefix = arrays, prefix
        self._taken: set[str] = set() if taken is None else taken

    def under(self, name: str) -> Weights:
        """Return the weights of a module inside this one."""
        return type(self)(self._arrays, f"{self._prefix}{name}.", self._taken)

    def take(self, name: str, *shape: int) -> Floats32:
        """Return an array. Raise ValueError if it is missing or has another shape."""
        full = self._prefix + name
        array = self._arrays.get(full)
        if array is None or array.shape != shape:
            raise ValueError(f"{full}: expected shape {shape}, found {None if array is None else array.shape}")
        self._taken.add(full)
        return np.ascontiguousarray(array, dtype=np.float32)

    def left(self) -> list[str]:
        """Return the names of arrays that were not taken."""
        return sorted(set(self._arrays) - self._taken)
