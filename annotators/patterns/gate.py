"""The combined pass: one automaton tells which patterns can occur in a text at all, so that few are searched in detail."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal

from ...pipeline.storage.lazy_regex import lazy_regex
from .syntax import CHARACTER_CLASS, re2_options

_ELEMENT = lazy_regex(rf"\\Q.*?\\E|\\[pPx]\{{[^{{}}]*\}}|\\.|{CHARACTER_CLASS}|.", re.DOTALL)
_RUN = lazy_regex(rf"(?:[^\\\[()|]|\\Q.*?\\E|\\.|{CHARACTER_CLASS})+", re.DOTALL)
"""Everything up to the next parenthesis or bar."""
_FLAGS = lazy_regex(r"\(\?[a-zA-Z-]+\)")
_QUANTIFIER = lazy_regex(r"(?:[?*+]|\{[0-9]+(?:,[0-9]*)?\})\??")
_GROUP_START = lazy_regex(r"\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?")
_OPENING = lazy_regex(r"(?:\(\?[a-zA-Z-]*:|\(\?P?<\w+>|\((?!\?)|\\b|[\^|)])*")
_BOUNDS = lazy_regex(
    rf"\\Q.*?\\E|\\[pPx]\{{[^{{}}]*\}}|\\.|{CHARACTER_CLASS}|\{{(?P<least>[0-9]+),[0-9]+\}}\??", re.DOTALL
)
"""A repeat with an upper bound; or an escape or a class, in which braces are not repeats."""
_DIGIT = lazy_regex(r"[0-9]|\\d|\[[0-9-]+\]|\[\[:digit:\]\]")


class Gate:
    """The combined pass over some patterns.

    Patterns are broadened before they are combined: the automaton stays small, and each new text needs few new states.
    """

    def __init__(self, patterns: Iterable[str], *, are_broadened: bool = False) -> None:
        import re2

        self.patterns = list(patterns if are_broadened else map(broadened, patterns))
        self.automaton: Any = re2.Set.SearchSet(re2_options())
        self.automaton.Add("")  # always matches; if it is missing from a result, the pass ran out of memory
        for pattern in self.patterns:
            self.automaton.Add(pattern)
        self.automaton.Compile()

    def occurring(self, piece: bytes) -> Iterable[int]:
        """Return the numbers of the patterns that can occur in the text, ascending; all of them if the pass failed."""
        numbers = self.automaton.Match(piece)
        if not numbers or 0 not in numbers:
            return range(len(self.patterns))
        return sorted(n - 1 for n in numbers if n) if len(numbers) > 1 else ()


def head(pattern: str) -> Literal["word", "digit", "other"]:
    """Classify a pattern by its first character: a letter, a digit, or anything else."""
    opening = _OPENING.match(pattern)
    rest = pattern[opening.end() :] if opening else pattern
    return "word" if rest[:1].isalpha() else "digit" if _DIGIT.match(rest) else "other"


def names_words(pattern: str) -> bool:
    """Return True if a pattern contains words of any letters, such as names of streets, whose class has code points."""
    return r"\x{" in pattern


def broadened(pattern: str) -> str:
    """Return a pattern that occurs in every text in which `pattern` occurs, with a smaller automaton.

    Optional elements at both ends are cut. Upper bounds of repeats are removed, because an automaton counts up to them:
    `[a-z]{2,20}` has 20 states, `[a-z]{2,}` has two.
    """
    return _BOUNDS.sub(_without_bound, without_head(without_tail(pattern)))


def _without_bound(repeat: re.Match[str]) -> str:
    least = repeat["least"]
    return repeat[0] if least is None else {"0": "*", "1": "+"}.get(least, f"{{{least},}}")


def without_tail(pattern: str) -> str:
    """Return the pattern without optional elements at its end, also in its last group: `ab(?:c(d)?e*)` gives `ab(?:c)`.

    Wherever the pattern matches, the result matches too. Each part of a choice is cut; unknown syntax is left unchanged.
    """
    return _cut(pattern, -1)


def without_head(pattern: str) -> str:
    """Return the pattern without optional elements at its beginning, also in its first group: `(?:a?b)c` gives `(?:b)c`."""
    return _cut(pattern, 0)


def _cut(pattern: str, end: Literal[0, -1]) -> str:
    choices = _choices(pattern)
    if len(choices) > 1:
        return "|".join(_cut(choice, end) for choice in choices)
    elements = _elements(pattern)
    if elements is None:
        return pattern
    while elements and elements[end][1].startswith(("?", "*", "{0,", "{0}")):
        elements.pop(end)
    if elements and not elements[end][1] and elements[end][0].startswith("("):
        group = elements[end][0]
        start = _GROUP_START.match(group)
        if start and not group.startswith("(?", start.end() - 1):
            elements[end] = (start[0] + _cut(group[start.end() : -1], end) + ")", "")
    return "".join(body + quantifier for body, quantifier in elements) or pattern


def _choices(pattern: str) -> list[str]:
    """Return the parts of a choice at the top level; only the pattern itself for any other or unbalanced pattern."""
    cuts, offset = [0], 0
    while offset < len(pattern):
        if pattern[offset] == "|":
            offset += 1
            cuts.append(offset)
            continue
        run = _RUN.match(pattern, offset)
        end = run.end() if run else _closing(pattern, offset) if pattern[offset] == "(" else None
        if end is None or _FLAGS.match(pattern, offset):
            return [pattern]
        offset = end
    return [pattern[a : b - 1] for a, b in zip(cuts, [*cuts[1:], len(pattern) + 1], strict=True)]


def _elements(pattern: str) -> list[tuple[str, str]] | None:
    """Return the elements of a sequence with their quantifiers; None for patterns with flags in between."""
    elements: list[tuple[str, str]] = []
    offset = 0
    while offset < len(pattern):
        if pattern[offset] == "|" or _FLAGS.match(pattern, offset):
            return None
        element = _ELEMENT.match(pattern, offset)
        end = _closing(pattern, offset) if pattern[offset] == "(" else element.end() if element else None
        if end is None:
            return None
        quantifier = _QUANTIFIER.match(pattern, end)
        elements.append((pattern[offset:end], quantifier[0] if quantifier else ""))
        offset = quantifier.end() if quantifier else end
    return elements


def _closing(pattern: str, offset: int) -> int | None:
    """Return the offset after the end of the group at `offset`; None if it has no end."""
    return _groups(pattern).get(offset)


@lru_cache(64)  # called for each group of a pattern, then for each group as a pattern
def _groups(pattern: str) -> dict[int, int]:
    """Return the begin and end of each group."""
    groups: dict[int, int] = {}
    open_: list[int] = []
    offset = 0
    while offset < len(pattern):
        run = _RUN.match(pattern, offset)
        if run:
            offset = run.end()
            continue
        if pattern[offset] == "(":
            open_.append(offset)
        elif pattern[offset] == ")" and open_:
            groups[open_.pop()] = offset + 1
        elif pattern[offset] not in "|)":
            break
        offset += 1
    return groups
