"""Precision-recall curves for thresholds of confidence."""

from __future__ import annotations

import dataclasses

from ....contract.component import part
from ..experiment import Experiment
from ..plan import Measure
from ..result import Cell, Figure, Result, Table, shown
from ..runner import ExperimentRunner
from ..scores import MEASURES, OVERALL, SHORT, averaged, best
from ..tables import defined_figures, figure_columns


@part("threshold")
class Threshold(Experiment):
    """Scores the spans of each system for every minimum confidence, and draws precision against recall.

    Confidences are those of the models; no training is repeated. Test documents are the test corpus or the folds.
    """

    thresholds: list[float] = dataclasses.field(
        default_factory=lambda: [*(n / 20 for n in range(20)), 0.98, 0.99, 0.999]
    )
    """Minimum confidences (0 to 1)."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems; by default all."""
    optimise: Measure = "f1"
    """The measure that the marked threshold maximizes."""

    def __post_init__(self) -> None:
        if not self.thresholds or not all(0 <= t <= 1 for t in self.thresholds):
            raise ValueError("thresholds: expected confidences from 0 to 1")
        self.thresholds = sorted({0.0, *self.thresholds})

    def run(self, runner: ExperimentRunner) -> Result:
        splits, chosen = runner.splits(), runner.plan.chosen()
        by_system = runner.run_groups(
            {model: [runner.test(model, *s, thresholds=self.thresholds) for s in splits] for model in chosen}
        )
        result = Result()
        figures: dict[tuple[str, str, float, str], float | None] = {}
        for system, many in by_system.items():
            each = [dict(o.thresholds) for o in many if not o.failed]
            for c in runner.settings.criteria:
                for t in self.thresholds:
                    for m in MEASURES:
                        figures[system, c, t, m] = averaged([at[t] for at in each], c, OVERALL, m)
        for system in chosen:
            rows: list[list[Cell]] = [
                [f"{t:g}", *(figures[system, c, t, m] for c, m in defined_figures(runner.settings))]
                for t in self.thresholds
            ]
            columns = ["least confidence", *figure_columns(runner.settings)]
            result.tables.append(Table(f"{system}: all kinds", columns, rows))
        result.records = [
            {"system": s, "criterion": c, "threshold": t, **{m: figures[s, c, t, m] for m in MEASURES}}
            for s in chosen
            for c in runner.settings.criteria
            for t in self.thresholds
        ]
        for c in runner.settings.criteria:
            self._draw(chosen, c, figures, result)
        return result

    def _draw(
        self, chosen: list[str], c: str, figures: dict[tuple[str, str, float, str], float | None], result: Result
    ) -> None:
        curves: dict[str, list[tuple[float, float]]] = {}
        ringed: dict[str, tuple[float, float]] = {}
        for system in chosen:
            points = {}
            for t in reversed(self.thresholds):
                recall, precision = figures[system, c, t, "recall"], figures[system, c, t, "precision"]
                if recall is not None and precision is not None:
                    points[t] = recall, precision
            curves[system] = list(points.values())
            top = best({t: figures[system, c, t, self.optimise] for t in points})
            if top is not None:
                ringed[system] = points[top]
                point = f"{shown(figures[system, c, top, self.optimise])} at a least confidence of {top:g}"
                result.findings.append(f"{system}: best {c} {SHORT[self.optimise]} {point}.")
        caption = f"Precision against recall, {c}, all kinds; ringed: best {SHORT[self.optimise]}."
        options = {"chosen": ringed, "title": f"Precision and recall, {c}"}
        result.figures.append(Figure(f"threshold-{c}", caption, "precision_recall", (curves,), options))
