"""Define the goals of the comparison, and check the measured rows against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .corpora import CORPORA
from .results import Result


@dataclass(frozen=True)
class Bound:
    """A figure and its minimum."""

    criterion: str
    figure: str
    least: float
    shown: str


@dataclass(frozen=True)
class Goal:
    """Figures that one row must reach together."""

    text: str
    rows: tuple[str, ...]
    """Name prefixes of the rows to which the goal applies."""
    corpora: tuple[str, ...]
    bounds: tuple[Bound, ...]

    def candidates(self, results: Iterable[Result], corpus: str) -> list[Result]:
        """Return the measured rows to which the goal applies."""
        return [r for r in results if r.corpus == corpus and r.row.startswith(self.rows)]

    def lacking(self, result: Result) -> float:
        """Return the distance of a row from the goal: the largest shortfall of its figures, 0 if the goal is met."""
        return max(max(0.0, b.least - (result.value(b.criterion, b.figure) or 0.0)) for b in self.bounds)


GOALS = (
    Goal(
        "strict entity F1 of at least 0.972, without a pretrained transformer",
        ("S4", "ensemble"),
        ("meddocan",),
        (Bound("strict", "f1", 0.972, "strict F1"),),
    ),
    Goal(
        "binary token recall of at least 0.99",
        ("S4", "ensemble"),
        ("meddocan",),
        (Bound("token-binary", "recall", 0.99, "token recall"),),
    ),
    Goal(
        "S2: masking recall of at least 0.995 at a precision of at least 0.80",
        ("S2",),
        tuple(CORPORA),
        (
            Bound("masking", "recall", 0.995, "masking recall"),
            Bound("masking", "precision", 0.80, "masking precision"),
        ),
    ),
)


def verdicts(results: Sequence[Result], goals: Sequence[Goal] = GOALS) -> Iterator[tuple[str, str, str, str]]:
    """Yield for each goal and corpus: the goal, the corpus, the figures of the best row, and `met` or `missed`."""
    for goal in goals:
        for corpus in goal.corpora:
            rows = goal.candidates(results, corpus)
            if not rows:
                yield goal.text, CORPORA[corpus].title, "", "not measured"
                continue
            best = min(rows, key=lambda r: (goal.lacking(r), -_first(goal, r), r.row))
            lack = goal.lacking(best)
            told = ", ".join(_told(best, bound) for bound in goal.bounds)
            yield (
                goal.text,
                CORPORA[corpus].title,
                f"{best.row}: {told}",
                "met" if lack == 0 else f"missed by {_distance(lack)}",
            )


def _first(goal: Goal, result: Result) -> float:
    return result.value(goal.bounds[0].criterion, goal.bounds[0].figure) or 0.0


def _told(result: Result, bound: Bound) -> str:
    value, interval = result.value(bound.criterion, bound.figure), result.interval(bound.criterion, bound.figure)
    if value is None:
        return f"{bound.shown} undefined"
    return f"{bound.shown} {value:.4f}" + (f" [{interval[0]:.4f}, {interval[1]:.4f}]" if interval else "")


def _distance(lack: float) -> str:
    """Format the shortfall with enough digits that it is never 0."""
    digits = 3
    while digits < 9 and round(lack, digits) == 0:
        digits += 1
    return f"{lack:.{digits}f}"
