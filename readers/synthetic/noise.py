"""Noise of clinical texts: typing errors, missing spaces, case, wrapped lines, scanning errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from .draws import Draws
from .pieces import Piece
from .sections import read_sections, root
from .story import LayoutStyle
from .vocabulary import Abbreviations

USUAL = 0.3
"""Noise level at which the shares of the layouts apply; rates are proportional to the level."""
_AFTER_MARK = re.compile(r"[.,;:] ")
_SLIPS = ((0.0, 0.55), (0.0012, 0.32), (0.007, 0.13))
"""(typing errors per letter, share of documents) at the usual noise."""


def roughen(
    pieces: Sequence[Piece], draws: Draws, level: float, layout: LayoutStyle, abbreviations: Abbreviations
) -> list[Piece]:
    """Return the pieces with noise of a level from 0 (none) to 1. PHI pieces are not lost, split or padded."""
    result = list(pieces)
    scale = level / USUAL
    if scale <= 0:
        return result
    if draws.chance(layout.short * scale):
        result = [(text if kind else abbreviations.apply(text, draws), kind) for text, kind in result]
    if draws.chance(0.15 * scale):
        result = _name_slip(result, draws)
    rate = draws.weighted(_SLIPS) * scale
    if rate:
        result = _slips(result, draws, rate)
    if draws.chance(0.25 * scale):
        result = _spacing(result, draws)
    result = _case(result, draws, scale, layout)
    if draws.chance(0.025 * scale):
        result = _scanned(result, draws)
    if draws.chance(0.15 * scale):
        result = [(text.replace("'", "\u2019"), kind) for text, kind in result]
    return _lines(result, draws, scale, layout)


def _case(pieces: list[Piece], draws: Draws, scale: float, layout: LayoutStyle) -> list[Piece]:
    """Write some documents entirely in upper or lower case, and single names in others."""
    draw = draws.unit()
    share = min(scale, 1.0)
    if draw < layout.upper * share:
        return [(text.upper(), kind) for text, kind in pieces]
    if draw < (layout.upper + layout.lower) * share:
        return [(text.lower(), kind) for text, kind in pieces]
    changed = []
    for text, kind in pieces:
        if kind.startswith(("PERSON", "LOCATION")) and draws.chance(0.03 * scale):
            changed.append((text.lower() if draws.chance(0.5) else text.upper(), kind))
        else:
            changed.append((text, kind))
    return changed


def _name_slip(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """Misspell one name once."""
    names = [n for n, (text, kind) in enumerate(pieces) if kind.startswith("PERSON") and len(text) > 5]
    if names:
        n = draws.pick(names)
        text, kind = pieces[n]
        pieces[n] = slip(text, draws.between(1, len(text) - 2), draws), kind
    return pieces


def _slips(pieces: list[Piece], draws: Draws, rate: float) -> list[Piece]:
    """Add typing errors at all letters with the same probability; short PHI stays unchanged."""
    lengths = [len(text) for text, _ in pieces]
    start = n = 0
    for offset in offsets(sum(lengths), rate, draws):
        while offset >= start + lengths[n]:
            start += lengths[n]
            n += 1
        text, kind = pieces[n]
        inside = offset - start
        if inside < len(text) - 1 and inside > 0 and (len(text) > 4 or not kind):
            pieces[n] = slip(text, inside, draws), kind
    return pieces


def offsets(length: int, rate: float, draws: Draws) -> Iterator[int]:
    """Yield offsets below `length`, each with the same small probability."""
    base = math.log1p(-min(rate, 0.5))
    offset = -1
    while True:
        offset += 1 + int(math.log(1.0 - draws.unit()) / base)
        if offset >= length:
            return
        yield offset


def slip(text: str, offset: int, draws: Draws) -> str:
    """Return the text with one typing error at a letter: swapped, dropped, doubled, or a neighboring key. Digits stay."""
    c, after = text[offset], text[offset + 1]
    if not c.isalpha():
        return text
    error = draws.below(4)
    if error == 0 and after.isalpha():
        return text[:offset] + after + c + text[offset + 2 :]
    if error == 1:
        return text[:offset] + text[offset + 1 :]
    if error == 2:
        return text[:offset] + c + text[offset:]
    neighbors = _tables()[0].get(c.lower())
    if neighbors is None:
        return text
    key = draws.pick(neighbors)
    return text[:offset] + (key.upper() if c.isupper() else key) + text[offset + 1 :]


def _spacing(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """Remove or double spaces after punctuation marks; remove spaces next to numbers."""
    lost, doubled = draws.pick(((0.02, 0.0), (0.1, 0.0), (0.0, 0.9), (0.0, 0.1), (0.03, 0.05)))

    def space(match: re.Match[str]) -> str:
        draw = draws.unit()
        return match[0][0] if draw < lost else match[0] + " " if draw < lost + doubled else match[0]

    changed = [(text if kind else _AFTER_MARK.sub(space, text), kind) for text, kind in pieces]
    for n in range(1, len(changed)):
        (before, kind_before), (text, kind) = changed[n - 1], changed[n]
        number_after = kind and not kind_before and text[0].isdigit() and before[-2:-1].isalpha() and before[-1] == " "
        number_before = kind_before and not kind and before[-1].isdigit() and text[0] == " " and text[1:2].isalpha()
        if number_after and draws.chance(lost):
            changed[n - 1] = before[:-1], ""
        elif number_before and draws.chance(lost):
            changed[n] = text[1:], ""
    return changed


def _scanned(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """Replace some letters with ones that text recognition confuses them with."""
    return [(misread(text, 0.025, draws), kind) for text, kind in pieces]


def misread(text: str, share: float, draws: Draws) -> str:
    """Return the text with a share of the letters that text recognition confuses replaced."""
    confusions, pattern = _tables()[1:]
    return pattern.sub(lambda match: confusions[match[0]] if draws.chance(share) else match[0], text)


def _lines(pieces: list[Piece], draws: Draws, scale: float, layout: LayoutStyle) -> list[Piece]:
    """Wrap lines at a width, or join all lines. Both replace single characters, also in PHI."""
    text = "".join([t for t, _ in pieces])
    draw = draws.unit()
    if draw < layout.wrap * scale:
        text = wrapped(text, draws.between(58, 110))
    elif draw < (layout.wrap + layout.flat) * scale:
        text = text.rstrip("\n").replace("\n", " ") + text[len(text.rstrip("\n")) :]
    else:
        return pieces
    changed, start = [], 0
    for piece, kind in pieces:
        changed.append((text[start : start + len(piece)], kind))
        start += len(piece)
    return changed


def wrapped(text: str, width: int) -> str:
    """Return the text with lines wrapped at spaces, each of which becomes a newline: the length stays the same."""
    lines = []
    for line in text.split("\n"):
        start = 0
        while len(line) - start > width:
            cut = line.rfind(" ", start + 1, start + width + 1)
            if cut < 0:
                break
            line = f"{line[:cut]}\n{line[cut + 1 :]}"
            start = cut + 1
        lines.append(line)
    return "\n".join(lines)


@cache
def _tables() -> tuple[Mapping[str, str], Mapping[str, str], re.Pattern[str]]:
    """Return the neighbors of each key, the confusions of text recognition, and the pattern that matches them."""
    sections = {
        s.name: dict(line.text.split("|", 1) for line in s.lines) for s in read_sections(root().joinpath("noise.txt"))
    }
    confusions = sections["confusions"]
    longest = sorted(confusions, key=lambda word: (-len(word), word))
    return sections["neighbours"], confusions, re.compile("|".join(map(re.escape, longest)))
