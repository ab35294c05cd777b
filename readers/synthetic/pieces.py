"""Pieces of text, each plain or PHI of one kind. Joined, they give the document and its gold spans, exact by construction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Piece = tuple[str, str]
"""(text, name of its PHI kind); the name is empty for plain text."""
Span = tuple[int, int, str]
"""(begin, end, name of the PHI kind): code points, half-open."""

ARTICLE = "\0a"
BIG_ARTICLE = "\0A"
"""Placeholders for an indefinite article until the next word is known."""
_VOWEL = re.compile(
    r"""(?: [aiAI] | [eE](?!u) | [oO](?!n(?:e|ce)\b) | [uU](?!ni|se|ro|re|t[ei]|TI|S\b) | hour
          | 8 | 1[18](?!\d)                             # eight, eleven, eighteen
          | [FHLMNRSX](?=[A-Z0-9-]{1,4}\b) )           # an MRI, an X-ray""",
    re.VERBOSE,
)


def join(pieces: Iterable[Piece]) -> tuple[str, list[Span]]:
    """Return the text and its spans in text order. Spans never overlap."""
    parts: list[str] = []
    spans: list[Span] = []
    begin = 0
    for text, kind in pieces:
        parts.append(text)
        end = begin + len(text)
        if kind:
            spans.append((begin, end, kind))
        begin = end
    return "".join(parts), spans


def merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without empty ones and with neighboring plain pieces joined."""
    result: list[Piece] = []
    plain: list[str] = []
    for piece in pieces:
        text, kind = piece
        if not kind:
            plain.append(text)
            continue
        if plain:
            result.append(("".join(plain), ""))
            plain.clear()
        result.append(piece)
    if plain:
        result.append(("".join(plain), ""))
    return [piece for piece in result if piece[0]]


def with_articles(pieces: Sequence[Piece], articles: Sequence[str]) -> list[Piece]:
    """Replace the placeholders: by the first article before a consonant sound, by the second before a vowel sound."""
    result = list(pieces)
    for n, (text, _) in enumerate(result):
        if text not in (ARTICLE, BIG_ARTICLE):
            continue
        following = "".join(t for t, _ in result[n + 1 : n + 4]).lstrip()
        word = articles[1 if _VOWEL.match(following) else 0]
        result[n] = word.capitalize() if text == BIG_ARTICLE else word, ""
    return result


def capitalize(pieces: list[Piece], start: int) -> None:
    """Capitalize the first letter from piece `start` on, in place."""
    for n in range(start, len(pieces)):
        text, kind = pieces[n]
        if text:
            pieces[n] = text[0].upper() + text[1:], kind
            return
