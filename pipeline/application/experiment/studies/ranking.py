"""The features of a model with the largest weights, label by label (source: §6.5, appendix D)."""

from __future__ import annotations

import dataclasses

from ....contract.component import part
from ..experiment import Experiment
from ..result import Figure, Result, Table
from ..runner import ExperimentRunner


@part("ranking")
class Ranking(Experiment):
    """Trains each model on the whole training corpus and ranks its features by the absolute value of their weights.

    Names of features contain words of the training documents, so the files of the report are private.
    """

    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    n: int = 20
    """Number of features for each label."""
    labels: list[str] = dataclasses.field(default_factory=list)
    """Labels to show (`B-AGE`); by default all."""

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n: expected 1 or more, got {self.n}")

    def run(self, runner: ExperimentRunner) -> Result:
        models = self.models or runner.plan.trainable
        documents = runner.corpus().all
        outcomes = runner.run([runner.training(model, documents, rank=self.n) for model in models])
        result = Result(quotes=True)
        for model, outcome in zip(models, outcomes, strict=True):
            for label, found in outcome.rankings.items():
                if self.labels and label not in self.labels:
                    continue
                share = f"{100 * found['share']:.0f} %" if found["share"] is not None else "undefined"
                note = f"Top {len(found['top'])} of {found['of']:,} features; share of all weight shown: {share}."
                rows = [[n, feature, weight] for n, (feature, weight) in enumerate(found["top"], 1)]
                result.tables.append(Table(f"{model}, {label}", ["rank", "feature", "weight"], rows, note, group=model))
                data = ([(feature, weight) for feature, weight in found["top"]],)
                caption = f"{model}, {runner.plan.train}, label {label}. {note}"
                options = {"title": f"{model} | {runner.plan.train} | {label}"}
                result.figures.append(Figure(f"{model}-{label.lower()}", caption, "bars", data, options, model))
                result.records += [
                    {"system": model, "label": label, "rank": n, "feature": feature, "weight": weight}
                    for n, (feature, weight) in enumerate(found["top"], 1)
                ]
        return result
