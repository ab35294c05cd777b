"""Columns of values in little memory, for documents of many tokens."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

_MOST = 1 << 16


class CompactColumn:
    """The values of a feature over tokens, as numbers of its distinct values: two bytes for each token, not eight and more.

    A slice is a list of the values.
    """

    __slots__ = ("_numbers", "_values")

    def __init__(self, values: Iterable[Any]) -> None:
        numbers = dict[Any, int]()
        self._numbers = array("H")
        append, known = self._numbers.append, numbers.get
        for value in values:
            number = known(value)
            if number is None:
                number = numbers[value] = len(numbers)
                if number == _MOST:
                    self._numbers = array("i", self._numbers)
                    append = self._numbers.append
            append(number)
        self._values = list(numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, tokens: slice) -> list[Any]:
        return list(map(self._values.__getitem__, self._numbers[tokens]))
