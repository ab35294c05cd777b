"""Tables that several experiments share: the layout of the source's Tables 10 to 15, and records of every number in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .result import Cell, Table, plus_minus
from .runner import ExperimentRunner, JobOutcome, of_each
from .scores import MEASURES, OVERALL, SHORT, averaged, kinds_of, mean, spread
from .settings import Settings

CONVENTION = (
    "Undefined values (precision if nothing was found) are left out of averages; the source prints them as 1.000."
)


def by_kind(outcomes: Iterable[Sequence[JobOutcome]], settings: Settings) -> list[str]:
    """Return the criteria that distinguish kinds; `token-binary` counts all kinds together. All criteria if none does."""
    counted = {c for many in outcomes for s in of_each(many) for c, kind in s.counts if kind != OVERALL}
    return [c for c in settings.criteria if c in counted] or settings.criteria


def of_kinds(title: str, outcomes: Sequence[JobOutcome], settings: Settings, note: str = "") -> Table:
    """Kinds by criterion: precision, recall, F1, with all kinds together first. Over folds: the mean of what is defined."""
    many = of_each(outcomes)
    kinds, criteria = kinds_of(many), by_kind([outcomes], settings)
    columns = ["kind", *(f"{c}|{SHORT[m]}" for c in criteria for m in MEASURES), "spans"]
    rows: list[list[Cell]] = [
        [
            kind,
            *(averaged(many, c, kind, m) for c in criteria for m in MEASURES),
            sum(scores.counts[criteria[0], kind].gold for scores in many if (criteria[0], kind) in scores.counts),
        ]
        for kind in kinds
    ]
    return Table(title, columns, rows, note)


def of_systems(by_system: Mapping[str, Sequence[JobOutcome]], settings: Settings, title: str) -> Table:
    """Systems by criterion, over all kinds together; over folds: mean ± standard deviation."""
    columns = ["system", *(f"{c}|{SHORT[m]}" for c in settings.criteria for m in MEASURES)]
    rows: list[list[Cell]] = []
    for system, outcomes in by_system.items():
        many = of_each(outcomes)
        cells: list[Cell] = []
        for c in settings.criteria:
            for m in MEASURES:
                middle, around = averaged(many, c, OVERALL, m), spread(many, c, OVERALL, m)
                cells.append(middle if len(many) < 2 else plus_minus(middle, around))
        rows.append([system, *cells])
    return Table(title, columns, rows)


def across(by_system: Mapping[str, Sequence[JobOutcome]], criterion: str, measure: str) -> Table:
    """Kinds by system under one criterion."""
    each = {system: of_each(outcomes) for system, outcomes in by_system.items()}
    kinds = kinds_of(s for many in each.values() for s in many)
    rows: list[list[Cell]] = [
        [kind, *(averaged(many, criterion, kind, measure) for many in each.values())] for kind in kinds
    ]
    return Table(f"{SHORT[measure]} by kind and system, {criterion}", ["kind", *each], rows, highest=True)


def official(by_system: Mapping[str, Sequence[JobOutcome]], settings: Settings) -> list[Table]:
    """Return one table for each shared task asked for, with the figures of its own script."""
    made = []
    for scheme in settings.schemes:
        rows: list[list[Cell]] = []
        for system, outcomes in by_system.items():
            found: dict[tuple[str, str], list[list[Any]]] = {}
            for outcome in outcomes:
                for criterion, row, *values in outcome.official.get(scheme, []):
                    found.setdefault((criterion, row), []).append(values)
            for (criterion, row), many in found.items():
                rows.append([system, criterion, row, *map(_over_folds, zip(*many, strict=True))])
        columns = ["system", "criterion", "over kinds", "P", "R", "F1", "score"]
        note = "As the official script counts; a criterion has precision, recall and F1, or one score."
        made.append(Table(f"{scheme}: official figures", columns, rows, note))
    return made


def _over_folds(values: Sequence[float | str | None]) -> Cell:
    """Return the mean of what is defined; nothing for a figure that the criterion does not have."""
    return "" if "" in values else mean(v for v in values if not isinstance(v, str))


def records(outcomes: Sequence[JobOutcome], settings: Settings, **labels: Cell) -> list[dict[str, Cell]]:
    """Return a record for each outcome, criterion and kind: labels, `fold` from 1, counts (`marked`: system spans), metrics."""
    made: list[dict[str, Cell]] = []
    for number, outcome in enumerate(outcomes, 1):
        scores = outcome.scores
        for kind in [OVERALL, *scores.kinds]:
            for criterion in settings.criteria:
                counts = scores.counts.get((criterion, kind))
                if counts is None:
                    continue
                sums: dict[str, Cell] = {
                    "gold": counts.gold,
                    "found": counts.found,
                    "marked": counts.system,
                    "right": counts.right,
                }
                figures: dict[str, Cell] = {m: counts.value(m) for m in MEASURES}
                made.append({**labels, "fold": number, "criterion": criterion, "kind": kind, **sums, **figures})
    return made


def active_features(runner: ExperimentRunner, outcomes: Sequence[JobOutcome]) -> float | None:
    """Features with a weight other than 0, the mean over the models behind some tests."""
    return mean(data.get("active_features") for o in outcomes for data in runner.trained(o))
