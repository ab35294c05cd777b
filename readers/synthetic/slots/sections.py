"""Several sentences: `{say course 2-4}` in a row, `{list problems 2-5 dash}` line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....pipeline.errors import nearest
from ..template import Slot, render
from .numbers import limits

if TYPE_CHECKING:
    from ..library import Library
    from ..story import Story

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


def slot(name: str, argument: str, library: Library) -> Slot | None:
    if name not in ("say", "list"):
        return None
    words = argument.split()
    groups = words[0].split("+") if words else []
    for group in groups:
        if group not in library.groups:
            raise ValueError(f"{name}: no group {group}{nearest(group, library.groups)}")
    if not groups or len(words) > 3:
        raise ValueError(f"{name}: expected groups, how many, and a mark")
    low, high = limits(words[1]) if len(words) > 1 else (1, 1)
    mark = words[2] if len(words) > 2 else "any"
    if mark not in (*_MARKS, "any", "comma"):
        raise ValueError(f"{name}: expected a mark, one of {', '.join((*_MARKS, 'any', 'comma'))}, got {mark}")
    pools = [library.groups[group] for group in groups]

    def run(story: Story) -> None:
        draws = story.draws
        own = draws.pick(_ANY) if mark == "any" else mark
        between = ", " if mark == "comma" else "\n"
        count = 0
        for _ in range(draws.between(low, high)):
            entry = (pools[0] if len(pools) == 1 else draws.pick(pools)).draw(story)
            if entry is None:
                continue
            if count:
                story.out.append((_after(story) if name == "say" else between, ""))
            count += 1
            if name == "list" and between == "\n" and own != "none":
                story.out.append((_MARKS[own].format(count), ""))
            render(entry.nodes, story)

    return Slot(run)


def _after(story: Story) -> str:
    """What stands between a sentence and the next: a stop and a blank where the first ends without a mark."""
    last = story.out[-1][0]
    if last[-1:] in ".?!;:,":
        return " "
    return story.draws.pick((". ", ". ", ". ", "; ", ", ", " ", "\n"))
