"""Counts and choices of a search for an operating point: one setting for all kinds, or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....consumers.scoring.operating import choose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MICRO, MACRO = "micro", "macro"
ALL = ""
"""Stands for all kinds together where settings are named by kind."""


@dataclass(slots=True)
class Counted:
    """Counts by setting, unit and kind; a unit is a document, or the documents of one group."""

    kinds: list[str]
    by_kind: Array
    """Shape (settings, units, kinds, 4): gold, found, marked, right."""
    overall: Array
    """Shape (settings, units, 4)."""

    @property
    def units(self) -> int:
        return int(self.overall.shape[1])


def counted(tables: Sequence[tuple[int, Sequence[Sequence[Sequence[Any]]]]], groups: Sequence[object]) -> Counted:
    """From the jobs of each split: how many documents it has, and for every setting rows of document, kind and four counts.

    `groups` says who each document belongs to, over all splits in order.
    """
    import numpy as np

    numbers: dict[object, int] = {}
    unit = [numbers.setdefault(group, len(numbers)) for group in groups]
    every = {str(row[1]) for _, settings in tables for rows in settings for row in rows}
    kinds = sorted(every - {MICRO, MACRO})
    place = {kind: n for n, kind in enumerate(kinds)}
    size = len(tables[0][1])
    by_kind, overall = np.zeros((size, len(numbers), len(kinds), 4)), np.zeros((size, len(numbers), 4))
    first = 0
    for documents, settings in tables:
        for setting, rows in enumerate(settings):
            for document, kind, *four in rows:
                at = unit[first + document]
                if kind in place:
                    by_kind[setting, at, place[kind]] += four
                if kind == MICRO:
                    overall[setting, at] += four
        first += documents
    return Counted(kinds, by_kind, overall if MICRO in every else by_kind.sum(axis=2))


@dataclass(slots=True)
class Point:
    """A choice, and what comes of it."""

    settings: dict[str, int]
    """The setting chosen on all units: of `ALL`, or of each kind there is something to find of."""
    reached: bool
    counts: Array
    """Shape (units, 4): at these settings."""
    left_out: Array
    """Shape (units, 4): every unit at what was chosen without it."""
    each: list[tuple[dict[str, int], Array]] = field(default_factory=list)
    """For each part what was chosen without it, and the part's counts at that: shape (units of the part, 4)."""


def chosen_for(
    table: Counted, parts: Sequence[Sequence[int]], target: float, per_kind: bool, level: float, draws: int
) -> Point | None:
    """Return the most precise settings whose recall reaches the target, as `consumers/scoring/operating.py` chooses.

    None if nothing is to be found. Raises ConsumerError as `choose`.
    """
    import numpy as np

    def chosen(units: Sequence[int]) -> tuple[dict[str, int], bool]:
        layers = {k: table.by_kind[:, units, n] for n, k in enumerate(table.kinds)} if per_kind else {}
        layers = layers or {ALL: table.overall[:, units]}
        found = {kind: choose(counts, target, level=level, draws=draws) for kind, counts in layers.items()}
        known = {kind: choice for kind, choice in found.items() if choice is not None}
        return {kind: choice.setting for kind, choice in known.items()}, all(c.reached for c in known.values())

    def at(settings: dict[str, int], units: Sequence[int]) -> Array:
        if ALL in settings:
            chosen_counts: Array = table.overall[settings[ALL]][list(units)]
            return chosen_counts
        layers = [table.by_kind[settings.get(kind, 0), list(units), n] for n, kind in enumerate(table.kinds)]
        summed: Array = np.sum(layers, axis=0)
        return summed

    everything = list(range(table.units))
    settings, reached = chosen(everything)
    if not settings:
        return None
    point = Point(settings, reached, at(settings, everything), np.zeros((table.units, 4)))
    for number, part in enumerate(parts):
        others = [unit for n, other in enumerate(parts) if n != number for unit in other]
        without, _ = chosen(others)
        counts = at(without, part) if without else np.zeros((len(part), 4))
        point.each.append((without, counts))
        point.left_out[list(part)] = counts
    return point
