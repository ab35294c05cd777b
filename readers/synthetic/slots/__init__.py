"""What stands for `{name argument}` in a template: one file for each family of slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....pipeline.errors import nearest
from ..pieces import capitalise
from ..template import Slot
from . import ages, dates, numbers, people, places, sections, words

if TYPE_CHECKING:
    from ..library import Library
    from ..story import Story

Family = Callable[[str, str, "Library"], Slot | None]

FAMILIES: tuple[Family, ...] = (
    people.slot,
    dates.slot,
    ages.slot,
    places.slot,
    numbers.slot,
    sections.slot,
    words.slot,
)


def resolve(name: str, argument: str, library: Library) -> Slot:
    """The slot called `name`. A capital first letter makes the text begin with one; `{drug#1}` is the same each time.

    Raises ValueError for a name no family knows.
    """
    plain, number, key = name.partition("#")
    for family in FAMILIES:
        found = family(plain, argument, library)
        if found is not None:
            return _remembered(found, plain, key) if number else found
    small = plain[:1].lower() + plain[1:]
    if small != plain:
        return _capital(resolve(f"{small}{number}{key}", argument, library))
    known = [*library.lists, *library.spans, *(row[0] for row in library.sexed)]
    raise ValueError(f"no slot {{{name}}}{nearest(plain, known)}")


def _capital(slot: Slot) -> Slot:
    def run(story: Story) -> None:
        start = len(story.out)
        slot.run(story)
        capitalise(story.out, start)

    return Slot(run, slot.phi)


def _remembered(slot: Slot, name: str, key: str) -> Slot:
    def run(story: Story) -> None:
        story.remembered((name, key), slot)

    return Slot(run, slot.phi)
