"""The data of a rule file: rules, the words around a match that they require or forbid, lists, and marked-up examples."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind

Side = Literal["before", "after", "near"]
Sentences = tuple[Sequence[int], Sequence[int]]
"""Begins and ends of sentences."""
SentenceSource = Sentences | Callable[[], Sentences | None] | None
"""Sentences, or what returns them when a condition needs them: few rules do."""
Phrases = tuple[tuple[str, ...], ...]
"""Words or sequences of words, in lower case."""

REACH = 400
"""Maximum number of code points read on either side of a match."""

_WORD = lazy_regex(r"[^\W_]+(?:'[^\W_]+)?|[#@]")
_ASCII_WORD = lazy_regex(r"[a-z0-9]+(?:'[a-z0-9]+)?|[#@]")
_LINE = lazy_regex(r"[\r\n]")
_STOP = lazy_regex(r"[\r\n]|[.!?](?=\s+[A-Z])")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; `#` and `@` count as words, other punctuation does not."""
    lower = text.lower()
    return _ASCII_WORD.findall(lower) if lower.isascii() else _WORD.findall(lower.replace("’", "'"))


@dataclass(frozen=True, slots=True)
class ContextCondition:
    """One condition on the words around a match.

    `phrases` are words or sequences of words in lower case. `within` is a number of words, or `line` or `sentence`.
    `required` and `forbidden` veto; `adds` changes the confidence if a phrase is present.
    """

    side: Side
    phrases: Phrases
    within: int | Literal["line", "sentence"] = 5
    required: bool = False
    forbidden: bool = False
    adds: float = 0.0
    singles: frozenset[str] = field(init=False, repr=False)
    """Phrases of one word, for a fast test."""
    longer: Phrases = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "singles", frozenset(p[0] for p in self.phrases if len(p) == 1))
        object.__setattr__(self, "longer", tuple(p for p in self.phrases if len(p) > 1))

    def occurs(self, words: list[str]) -> bool:
        """Return True if one of the phrases is among the words."""
        if not self.singles.isdisjoint(words):
            return True
        return any(
            tuple(words[i : i + len(phrase)]) == phrase
            for phrase in self.longer
            if phrase[0] in words
            for i in range(len(words) - len(phrase) + 1)
        )


class Surroundings:
    """The words around one match, read once for all conditions."""

    __slots__ = ("_begin", "_cache", "_counted", "_end", "_sentences", "_text")

    def __init__(self, text: str, begin: int, end: int, sentences: SentenceSource) -> None:
        self._text, self._begin, self._end, self._sentences = text, begin, end, sentences
        self._cache: dict[tuple[str, int | str], list[str]] = {}
        self._counted: dict[str, tuple[int, list[str]]] = {}

    def holds(self, condition: ContextCondition) -> bool:
        """Return True if a phrase of the condition occurs on its side, within its distance."""
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
        reach = REACH if isinstance(within, str) else min(REACH, 24 + 16 * within)
        return self._read_before(within, reach) if side == "before" else self._read_after(within, reach)

    def _read_before(self, within: int | str, reach: int) -> list[str]:
        text, begin = self._text, self._begin
        low = max(0, begin - reach)
        if low and text[low - 1].isalnum():
            while low < begin and text[low].isalnum():
                low += 1  # only whole words
        if isinstance(within, int):
            return words_of(text[low:begin])[-within:]
        if within == "sentence":
            low = max(low, self._sentence(begin)[0])
        stop, piece = self._stop(within), text[low:begin]
        ends = [match.end() for match in stop.finditer(piece)] if stop else []
        return words_of(piece[ends[-1] :] if ends else piece)

    def _read_after(self, within: int | str, reach: int) -> list[str]:
        text, end = self._text, self._end
        high = min(len(text), end + reach)
        if high < len(text) and text[high].isalnum():
            while high > end and text[high - 1].isalnum():
                high -= 1
        if isinstance(within, int):
            return words_of(text[end:high])[:within]
        if within == "sentence":
            high = min(high, self._sentence(end - 1)[1])
        stop = self._stop(within)
        first = stop.search(text[end:high]) if stop else None
        return words_of(text[end : end + first.start()] if first else text[end:high])

    def _stop(self, within: str) -> re.Pattern[str] | None:
        """Return the pattern for the end of a line, or of a sentence if the view has no sentences."""
        if within == "line":
            return _LINE
        return None if self._bounds() else _STOP

    def _bounds(self) -> Sentences | None:
        return self._sentences() if callable(self._sentences) else self._sentences

    def _sentence(self, offset: int) -> tuple[int, int]:
        bounds = self._bounds()
        if bounds is None or not bounds[0]:
            return 0, len(self._text)
        begins, ends = bounds
        i = bisect_right(begins, offset) - 1
        if i >= 0 and offset < ends[i]:
            return begins[i], ends[i]
        return (ends[i] if i >= 0 else 0), (begins[i + 1] if i + 1 < len(begins) else len(self._text))


Boundary = Literal["word", "joined", "none"]
Value = Literal["compact", "digits", "lower", "text"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its patterns, and the evidence for and against a match. See docs/reference/rule-files.md."""

    name: str
    kind: PhiKind | None
    """The kind that a match is marked as; None if the rule feeds a list."""
    list: str
    """Name of the list that a match belongs to (`ListHit.list`), empty for PHI."""
    patterns: tuple[Any, ...]
    """Compiled google-re2 patterns."""
    group: int | str
    """The group of the pattern that is marked, 0 for the whole match."""
    boundary: Boundary
    context: tuple[ContextCondition, ...]
    confidence: float
    validator: str
    valid_adds: float
    otherwise: PhiKind | None
    """The kind of a match that the validator rejects; None keeps `kind`."""
    filters: tuple[str, ...]
    value: Value
    examples: tuple[tuple[str, int], ...]
    """(marked-up line, line of the file)"""
    counter_examples: tuple[tuple[str, int], ...]
    automaton: str
    """Rules with the same name here share a combined pass; by default those of one file."""
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class DenyList:
    """Strings that are always marked."""

    name: str
    kind: PhiKind
    strings: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class AllowList:
    """Strings that are never marked, and patterns whose full matches are not."""

    strings: tuple[str, ...] = ()
    patterns: tuple[Any, ...] = ()


_TAG = lazy_regex(r"<([A-Z][A-Z0-9_]*)>(.*?)</\1>", re.DOTALL)


def unmark(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the plain text of a marked-up line and its spans (begin, end, tag): `Seen by <PERSON>Ann</PERSON>`."""
    text: list[str] = []
    spans: list[tuple[int, int, str]] = []
    offset = length = 0
    for tag in _TAG.finditer(line):
        text += [line[offset : tag.start()], tag[2]]
        begin = length + tag.start() - offset
        length = begin + len(tag[2])
        spans.append((begin, length, tag[1]))
        offset = tag.end()
    return "".join([*text, line[offset:]]), spans
