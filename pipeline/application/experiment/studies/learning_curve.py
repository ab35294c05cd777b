"""Learning curves: scores by number of training documents (Algorithm 2 of the source)."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ....contract.component import part
from ..experiment import Experiment
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner, successful_scores
from ..scores import DRAWN, LONG, OVERALL, Scores, kinds_of, quantile
from ..tables import figure_cells, figure_columns, records


@part("learning_curve")
class LearningCurve(Experiment):
    """Trains on random subsets of growing size, many of each size, and tests all on the same documents (Algorithm 2, Fig. 18,
    21-23).

    The tested documents are those of the test corpus, or a holdout of the training corpus.
    """

    full: ClassVar[tuple[str, ...]] = ("repetitions",)

    proportions: list[float] = dataclasses.field(default_factory=lambda: [n / 10 for n in range(1, 11)])
    """Shares of the documents for training, above 0 and up to 1."""
    repetitions: int = 100
    """Random subsets of each size. At the full size all are equal, so only one is used."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    band: tuple[float, float] = (0.25, 0.75)
    """Quantiles that limit the band in the figures."""
    criterion: str = "covering"
    """The criterion of the figures by kind. Tables and data have all criteria."""

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise ValueError(f"repetitions: expected 1 or more, got {self.repetitions}")
        if not self.proportions or not all(0 < p <= 1 for p in self.proportions):
            raise ValueError("proportions: expected shares above 0 and up to 1")
        if not 0 <= self.band[0] < self.band[1] <= 1:
            raise ValueError("band: expected two rising quantiles from 0 to 1")
        self.proportions = sorted(set(self.proportions))

    def run(self, runner: ExperimentRunner) -> Result:
        models = self.models or runner.plan.trainable
        train, test = runner.split()
        jobs = {
            (model, share): [
                runner.test(model, runner.subset(train, share, "learning", number), test)
                for number in range(self.repetitions)
            ]
            for model in models
            for share in self.proportions
        }
        outcomes = runner.run_groups(jobs)
        result = Result()
        sizes = [max(1, round(share * len(train))) for share in self.proportions]
        curves: dict[str, list[list[Scores]]] = {}
        for model in models:
            curves[model] = []
            for share, size in zip(self.proportions, sizes, strict=True):
                many = outcomes[model, share]
                curves[model].append(successful_scores(many))
                result.records += records(
                    [o.scores for o in many], runner.settings, system=model, proportion=share, documents=size
                )
        for model, points in curves.items():
            result.tables.append(self._table(runner, model, sizes, points))
        kinds = kinds_of(s for points in curves.values() for many in points for s in many)
        for kind in kinds:
            for criterion in runner.settings.criteria:
                for measure in DRAWN:
                    if kind == OVERALL or (criterion == self.criterion and measure == "f1"):
                        result.figures.append(self._figure(sizes, curves, criterion, kind, measure))
        return result

    def _table(self, runner: ExperimentRunner, model: str, sizes: list[int], points: list[list[Scores]]) -> Table:
        columns = ["documents", "repetitions", *figure_columns(runner.settings)]
        rows: list[list[Cell]] = [
            [size, len(many), *figure_cells(many, runner.settings)] for size, many in zip(sizes, points, strict=True)
        ]
        note = "The largest sizes spread little because their subsets share most documents (source: §6.2)."
        return Table(f"{model}: all kinds, mean ± standard deviation over repetitions", columns, rows, note)

    def _figure(
        self, sizes: list[int], curves: dict[str, list[list[Scores]]], criterion: str, kind: str, measure: str
    ) -> Figure:
        low, high = self.band

        def three(many: list[Scores]) -> tuple[float | None, float | None, float | None]:
            values = [s.value(criterion, kind, measure) for s in many]
            return quantile(values, low), quantile(values, 0.5), quantile(values, high)

        series = {model: [three(many) for many in points] for model, points in curves.items()}
        what = "All kinds" if kind == OVERALL else kind
        band = f"{100 * low:g} % to {100 * high:g} % of the repetitions" if self.repetitions > 1 else ""
        options = {"ylabel": LONG[measure], "title": f"{what}: {criterion} {LONG[measure]}", "band": band}
        caption = f"{what}: {criterion} {LONG[measure]} over the number of documents for training."
        name = f"curve-{kind.lower()}-{criterion}-{measure}"
        return Figure(name, caption, "learning_curve", (sizes, series), options, "" if kind == OVERALL else "By kind")
