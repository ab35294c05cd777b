"""Learning curves: scores by number of training documents (Algorithm 2 of the source)."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ....contract.component import part
from ..experiment import Experiment
from ..plan import system_steps
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner, successful_scores
from ..scores import DRAWN, LONG, OVERALL, Scores, kinds_of, quantile, values_of
from ..tables import CONVENTION, figure_cells, figure_columns, kinds_table, records


@part("learning_curve")
class LearningCurve(Experiment):
    """Trains on random subsets of growing size, many of each size, and tests all on the same documents (Algorithm 2, Fig. 18,
    21-23). Models without training (rules) are horizontal lines.

    The tested documents are those of the test corpus, or a holdout of the training corpus.
    """

    full: ClassVar[tuple[str, ...]] = ("repetitions",)

    proportions: list[float] = dataclasses.field(default_factory=lambda: [n / 10 for n in range(1, 11)])
    """Shares of the documents for training, above 0 and up to 1."""
    repetitions: int = 100
    """Random subsets of each size. At the full size all are equal, so only one is used."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones, and those without training."""
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
        untrained = [m for m in runner.plan.models if not any(s.trained for s in system_steps(runner.plan.models, m))]
        models = self.models or [*runner.plan.trainable, *untrained]
        learning = [m for m in models if m not in untrained]
        train, test = runner.split()
        shares = {model: self.proportions if model in learning else [0.0] for model in models}
        jobs = {
            (number, model, share): runner.test(model, runner.subset(train, share, "learning", number), test)
            for number in range(self.repetitions)  # first: an interrupted run has as many repetitions of each size
            for model in models
            for share in shares[model]
        }
        done = dict(zip(jobs, runner.run(list(jobs.values())), strict=True))
        outcomes = {
            (model, share): [done[number, model, share] for number in range(self.repetitions if share else 1)]
            for model in models
            for share in shares[model]
        }
        result = Result()
        size = {0.0: 0} | {share: max(1, round(share * len(train))) for share in self.proportions}
        for (model, share), many in outcomes.items():
            labels: dict[str, Cell] = {"system": model, "proportion": share, "documents": size[share]}
            result.records += records([o.scores for o in many], runner.settings, **labels)
        found = {key: successful_scores(many) for key, many in outcomes.items()}
        curves = {model: [found[model, share] for share in self.proportions] for model in learning}
        levels = {model: many[0] for (model, share), many in found.items() if not share and many}
        sizes = [size[share] for share in self.proportions]
        result.tables += [self._table(runner, model, sizes, points) for model, points in curves.items()]
        for model in models:
            share = 0.0 if model in untrained else self.proportions[-1]
            how = f"{size[share]:,} documents for training" if share else "no training"
            distinct = list({o.job.key: o for o in outcomes[model, share]}.values())
            result.tables.append(
                kinds_table(f"{model}, {how}", distinct, runner.settings, CONVENTION, runs=len(distinct))
            )
        for criterion in runner.settings.criteria:
            result.figures.append(self._figure(sizes, curves, levels, criterion, OVERALL))
        for kind in kinds_of(s for points in curves.values() for many in points for s in many)[1:]:
            result.figures.append(self._figure(sizes, curves, levels, self.criterion, kind))
        return result

    def _table(self, runner: ExperimentRunner, model: str, sizes: list[int], points: list[list[Scores]]) -> Table:
        columns = ["documents", "repetitions", *figure_columns(runner.settings)]
        rows: list[list[Cell]] = [
            [size, len(many), *figure_cells(many, runner.settings)] for size, many in zip(sizes, points, strict=True)
        ]
        note = "The largest sizes spread little because their subsets share most documents (source: §6.2)."
        return Table(f"{model}: all kinds, mean ± standard deviation over repetitions", columns, rows, note)

    def _figure(
        self,
        sizes: list[int],
        curves: dict[str, list[list[Scores]]],
        levels: dict[str, Scores],
        criterion: str,
        kind: str,
    ) -> Figure:
        """Return the figure of a kind: a panel for each measure."""
        low, high = self.band

        def three(many: list[Scores], measure: str) -> tuple[float | None, float | None, float | None]:
            values = values_of(many, criterion, kind, measure)
            return quantile(values, low), quantile(values, 0.5), quantile(values, high)

        panels = {
            LONG[measure]: {model: [three(many, measure) for many in points] for model, points in curves.items()}
            for measure in DRAWN
        }
        lines = {LONG[m]: {model: s.value(criterion, kind, m) for model, s in levels.items()} for m in DRAWN}
        what = "All kinds" if kind == OVERALL else kind
        band = f"{100 * low:g} % to {100 * high:g} % of the repetitions" if self.repetitions > 1 else ""
        options = {"levels": lines, "title": f"{what}, {criterion}", "band": band}
        caption = f"{what}: {criterion} F1, recall and precision over the number of documents for training."
        return Figure(f"curve-{kind.lower()}-{criterion}", caption, "learning_curve", (sizes, panels), options)
