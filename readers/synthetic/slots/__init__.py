"""Slots: the meaning of `{name argument}` in a template."""

from __future__ import annotations

from collections.abc import Callable

from ....pipeline.errors import nearest
from ..pieces import capitalize
from ..pools import Pools
from ..story import Story
from ..template import Slot
from .facts import age_slot, date_slot, person_slot, place_slot
from .texts import number_slot, section_slot, word_slot

Family = Callable[[str, str, Pools], Slot | None]

FAMILIES: tuple[Family, ...] = (
    person_slot,
    date_slot,
    age_slot,
    place_slot,
    number_slot,
    section_slot,
    word_slot,
)


def resolve(name: str, argument: str, pools: Pools) -> Slot:
    """Return a slot. With a capital first letter its text begins with a capital; `{drug#1}` is the same each time.

    Raises ValueError for an unknown name.
    """
    plain, number, key = name.partition("#")
    for family in FAMILIES:
        slot = family(plain, argument, pools)
        if slot is not None:
            return _repeated(slot, plain, key) if number else slot
    small = plain[:1].lower() + plain[1:]
    if small != plain:
        return _capital(resolve(f"{small}{number}{key}", argument, pools))
    known = [*pools.lists, *pools.spans, *(row[0] for row in pools.sexed)]
    raise ValueError(f"no slot {{{name}}}{nearest(plain, known)}")


def _capital(slot: Slot) -> Slot:
    def run(story: Story) -> None:
        start = len(story.out)
        slot.run(story)
        capitalize(story.out, start)

    return Slot(run, slot.phi)


def _repeated(slot: Slot, name: str, key: str) -> Slot:
    def run(story: Story) -> None:
        story.repeat((name, key), slot.run)

    return Slot(run, slot.phi)
