"""Trains on one corpus and tests on another, for all pairs (source: §6.3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ....contract.component import part
from ....errors import nearest
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..job import Testing
from ..plan import Plan
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner, JobOutcome, successful_scores
from ..scores import MEASURES, OVERALL, SHORT, averaged
from ..tables import records


@part("cross_corpus")
class CrossCorpus(Experiment):
    """Tests each model on every corpus after training on every corpus; on its own corpus, by cross-validation."""

    trains: list[str] = dataclasses.field(default_factory=list)
    """Training corpora; by default all."""
    tests: list[str] = dataclasses.field(default_factory=list)
    """Test corpora; by default all."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for key in ("trains", "tests"):
            for name in getattr(self, key):
                if name not in plan.corpora:
                    yield (key,), f"no corpus called {name!r}{nearest(name, plan.corpora)}"
        if len(plan.corpora) < 2:
            yield (), "expected at least two corpora"

    def run(self, runner: ExperimentRunner) -> Result:
        trains, tests = self.trains or list(runner.plan.corpora), self.tests or list(runner.plan.corpora)
        cells = [(m, a, b) for m in runner.plan.chosen() for a in trains for b in tests]
        found = runner.run_groups({cell: self._jobs(runner, *cell) for cell in cells})
        result = Result()
        for (model, a, b), many in found.items():
            result.records += records(
                [o.scores for o in many], runner.settings, system=model, trained_on=a, tested_on=b
            )
        for model in runner.plan.chosen():
            self._of_model(runner, model, trains, tests, found, result)
        return result

    def _jobs(self, runner: ExperimentRunner, model: str, a: str, b: str) -> list[Testing]:
        if a == b:
            return [runner.test(model, train, test) for train, test in runner.folds(a)]
        return [runner.test(model, runner.corpus(a).all, runner.corpus(b).all)]

    def _of_model(
        self,
        runner: ExperimentRunner,
        model: str,
        trains: list[str],
        tests: list[str],
        found: dict[tuple[str, str, str], list[JobOutcome]],
        result: Result,
    ) -> None:
        for criterion in runner.settings.criteria:
            columns = ["trained on", *(f"{b}|{SHORT[m]}" for b in tests for m in MEASURES)]
            rows: list[list[Cell]] = []
            for a in trains:
                figures = [
                    averaged(successful_scores(found[model, a, b]), criterion, OVERALL, m)
                    for b in tests
                    for m in MEASURES
                ]
                rows.append([a, *figures])
            note = "On its own corpus a model is cross-validated."
            result.tables.append(
                Table(f"{model}, {criterion}: trained on rows, tested on columns", columns, rows, note)
            )
            values = [
                [averaged(successful_scores(found[model, a, b]), criterion, OVERALL, "f1") for b in tests]
                for a in trains
            ]
            options = {"xlabel": "Tested on", "ylabel": "Trained on", "title": model, "framed": False}
            options["value"] = f"{criterion} F1"
            caption = f"{model}: {criterion} F1 by training and test corpus, all kinds."
            data = (tests, trains, values)
            result.figures.append(Figure(f"{model}-{criterion}", caption, "grid_heatmap", data, options))
