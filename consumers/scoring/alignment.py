"""Which system span answers which reference span: at most one for each, those that share most first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from .document import Mark
from .kinds import Level, label

Compared = Level | Literal["any"]
"""How finely kinds are told apart; `any`: not at all, what counts is that it was found."""
Criterion = Literal["strict", "covering", "overlapping"]
"""When a system span answers a gold span of its kind: equal bounds, the whole of it covered, a code point shared."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The spans of one document, each in exactly one place, all in text order."""

    matched: list[tuple[Mark, Mark]]
    """(gold, system) spans that share at least one code point."""
    missed: list[Mark]
    """Gold spans without a partner; they may still overlap a system span that has another partner."""
    spurious: list[Mark]
    """System spans without a partner."""


def align(gold: Sequence[Mark], system: Sequence[Mark], level: Compared = "kind") -> Alignment:
    """Pairs up spans greedily: equal bounds first, then most shared code points, then equal kind, then text order.

    Spans of one side may overlap each other. Kinds are compared at `level`; they never keep two spans apart.
    """
    gold, system = sorted(gold, key=_order), sorted(system, key=_order)
    ranked = []
    for i, j in overlaps(gold, system):
        g, s = gold[i], system[j]
        shared = min(g.end, s.end) - max(g.begin, s.begin)
        other_bounds = (g.begin, g.end) != (s.begin, s.end)
        ranked.append((other_bounds, -shared, kind_at(g.kind, level) != kind_at(s.kind, level), i, j))
    partner: dict[int, int] = {}
    taken: dict[int, int] = {}
    for *_, i, j in sorted(ranked):
        if i not in partner and j not in taken:
            partner[i], taken[j] = j, i
    return Alignment(
        [(gold[i], system[partner[i]]) for i in sorted(partner)],
        [g for i, g in enumerate(gold) if i not in partner],
        [s for j, s in enumerate(system) if j not in taken],
    )


def overlaps(left: Sequence[Mark], right: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Numbers (i, j) of the spans that share a code point. Both sides sorted by begin; each may overlap itself."""
    begins = [r.begin for r in right]
    furthest = list(accumulate((r.end for r in right), max))
    for i, mark in enumerate(left):
        if mark.begin == mark.end:
            continue
        for j in range(bisect_right(furthest, mark.begin), len(right)):
            if begins[j] >= mark.end:
                break
            if right[j].end > max(mark.begin, begins[j]):
                yield i, j


def kind_at(kind: str, level: Compared) -> str:
    """What the kind is called where it is compared at `level`."""
    return "PHI" if level == "any" else label(kind, level)


def answers(system: Mark, gold: Mark, criterion: Criterion, level: Compared) -> bool:
    """Whether a system span that shares a code point with a gold span is right about it."""
    if kind_at(system.kind, level) != kind_at(gold.kind, level):
        return False
    if criterion == "strict":
        return (system.begin, system.end) == (gold.begin, gold.end)
    return criterion == "overlapping" or (system.begin <= gold.begin and gold.end <= system.end)


def _order(mark: Mark) -> tuple[int, int, str, str]:
    return mark.begin, -mark.end, mark.kind, mark.source
