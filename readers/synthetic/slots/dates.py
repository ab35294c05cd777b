"""Dates: `{date}` advances in time, `{date same}` does not, `{date birth numeric}` gives the day and the format."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from ..calendar import moved
from ..pools import Pools
from ..story import Story
from ..template import Slot

Day = Callable[[Story], datetime.date]


def _once(key: str, low: int, high: int) -> Day:
    """Return a day that is fixed at the first use: some days after the current day."""

    def day(story: Story) -> datetime.date:
        if key not in story.days:
            story.days[key] = story.ahead(low, high)
        return story.days[key]

    return day


def _discharge(story: Story) -> datetime.date:
    """Return the end of the stay; no later date is part of it."""
    if story.limit is None:
        story.limit = moved(max(story.anchor, story.day), story.draws.between(2, 14))
    return story.limit


def _before(low: int, high: int) -> Day:
    """Return a day before the story's anchor, but after the patient's birth."""

    def day(story: Story) -> datetime.date:
        past = moved(story.anchor, -story.draws.between(low, high))
        return max(past, moved(story.birth, story.draws.between(1, 60)))

    return day


def _after(low: int, high: int) -> Day:
    return lambda story: moved(story.day, story.draws.between(low, high))


WHICH: dict[str, Day] = {
    "next": lambda story: story.ahead(0, 4),
    "same": lambda story: story.day,
    "later": lambda story: story.ahead(5, 60),
    "anchor": lambda story: story.anchor,
    "birth": lambda story: story.birth,
    "past": _before(60, 9000),
    "recent": _before(3, 60),
    "lately": _before(60, 350),
    "future": _after(5, 200),
    "discharge": _discharge,
    "report": _once("report", 1, 40),
    "death": _once("death", 0, 12),
    "expiry": _after(60, 700),
}
"""The day of a date slot."""
_KINDS = {"birth": "DATE_BIRTH", "death": "DATE_DEATH"}


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
    if name == "weekday":
        return _slot("next", "weekday", pools)
    if name != "date":
        return None
    which, family = "next", ""
    for word in argument.split():
        if word in WHICH:
            which = word
        elif any(key.split()[0] == word for key in pools.dates):
            family = word
        else:
            families = sorted({key.split()[0] for key in pools.dates})
            raise ValueError(f"date: expected one of {', '.join((*WHICH, *families))}, got {word}")
    return _slot(which, family, pools)


def _slot(which: str, family: str, pools: Pools) -> Slot:
    day, kind = WHICH[which], _KINDS.get(which, "DATE")

    def run(story: Story) -> None:
        chosen = family or story.date_family()
        patterns = pools.dates.get(f"{chosen} {story.order}") or pools.dates[chosen]
        pattern = patterns[story.favourite(f"date {chosen}", len(patterns), 0.92)]
        pieces = pattern.pieces(day(story), kind)
        story.out += [(text, kind if marked and kind != "DATE" else marked) for text, marked in pieces]

    return Slot(run, phi=True)
