"""Precision and recall over a threshold on confidence, and the threshold that reaches a target recall."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Literal

from .alignment import Compared, Criterion, kind_at, matches, overlaps
from .document import Mark, Pair
from .table import csv_text, format_share


@dataclass(frozen=True, slots=True)
class Point:
    """Result if spans below `threshold` are dropped."""

    threshold: float
    kept: int
    """Spans with at least this confidence."""
    right: int
    """Those of them that match a gold span."""
    found: int
    """Gold spans that one of them matches."""
    gold: int
    """Number of gold spans."""

    @property
    def precision(self) -> float:
        return self.right / self.kept

    @property
    def recall(self) -> float | None:
        """None without gold spans."""
        return self.found / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None without gold spans."""
        if self.recall is None:
            return None
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class Curve:
    """One point for each confidence that occurs, by falling threshold."""

    points: list[Point]
    gold: int

    @property
    def average_precision(self) -> float | None:
        """Sum over the points of precision times gain in recall, without interpolation; None without gold spans.

        Source: Zhu 2004, Recall, precision and average precision; as in scikit-learn.
        """
        if not self.gold:
            return None
        total, before = 0.0, 0
        for p in self.points:
            total += p.precision * (p.found - before)
            before = p.found
        return total / self.gold

    def best(self) -> Point | None:
        """Return the point of the greatest F1, of equal ones the one with the highest threshold; None without gold spans."""
        return max(self.points, key=lambda p: (p.f1 or 0.0, p.threshold), default=None) if self.gold else None

    def for_recall(self, target: float) -> Point | None:
        """Return the point with the highest threshold whose recall reaches `target` (0 to 1); None if no threshold does."""
        return next((p for p in self.points if p.recall is not None and p.recall >= target), None)

    def drawn(self) -> list[tuple[float, float]]:
        """Return (recall, precision) of each point, for `plots.precision_recall`; empty without gold spans."""
        return [(p.recall, p.precision) for p in self.points if p.recall is not None]

    def to_csv(self) -> str:
        """Return a row for each point: threshold, spans kept and right, gold spans found, precision, recall, F1."""
        return csv_text(self.rows())

    def rows(self) -> list[list[object]]:
        """Return the rows of `to_csv`, the headings first."""
        rows: list[list[object]] = [["threshold", "kept", "right", "found", "gold", "precision", "recall", "f1"]]
        for p in self.points:
            shares = [format_share(v, 6) for v in (p.precision, p.recall, p.f1)]
            rows.append([f"{p.threshold:.6g}", p.kept, p.right, p.found, p.gold, *shares])
        return rows

    def to_json(self) -> str:
        return json.dumps(self.data(), indent=2) + "\n"

    def data(self) -> dict[str, object]:
        """Return what `to_json` writes."""
        points = [asdict(p) | {"precision": p.precision, "recall": p.recall, "f1": p.f1} for p in self.points]
        return {"gold": self.gold, "average_precision": self.average_precision, "points": points}


@dataclass(slots=True)
class Thresholds:
    """Counts by confidence, of one system over some documents: `add` them, then read the `curve`."""

    criterion: Criterion = "strict"
    level: Compared = "top"
    kept: Counter[float] = field(default_factory=Counter, init=False)
    right: Counter[float] = field(default_factory=Counter, init=False)
    found: Counter[float] = field(default_factory=Counter, init=False)

    def add(self, gold: list[Mark], system: list[Mark]) -> None:
        """Count the spans of one document. Spans of the same bounds and kind count once, with their greatest confidence."""
        gold, system = distinct_at(gold, self.level), distinct_at(system, self.level)
        self.kept.update(m.confidence for m in system)
        best: dict[int, float] = {}
        correct: set[int] = set()
        for i, j in overlaps(gold, system):
            if matches(system[j], gold[i], self.criterion, self.level):
                best[i] = max(best.get(i, 0.0), system[j].confidence)
                correct.add(j)
        self.right.update(system[j].confidence for j in correct)
        self.found.update(best.values())

    def curve(self, gold: int) -> Curve:
        """Return the curve; `gold` is the number of gold spans of all documents, including those without a system span."""
        points = []
        kept = right = found = 0
        for threshold in sorted(self.kept, reverse=True):
            kept += self.kept[threshold]
            right += self.right[threshold]
            found += self.found[threshold]
            points.append(Point(threshold, kept, right, found, gold))
        return Curve(points, gold)


def curve(
    pairs: Iterable[Pair],
    *,
    of: Literal["system", "candidates"] = "system",
    source: str = "",
    kind: str = "",
    criterion: Criterion = "strict",
    level: Compared = "top",
) -> Curve:
    """Return the curve over the confidences of final spans or of candidates; `source` and `kind` restrict it to one component,
    one kind.

    A source includes all below it (`models` includes `models/crf`). Precision is the share of the kept spans that are right,
    recall the share of the gold spans found, as in `criteria`.
    """
    counts, total = Thresholds(criterion, level), 0
    for pair in pairs:
        gold = [g for g in pair.gold if not kind or kind_at(g.kind, level) == kind]
        system = [
            m
            for m in (pair.system if of == "system" else pair.candidates)
            if (not kind or kind_at(m.kind, level) == kind)
            and (not source or m.source == source or m.source.startswith(f"{source}/"))
        ]
        counts.add(gold, system)
        total += len(distinct_at(gold, level))
    return counts.curve(total)


def distinct_at(marks: Iterable[Mark], level: Compared) -> list[Mark]:
    """Return the most confident of the marks with the same bounds and kind, by begin."""
    best: dict[tuple[int, int, str], Mark] = {}
    for m in marks:
        key = m.begin, m.end, kind_at(m.kind, level)
        if key not in best or best[key].confidence < m.confidence:
            best[key] = m
    return [best[key] for key in sorted(best)]
