"""Dates: `{date}` goes on in time, `{date same}` stays, `{date birth numeric}` says which day and which way to write it."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..calendar import moved
from ..template import Slot

if TYPE_CHECKING:
    from ..library import Library
    from ..story import Story

Which = Callable[["Story"], datetime.date]


def _once(key: str, low: int, high: int) -> Which:
    """A day fixed when first asked for: some days after where the story is then."""

    def day(story: Story) -> datetime.date:
        found = story.days.get(key)
        if found is None:
            found = story.days[key] = story.ahead(low, high)
        return found

    return day


def _discharge(story: Story) -> datetime.date:
    """The end of the stay, after which the story of the stay does not go on."""
    if story.limit is None:
        story.limit = moved(max(story.anchor, story.day), story.draws.between(2, 14))
    return story.limit


def _before(low: int, high: int) -> Which:
    """Days before the story's anchor, never before the patient's birth."""

    def day(story: Story) -> datetime.date:
        found = moved(story.anchor, -story.draws.between(low, high))
        return max(found, moved(story.birth, story.draws.between(1, 60)))

    return day


def _after(low: int, high: int) -> Which:
    return lambda story: moved(story.day, story.draws.between(low, high))


WHICH: dict[str, Which] = {
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
"""Which day a date slot means."""
_KINDS = {"birth": "DATE_BIRTH", "death": "DATE_DEATH"}


def slot(name: str, argument: str, library: Library) -> Slot | None:
    if name == "weekday":
        return _slot("next", "weekday", library)
    if name != "date":
        return None
    which, family = "next", ""
    for word in argument.split():
        if word in WHICH:
            which = word
        elif any(key.split()[0] == word for key in library.dates):
            family = word
        else:
            families = sorted({key.split()[0] for key in library.dates})
            raise ValueError(f"date: expected one of {', '.join((*WHICH, *families))}, got {word}")
    return _slot(which, family, library)


def _slot(which: str, family: str, library: Library) -> Slot:
    day, kind = WHICH[which], _KINDS.get(which, "DATE")

    def run(story: Story) -> None:
        chosen = family or story.date_family()
        patterns = library.dates.get(f"{chosen} {story.order}") or library.dates[chosen]
        pattern = patterns[story.favourite(f"date {chosen}", len(patterns), 0.92)]
        pieces = pattern.pieces(day(story), kind)
        story.out += [(text, kind if own and kind != "DATE" else own) for text, own in pieces]

    return Slot(run, phi=True)
