"""Levels at which kinds are compared (as they are, at the first level, or as the categories of a scheme), and pairing of system
spans with reference spans: at most one for each, those that share most first. Errors of the system in a document follow from it:
every miss, false hit, wrong kind and wrong bound.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Literal, get_args

from ...typesystem import PhiKind
from .criteria import distinct
from .document import Mark, Pair
from .leaks import merged, shared, uncovered
from .spans import Span

Level = Literal["kind", "top", "vigibase", "i2b2-2014", "i2b2-2014-sub", "meddocan"]
"""`kind`: PERSON_PATIENT differs from PERSON_DOCTOR; `top`: both are PERSON; else the category of that scheme."""
LEVELS: tuple[str, ...] = get_args(Level)
Compared = Level | Literal["any"]
"""Level at which kinds are compared; `any`: not at all, a span only has to be found."""
Criterion = Literal["strict", "covering", "overlapping"]
"""Condition under which a system span matches a gold span of its kind: equal bounds, all of it covered, a code point shared."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The spans of one document, each in exactly one list, all in text order."""

    matched: list[tuple[Mark, Mark]]
    """(gold, system) spans that share at least one code point."""
    missed: list[Mark]
    """Gold spans without a partner; they may overlap a system span that has another partner."""
    spurious: list[Mark]
    """System spans without a partner."""


def align(gold: Sequence[Mark], system: Sequence[Mark], level: Compared = "kind") -> Alignment:
    """Pair spans greedily: equal bounds first, then most shared code points, then equal kind, then text order.

    Spans of one side may overlap each other. Kinds are compared at `level`, but spans of different kinds are paired too.
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
    """Yield the numbers (i, j) of the spans that share a code point. Both sides are sorted by begin; spans of one side may
    overlap."""
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


@lru_cache(maxsize=4096)
def kind_at(kind: str, level: Compared) -> str:
    """Return the name of a kind at a level; a label that is not a kind stays the same."""
    if level == "any":
        return "PHI"
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
        return [
            dataclasses.replace(m, kind=kind_at(m.kind, level), renamed_from=m.renamed_from or m.kind) for m in marks
        ]

    return dataclasses.replace(
        pair, gold=renamed(pair.gold), system=renamed(pair.system), candidates=renamed(pair.candidates)
    )


def matches(system: Mark, gold: Mark, criterion: Criterion, level: Compared) -> bool:
    """Return whether a system span that shares a code point with a gold span matches it."""
    if kind_at(system.kind, level) != kind_at(gold.kind, level):
        return False
    if criterion == "strict":
        return (system.begin, system.end) == (gold.begin, gold.end)
    return criterion == "overlapping" or (system.begin <= gold.begin and gold.end <= system.end)


def _order(mark: Mark) -> tuple[int, int, str, str]:
    return mark.begin, -mark.end, mark.kind, mark.source


Group = Literal["missed", "bounds", "kind", "false"]
"""`missed`: a gold span without any overlap; `bounds`: found, but not all of it or more than it; `kind`: found as another kind;
`false`: a system span that overlaps no gold span."""
GROUPS: tuple[Group, ...] = ("missed", "bounds", "kind", "false")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One wrong span, with the span of the other side that it belongs to."""

    group: Group
    gold: Mark | None
    system: Mark | None
    leaked: tuple[Span, ...]
    """The parts of the gold span that no system span covers, if they contain a letter or digit."""

    @property
    def begin(self) -> int:
        return min(m.begin for m in (self.gold, self.system) if m is not None)

    @property
    def end(self) -> int:
        return max(m.end for m in (self.gold, self.system) if m is not None)

    @property
    def kind(self) -> str:
        """The gold span's kind, else the system's."""
        mark = self.gold or self.system
        return mark.kind if mark is not None else ""


def mistakes(pair: Pair, level: Compared = "kind") -> list[Mistake]:
    """Return the errors in a document under the strict criterion, in text order; kinds are compared at `level`.

    Spans are paired one to one by `align`. A span without partner is shown with the one that it overlaps most, if there is one:
    a gold span that two system spans share is listed for both.
    """
    paired = align(pair.gold, pair.system, level)
    leaks = list(uncovered(merged(distinct(pair.gold)), merged(distinct(pair.system))))
    couples: list[tuple[Mark | None, Mark | None]] = [
        (g, s)
        for g, s in paired.matched
        if (g.begin, g.end) != (s.begin, s.end) or kind_at(g.kind, level) != kind_at(s.kind, level)
    ]
    couples += zip(paired.missed, _most_shared(paired.missed, pair.system), strict=True)
    couples += zip(_most_shared(paired.spurious, pair.gold), paired.spurious, strict=True)
    result = [Mistake(_group(g, s, level), g, s, _leaked(g, leaks, pair.text)) for g, s in couples]
    return sorted(result, key=lambda m: (m.begin, m.end, GROUPS.index(m.group), m.kind))


def _most_shared(marks: Sequence[Mark], others: Sequence[Mark]) -> list[Mark | None]:
    """Return for each mark the other one that shares most with it, the first of equal ones."""
    others = sorted(others, key=lambda m: (m.begin, m.end))
    best: dict[int, tuple[int, int]] = {}
    for i, j in overlaps(marks, others):
        length = min(marks[i].end, others[j].end) - max(marks[i].begin, others[j].begin)
        best[i] = max(best.get(i, (0, 0)), (length, -j))
    return [others[-best[i][1]] if i in best else None for i in range(len(marks))]


def _group(gold: Mark | None, system: Mark | None, level: Compared) -> Group:
    if system is None or gold is None:
        return "missed" if system is None else "false"
    return "bounds" if kind_at(gold.kind, level) == kind_at(system.kind, level) else "kind"


def _leaked(gold: Mark | None, leaks: list[Span], text: str) -> tuple[Span, ...]:
    if gold is None:
        return ()
    first = bisect_right(leaks, gold.begin, key=lambda s: s[1])
    last = bisect_left(leaks, gold.end, key=lambda s: s[0])
    inside = shared([(gold.begin, gold.end)], leaks[first:last])
    return tuple(s for s in inside if any(map(str.isalnum, text[s[0] : s[1]])))
