"""Mixes a share of a second corpus into the training documents (source: §9)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

from ....contract.component import part
from ....errors import nearest
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..plan import Plan
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner, successful_scores
from ..scores import DRAWN, LONG, OVERALL, Scores, mean, quantile, values_of
from ..tables import figure_cells, figure_columns, records


@part("mixing")
class Mixing(Experiment):
    """Adds a growing share of a second corpus to the training documents and tests on the first corpus alone.

    Test documents are the test corpus, or else the folds of the training corpus. Subsets of one repetition are nested.
    """

    full: ClassVar[tuple[str, ...]] = ("repetitions",)

    add: str
    """The second corpus."""
    proportions: list[float] = dataclasses.field(default_factory=lambda: [n / 10 for n in range(11)])
    """Shares of the second corpus, 0 to 1."""
    repetitions: int = 5
    """Random subsets of each size."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise ValueError(f"repetitions: expected 1 or more, got {self.repetitions}")
        if not self.proportions or not all(0 <= p <= 1 for p in self.proportions):
            raise ValueError("proportions: expected shares from 0 to 1")
        self.proportions = sorted(set(self.proportions))

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        if self.add not in plan.corpora:
            yield ("add",), f"no corpus called {self.add!r}{nearest(self.add, plan.corpora)}"
        if self.add in (plan.train, plan.settings.test):
            yield ("add",), f"expected another corpus than those trained and tested on, got {self.add}"

    def run(self, runner: ExperimentRunner) -> Result:
        models = self.models or runner.plan.trainable
        splits, second = runner.splits(), runner.corpus(self.add).all
        runs = [(split, number) for number in range(self.repetitions) for split in splits]
        jobs = {
            (model, share): [
                runner.test(model, train + runner.subset(second, share, "mixing", number), test)
                for (train, test), number in runs
            ]
            for model in models
            for share in self.proportions
        }
        outcomes = runner.run_groups(jobs)
        result = Result()
        curves: dict[str, list[list[Scores]]] = {}
        for model in models:
            curves[model] = []
            rows: list[list[Cell]] = []
            for share in self.proportions:
                many = outcomes[model, share]
                scores = successful_scores(many)
                curves[model].append(scores)
                added = len(runner.subset(second, share, "mixing", 0))
                rows.append([f"{share:g}", added, *figure_cells(scores, runner.settings)])
                result.records += records(
                    [o.scores for o in many], runner.settings, system=model, proportion=share, added=added
                )
            columns = ["proportion", "documents added", *figure_columns(runner.settings)]
            how = f"mean ± standard deviation over {len(runs)} runs"
            result.tables.append(
                Table(f"{model}: {runner.plan.train} with a share of {self.add}, {how}", columns, rows)
            )
        for criterion in runner.settings.criteria:
            for measure in DRAWN:
                result.figures.append(self._figure(runner, curves, criterion, measure))
        return result

    def _figure(
        self, runner: ExperimentRunner, curves: dict[str, list[list[Scores]]], criterion: str, measure: str
    ) -> Figure:
        values = {
            model: [values_of(many, criterion, OVERALL, measure) for many in points] for model, points in curves.items()
        }
        series = {model: [mean(v) for v in points] for model, points in values.items()}
        band = {m: ([quantile(v, 0.25) for v in p], [quantile(v, 0.75) for v in p]) for m, p in values.items()}
        label = f"Share of {self.add} added to {runner.plan.train}"
        options = {
            "ylabel": LONG[measure],
            "log": False,
            "band": band,
            "title": f"All kinds: {criterion} {LONG[measure]}",
        }
        caption = f"All kinds: {criterion} {LONG[measure]} over the share of {self.add}; band: quartiles of the runs."
        data = (self.proportions, series, label)
        return Figure(f"mixing-{criterion}-{measure}", caption, "sweep", data, options)
