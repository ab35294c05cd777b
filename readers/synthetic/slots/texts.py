"""Slots of numbers, sentences and words.

Numbers that are not PHI: `{n 2-9}`, `{x 3.5-5.1}`, and random digits and letters for identifiers. Several sentences:
`{say course 2-4}` in one paragraph, `{list problems 2-5 dash}` one per line. Words: lists (`{symptom}`), spans of one PHI kind
(`{hospital}`), words by sex (`{he}`), and the article `{a}`.
"""

from __future__ import annotations

import re

from ....pipeline.errors import nearest
from ..pieces import ARTICLE, BIG_ARTICLE
from ..pools import Pool, Pools
from ..story import Story
from ..template import Slot, limits, render
from .facts import sexed

_RANGE = re.compile(r"(\d+)(?:\.(\d+))?-(\d+)(?:\.(\d+))?")
_CHARACTERS = {
    "digits": "0123456789",
    "letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "small": "abcdefghijklmnopqrstuvwxyz",
    "hex": "0123456789abcdef",
    "mixed": "0123456789ABCDEFGHJKLMNPRSTUVWXYZ",
}


def number_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "n":
        low, high = limits(argument)
        return Slot(lambda story: story.out.append((str(story.draws.between(low, high)), "")))
    if name == "x":
        return _decimal(argument)
    if name in _CHARACTERS:
        return _characters(_CHARACTERS[name], argument)
    return None


def _decimal(argument: str) -> Slot:
    match = _RANGE.fullmatch(argument)
    if match is None or not match[2]:
        raise ValueError(f"x: expected a range like 3.5-5.1, got {argument or 'nothing'}")
    places = len(match[2])
    low, high = (float(number) for number in argument.split("-"))

    def run(story: Story) -> None:
        story.out.append((f"{low + story.draws.unit() * (high - low):.{places}f}", ""))

    return Slot(run)


def _characters(alphabet: str, argument: str) -> Slot:
    if not argument.isdecimal() or not 0 < int(argument) <= 64:
        raise ValueError(f"expected a number of characters, 1 to 64, got {argument or 'nothing'}")
    count = int(argument)

    def run(story: Story) -> None:
        story.out.append(("".join([story.draws.pick(alphabet) for _ in range(count)]), ""))

    return Slot(run)


_MARKS = {
    "dash": "- ",
    "star": "* ",
    "dot": "\u2022 ",
    "number": "{}. ",
    "bracket": "{}) ",
    "hash": "#{} ",
    "none": "",
}
_ANY = ("dash", "star", "dot", "number", "bracket", "none")


def section_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name not in ("say", "list"):
        return None
    words = argument.split()
    groups = words[0].split("+") if words else []
    for group in groups:
        if group not in pools.groups:
            raise ValueError(f"{name}: no group {group}{nearest(group, pools.groups)}")
    if not groups or len(words) > 3:
        raise ValueError(f"{name}: expected groups, how many, and a mark")
    low, high = limits(words[1]) if len(words) > 1 else (1, 1)
    mark = words[2] if len(words) > 2 else "any"
    if mark not in (*_MARKS, "any", "comma"):
        raise ValueError(f"{name}: expected a mark, one of {', '.join((*_MARKS, 'any', 'comma'))}, got {mark}")
    chosen = [pools.groups[group] for group in groups]

    def run(story: Story) -> None:
        draws = story.draws
        bullet = draws.pick(_ANY) if mark == "any" else mark
        separator = ", " if mark == "comma" else "\n"
        count = 0
        for _ in range(draws.between(low, high)):
            entry = (chosen[0] if len(chosen) == 1 else draws.pick(chosen)).draw(story)
            if entry is None:
                continue
            if count:
                story.out.append((_after(story) if name == "say" else separator, ""))
            count += 1
            if name == "list" and separator == "\n" and bullet != "none":
                story.out.append((_MARKS[bullet].format(count), ""))
            render(entry.nodes, story)

    return Slot(run)


def _after(story: Story) -> str:
    """Return the separator after a sentence: a mark and a space unless it ends with a mark."""
    last = story.out[-1][0]
    if last[-1:] in ".?!;:,":
        return " "
    return story.draws.pick((". ", ". ", ". ", "; ", ", ", " ", "\n"))


_REPEATED = 0.85
"""Probability that a span repeats its first value."""


def word_slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name in pools.spans:
        if argument not in ("", "other"):
            raise ValueError(f"{name}: expected nothing or 'other', got {argument}")
        return _span(name, argument == "other", *pools.spans[name])
    if argument:
        return None
    if name in pools.lists:
        return Slot(pools.lists[name].run)
    if any(row[0] == name for row in pools.sexed):
        return Slot(lambda story: story.out.append((sexed(story, name, story.patient), "")))
    if name in ("a", "A"):
        mark = ARTICLE if name == "a" else BIG_ARTICLE
        return Slot(lambda story: story.out.append((mark, "")))
    if name == "surname":
        return Slot(_surname)
    return None


def _surname(story: Story) -> None:
    """Add the surname of no person in the document: part of the name of a hospital, a street or a sign."""
    story.out.append((story.shape(story.names.surname(story.draws, invent=story.draws.chance(story.unlisted))), ""))


def _span(name: str, other: bool, kind: str, pool: Pool) -> Slot:
    def run(story: Story) -> None:
        key = (name, "")
        known = story.memo.get(key)
        if known is not None and not other and story.draws.chance(_REPEATED):
            story.out += known
            return
        start = len(story.out)
        pool.run(story)
        value = "".join([text for text, _ in story.out[start:]]).strip()
        del story.out[start:]
        if value:
            story.out.append((value, kind))
            story.memo.setdefault(key, [(value, kind)])

    return Slot(run, phi=True)
