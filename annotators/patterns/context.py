"""Words around a hit that a rule requires, forbids, or takes as further evidence: whole words, never parts of words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["before", "after", "near"]
Phrases = tuple[tuple[str, ...], ...]
"""Words or sequences of words, in lower case."""

REACH = 400
"""Code points looked at on either side of a hit, at most."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[#@]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?|[#@]")
_LINE = re.compile(r"[\r\n]")
_STOP = re.compile(r"[\r\n]|[.!?](?=\s+[A-Z])")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; `#` and `@` count as words, other punctuation does not."""
    lower = text.lower()
    return _ASCII_WORD.findall(lower) if lower.isascii() else _WORD.findall(lower.replace("’", "'"))


@dataclass(frozen=True, slots=True)
class Context:
    """One condition on the words around a hit.

    `phrases` are words or sequences of words in lower case. `within` counts words from the hit, or is `line` or `sentence`.
    `required` and `forbidden` veto; `adds` changes the confidence where a phrase is there.
    """

    side: Side
    phrases: Phrases
    within: int | Literal["line", "sentence"] = 5
    required: bool = False
    forbidden: bool = False
    adds: float = 0.0
    singles: frozenset[str] = field(init=False, repr=False)
    """The phrases of one word, for one look instead of many."""
    longer: Phrases = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "singles", frozenset(p[0] for p in self.phrases if len(p) == 1))
        object.__setattr__(self, "longer", tuple(p for p in self.phrases if len(p) > 1))

    def occurs(self, words: list[str]) -> bool:
        """Whether one of the phrases stands among the words."""
        if not self.singles.isdisjoint(words):
            return True
        return any(
            tuple(words[i : i + len(phrase)]) == phrase
            for phrase in self.longer
            if phrase[0] in words
            for i in range(len(words) - len(phrase) + 1)
        )


class Surroundings:
    """The words around one hit, read once for all its conditions."""

    __slots__ = ("_begin", "_cache", "_counted", "_end", "_sentences", "_text")

    def __init__(self, text: str, begin: int, end: int, sentences: tuple[Sequence[int], Sequence[int]] | None) -> None:
        self._text, self._begin, self._end, self._sentences = text, begin, end, sentences
        self._cache: dict[tuple[str, int | str], list[str]] = {}
        self._counted: dict[str, tuple[int, list[str]]] = {}

    def holds(self, condition: Context) -> bool:
        """Whether a phrase of the condition stands where the condition looks for it."""
        sides = ("before", "after") if condition.side == "near" else (condition.side,)
        return any(condition.occurs(self._words(side, condition.within)) for side in sides)

    def _words(self, side: str, within: int | str) -> list[str]:
        if isinstance(within, int):
            count, words = self._counted.get(side, (0, []))
            if count < within:
                count, words = self._counted[side] = within, self._read(side, within)
            return words if count == within else words[-within:] if side == "before" else words[:within]
        key = (side, within)
        if key not in self._cache:
            self._cache[key] = self._read(side, within)
        return self._cache[key]

    def _read(self, side: str, within: int | str) -> list[str]:
        text, begin, end = self._text, self._begin, self._end
        reach = REACH if isinstance(within, str) else min(REACH, 24 + 16 * within)
        if side == "before":
            low = max(0, begin - reach)
            if low and text[low - 1].isalnum():
                while low < begin and text[low].isalnum():
                    low += 1  # never half a word
            if within == "sentence":
                low = max(low, self._sentence(begin)[0])
            piece = text[low:begin]
            if isinstance(within, str):
                stop = self._stop(within)
                return words_of(_last(piece, stop) if stop else piece)
            return words_of(piece)[-within:]
        high = min(len(text), end + reach)
        if high < len(text) and text[high].isalnum():
            while high > end and text[high - 1].isalnum():
                high -= 1
        if within == "sentence":
            high = min(high, self._sentence(end - 1)[1])
        piece = text[end:high]
        if isinstance(within, str):
            stop = self._stop(within)
            end_of_it = stop.search(piece) if stop else None
            return words_of(piece[: end_of_it.start()] if end_of_it else piece)
        return words_of(piece)[:within]

    def _stop(self, within: str) -> re.Pattern[str] | None:
        """What ends a line, or a sentence where nobody marked sentences."""
        if within == "line":
            return _LINE
        return None if self._sentences else _STOP

    def _sentence(self, offset: int) -> tuple[int, int]:
        if self._sentences is None or not self._sentences[0]:
            return 0, len(self._text)
        begins, ends = self._sentences
        i = bisect_right(begins, offset) - 1
        if i >= 0 and offset < ends[i]:
            return begins[i], ends[i]
        return (ends[i] if i >= 0 else 0), (begins[i + 1] if i + 1 < len(begins) else len(self._text))


def _last(piece: str, stop: re.Pattern[str]) -> str:
    at = 0
    for found in stop.finditer(piece):
        at = found.end()
    return piece[at:]
