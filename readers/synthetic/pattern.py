"""Patterns of dates, ages and names: `{token}` is a part of the value, guillemets mark PHI."""

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
    """Segments (kind, parts). The kind is empty for plain text, and `*` for the kind of the value."""

    segments: tuple[tuple[str, tuple[str | Callable[[T], str], ...]], ...]

    def pieces(self, value: T, kind: str, shape: Callable[[str], str] | None = None) -> list[Piece]:
        """Return the pieces of a value written this way; `kind` is the kind of segments marked without one."""
        pieces: list[Piece] = []
        for own_kind, parts in self.segments:
            text = "".join([part if isinstance(part, str) else part(value) for part in parts])
            if shape is not None:
                text = shape(text)
            pieces.append((text, kind if own_kind == "*" else own_kind))
        return pieces


def compile_pattern(line: Line, tokens: Mapping[str, Callable[[T], str]]) -> Pattern[T]:
    """Compile a line. `«DATE_YEAR|{YYYY}»` names a kind; without guillemets the whole text is marked.

    Raises ResourceError that names the line for unknown tokens and kinds.
    """
    text = line.text if "«" in line.text else f"«{line.text}»"
    segments: list[tuple[str, tuple[str | Callable[[T], str], ...]]] = []
    offset = 0
    for mark in _MARKED.finditer(text):
        if mark.start() > offset:
            segments.append(("", _parts(text[offset : mark.start()], tokens, line.place)))
        if mark[1]:
            try:
                PhiKind.of(mark[1])
            except ValueError as error:
                raise ResourceError(f"{line.place}: {error}") from None
        segments.append((mark[1] or "*", _parts(mark[2], tokens, line.place)))
        offset = mark.end()
    if offset < len(text):
        segments.append(("", _parts(text[offset:], tokens, line.place)))
    return Pattern(tuple(segments))


def _parts(text: str, tokens: Mapping[str, Callable[[T], str]], place: str) -> tuple[str | Callable[[T], str], ...]:
    parts: list[str | Callable[[T], str]] = []
    offset = 0
    for token in _TOKEN.finditer(text):
        if token[1] not in tokens:
            raise ResourceError(f"{place}: no token {{{token[1]}}}{nearest(token[1], tokens)}")
        parts += [text[offset : token.start()], tokens[token[1]]]
        offset = token.end()
    parts.append(text[offset:])
    return tuple(part for part in parts if part != "")
