"""Words: lists (`{symptom}`), spans of one PHI kind (`{hospital}`), words by sex (`{he}`), and the article `{a}`."""

from __future__ import annotations

from ..pieces import ARTICLE, BIG_ARTICLE
from ..pools import Pool, Pools
from ..story import Story
from ..template import Slot
from .people import sexed

_REPEATED = 0.85
"""Probability that a span repeats its first value."""


def slot(name: str, argument: str, pools: Pools) -> Slot | None:
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
