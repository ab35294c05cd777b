"""K-fold cross-validation: every document is tested once, with a model that was trained without its group."""

from __future__ import annotations

import dataclasses

from ....contract.component import part
from ..experiment import Experiment
from ..result import Result
from ..runner import ExperimentRunner
from ..tables import CONVENTION, kinds_table, official_tables, records, systems_table


@part("cross_validation")
class CrossValidation(Experiment):
    """Trains and tests each model on every fold of the training corpus; figures are means over folds (source: §5.2, Fig. 10)."""

    models: list[str] = dataclasses.field(default_factory=list)
    """Models to compare; by default all."""

    def run(self, runner: ExperimentRunner) -> Result:
        settings, folds = runner.settings, runner.folds()
        by_model = runner.run_groups(
            {model: [runner.test(model, *fold) for fold in folds] for model in runner.plan.chosen()}
        )
        result = Result()
        title = f"All kinds, mean ± standard deviation over {len(folds)} folds"
        result.tables.append(systems_table(by_model, settings, title))
        result.tables += official_tables(by_model, settings)
        for model, many in by_model.items():
            result.tables.append(kinds_table(f"{model}, mean over {len(folds)} folds", many, settings, CONVENTION))
            result.records += records([o.scores for o in many], settings, system=model)
        return result
