"""What happens to text on its way into a database: typing slips, lost blanks, case, wrapped lines, scanning."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from .draws import Draws
from .pieces import Piece
from .sections import read_sections, root

if TYPE_CHECKING:
    from .layouts import Layout

USUAL = 0.3
"""The noise at which layouts have the shares of their own; the rates grow with it."""
_AFTER_MARK = re.compile(r"[.,;:] ")
_SLIPS = ((0.0, 0.55), (0.0012, 0.32), (0.007, 0.13))
"""(slips a letter, share of documents) at the usual noise."""


class Abbreviations:
    """Short forms of common words, for hurried notes."""

    def __init__(self, pairs: Sequence[Sequence[str]]) -> None:
        self._short = {long.lower(): short for long, short in pairs}
        longest = sorted(self._short, key=lambda word: (-len(word), word))
        self._words = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)

    def apply(self, text: str, draws: Draws) -> str:
        """The text with two in three of its long forms made short."""

        def short(match: re.Match[str]) -> str:
            word = match[0]
            if draws.chance(0.35):
                return word
            made = self._short[word.lower()]
            return made[0].upper() + made[1:] if word[0].isupper() else made

        return self._words.sub(short, text)


def roughen(
    pieces: Sequence[Piece], draws: Draws, level: float, layout: Layout, abbreviations: Abbreviations
) -> list[Piece]:
    """The pieces as noise of a level from 0 (none) to 1 leaves them. No PHI piece is lost, split, or gets blank edges."""
    made = list(pieces)
    scale = level / USUAL
    if scale <= 0:
        return made
    if draws.chance(layout.short * scale):
        made = [(text if kind else abbreviations.apply(text, draws), kind) for text, kind in made]
    if draws.chance(0.15 * scale):
        made = _name_slip(made, draws)
    rate = draws.weighted(_SLIPS) * scale
    if rate:
        made = _slips(made, draws, rate)
    if draws.chance(0.25 * scale):
        made = _spacing(made, draws)
    made = _case(made, draws, scale, layout)
    if draws.chance(0.025 * scale):
        made = _scanned(made, draws)
    if draws.chance(0.15 * scale):
        made = [(text.replace("'", "\u2019"), kind) for text, kind in made]
    return _lines(made, draws, scale, layout)


def _case(pieces: list[Piece], draws: Draws, scale: float, layout: Layout) -> list[Piece]:
    """Some documents are all in capitals or all in small letters; in others a name is."""
    at = draws.unit()
    share = min(scale, 1.0)
    if at < layout.upper * share:
        return [(text.upper(), kind) for text, kind in pieces]
    if at < (layout.upper + layout.lower) * share:
        return [(text.lower(), kind) for text, kind in pieces]
    made = []
    for text, kind in pieces:
        if kind.startswith(("PERSON", "LOCATION")) and draws.chance(0.03 * scale):
            made.append((text.lower() if draws.chance(0.5) else text.upper(), kind))
        else:
            made.append((text, kind))
    return made


def _name_slip(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """One name is misspelt once."""
    names = [n for n, (text, kind) in enumerate(pieces) if kind.startswith("PERSON") and len(text) > 5]
    if names:
        n = draws.pick(names)
        text, kind = pieces[n]
        pieces[n] = slip(text, draws.between(1, len(text) - 2), draws), kind
    return pieces


def _slips(pieces: list[Piece], draws: Draws, rate: float) -> list[Piece]:
    """Typing slips, each letter as likely as the next; short PHI keeps its letters."""
    lengths = [len(text) for text, _ in pieces]
    start = n = 0
    for at in _places(sum(lengths), rate, draws):
        while at >= start + lengths[n]:
            start += lengths[n]
            n += 1
        text, kind = pieces[n]
        inside = at - start
        if inside < len(text) - 1 and inside > 0 and (len(text) > 4 or not kind):
            pieces[n] = slip(text, inside, draws), kind
    return pieces


def _places(length: int, rate: float, draws: Draws) -> Iterator[int]:
    """Offsets below `length`, each chosen with the same small chance."""
    base = math.log1p(-min(rate, 0.5))
    at = -1
    while True:
        at += 1 + int(math.log(1.0 - draws.unit()) / base)
        if at >= length:
            return
        yield at


def slip(text: str, at: int, draws: Draws) -> str:
    """The text with one typing slip at a letter inside it: swapped, dropped, doubled, or the key beside. Digits stay."""
    c, after = text[at], text[at + 1]
    if not c.isalpha():
        return text
    what = draws.below(4)
    if what == 0 and after.isalpha():
        return text[:at] + after + c + text[at + 2 :]
    if what == 1:
        return text[:at] + text[at + 1 :]
    if what == 2:
        return text[:at] + c + text[at:]
    beside = _tables()[0].get(c.lower())
    if beside is None:
        return text
    key = draws.pick(beside)
    return text[:at] + (key.upper() if c.isupper() else key) + text[at + 1 :]


def _spacing(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """Blanks lost or doubled after marks and around figures, line ends turned into something else."""
    lost, doubled = draws.pick(((0.02, 0.0), (0.1, 0.0), (0.0, 0.9), (0.0, 0.1), (0.03, 0.05)))

    def blank(match: re.Match[str]) -> str:
        at = draws.unit()
        return match[0][0] if at < lost else match[0] + " " if at < lost + doubled else match[0]

    made = [(text if kind else _AFTER_MARK.sub(blank, text), kind) for text, kind in pieces]
    for n in range(1, len(made)):
        (before, kind_before), (text, kind) = made[n - 1], made[n]
        figure_after = kind and not kind_before and text[0].isdigit() and before[-2:-1].isalpha() and before[-1] == " "
        figure_before = kind_before and not kind and before[-1].isdigit() and text[0] == " " and text[1:2].isalpha()
        if figure_after and draws.chance(lost):
            made[n - 1] = before[:-1], ""
        elif figure_before and draws.chance(lost):
            made[n] = text[1:], ""
    return made


def _scanned(pieces: list[Piece], draws: Draws) -> list[Piece]:
    """Letters taken for others, as a scanner does."""
    confusions, pattern = _tables()[1:]

    def taken(match: re.Match[str]) -> str:
        return confusions[match[0]] if draws.chance(0.025) else match[0]

    return [(pattern.sub(taken, text), kind) for text, kind in pieces]


def _lines(pieces: list[Piece], draws: Draws, scale: float, layout: Layout) -> list[Piece]:
    """Lines wrapped at a width, or all in one. Both change one character for one, PHI included."""
    text = "".join([t for t, _ in pieces])
    at = draws.unit()
    if at < layout.wrap * scale:
        text = _wrapped(text, draws.between(58, 110))
    elif at < (layout.wrap + layout.flat) * scale:
        text = text.rstrip("\n").replace("\n", " ") + text[len(text.rstrip("\n")) :]
    else:
        return pieces
    made, start = [], 0
    for piece, kind in pieces:
        made.append((text[start : start + len(piece)], kind))
        start += len(piece)
    return made


def _wrapped(text: str, width: int) -> str:
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
    """Keys beside each key, confusions of a scanner, and the pattern that finds them."""
    sections = {
        s.name: dict(line.text.split("|", 1) for line in s.lines) for s in read_sections(root().joinpath("noise.txt"))
    }
    confusions = sections["confusions"]
    longest = sorted(confusions, key=lambda word: (-len(word), word))
    return sections["neighbours"], confusions, re.compile("|".join(map(re.escape, longest)))
