"""Texts with spans, made up by a seed."""

from __future__ import annotations

import random

NAMES = "Smith Novak Çelik 李小龍 O'Neill Zoë Haddad Olsen".split()
FRAMES = (
    "Seen by Dr. {P} on {D}.",
    "Patient {P} came alone. No fever \N{GRINNING FACE}.",
    "Nothing to report.",
    "Mrs. {P} and Dr. {P} met on {D}. {P} left.",
    "",
)

Spans = list[tuple[int, int, str]]


def corpus(count: int, seed: int = 1) -> tuple[list[str], list[Spans]]:
    """Texts, and their spans."""
    chance = random.Random(seed)
    texts, spans = [], []
    for _ in range(count):
        text, marked = "", []
        for n, piece in enumerate(chance.choice(FRAMES).replace("{", "}").split("}")):
            begin = len(text)
            if n % 2:
                name = chance.choice(NAMES)
                text += name if piece == "P" else f"{chance.randrange(1, 13)}/{chance.randrange(1, 29)}/2020"
                marked.append((begin, len(text), "PERSON" if piece == "P" else "DATE"))
            else:
                text += piece
        texts.append(text)
        spans.append(marked)
    return texts, spans
