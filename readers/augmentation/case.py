"""Writes documents, or only their gold spans, in upper or lower case."""

from __future__ import annotations

from collections.abc import Sequence

from ...typesystem import PhiKind
from ..synthetic.draws import Draws
from .options import Case
from .pieces import Piece, each


def recased(pieces: Sequence[Piece], draws: Draws, options: Case) -> list[Piece]:
    """Return the document in the case that is drawn for it."""
    names = [(text.upper() if mark and mark.kind.top is PhiKind.PERSON else text, mark) for text, mark in pieces]
    spans = [(text.lower() if mark else text, mark) for text, mark in pieces]
    draw = draws.unit()
    for share, changed in ((options.lower_names, spans), (options.upper_names, names)):
        if draw < share:
            return changed
        draw -= share
    if draw < options.lower:
        return each(pieces, str.lower)
    return each(pieces, str.upper) if draw < options.lower + options.upper else list(pieces)
