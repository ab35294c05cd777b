"""The result of scoring: a table of figures by criterion and kind, as rows, JSON, CSV or data frame."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...pipeline.errors import ConsumerError, nearest
from .counts import FIGURES, Array, Figure, Measure, Tally, figure, figures_of, rows_of, shape_of
from .table import UNDEFINED, Interval, Key, Row, as_csv, text_table

if TYPE_CHECKING:
    import pandas


class Scores:
    """Figures over all documents of a tally. The counts of each document are kept, for intervals and comparisons."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    @property
    def documents(self) -> list[str]:
        """Ids of the documents, in the order they were counted."""
        return list(self._tally.documents)

    @property
    def groups(self) -> list[str]:
        """Patient of each document, empty if unknown."""
        return list(self._tally.groups)

    @property
    def criteria(self) -> list[str]:
        """Names of the criteria, in order."""
        return [m.name for m in self._tally.measures]

    @cached_property
    def table(self) -> list[Row]:
        """All rows: by criterion; within it kinds by name, then `micro`, then `macro`."""
        return [
            self._row(n, kind) for n, m in enumerate(self._tally.measures) for kind in rows_of(m, self._tally.kinds(n))
        ]

    def value(self, criterion: str, kind: str = "micro", name: Figure = "f1") -> float | None:
        """Return one figure; None if it is undefined, as for a kind that did not occur.

        Raises ConsumerError for a criterion that was not scored or does not have this figure.
        """
        number = self._number(criterion)
        self._applicable(number, kind, name)
        return self._figure(number, kind, name)

    def counts(self, criterion: str) -> tuple[list[str], Array]:
        """Return kinds, and the counts of each document: shape (documents, kinds, 4), as in `Counts`."""
        number = self._number(criterion)
        kinds = self._tally.kinds(number)
        result = np.zeros((len(self._tally.documents), len(kinds), 4))
        counted = self._tally.cells(number)
        cells = np.frombuffer(counted).reshape(-1, 6) if counted else np.zeros((0, 6))
        result[cells[:, 0].astype(int), cells[:, 1].astype(int)] = cells[:, 2:]
        return kinds, result

    def measure(self, criterion: str) -> Measure:
        """Return the measure behind a criterion. Raises ConsumerError that gives the nearest name."""
        return self._tally.measures[self._number(criterion)]

    def to_json(self, intervals: Mapping[Key, Interval] | None = None) -> str:
        """Return the number of documents and all rows; undefined figures are null."""
        data = {"documents": len(self._tally.documents), "rows": self.rows(intervals)}
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    def rows(self, intervals: Mapping[Key, Interval] | None = None) -> list[dict[str, object]]:
        """Return the rows as plain data; with `intervals`, also the ends `precision_low`, `precision_high` and so on."""
        return [self._plain(row, intervals) for row in self.table]

    def to_csv(self, intervals: Mapping[Key, Interval] | None = None) -> str:
        """Return all rows; undefined figures are `undefined`, those that do not apply are empty."""
        return as_csv(self.csv_rows(intervals))

    def csv_rows(self, intervals: Mapping[Key, Interval] | None = None) -> list[dict[str, object]]:
        """Return the rows of `to_csv`."""
        return [
            self._plain(row, intervals) | {f: UNDEFINED for f in row.applies if getattr(row, f) is None}
            for row in self.table
        ]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return all rows as a data frame. Raises ConsumerError if pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise ConsumerError("a data frame needs pandas: pip install 'caspipe[analysis]'") from None
        return pandas.DataFrame(self.rows())

    def to_text(self, intervals: Mapping[Key, Interval] | None = None, digits: int = 3) -> str:
        """Return all rows as a plain text table, with this number of digits."""
        return text_table(self.table, intervals, digits)

    def __repr__(self) -> str:
        return f"<Scores {len(self._tally.documents)} documents: {', '.join(self.criteria)}>"

    def _number(self, criterion: str) -> int:
        names = self.criteria
        if criterion not in names:
            hint = nearest(criterion, names) or f"; expected one of {', '.join(names)}"
            raise ConsumerError(f"no criterion {criterion!r} was scored{hint}")
        return names.index(criterion)

    def _applicable(self, number: int, kind: str, name: Figure) -> None:
        measure = self._tally.measures[number]
        choices = figures_of(measure, kind)
        if name not in choices:
            raise ConsumerError(f"{measure.name}, {kind}: no figure {name!r}; expected one of {', '.join(choices)}")

    @cached_property
    def _sums(self) -> list[tuple[list[str], Array]]:
        return [(kinds, counts.sum(axis=0)) for kinds, counts in map(self.counts, self.criteria)]

    def _figure(self, number: int, kind: str, name: Figure) -> float | None:
        kinds, sums = self._sums[number]
        value = float(figure(sums, self._tally.measures[number], kinds, kind, name))
        return None if math.isnan(value) else value

    def _row(self, number: int, kind: str) -> Row:
        measure = self._tally.measures[number]
        applies = figures_of(measure, kind)
        values = {f: self._figure(number, kind, f) if f in applies else None for f in FIGURES}
        kinds, sums = self._sums[number]
        summed = sums[kinds.index(kind)] if kind in kinds else None
        if kind == "micro" and measure.totals:
            summed = sums.sum(axis=0)
        gold = system = tp = fp = fn = None
        shape = shape_of(measure, kind)
        if summed is not None and shape in ("spans", "recall", "score"):  # the numbers of a rate have different units
            gold, tp = round(summed[0]), round(summed[1])
            fn = gold - tp
        if summed is not None and shape in ("spans", "precision"):
            system = round(summed[2])
            fp = system - round(summed[3])
        return Row(measure.name, kind, gold, system, tp, fp, fn, **values, applies=applies)

    def _plain(self, row: Row, intervals: Mapping[Key, Interval] | None) -> dict[str, object]:
        cells: dict[str, Any] = asdict(row)
        del cells["applies"]
        for name in FIGURES if intervals is not None else ():
            low, high = (intervals or {}).get((row.criterion, row.kind, name), (None, None))
            cells[f"{name}_low"], cells[f"{name}_high"] = low, high
        return cells
