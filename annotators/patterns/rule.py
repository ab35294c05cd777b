"""The data of a rule file: rules, deny lists, an allow list, and the spans that examples mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from ...typesystem import PhiKind
from .context import ContextCondition

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


_TAG = re.compile(r"<([A-Z][A-Z0-9_]*)>(.*?)</\1>", re.DOTALL)


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
