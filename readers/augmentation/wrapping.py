"""Wraps the lines of a document at a fixed width, inside gold spans, too."""

from __future__ import annotations

from collections.abc import Sequence

from ..synthetic.draws import Draws
from ..synthetic.noise import wrapped
from .options import Wrap
from .pieces import Piece, cut, text_of


def rewrapped(pieces: Sequence[Piece], draws: Draws, options: Wrap) -> list[Piece]:
    """Return the document with wrapped lines if that is drawn for it."""
    if not draws.chance(options.share):
        return list(pieces)
    width = draws.pick(options.widths)
    if draws.chance(options.cut):
        return _cut(pieces, width)
    found = cut(pieces, wrapped(text_of(pieces), width))
    if draws.chance(options.indent):
        return _indented(pieces, found, " " * draws.between(2, 6))
    return found


def _cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Add a newline after every `width` characters of a line, inside words; not where a gold span would begin or end with one."""
    found: list[Piece] = []
    column = 0
    for text, mark in pieces:
        parts: list[str] = []
        for n, char in enumerate(text):
            if char == "\n":
                column = 0
            elif column >= width and (mark is None or n > 0):
                parts.append("\n")
                column = 0
            parts.append(char)
            column += char != "\n"
        found.append(("".join(parts), mark))
    return found


def _indented(old: Sequence[Piece], new: Sequence[Piece], indent: str) -> list[Piece]:
    """Indent the lines that wrapping added."""
    found: list[Piece] = []
    for (before, _), (after, mark) in zip(old, new, strict=True):
        chars = [a + indent if a == "\n" and b != "\n" else a for b, a in zip(before, after, strict=True)]
        found.append(("".join(chars), mark))
    return found
