"""Pieces of text, each plain or PHI of one kind: joining them gives the document and its gold spans, exact by construction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Piece = tuple[str, str]
"""(text, name of its PHI kind), the name empty for plain text."""
Span = tuple[int, int, str]
"""(begin, end, name of the PHI kind): code points, half-open."""

ARTICLE = "\0a"
BIG_ARTICLE = "\0A"
"""Stand for an indefinite article until it is known what follows."""
_VOWEL = re.compile(
    r"""(?: [aiAI] | [eE](?!u) | [oO](?!n(?:e|ce)\b) | [uU](?!ni|se|ro|re|t[ei]|TI|S\b) | hour
          | 8 | 1[18](?!\d)                             # eight, eleven, eighteen
          | [FHLMNRSX](?=[A-Z0-9-]{1,4}\b) )           # an MRI, an X-ray""",
    re.VERBOSE,
)


def join(pieces: Iterable[Piece]) -> tuple[str, list[Span]]:
    """The text and its spans in text order. Spans never overlap, whatever was done to the pieces before."""
    parts: list[str] = []
    spans: list[Span] = []
    at = 0
    for text, kind in pieces:
        parts.append(text)
        end = at + len(text)
        if kind:
            spans.append((at, end, kind))
        at = end
    return "".join(parts), spans


def merged(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without empty ones, neighbouring plain pieces made one."""
    made: list[Piece] = []
    plain: list[str] = []
    for piece in pieces:
        text, kind = piece
        if not kind:
            plain.append(text)
            continue
        if plain:
            made.append(("".join(plain), ""))
            plain.clear()
        made.append(piece)
    if plain:
        made.append(("".join(plain), ""))
    return [piece for piece in made if piece[0]]


def with_articles(pieces: Sequence[Piece], articles: Sequence[str]) -> list[Piece]:
    """The pieces with articles in place of their marks: the first before a consonant's sound, the second before a vowel's."""
    made = list(pieces)
    for n, (text, _) in enumerate(made):
        if text not in (ARTICLE, BIG_ARTICLE):
            continue
        following = "".join(t for t, _ in made[n + 1 : n + 4]).lstrip()
        word = articles[1 if _VOWEL.match(following) else 0]
        made[n] = word.capitalize() if text == BIG_ARTICLE else word, ""
    return made


def capitalise(pieces: list[Piece], start: int) -> None:
    """Makes the first letter from piece `start` on a capital, in place."""
    for n in range(start, len(pieces)):
        text, kind = pieces[n]
        if text:
            pieces[n] = text[0].upper() + text[1:], kind
            return
