"""Levels at which kinds are compared: as they are, at the first level, or as the categories of a scheme."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Literal, get_args

from ...typesystem import PhiKind
from .document import Mark, Pair

Level = Literal["kind", "top", "vigibase", "i2b2-2014", "i2b2-2014-sub", "meddocan"]
"""`kind`: PERSON_PATIENT differs from PERSON_DOCTOR; `top`: both are PERSON; else the category of that scheme."""
LEVELS: tuple[str, ...] = get_args(Level)


@lru_cache(maxsize=4096)
def label(kind: str, level: Level) -> str:
    """Return the name of a kind at a level; a label that is not a kind stays the same."""
    if level == "kind":
        return kind
    try:
        known = PhiKind.of(kind)
    except ValueError:
        return kind
    return known.top.name if level == "top" else known.in_scheme(level)


def at_level(pair: Pair, level: Level) -> Pair:
    """Return the document with the kinds of all its spans at a level."""
    if level == "kind":
        return pair

    def renamed(marks: list[Mark]) -> list[Mark]:
        return [Mark(m.begin, m.end, label(m.kind, level), m.source, m.confidence) for m in marks]

    return dataclasses.replace(
        pair, gold=renamed(pair.gold), system=renamed(pair.system), candidates=renamed(pair.candidates)
    )
