"""Strict, covering and overlapping matches, after §5.3 and Example 5.2 of the VigiBase system.

* *strict*: same offsets and same kind;
* *covering*: same kind, and the reference span is inside **one** system span;
* *overlapping*: same kind, and the two share a code point.

The source does not define how to count spans that are not matched one to one. Here each side is counted on its own: a reference
span is found if some system span matches it, a system span is right if it matches some reference span. So a name split into two
system spans is found once and both are right (overlapping); one system span over two names finds both and is right once. Two
system spans that cover a reference span only together do not cover it. Duplicate spans count once.

The variants that ignore kinds compare the spans alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .counts import MICRO, Counts, Measure
from .document import Mark, Pair
from .spans import Span, Spans

Count = Callable[[Sequence[Span], Sequence[Span]], Counts]
"""Counts from the sorted, distinct spans of the reference and of the system."""


def strict(gold: Sequence[Span], system: Sequence[Span]) -> Counts:
    """Count equal spans."""
    both = len(set(gold) & set(system))
    return Counts(len(gold), both, len(system), both)


def covering(gold: Sequence[Span], system: Sequence[Span]) -> Counts:
    """Count reference spans inside one system span, and system spans around some reference span."""
    g, s = Spans(gold), Spans(system)
    return Counts(len(gold), sum(map(s.cover, gold)), len(system), sum(map(g.inside, system)))


def overlapping(gold: Sequence[Span], system: Sequence[Span]) -> Counts:
    """Count spans that share a code point with one of the other side."""
    g, s = Spans(gold), Spans(system)
    return Counts(len(gold), sum(map(s.overlap, gold)), len(system), sum(map(g.overlap, system)))


def distinct(marks: Iterable[Mark]) -> list[Span]:
    """Return the spans of some marks, sorted, each once."""
    return sorted({(m.begin, m.end) for m in marks})


def by_kind(marks: Iterable[Mark]) -> dict[str, list[Mark]]:
    """Return marks by kind, in the order given."""
    result: dict[str, list[Mark]] = {}
    for m in marks:
        result.setdefault(m.kind, []).append(m)
    return result


def _each_kind(count: Count) -> Callable[[Pair], Mapping[str, Counts]]:
    def counts(pair: Pair) -> dict[str, Counts]:
        gold, system = by_kind(pair.gold), by_kind(pair.system)
        return {
            kind: count(distinct(gold.get(kind, ())), distinct(system.get(kind, ()))) for kind in {**gold, **system}
        }

    return counts


def _blind(count: Count) -> Callable[[Pair], Mapping[str, Counts]]:
    return lambda pair: {MICRO: count(distinct(pair.gold), distinct(pair.system))}


_RULES: dict[str, Count] = {"strict": strict, "covering": covering, "overlapping": overlapping}

MEASURES = (
    *(Measure(name, _each_kind(rule)) for name, rule in _RULES.items()),
    *(
        Measure(f"{name}-binary", _blind(rule), totals=False, macro="none", always=(MICRO,))
        for name, rule in _RULES.items()
    ),
)
