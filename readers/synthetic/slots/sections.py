"""Several sentences: `{say course 2-4}` in one paragraph, `{list problems 2-5 dash}` one per line."""

from __future__ import annotations

from ....pipeline.errors import nearest
from ..pools import Pools
from ..story import Story
from ..template import Slot, render
from .numbers import limits

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


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
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
