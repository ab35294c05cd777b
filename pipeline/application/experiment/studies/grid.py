"""Grid search over two parameters, such as C and α (source: §7.4)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

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
    plain_values,
    records,
    report_best,
    rounded,
    value_cell,
    value_text,
)


@part("grid")
class Grid(Experiment):
    """Cross-validates models for every pair of values of two parameters of their trainer, and shows the best pair.

    If the file names a test corpus, the best pair is then trained on the whole training corpus and tested.
    """

    x: str = "C"
    """The parameter of the horizontal axis; of a part with its path, such as `encoder.window.width`."""
    y: str = "alpha"
    """The parameter of the vertical axis."""
    xs: list[Any] = dataclasses.field(default_factory=lambda: [10.0**n for n in range(-6, 1)])
    """Values of `x`: numbers, names or parts."""
    ys: list[Any] = dataclasses.field(default_factory=lambda: [n / 10 for n in range(11)])
    """Values of `y`."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    optimise: Measure = "f1"
    """The measure that the best pair maximizes."""
    criterion: str = "covering"
    """The criterion of `optimise`. If the experiment does not use it, its first criterion."""

    def __post_init__(self) -> None:
        self.xs, self.ys = plain_values(self.xs), plain_values(self.ys)

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for model in self.models or plan.trainable:
            yield from model_faults(
                plan, model, "trainer", [{self.x: x, self.y: y} for x, y in itertools.product(self.xs, self.ys)]
            )

    def run(self, runner: ExperimentRunner) -> Result:
        result, chosen, splits = Result(), {}, runner.folds()
        models = self.models or runner.plan.trainable
        pairs = list(itertools.product(range(len(self.xs)), range(len(self.ys))))
        jobs = {
            (model, *pair): [runner.test(model, *split, parameters=self._parameters(*pair)) for split in splits]
            for model in models
            for pair in pairs
        }
        outcomes = runner.run_groups(jobs)
        criterion = self.criterion if self.criterion in runner.settings.criteria else runner.settings.criteria[0]
        for model in models:
            by_pair = {pair: outcomes[model, *pair] for pair in pairs}
            self._of_model(runner, model, by_pair, criterion, result)
            reached = {
                pair: averaged(successful_scores(many), criterion, OVERALL, self.optimise)
                for pair, many in by_pair.items()
            }
            top = best(reached)
            if top is not None:
                chosen[model] = self._parameters(*top)
                report_best(result, model, chosen[model], reached[top], criterion, self.optimise)
        add_final_tests(runner, result, chosen, "trainer")
        return result

    def _parameters(self, x: int, y: int) -> dict[str, Any]:
        """Return the parameters of a pair of values, given by their positions."""
        return {self.x: self.xs[x], self.y: self.ys[y]}

    def _of_model(
        self,
        runner: ExperimentRunner,
        model: str,
        by_pair: dict[tuple[int, int], list[JobOutcome]],
        criterion: str,
        result: Result,
    ) -> None:
        for pair, many in by_pair.items():
            labels: dict[str, Cell] = {"system": model}
            labels |= {name: value_cell(value) for name, value in self._parameters(*pair).items()}
            labels["active_features"] = active_features(runner, many)
            result.records += records([o.scores for o in many], runner.settings, **labels)
        folds = len(next(iter(by_pair.values())))
        for measure in dict.fromkeys((self.optimise, *DRAWN)):
            name = f"{criterion} {LONG[measure]}"
            values = {p: averaged(successful_scores(many), criterion, OVERALL, measure) for p, many in by_pair.items()}
            self._show(model, values, name, f"mean of {folds} folds", measure, 3, result)
        counts = {pair: active_features(runner, many) for pair, many in by_pair.items()}
        if any(n is not None for n in counts.values()):
            self._show(model, counts, "active features", f"mean of {folds} folds", "features", 0, result)

    def _show(
        self,
        model: str,
        values: dict[tuple[int, int], float | None],
        what: str,
        how: str,
        short: str,
        digits: int,
        result: Result,
    ) -> None:
        rows = [[values[x, y] for x in range(len(self.xs))] for y in range(len(self.ys))]
        across, down = ([value_text(v) for v in of_axis] for of_axis in (self.xs, self.ys))
        shown = [[y, *(row if digits else map(rounded, row))] for y, row in zip(down, rows, strict=True)]
        result.tables.append(Table(f"{model}: {what}, {how}", [f"{self.y} \\ {self.x}", *across], shown))
        options = {"xlabel": f"{self.x} of {model}", "ylabel": f"{self.y} of {model}", "value": what, "digits": digits}
        caption = f"{model}: {what} over {self.x} and {self.y}, all kinds, {how}."
        result.figures.append(Figure(f"{model}-{short}", caption, "grid_heatmap", (across, down, rows), options))
