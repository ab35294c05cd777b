"""Patterns: how a date, an age or a name is written. `{token}` stands for a part, guillemets for what is marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from .pieces import Piece
from .sections import Line

T = TypeVar("T")
_MARKED = re.compile(r"«(?:([A-Z_]+)\|)?([^«»]*)»")
_TOKEN = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(Generic[T]):
    """Segments (kind, parts): the kind is empty for plain text, `*` for whatever kind the value has."""

    segments: tuple[tuple[str, tuple[str | Callable[[T], str], ...]], ...]

    def pieces(self, value: T, kind: str, shape: Callable[[str], str] | None = None) -> list[Piece]:
        """The pieces of a value written this way; `kind` is given to what is marked without a kind of its own."""
        made: list[Piece] = []
        for own, parts in self.segments:
            text = "".join([part if isinstance(part, str) else part(value) for part in parts])
            if shape is not None:
                text = shape(text)
            made.append((text, kind if own == "*" else own))
        return made


def compile_pattern(line: Line, tokens: Mapping[str, Callable[[T], str]]) -> Pattern[T]:
    """A pattern from its line. `«DATE_YEAR|{YYYY}»` names a kind; where nothing is marked, all of it is.

    Raises ResourceError that names the place for tokens and kinds nobody knows.
    """
    text = line.text if "«" in line.text else f"«{line.text}»"
    segments: list[tuple[str, tuple[str | Callable[[T], str], ...]]] = []
    at = 0
    for mark in _MARKED.finditer(text):
        if mark.start() > at:
            segments.append(("", _parts(text[at : mark.start()], tokens, line.place)))
        if mark[1]:
            try:
                PhiKind.of(mark[1])
            except ValueError as error:
                raise ResourceError(f"{line.place}: {error}") from None
        segments.append((mark[1] or "*", _parts(mark[2], tokens, line.place)))
        at = mark.end()
    if at < len(text):
        segments.append(("", _parts(text[at:], tokens, line.place)))
    return Pattern(tuple(segments))


def _parts(text: str, tokens: Mapping[str, Callable[[T], str]], place: str) -> tuple[str | Callable[[T], str], ...]:
    parts: list[str | Callable[[T], str]] = []
    at = 0
    for token in _TOKEN.finditer(text):
        if token[1] not in tokens:
            raise ResourceError(f"{place}: no token {{{token[1]}}}{nearest(token[1], tokens)}")
        parts += [text[at : token.start()], tokens[token[1]]]
        at = token.end()
    parts.append(text[at:])
    return tuple(part for part in parts if part != "")
