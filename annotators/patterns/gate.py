"""The combined pass: one automaton says which patterns can occur in a text at all, so that few are looked at in detail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

from .syntax import re2_options

_CLASS = r"\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^{}]*\}|\\.|[^\]\\])*\]"
_ELEMENT = re.compile(rf"\\Q.*?\\E|\\[pPx]\{{[^{{}}]*\}}|\\.|{_CLASS}|.", re.DOTALL)
_RUN = re.compile(rf"(?:[^\\\[()|]|\\Q.*?\\E|\\.|{_CLASS})+", re.DOTALL)
"""Everything up to the next bracket or bar."""
_FLAGS = re.compile(r"\(\?[a-zA-Z-]+\)")
_QUANTIFIER = re.compile(r"(?:[?*+]|\{[0-9]+(?:,[0-9]*)?\})\??")
_OPENING = re.compile(r"(?:\(\?[a-zA-Z-]*:|\(\?P?<\w+>|\((?!\?)|\\b|[\^|)])*")
_FIGURE = re.compile(r"[0-9]|\\d|\[[0-9-]+\]|\[\[:digit:\]\]")


class Gate:
    """The combined pass over some patterns.

    Optional tails of patterns are left out: what matches with its tail matches without, and the automaton stays small.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        import re2

        self._count = len(patterns)
        self._set: Any = re2.Set.SearchSet(re2_options())
        self._set.Add("")  # occurs always: its absence from an answer says that the pass ran out of memory
        for pattern in patterns:
            self._set.Add(without_tail(pattern))
        self._set.Compile()

    def occurring(self, piece: bytes) -> Iterable[int]:
        """Numbers of the patterns that can occur in the text, ascending; all of them where the pass gave up."""
        numbers = self._set.Match(piece)
        if not numbers or 0 not in numbers:
            return range(self._count)
        return sorted(n - 1 for n in numbers if n) if len(numbers) > 1 else ()


def head(pattern: str) -> Literal["word", "figure", "other"]:
    """What a pattern begins with, as far as its first sign shows: a letter, a digit, or anything else."""
    opening = _OPENING.match(pattern)
    rest = pattern[opening.end() :] if opening else pattern
    return "word" if rest[:1].isalpha() else "figure" if _FIGURE.match(rest) else "other"


def without_tail(pattern: str) -> str:
    """The pattern without optional elements at its end, also at the end of its last group: `ab(?:c(d)?e*)` gives `ab(?:c)`.

    Wherever the pattern matches, what is left matches too. Of a choice each part is cut; what is not understood stays as it is.
    """
    choices = _choices(pattern)
    if len(choices) > 1:
        return "|".join(map(without_tail, choices))
    elements = _elements(pattern)
    if elements is None:
        return pattern
    while elements and (elements[-1][1].startswith(("?", "*")) or elements[-1][1].startswith(("{0,", "{0}"))):
        elements.pop()
    if elements and not elements[-1][1] and elements[-1][0].startswith("("):
        group = elements[-1][0]
        head = re.match(r"\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?", group)
        if head and not group.startswith("(?", head.end() - 1):
            elements[-1] = (head[0] + without_tail(group[head.end() : -1]) + ")", "")
    return "".join(body + quantifier for body, quantifier in elements) or pattern


def _choices(pattern: str) -> list[str]:
    """The parts of a choice at the top level; the pattern alone where there is none or the brackets do not pair."""
    cuts, at = [0], 0
    while at < len(pattern):
        if pattern[at] == "|":
            at += 1
            cuts.append(at)
            continue
        run = _RUN.match(pattern, at)
        end = run.end() if run else _closing(pattern, at) if pattern[at] == "(" else None
        if end is None or _FLAGS.match(pattern, at):
            return [pattern]
        at = end
    return [pattern[a : b - 1] for a, b in zip(cuts, [*cuts[1:], len(pattern) + 1], strict=True)]


def _elements(pattern: str) -> list[tuple[str, str]] | None:
    """Elements of a sequence with their quantifiers; None for patterns with flags in between."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern):
        start = at
        if pattern[at] == "|":
            return None
        if pattern[at] == "(":
            end = _closing(pattern, at)
            if end is None or _FLAGS.match(pattern, at):
                return None
            at = end
        else:
            element = _ELEMENT.match(pattern, at)
            if element is None:
                return None
            at = element.end()
        quantifier = _QUANTIFIER.match(pattern, at)
        body = pattern[start:at]
        at = quantifier.end() if quantifier else at
        found.append((body, quantifier[0] if quantifier else ""))
    return found


def _closing(pattern: str, at: int) -> int | None:
    """Behind the bracket that closes the group at `at`; None where none does."""
    return _pairs(pattern).get(at)


@lru_cache(64)  # a pattern is asked about each of its groups, then each group as a pattern
def _pairs(pattern: str) -> dict[int, int]:
    """Where each group begins and behind which bracket it ends."""
    found: dict[int, int] = {}
    open_: list[int] = []
    at = 0
    while at < len(pattern):
        run = _RUN.match(pattern, at)
        if run:
            at = run.end()
            continue
        if pattern[at] == "(":
            open_.append(at)
        elif pattern[at] == ")" and open_:
            found[open_.pop()] = at + 1
        elif pattern[at] not in "|)":
            break
        at += 1
    return found
