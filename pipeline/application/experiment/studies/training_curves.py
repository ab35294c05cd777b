"""Curves of the trainings of networks: loss, accuracy, true positive and true negative rate after each epoch."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from .....consumers.scoring.plots import CURVES
from ....contract import params, registry
from ....contract.component import part
from ....errors import nearest
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..plan import Plan
from ..result import Cell, Figure, Result, Table, shown
from ..runner import ExperimentRunner, JobOutcome

COUNTS = {"true_positives": "true positives", "true_negatives": "true negatives"}
NOTE = (
    "Loss: mean over the tokens of the training. The other columns: held-out documents of the training corpus, their tokens as "
    "PHI or not. Networks with the same seed and held-out share have the same held-out documents."
)


@part("training_curves")
class TrainingCurves(Experiment):
    """Trains networks on the training corpus, and shows for each epoch the loss, and the accuracy, true positives and true
    negatives among the tokens of held-out documents (source: §4.3 of the Anonimatik thesis, Fig. 4.1 to 4.4).

    The trainers need the parameters `epochs` and `held_out`. A test corpus is not used.
    """

    models: list[str] = dataclasses.field(default_factory=list)
    """Models whose networks are trained; by default all trainable ones."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        models = [name for name in self.models or plan.trainable if name in plan.models]
        if not models:
            yield ("models",), "expected at least one model with a trainer"
        for name in models:
            step = plan.models[name].trainer
            if step is None:
                yield ("models",), f"{name} has no trainer{nearest(name, plan.trainable)}"
            elif not {"epochs", "held_out"} <= {
                p.name for p in params.parameters(registry.find(step.name, "consumer"))
            }:
                yield ("models",), f"{name}: {step.name} has no epochs and held-out documents; neural_trainer has them"
            elif step.given.get("held_out", 1) == 0:
                yield ("models",), f"{name}: held_out is 0: expected a share of the documents to count tokens in"

    def run(self, runner: ExperimentRunner) -> Result:
        models = self.models or runner.plan.trainable
        documents = runner.corpus().all
        outcomes = dict(zip(models, runner.run([runner.training(m, documents) for m in models]), strict=True))
        trained = {model: o for model, o in outcomes.items() if not o.failed}
        runs: dict[str, list[dict[str, Any]]] = {model: o.data["history"] for model, o in trained.items()}
        chosen = {model: int(o.data["epoch"]) for model, o in trained.items()}
        result = Result()
        caption = (
            "Loss, accuracy, true positive and true negative rate after each epoch; ringed: the epoch that was kept."
        )
        result.figures.append(Figure("curves", caption, "training_curves", (runs,), {"chosen": chosen}))
        result.tables = [_summary(trained), _epochs(runs)]
        for model, history in runs.items():
            row = history[chosen[model] - 1]
            phi = row["true_positives"] + row["false_negatives"]
            result.findings.append(
                f"{model}: epoch {chosen[model]} of {len(history)} was kept, with {row['true_positives']:,} of {phi:,} held-out "
                f"PHI tokens found and an accuracy of {shown(row['token_accuracy'])}."
            )
            result.records += [{"system": model, **{k: v for k, v in row.items() if k != "seconds"}} for row in history]
        return result


def _summary(trained: dict[str, JobOutcome]) -> Table:
    """Return the kept epoch of each training, with the numbers of held-out tokens."""
    rows: list[list[Cell]] = []
    for model, outcome in trained.items():
        history, epoch = outcome.data["history"], outcome.data["epoch"]
        row = history[epoch - 1]
        phi = row["true_positives"] + row["false_negatives"]
        others = row["true_negatives"] + row["false_positives"]
        shares = [row["token_accuracy"], row["token_recall"], row["true_negative_rate"]]
        rows.append([model, len(history), epoch, *shares, phi, row["true_positives"], others, row["true_negatives"]])
    columns = ["model", "epochs", "kept", "accuracy", "true positive rate", "true negative rate"]
    columns += ["PHI tokens", "true positives", "other tokens", "true negatives"]
    return Table("The epoch that was kept", columns, rows, NOTE)


def _epochs(runs: dict[str, list[dict[str, Any]]]) -> Table:
    """Return the curves of all trainings as numbers: a row for each epoch, a group of columns for each training."""
    short = ("loss", "accuracy", "TP rate", "TN rate", "TP", "TN")
    entries = [*CURVES, *COUNTS]
    columns = ["epoch", *(f"{model}|{name}" for model in runs for name in short)]
    rows: list[list[Cell]] = []
    for epoch in range(1, max(map(len, runs.values()), default=0) + 1):
        cells: list[Cell] = []
        for history in runs.values():
            there = epoch <= len(history)
            cells += [history[epoch - 1][entry] if there else "" for entry in entries]
        rows.append([f"{epoch}", *cells])
    return Table("Epochs", columns, rows)
