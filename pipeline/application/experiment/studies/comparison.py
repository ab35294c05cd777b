"""Compares rules, SVM, CRF and their combination: Tables 10 to 15 of the source on one page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ....contract.component import part
from ....storage.yaml_source import Keys
from ..corpus import Documents
from ..experiment import Experiment
from ..job import Testing
from ..plan import Measure, Plan
from ..reference import Reference
from ..result import Cell, Figure, Result, shown
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
    training_table,
)

MOST_DRAWN = 20
"""The most systems whose numbers are readable in a heat map; the table has those of more."""
ANY_KIND = "PERSON"
"""A kind to ask for the metrics that a criterion has by kind."""


@part("comparison")
class Comparison(Experiment):
    """Trains every model on the training corpus and tests all systems on the same documents (source: §6.1, §6.3, Tables 10-15).

    Without a test corpus, figures are means over folds; with `seeds`, over trainings with other seeds.
    """

    models: list[str] = dataclasses.field(default_factory=list)
    """Systems to compare, in the order of the tables; by default all."""
    measure: Measure = "f1"
    """The measure in the tables across systems."""
    reference: list[Reference] = dataclasses.field(default_factory=list)
    """Tables of the reproduced publication, each shown beside the computed figures."""
    training: bool = False
    """True to add a table with the processor time of each training. Its numbers differ from run to run."""
    seeds: int | list[int] = dataclasses.field(default_factory=list)
    """Seeds of the trainings: each model is trained once with each, and figures are means ± standard deviations. A number N: the
    seeds 1 to N. Empty: one training, with the seed of the model."""

    def __post_init__(self) -> None:
        if isinstance(self.seeds, int):
            if self.seeds < 1:
                raise ValueError(f"seeds: expected a number of 1 or more, or a list of seeds, got {self.seeds}")
            self.seeds = list(range(1, self.seeds + 1))
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"seeds: expected each seed once, got {', '.join(map(str, self.seeds))}")

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for number, table in enumerate(self.reference):
            for keys, what in table.check(plan, plan.chosen()):
                yield ("reference", number, *keys), what

    def run(self, runner: ExperimentRunner) -> Result:
        settings, splits = runner.settings, runner.splits()
        chosen = runner.plan.chosen()
        runs = runner.run_groups(self._jobs(runner, chosen, splits))
        by_system = {s: [o for (of, _), many in runs.items() if of == s for o in many] for s in chosen}
        seeded = {s: sum(of == s for of, _ in runs) for s in chosen}
        most = max(seeded.values(), default=1)
        where = settings.test or f"{len(splits)} folds of {runner.plan.train}"
        over = f", mean of {most} seeds" if most > 1 else ""
        if over and len(splits) > 1:
            over = f", mean over folds and {most} seeds"
        result = Result()
        spread = over.replace("mean", "mean ± standard deviation")
        result.tables.append(systems_table(by_system, settings, f"All kinds together, on {where}{spread}"))
        result.tables += [reference.table(by_system, spread=most > 1) for reference in self.reference]
        result.tables += [training_table(runner, by_system)] if self.training else []
        result.tables += official_tables(by_system, settings)
        kinds = kinds_of(s for many in by_system.values() for s in successful_scores(many))
        for criterion in kind_criteria(by_system.values(), settings):
            table = kinds_by_system(by_system, criterion, self.measure)
            table.title += over
            result.tables.append(table)
            values = [row[1:] for row in table.rows]
            options: dict[str, object] = {"xlabel": "System", "ylabel": "Kind", "framed": False}
            options["value"] = f"{criterion} {SHORT[self.measure]}"
            caption = f"{criterion.capitalize()} {LONG[self.measure]} by kind and system, on {where}{over}."
            data = (chosen, kinds, values)
            if len(chosen) <= MOST_DRAWN:
                result.figures.append(Figure(f"kinds-{criterion}", caption, "grid_heatmap", data, options))
        for criterion in (c for c in settings.criteria if defines(c, OVERALL, self.measure)):
            reached = {
                s: averaged(successful_scores(m), criterion, OVERALL, self.measure) for s, m in by_system.items()
            }
            top = best(reached)
            if top is not None:
                result.findings.append(f"Best {criterion} {SHORT[self.measure]}: {top}, {shown(reached[top])}{over}.")
        criteria = kind_criteria(by_system.values(), settings)
        more = self.measure != "recall" or any(defines(c, ANY_KIND, "precision") for c in criteria)
        for system, many in by_system.items():
            if more:  # else kinds have only their recall, which the tables across systems show
                title = f"{system} on {where}"
                result.tables.append(kinds_table(title, many, settings, CONVENTION, runs=seeded[system]))
        for (system, seed), many in runs.items():
            labels: dict[str, Cell] = {"system": system, **({} if seed is None else {"seed": seed})}
            result.records += records([o.scores for o in many], settings, **labels)
        return result

    def _jobs(
        self, runner: ExperimentRunner, systems: Sequence[str], splits: Sequence[tuple[Documents, Documents]]
    ) -> dict[tuple[str, int | None], list[Testing]]:
        """Return the tests by system and seed: all systems with the first seed, then with the next one.

        A system whose trainings have no random choices is tested with one seed only.
        """
        assert isinstance(self.seeds, list)
        jobs: dict[tuple[str, int | None], list[Testing]] = {}
        known: set[tuple[str, ...]] = set()
        for seed in (*self.seeds,) or (None,):
            for system in systems:
                tests = [runner.test(system, *split, seed=seed) for split in splits]
                keys = (system, *(test.key for test in tests))
                if keys not in known:
                    known.add(keys)
                    jobs[system, seed] = tests
        return jobs
