"""The results of an experiment: tables and figures for reports, records for further processing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ....consumers.scoring import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Cell = str | int | float | None
UNDEFINED = "undefined"


@dataclass(slots=True)
class Table:
    """A table. Columns such as `strict|P` and `strict|R` share the heading `strict`. None is an undefined value."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    note: str = ""
    highest: bool = False
    """True to highlight the highest number of each row."""
    group: str = ""
    """Heading of a collapsed group in the report; empty for the main tables."""


@dataclass(slots=True)
class Figure:
    """The data of a figure. `name` is its file name without suffix."""

    name: str
    caption: str
    plot: Literal[
        "precision_recall",
        "sweep",
        "learning_curve",
        "training_curves",
        "grid_heatmap",
        "boxplots",
        "bars",
        "confusion",
    ]
    """The function of `consumers/scoring/plots.py` that draws it."""
    data: tuple[Any, ...]
    """Its positional arguments."""
    options: dict[str, Any] = field(default_factory=dict)
    """Its keyword arguments."""
    group: str = ""
    """Heading of a collapsed group in the report; empty for the main figures."""

    def draw(self) -> Drawing:
        """Draw the figure. Raises ConsumerError if matplotlib is not installed."""
        drawn: Drawing = getattr(plots, self.plot)(*self.data, **self.options)
        return drawn


@dataclass(slots=True)
class Result:
    """Tables, figures, findings (one sentence each), and records of all measured numbers."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    records: list[dict[str, Cell]] = field(default_factory=list)
    quotes: bool = False
    """True if it contains words of the documents, such as names of features. Its files are then readable only by their owner."""


def shown(value: Cell, digits: int = 3) -> str:
    """Return the text of a table cell; None is `undefined`."""
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.{digits}f}" if isinstance(value, float) else value


def plus_minus(average: float | None, spread: float | None) -> str:
    """Return a mean with its standard deviation, such as `0.912 ± 0.013`."""
    if average is None:
        return UNDEFINED
    return shown(average) if spread is None else f"{shown(average)} ± {shown(spread)}"


def to_csv(records: Iterable[dict[str, Cell]]) -> str:
    """Return records as CSV, with all columns in order of first appearance. Undefined values are empty."""
    rows = list(records)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _exact(row.get(key)) for key in columns} for row in rows)
    return out.getvalue()


def to_json(result: Result) -> dict[str, Any]:
    """Return tables, findings and records as plain data. Numbers are not rounded; undefined values are null."""
    return {
        "findings": result.findings,
        "tables": [
            {"title": t.title, "columns": t.columns, "rows": t.rows, **({"note": t.note} if t.note else {})}
            for t in result.tables
        ],
        "figures": [{"name": f.name, "caption": f.caption} for f in result.figures],
        "records": result.records,
    }


def _exact(value: Cell) -> Cell:
    return "" if value is None else repr(value) if isinstance(value, float) else value
