"""Errors of typing and scanning. Gold spans keep their ends: no span is lost, split or padded with blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ..synthetic.draws import Draws
from ..synthetic.noise import misread, offsets, slip
from .options import Noise
from .pieces import Piece, each

_RATES = ((0.0015, 0.5), (0.004, 0.35), (0.01, 0.15))
"""(typing errors per letter, share of the documents with typing errors)."""
_MISREAD = 0.03
_AFTER_MARK = re.compile(r"(?<=[^\W\d_][.,;:]) (?=\S)")


def roughened(pieces: Sequence[Piece], draws: Draws, options: Noise) -> list[Piece]:
    """Return the document with the errors that are drawn for it."""
    found = list(pieces)
    if draws.chance(options.accents):
        found = each(found, without_accents)
    if draws.chance(options.typos):
        found = _slips(found, draws, draws.weighted(_RATES))
    if draws.chance(options.names):
        found = _one_name(found, draws)
    if draws.chance(options.spaces):
        lost = draws.chance(0.5)
        found = [
            (text if mark else _AFTER_MARK.sub(lambda m: _space(m, draws, lost), text), mark) for text, mark in found
        ]
    if draws.chance(options.ocr):
        found = each(found, lambda text: misread(text, _MISREAD, draws))
    return found


def without_accents(text: str) -> str:
    """Return the text with letters without accents, as old systems store them."""
    if text.isascii():
        return text
    return "".join([c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)])


def _space(match: re.Match[str], draws: Draws, lost: bool) -> str:
    return (" " if not draws.chance(0.1) else "") if lost else "  " if draws.chance(0.5) else " "


def _slips(pieces: list[Piece], draws: Draws, rate: float) -> list[Piece]:
    """Add typing errors at all letters with the same probability. Spans of up to four characters stay."""
    found: list[Piece] = []
    for text, mark in pieces:
        for offset in reversed(list(offsets(len(text) - 1, rate, draws))):
            if offset > 0 and (mark is None or len(text) > 4):
                text = _whole(slip(text, offset, draws), text, mark is not None)
        found.append((text, mark))
    return found


def _whole(new: str, old: str, is_span: bool) -> str:
    return old if is_span and new.strip() != new else new


def _one_name(pieces: list[Piece], draws: Draws) -> list[Piece]:
    names = [
        n
        for n, (text, mark) in enumerate(pieces)
        if mark is not None and mark.kind.top.name == "PERSON" and len(text) > 5
    ]
    if names:
        n = draws.pick(names)
        text, mark = pieces[n]
        pieces[n] = (_whole(slip(text, draws.between(1, len(text) - 2), draws), text, True), mark)
    return pieces
