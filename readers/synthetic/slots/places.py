"""Places: `{city}`, `{state}`, `{state.code}`, `{zip}` and `{country}` of the patient's town.

`{city other}` is another town; `{state other}` and `{country other}` are those of the other town mentioned last. `{address}` is
the patient's address, `{address office}` one in the same town.
"""

from __future__ import annotations

from collections.abc import Callable

from ..places import Place
from ..pools import Pools
from ..story import Story
from ..template import Slot

_PARTS: dict[str, tuple[Callable[[Place], str], str]] = {
    "city": (lambda p: p.city, "LOCATION_CITY"),
    "state": (lambda p: p.state or p.country, "LOCATION_STATE"),
    "state.code": (lambda p: p.code or p.country, "LOCATION_STATE"),
    "zip": (lambda p: p.zip, "LOCATION_ZIP"),
    "country": (lambda p: p.country, "LOCATION_COUNTRY"),
}
"""Slot -> part of a place, PHI kind. The country replaces the state if the country has no listed states."""


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "address":
        name = {"": "address", "office": "office"}.get(argument, "")
        if not name:
            raise ValueError(f"address: expected nothing or 'office', got {argument}")
        return Slot(lambda story: pools.lists[name if _at_home(story) else f"{name}-abroad"].run(story), phi=True)
    if name not in _PARTS:
        return None
    if argument not in ("", "other"):
        raise ValueError(f"{name}: expected nothing or 'other', got {argument}")
    part, kind = _PARTS[name]

    def run(story: Story) -> None:
        place = story.other_place(name == "city") if argument else story.home
        no_state = kind == "LOCATION_STATE" and not place.state
        story.out.append((story.shape(part(place)), "LOCATION_COUNTRY" if no_state else kind))

    return Slot(run, phi=True)


def _at_home(story: Story) -> bool:
    return story.home.country == story.vocabulary.places.home
