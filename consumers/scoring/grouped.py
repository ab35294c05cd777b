"""Scores of groups of documents that share a value of their metadata: a genre, a file, a ward."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .counts import MICRO, Figure, Measure, figure
from .scores import Scores
from .table import align_columns, format_share

NO_VALUE = "(none)"
"""The group of documents without a value."""
_MAIN: dict[str, Figure] = {"spans": "f1", "means": "f1", "precision": "precision", "recall": "recall"}


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """One figure of a group, over all kinds."""

    group: str
    documents: int
    criterion: str
    figure: Figure
    value: float | None
    """None if it is undefined."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The main figure of each criterion by group: F1, recall, a share or a rate."""

    by: str
    """Name of the metadata."""
    figures: list[GroupFigure]

    def rows(self) -> list[list[str]]:
        """Return the cells of a table: a row for each group, the headings first."""
        columns = list(dict.fromkeys((f.criterion, f.figure) for f in self.figures))
        cells = {(f.group, f.criterion): format_share(f.value, 3) for f in self.figures}
        sizes = {f.group: f.documents for f in self.figures}
        heading = [f"{criterion} {name}" if name != "score" else criterion for criterion, name in columns]
        body = [[group, f"{n:,}", *(cells[group, criterion] for criterion, _ in columns)] for group, n in sizes.items()]
        return [[self.by, "documents", *heading], *body]

    def __str__(self) -> str:
        return align_columns(self.rows()) + "\n"


def grouped(scores: Scores, values: Sequence[str], by: str) -> Groups:
    """Return the main figures of each group, sorted by its value. `values`: one for each document, in their order."""
    names = np.array([value or NO_VALUE for value in values])
    figures = []
    for group in sorted(set(names.tolist())):
        members = names == group
        for criterion in scores.criteria:
            measure = scores.measure(criterion)
            kinds, counts = scores.counts(criterion)
            name = main_figure(measure)
            value = float(figure(counts[members].sum(axis=0), measure, kinds, MICRO, name))
            found = None if math.isnan(value) else value
            figures.append(GroupFigure(group, int(members.sum()), criterion, name, found))
    return Groups(by, figures)


def main_figure(measure: Measure) -> Figure:
    """Return the figure that a criterion is about: recall if its kinds have no precision, else F1, or a share or rate."""
    return _MAIN.get(measure.shape, "score")
