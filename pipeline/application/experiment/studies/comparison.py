"""Compares rules, SVM, CRF and their combination: Tables 10 to 15 of the source on one page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ....contract.component import part
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..plan import Measure, Plan
from ..reference import Reference
from ..result import Figure, Result, shown
from ..runner import ExperimentRunner, successful_scores
from ..scores import LONG, OVERALL, SHORT, averaged, best, kinds_of
from ..tables import (
    CONVENTION,
    defines,
    kind_criteria,
    kinds_by_system,
    kinds_table,
    official_tables,
    records,
    systems_table,
)

ANY_KIND = "PERSON"
"""A kind to ask for the metrics that a criterion has by kind."""


@part("comparison")
class Comparison(Experiment):
    """Trains every model on the training corpus and tests all systems on the same documents (source: §6.1, §6.3, Tables 10-15).

    Without a test corpus, figures are means over folds.
    """

    models: list[str] = dataclasses.field(default_factory=list)
    """Systems to compare, in the order of the tables; by default all."""
    measure: Measure = "f1"
    """The measure in the tables across systems."""
    reference: list[Reference] = dataclasses.field(default_factory=list)
    """Tables of the reproduced publication, each shown beside the computed figures."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for number, table in enumerate(self.reference):
            for keys, what in table.check(plan, plan.chosen()):
                yield ("reference", number, *keys), what

    def run(self, runner: ExperimentRunner) -> Result:
        settings, splits = runner.settings, runner.splits()
        chosen = runner.plan.chosen()
        by_system = runner.run_groups({model: [runner.test(model, *split) for split in splits] for model in chosen})
        where = settings.test or f"{len(splits)} folds of {runner.plan.train}"
        result = Result()
        result.tables.append(systems_table(by_system, settings, f"All kinds together, on {where}"))
        result.tables += [reference.table(by_system) for reference in self.reference]
        result.tables += official_tables(by_system, settings)
        kinds = kinds_of(s for many in by_system.values() for s in successful_scores(many))
        for criterion in kind_criteria(by_system.values(), settings):
            table = kinds_by_system(by_system, criterion, self.measure)
            result.tables.append(table)
            values = [row[1:] for row in table.rows]
            options: dict[str, object] = {"xlabel": "System", "ylabel": "Kind", "framed": False}
            options["value"] = f"{criterion} {SHORT[self.measure]}"
            caption = f"{criterion.capitalize()} {LONG[self.measure]} by kind and system, on {where}."
            data = (chosen, kinds, values)
            result.figures.append(Figure(f"kinds-{criterion}", caption, "grid_heatmap", data, options))
        for criterion in (c for c in settings.criteria if defines(c, OVERALL, self.measure)):
            reached = {
                s: averaged(successful_scores(m), criterion, OVERALL, self.measure) for s, m in by_system.items()
            }
            top = best(reached)
            if top is not None:
                result.findings.append(f"Best {criterion} {SHORT[self.measure]}: {top}, {shown(reached[top])}.")
        criteria = kind_criteria(by_system.values(), settings)
        more = self.measure != "recall" or any(defines(c, ANY_KIND, "precision") for c in criteria)
        for system, many in by_system.items():
            if more:  # else kinds have only their recall, which the tables across systems show
                result.tables.append(kinds_table(f"{system} on {where}", many, settings, CONVENTION))
            result.records += records([o.scores for o in many], settings, system=system)
        return result
