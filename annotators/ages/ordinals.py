"""Ordinal numbers in words, as in birthdays and decades of life: `ninety-fourth`, `tenth`."""

from __future__ import annotations

from ..dates.numerals import TENS

_TENTHS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split()
_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
ORDINALS: dict[str, int] = {word: 10 * i for i, word in enumerate(_TENTHS, 2)}
"""Ordinal numbers in words from 20th to 100th."""
ORDINALS.update(
    {
        f"{tens}{joint}{one}": 10 * i + j
        for i, tens in enumerate(TENS, 2)
        for j, one in enumerate(_ONES, 1)
        for joint in "- "
    }
)
SMALL = {word: i for i, word in enumerate("fifth sixth seventh eighth ninth tenth eleventh".split(), 5)}
"""Ordinal numbers of decades in words."""


def ordinal(words: str) -> int:
    """Return the number that an ordinal in words means; 0 if it is none."""
    low = words.lower()
    return ORDINALS.get(low) or SMALL.get(low, 0)
