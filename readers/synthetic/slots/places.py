"""Places of the patient's town: `{city}`, `{state}`, `{state.code}`, `{zip}`, `{country}`; `{city other}` is another town,
`{state other}` and `{country other}` are those of the other town named last.
`{address}` is the patient's, `{address office}` one in the same town."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..places import Place
from ..template import Slot

if TYPE_CHECKING:
    from ..library import Library
    from ..story import Story

_PARTS: dict[str, tuple[Callable[[Place], str], str]] = {
    "city": (lambda p: p.city, "LOCATION_CITY"),
    "state": (lambda p: p.state or p.country, "LOCATION_STATE"),
    "state.code": (lambda p: p.code or p.country, "LOCATION_STATE"),
    "zip": (lambda p: p.zip, "LOCATION_ZIP"),
    "country": (lambda p: p.country, "LOCATION_COUNTRY"),
}
"""Slot, part of a place, kind. Where a country has no states to name, the country stands for them."""


def slot(name: str, argument: str, library: Library) -> Slot | None:
    if name == "address":
        what = {"": "address", "office": "office"}.get(argument)
        if what is None:
            raise ValueError(f"address: expected nothing or 'office', got {argument}")
        return Slot(lambda story: library.lists[what if _at_home(story) else f"{what}-abroad"].run(story), phi=True)
    if name not in _PARTS:
        return None
    if argument not in ("", "other"):
        raise ValueError(f"{name}: expected nothing or 'other', got {argument}")
    part, kind = _PARTS[name]

    def run(story: Story) -> None:
        place = story.other_place(name == "city") if argument else story.home
        own = "LOCATION_COUNTRY" if kind == "LOCATION_STATE" and not place.state else kind
        story.out.append((story.shape(part(place)), own))

    return Slot(run, phi=True)


def _at_home(story: Story) -> bool:
    return story.home.country == story.library.places.home
