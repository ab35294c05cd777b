"""Credit of components: the reference spans that each component found alone, that several found, and that none found.

Two components of the same recall are both useful if they find different things, which the table of combinations shows. It counts
candidates, before the resolver selects between them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...pipeline.errors import ConsumerError, nearest
from .alignment import Compared, Criterion, kind_at, matches, overlaps
from .document import Mark, Pair
from .table import align_columns, csv_text, format_share

NOBODY = "(nobody)"


@dataclass(frozen=True, slots=True)
class Share:
    """The contribution of one component."""

    source: str
    proposed: int
    """Candidates."""
    right: int
    """Candidates that match a gold span."""
    found: int
    """Gold spans that one of its candidates matches."""
    alone: int
    """Those of them that no other component found."""
    gold: int
    """Number of gold spans."""

    @property
    def precision(self) -> float | None:
        """Share of its candidates that are right; None if it has none."""
        return self.right / self.proposed if self.proposed else None

    @property
    def recall(self) -> float | None:
        """Share of the gold spans that it found; None if there were none."""
        return self.found / self.gold if self.gold else None


@dataclass(slots=True, kw_only=True)
class Credit:
    """Credit of each component over some documents: `add` them, then read `combinations` and `shares`."""

    by: Literal["top", "path"] = "top"
    """Definition of a component: the outermost id of a source (`regex` of `regex/dates`), or its whole path."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Components that count as one, by a name for them: `rules: [regex, identifiers]`. A component includes all below it."""
    criterion: Criterion = "overlapping"
    level: Compared = "top"
    sets: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter, init=False)
    """(gold kind, components that found it, by name) -> gold spans."""
    lost: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter, init=False)
    """The same for gold spans that no final span matches: found, then lost between candidates and result."""
    proposed: Counter[str] = field(default_factory=Counter, init=False)
    right: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, pair: Pair) -> None:
        """Count one document."""
        gold = sorted(pair.gold, key=lambda m: (m.begin, m.end))
        candidates = sorted(pair.candidates, key=lambda m: (m.begin, m.end))
        finders: list[set[str]] = [set() for _ in gold]
        right: set[int] = set()
        for i, j in self._matched(gold, candidates):
            finders[i].add(self.name(candidates[j].source))
            right.add(j)
        system = sorted(pair.system, key=lambda m: (m.begin, m.end))
        final = {i for i, _ in self._matched(gold, system)}
        for i, mark in enumerate(gold):
            key = kind_at(mark.kind, "top" if self.level == "any" else self.level), tuple(sorted(finders[i]))
            self.sets[key] += 1
            if i not in final:
                self.lost[key] += 1
        for j, candidate in enumerate(candidates):
            self.proposed[self.name(candidate.source)] += 1
            self.right[self.name(candidate.source)] += j in right

    def _matched(self, gold: list[Mark], system: list[Mark]) -> Iterable[tuple[int, int]]:
        return ((i, j) for i, j in overlaps(gold, system) if matches(system[j], gold[i], self.criterion, self.level))

    def name(self, source: str) -> str:
        """Return the component to which a candidate's source belongs."""
        for group, members in self.groups.items():
            if any(source == member or source.startswith(f"{member}/") for member in members):
                return group
        return (source.partition("/")[0] if self.by == "top" else source) or "(unnamed)"

    @property
    def sources(self) -> list[str]:
        """Every component with a candidate, and every group, by name."""
        return sorted({*self.proposed, *self.groups})

    @property
    def gold(self) -> int:
        return self.sets.total()

    @property
    def shares(self) -> list[Share]:
        """The contribution of each component, by name."""
        result = []
        for source in self.sources:
            found = sum(n for (_, names), n in self.sets.items() if source in names)
            alone = sum(n for (_, names), n in self.sets.items() if names == (source,))
            result.append(Share(source, self.proposed[source], self.right[source], found, alone, self.gold))
        return result

    @property
    def combinations(self) -> list[tuple[tuple[str, ...], int, int]]:
        """(components, gold spans that exactly these found, those not in the result), most frequent first; () for none."""
        counts: Counter[tuple[str, ...]] = Counter()
        lost: Counter[tuple[str, ...]] = Counter()
        for (_, names), n in self.sets.items():
            counts[names] += n
        for (_, names), n in self.lost.items():
            lost[names] += n
        return sorted(((names, n, lost[names]) for names, n in counts.items()), key=lambda row: (-row[1], row[0]))

    def two(self, first: str, second: str) -> dict[str, int]:
        """Return the number of gold spans found by one of two components only, by both, by neither. Raises ConsumerError for an
        unknown name."""
        for name in (first, second):
            if name not in self.sources:
                known = ", ".join(self.sources) or "none"
                raise ConsumerError(f"no candidate comes from {name!r}; from: {known}{nearest(name, self.sources)}")
        result = {f"{first} only": 0, f"{second} only": 0, "both": 0, "neither": 0}
        for (_, names), n in self.sets.items():
            has = first in names, second in names
            cell = "both" if all(has) else f"{first} only" if has[0] else f"{second} only" if has[1] else "neither"
            result[cell] += n
        return result

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each gold kind and combination of components: kind, found by, gold, lost."""
        return [
            {"kind": kind, "found_by": "+".join(names) or NOBODY, "gold": n, "lost": self.lost[kind, names]}
            for (kind, names), n in sorted(self.sets.items())
        ]

    def to_csv(self) -> str:
        """Return `table` as CSV."""
        return csv_text([["kind", "found_by", "gold", "lost"], *(list(row.values()) for row in self.table)])

    def to_json(self) -> str:
        """Return shares, combinations and `table`."""
        shares = [
            {name: getattr(s, name) for name in "source proposed right found alone precision recall".split()}
            for s in self.shares
        ]
        sets = [{"found_by": list(names), "gold": n, "lost": lost} for names, n, lost in self.combinations]
        data = {"gold": self.gold, "shares": shares, "combinations": sets, "table": self.table}
        return json.dumps(data, indent=2) + "\n"

    def __str__(self) -> str:
        """Return two tables: the shares of the components, then the combinations."""
        rows = [["component", "candidates", "precision", "found", "recall", "alone"]]
        for s in self.shares:
            found = [format_share(s.precision), f"{s.found:,}", format_share(s.recall)]
            rows.append([s.source, f"{s.proposed:,}", *found, f"{s.alone:,}"])
        sets = [["found by", "gold", "share", "not in the result"]]
        sets += [
            [" + ".join(names) or NOBODY, f"{n:,}", format_share(n / self.gold), f"{lost:,}"]
            for names, n, lost in self.combinations
        ]
        return f"{align_columns(rows)}\n\n{align_columns(sets)}\n"


def credit_of(
    pairs: Iterable[Pair],
    *,
    by: Literal["top", "path"] = "top",
    groups: Mapping[str, Sequence[str]] | None = None,
    criterion: Criterion = "overlapping",
    level: Compared = "top",
) -> Credit:
    """Return the credit of each component over some documents."""
    result = Credit(by=by, groups=groups or {}, criterion=criterion, level=level)
    for pair in pairs:
        result.add(pair)
    return result
