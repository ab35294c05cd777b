"""Compares the figures of an experiment with a published table, row by row."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from ....typesystem import PhiKind
from ...errors import nearest
from ...storage.yaml_source import Keys
from .plan import Measure, Plan
from .result import Cell, Table, plus_minus
from .runner import JobOutcome, successful_scores
from .scores import MEASURES, OVERALL, SHORT, Counts, Scores, counted_f1, deviation, mean

OURS, THEIRS = "here", "source"
"""The headings of the two groups of columns."""


@dataclasses.dataclass(kw_only=True)
class Reference:
    """A published table, with the system or kinds of the experiment that correspond to each row."""

    title: str
    """Title of the table, such as `Table 2: binary token scores`."""
    criterion: str
    """The criterion that counts like the source: `token-binary` for PHI tokens against all others."""
    rows: dict[str, list[float | None]]
    """The published numbers by row name, one for each of `measures`; null for a missing number."""
    measures: list[Measure] = dataclasses.field(default_factory=lambda: list(MEASURES))
    """The measures of the numbers in a row."""
    scale: float = 100.0
    """The published value of a perfect score: 100 for per cent, 1 for shares. All metrics are shown on this scale."""
    system: str = ""
    """The system, if the rows are its kinds. Empty: the rows are systems, over all kinds together."""
    ours: dict[str, str | list[str]] = dataclasses.field(default_factory=dict)
    """Our name for a row: a system, or one kind or several counted together. A row left out has the same name here, or, if
    nothing here has it, is shown without a figure of ours."""
    note: str = ""
    """Limits of the comparison: other documents, other kinds."""

    def __post_init__(self) -> None:
        if not self.measures:
            raise ValueError("measures: expected at least one")
        if self.scale <= 0:
            raise ValueError(f"scale: expected a number above 0, got {self.scale:g}")
        for name, numbers in self.rows.items():
            if len(numbers) != len(self.measures):
                raise ValueError(
                    f"rows.{name}: expected {len(self.measures)} numbers ({', '.join(self.measures)}), got {len(numbers)}"
                )
            if any(n is not None and not 0 <= n <= self.scale for n in numbers):
                raise ValueError(f"rows.{name}: expected numbers from 0 to {self.scale:g} (scale)")
        for name, given in self.ours.items():
            if name not in self.rows:
                raise ValueError(f"ours.{name}: no such row{nearest(name, self.rows)}")
            if not self.system and not isinstance(given, str):
                raise ValueError(
                    f"ours.{name}: expected one system, got {len(given)}; kinds need the system they are of"
                )

    def check(self, plan: Plan, compared: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        """Yield the faults of unknown names: (keys below the table, message). `compared`: the systems of the experiment."""
        criteria = plan.settings.criteria
        if self.criterion not in criteria:
            yield (
                ("criterion",),
                f"expected one of the criteria of this file ({', '.join(criteria)}), got {self.criterion!r}",
            )
        if self.system and self.system not in compared:
            yield ("system",), f"no system called {self.system!r}{nearest(self.system, compared)}"
        for row, given in self.ours.items():
            for name in [given] if isinstance(given, str) else given:
                if not self.system and name not in compared:
                    yield ("ours", row), f"no system called {name!r}{nearest(name, compared)}"
                elif self.system and plan.settings.level in ("kind", "top") and name != OVERALL and not _is_kind(name):
                    yield ("ours", row), f"no kind called {name!r}"

    def table(self, by_system: Mapping[str, Sequence[JobOutcome]], spread: bool = False) -> Table:
        """Return the published and the computed figures side by side. Rows without computed figures have empty cells.

        `spread`: computed figures are shown with their standard deviation.
        """
        figures = [f"{side}|{SHORT[m]}" for side in (OURS, THEIRS) for m in self.measures]
        columns = ["kind" if self.system else "system", *figures]
        rows: list[list[Cell]] = []
        for row, numbers in self.rows.items():
            given = self.ours.get(row, row)
            names = [given] if isinstance(given, str) else given
            many = by_system.get(self.system or names[0])
            kinds = names if self.system else [OVERALL]
            there = many is not None and any(
                (self.criterion, k) in s.counts for s in successful_scores(many) for k in kinds
            )
            here: list[Cell] = ["" for _ in self.measures]
            if many is not None and (there or not self.system):
                here = [self._cell(successful_scores(many), kinds, m, spread) for m in self.measures]
            rows.append([row, *here, *("" if n is None else n for n in numbers)])
        return Table(self.title, columns, rows, self.note)

    def _cell(self, many: Sequence[Scores], kinds: Sequence[str], measure: Measure, spread: bool) -> Cell:
        """Return the mean over folds or seeds of a figure of some kinds counted together, on the published scale."""
        counts = [_together(scores, self.criterion, kinds) for scores in many]
        found = [c.value(measure) for c in counts]
        if measure == "f1":
            found = counted_f1(zip(found, (c.gold for c in counts), strict=True))
        values = [None if value is None else value * self.scale for value in found]
        return plus_minus(mean(values), deviation(values)) if spread else mean(values)


def _together(scores: Scores, criterion: str, kinds: Sequence[str]) -> Counts:
    total = Counts()
    for kind in kinds:
        total += scores.counts.get((criterion, kind), Counts())
    return total


def _is_kind(name: str) -> bool:
    try:
        PhiKind.of(name)
    except ValueError:
        return False
    return True
