"""Varies one parameter: the regularization strength C of SVM and CRF, the L1 ratio α, or any other number, name or part."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal

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
    is_number,
    plain_values,
    records,
    report_best,
    rounded,
    value_cell,
    value_text,
)


@part("sweep")
class Sweep(Experiment):
    """Cross-validates models for each value of a parameter (source: §5.6, Fig. 17, 19 and 20).

    If the file names a test corpus, the best value is then trained on the whole training corpus and tested.
    """

    parameter: str = "C"
    """Name of the parameter; of a parameter of a part with its path, such as `encoder.window.width`."""
    values: list[Any] = dataclasses.field(default_factory=lambda: [10.0**n for n in range(-6, 3)])
    """Values of the parameter, in the order of the figures: numbers, names (`adam`), or parts (`{sgd: {rate: 0.1}}`)."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    per_model: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    """Values for individual models instead of `values`."""
    on: Literal["trainer", "annotator"] = "trainer"
    """Owner of the parameter. One of the annotator (a bias, a threshold) needs no new training."""
    optimise: Measure = "recall"
    """The measure that the best value maximizes; recall in the source (§6.1)."""
    criterion: str = "covering"
    """The criterion of `optimise`. If the experiment does not use it, its first criterion."""
    log: bool = True
    """True if the scale of the values is logarithmic. Values that are not numbers have no scale."""
    labels: dict[str, str] = dataclasses.field(default_factory=dict)
    """Axis labels by model, such as the name of the number in its library."""

    def __post_init__(self) -> None:
        self.values = plain_values(self.values)
        self.per_model = {model: plain_values(values) for model, values in self.per_model.items()}

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for model in self.models or plan.trainable:
            values = self.per_model.get(model, self.values)
            yield from model_faults(plan, model, self.on, [{self.parameter: value} for value in values])
            if self.log and all(map(is_number, values)) and any(v <= 0 for v in values):
                yield ("values",), "expected numbers above 0 on a logarithmic scale; set log: false for others"

    def run(self, runner: ExperimentRunner) -> Result:
        result, chosen = Result(), {}
        models = self.models or runner.plan.trainable
        splits = runner.folds()
        values = {model: self.per_model.get(model, self.values) for model in models}
        jobs = {
            (model, n): [runner.test(model, *s, parameters={self.parameter: value}, owner=self.on) for s in splits]
            for model in models
            for n, value in enumerate(values[model])
        }
        outcomes = runner.run_groups(jobs)
        criteria = runner.settings.criteria
        criterion = self.criterion if self.criterion in criteria else criteria[0]
        for model in models:
            of_value = [outcomes[model, n] for n in range(len(values[model]))]
            self._of_model(runner, model, values[model], of_value, result)
            reached = [averaged(successful_scores(many), criterion, OVERALL, self.optimise) for many in of_value]
            top = best(dict(enumerate(reached)))
            if top is not None:
                chosen[model] = {self.parameter: values[model][top]}
                report_best(result, model, chosen[model], reached[top], criterion, self.optimise)
        add_final_tests(runner, result, chosen, self.on)
        return result

    def _of_model(
        self,
        runner: ExperimentRunner,
        model: str,
        values: list[Any],
        of_value: list[list[JobOutcome]],
        result: Result,
    ) -> None:
        criteria = runner.settings.criteria
        columns = [self.parameter, *figure_columns(runner.settings)]
        counts = [active_features(runner, many) for many in of_value]
        counted = self.on == "trainer" and any(n is not None for n in counts)
        rows: list[list[Cell]] = []
        for value, many, count in zip(values, of_value, counts, strict=True):
            cells = figure_cells(successful_scores(many), runner.settings)
            rows.append([value_text(value), *cells, *([rounded(count)] if counted else [])])
            labels: dict[str, Cell] = {"system": model, "parameter": self.parameter, "value": value_cell(value)}
            labels["active_features"] = count
            result.records += records([o.scores for o in many], runner.settings, **labels)
        if counted:
            columns.append("active features")
        folds = len(of_value[0])
        result.tables.append(Table(f"{model}: all kinds, mean ± standard deviation over {folds} folds", columns, rows))
        label = self.labels.get(model) or f"{self.parameter} given to {model}"
        x = values if all(map(is_number, values)) else [value_text(value) for value in values]
        for measure in dict.fromkeys((self.optimise, *DRAWN)):
            series = {c: [averaged(successful_scores(m), c, OVERALL, measure) for m in of_value] for c in criteria}
            right = ("Active features", counts) if counted and measure == self.optimise and x is values else None
            options = {"ylabel": LONG[measure], "right": right, "log": self.log, "title": f"{model}: {LONG[measure]}"}
            caption = f"{model}: {LONG[measure]} over {label}; all kinds, mean of {folds} folds."
            data = (x, series, label)
            result.figures.append(Figure(f"{model}-{self.parameter}-{measure}", caption, "sweep", data, options))
