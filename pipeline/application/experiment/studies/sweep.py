"""Varies one parameter: the regularization strength C of SVM and CRF, the L1 ratio α, or any other number."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

from ....contract.component import part
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..model_steps import model_faults
from ..plan import Measure, Plan
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner, JobOutcome, successful_scores
from ..scores import DRAWN, LONG, OVERALL, averaged, best
from ..tables import (
    active_features,
    add_final_tests,
    figure_cells,
    figure_columns,
    records,
    report_best,
    rounded,
)


@part("sweep")
class Sweep(Experiment):
    """Cross-validates models for each value of a parameter (source: §5.6, Fig. 17, 19 and 20).

    If the file names a test corpus, the best value is then trained on the whole training corpus and tested.
    """

    parameter: str = "C"
    """Name of the parameter."""
    values: list[float] = dataclasses.field(default_factory=lambda: [10.0**n for n in range(-6, 3)])
    """Values of the parameter, in the order of the figures."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    per_model: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    """Values for individual models instead of `values`."""
    on: Literal["trainer", "annotator"] = "trainer"
    """Owner of the parameter. One of the annotator (a bias, a threshold) needs no new training."""
    optimise: Measure = "recall"
    """The measure that the best value maximizes; recall in the source (§6.1)."""
    criterion: str = "covering"
    """The criterion of `optimise`. If the experiment does not use it, its first criterion."""
    log: bool = True
    """True if the scale of the values is logarithmic."""
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    """Axis labels by model, such as the name of the number in its library."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for model in self.models or plan.trainable:
            values = self.per_model.get(model, self.values)
            yield from model_faults(plan, model, self.on, [{self.parameter: value} for value in values])
            if self.log and any(v <= 0 for v in values):
                yield ("values",), "expected numbers above 0 on a logarithmic scale; set log: false for others"

    def run(self, runner: ExperimentRunner) -> Result:
        result, chosen = Result(), {}
        models = self.models or runner.plan.trainable
        splits = runner.folds()
        values = {model: self.per_model.get(model, self.values) for model in models}
        jobs = {
            (model, value): [runner.test(model, *s, parameters={self.parameter: value}, owner=self.on) for s in splits]
            for model in models
            for value in values[model]
        }
        outcomes = runner.run_groups(jobs)
        criteria = runner.settings.criteria
        criterion = self.criterion if self.criterion in criteria else criteria[0]
        for model in models:
            by_value = {value: outcomes[model, value] for value in values[model]}
            self._of_model(runner, model, by_value, result)
            reached = {
                v: averaged(successful_scores(many), criterion, OVERALL, self.optimise) for v, many in by_value.items()
            }
            top = best(reached)
            if top is not None:
                chosen[model] = {self.parameter: top}
                report_best(result, model, chosen[model], reached[top], criterion, self.optimise)
        add_final_tests(runner, result, chosen, self.on)
        return result

    def _of_model(
        self, runner: ExperimentRunner, model: str, by_value: dict[float, list[JobOutcome]], result: Result
    ) -> None:
        criteria = runner.settings.criteria
        columns = [self.parameter, *figure_columns(runner.settings)]
        counts = {value: active_features(runner, many) for value, many in by_value.items()}
        counted = self.on == "trainer" and any(n is not None for n in counts.values())
        rows: list[list[Cell]] = []
        for value, many in by_value.items():
            cells = figure_cells(successful_scores(many), runner.settings)
            rows.append([f"{value:g}", *cells, *([rounded(counts[value])] if counted else [])])
            labels: dict[str, Cell] = {"system": model, "parameter": self.parameter, "value": value}
            labels["active_features"] = counts[value]
            result.records += records([o.scores for o in many], runner.settings, **labels)
        if counted:
            columns.append("active features")
        folds = len(next(iter(by_value.values())))
        result.tables.append(Table(f"{model}: all kinds, mean ± standard deviation over {folds} folds", columns, rows))
        label = self.labels.get(model) or f"{self.parameter} given to {model}"
        for measure in dict.fromkeys((self.optimise, *DRAWN)):
            series = {
                c: [averaged(successful_scores(m), c, OVERALL, measure) for m in by_value.values()] for c in criteria
            }
            right = ("Active features", list(counts.values())) if counted and measure == self.optimise else None
            options = {"ylabel": LONG[measure], "right": right, "log": self.log, "title": f"{model}: {LONG[measure]}"}
            caption = f"{model}: {LONG[measure]} over {label}; all kinds, mean of {folds} folds."
            data = (list(by_value), series, label)
            result.figures.append(Figure(f"{model}-{self.parameter}-{measure}", caption, "sweep", data, options))
