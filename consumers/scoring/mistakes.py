"""Errors of the system in a document: every miss, false hit, wrong kind and wrong bound."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .alignment import Compared, align, kind_at, overlaps
from .criteria import Span, distinct
from .document import Mark, Pair
from .leaks import merged, shared, uncovered

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
    """Return for each mark the one of the others that shares most with it, the first of equal ones."""
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
