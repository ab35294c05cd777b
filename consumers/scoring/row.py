"""A row of the table of scores."""

from __future__ import annotations

from dataclasses import dataclass

from .figures import FIGURES, Figure

UNDEFINED = "undefined"
Interval = tuple[float, float]
Key = tuple[str, str, Figure]
"""Criterion, kind, figure."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. None is undefined or, if the figure is not in `applies`, not available."""

    criterion: str
    kind: str
    gold: int | None
    system: int | None
    tp: int | None
    """Reference units that were found."""
    fp: int | None
    """System units that match nothing."""
    fn: int | None
    """Reference units that were missed."""
    precision: float | None
    recall: float | None
    f1: float | None
    score: float | None
    """The figure of rows that have neither precision nor recall: a share or a rate."""
    applies: tuple[Figure, ...] = FIGURES

    def shown(self, name: Figure, digits: int = 3) -> str:
        """Return a figure for people: `0.917`, `undefined`, or nothing if it does not apply."""
        value: float | None = getattr(self, name)
        if name not in self.applies:
            return ""
        return UNDEFINED if value is None else f"{value:.{digits}f}"
