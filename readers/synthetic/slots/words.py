"""Words: lists (`{symptom}`), spans of one kind (`{hospital}`), words by sex (`{he}`), and the article `{a}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pieces import ARTICLE, BIG_ARTICLE
from ..pools import Pool
from ..template import Slot
from .people import sexed

if TYPE_CHECKING:
    from ..library import Library
    from ..story import Story

_STAYS = 0.85
"""How often a span that was named before is meant again."""


def slot(name: str, argument: str, library: Library) -> Slot | None:
    if name in library.spans:
        if argument not in ("", "other"):
            raise ValueError(f"{name}: expected nothing or 'other', got {argument}")
        return _span(name, argument == "other", *library.spans[name])
    if argument:
        return None
    if name in library.lists:
        return Slot(library.lists[name].run)
    if any(row[0] == name for row in library.sexed):
        return Slot(lambda story: story.out.append((sexed(story, name, story.patient), "")))
    if name in ("a", "A"):
        mark = ARTICLE if name == "a" else BIG_ARTICLE
        return Slot(lambda story: story.out.append((mark, "")))
    if name == "surname":
        return Slot(_surname)
    return None


def _surname(story: Story) -> None:
    """A surname that stands for nobody: part of the name of a hospital, a street, a sign."""
    story.out.append((story.shape(story.names.surname(story.draws, invent=story.draws.chance(story.unlisted))), ""))


def _span(name: str, other: bool, kind: str, pool: Pool) -> Slot:
    def run(story: Story) -> None:
        key = (name, "")
        known = story.memo.get(key)
        if known is not None and not other and story.draws.chance(_STAYS):
            story.out += known
            return
        start = len(story.out)
        pool.run(story)
        made = "".join([text for text, _ in story.out[start:]]).strip()
        del story.out[start:]
        if made:
            story.out.append((made, kind))
            story.memo.setdefault(key, [(made, kind)])

    return Slot(run, phi=True)
