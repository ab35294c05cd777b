"""The order of priority of a combination, from the covering precision of each of its members (source: §5.8)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....contract.component import part
from ....errors import nearest
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..plan import RESOLVER, Plan, system_steps
from ..result import Cell, Result, Table
from ..runner import ExperimentRunner, JobOutcome, successful_scores
from ..scores import OVERALL, Counts, Scores, kinds_of
from ..tables import CONVENTION, kinds_table, records, systems_table

MOST_PERMUTED = 3
"""Up to this number of members, all orders are compared."""
ARROW = " > "


@part("priority_order")
class PriorityOrder(Experiment):
    """Measures the precision of each member of a combination, orders the members by it, and tests this order against others.

    The source masks, of overlapping annotations, that of the model with the highest covering precision (§5.8). Precision is
    measured by cross-validation on the training corpus; hits and spans are summed over the folds. The orders are then tested on
    the test corpus, or without one on the same folds. The findings contain the line for the resolver of a pipeline.
    """

    system: str = ""
    """The model with `of` whose members are ordered; by default the only one."""
    criterion: str = "covering"
    """The criterion of the precision; one of the file's criteria."""
    least: int = 20
    """Spans of a kind that a member must mark for a precision of its own in this kind; with fewer, that of all kinds is used."""

    def __post_init__(self) -> None:
        if self.least < 1:
            raise ValueError(f"least: expected 1 or more, got {self.least}")

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        combined = [m.name for m in plan.models.values() if len(m.members) > 1]
        if self.system and self.system not in combined:
            yield (
                ("system",),
                f"no model with two or more in `of` called {self.system!r}{nearest(self.system, combined)}",
            )
        elif not self.system and len(combined) != 1:
            yield ("system",), f"expected one model with two or more in `of`, found {len(combined)}: name one"
        if self.criterion not in plan.settings.criteria:
            hint = nearest(self.criterion, plan.settings.criteria)
            yield ("criterion",), f"{self.criterion!r} is not among the criteria of the file{hint}"
        if plan.settings.level not in ("kind", "top"):
            yield (), f"expected level kind or top, whose kinds a resolver knows, got {plan.settings.level}"

    def run(self, runner: ExperimentRunner) -> Result:
        plan = runner.plan
        system = self.system or next(m.name for m in plan.models.values() if len(m.members) > 1)
        members, given = plan.models[system].members, _configured(plan, system)
        splits = runner.folds()
        alone = runner.run_groups({m: [runner.test(m, *split) for split in splits] for m in members})
        sums = {m: _summed(successful_scores(many)) for m, many in alone.items()}
        result = Result()
        for member, many in alone.items():
            result.records += records([o.scores for o in many], runner.settings, system=member, part="folds")
        general, by_kind = self._orders(sums, given)
        result.tables.append(self._precisions(runner, sums, general, by_kind, len(splits)))
        result.findings.append(f"Order by {self.criterion} precision: {ARROW.join(general)}.")
        line = f"priority: {_flow(general)}"
        if by_kind:
            line += f", per_kind: {{{', '.join(f'{kind}: {_flow(order)}' for kind, order in by_kind.items())}}}"
        result.findings.append(f"For the resolver: resolver: {{{line}}}")
        self._compare(runner, result, system, given, general, by_kind)
        return result

    def _orders(self, sums: Mapping[str, Scores], given: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
        """Return the members by precision over all kinds, and for each kind in which it differs, its own order."""
        general = self._ranked(sums, given, OVERALL)
        by_kind = {k: self._ranked(sums, general, k) for k in kinds_of(sums.values())[1:]}
        return general, {kind: order for kind, order in by_kind.items() if order != general}

    def _ranked(self, sums: Mapping[str, Scores], members: Sequence[str], kind: str) -> list[str]:
        """Return members by precision in a kind, highest first. Of equal ones, the earlier remains first; undefined is last."""

        def key(member: str) -> tuple[bool, float]:
            precision = self._precision(sums[member], kind)
            return precision is None, -(precision or 0.0)

        return sorted(members, key=key)

    def _precision(self, scores: Scores, kind: str) -> float | None:
        """Return the precision in a kind; over all kinds if the member marked too few spans of it."""
        own = scores.counts.get((self.criterion, kind), Counts())
        return scores.value(self.criterion, kind if own.system >= self.least else OVERALL, "precision")

    def _precisions(
        self,
        runner: ExperimentRunner,
        sums: Mapping[str, Scores],
        general: Sequence[str],
        by_kind: Mapping[str, Sequence[str]],
        folds: int,
    ) -> Table:
        columns = ["kind", *(f"{m}|{x}" for m in sums for x in ("P", "spans")), "order"]
        rows: list[list[Cell]] = []
        for kind in kinds_of(sums.values()):
            row: list[Cell] = [kind]
            for scores in sums.values():
                counts = scores.counts.get((self.criterion, kind), Counts())
                row += [counts.value("precision"), counts.system]
            rows.append([*row, ARROW.join(by_kind.get(kind, general))])
        title = f"{self.criterion.capitalize()} precision of each member, {folds} folds of {runner.plan.train}"
        note = (
            f"Spans: those that the member marks. With fewer than {self.least}, its precision over all kinds decides."
        )
        return Table(title, columns, rows, note)

    def _compare(
        self,
        runner: ExperimentRunner,
        result: Result,
        system: str,
        given: Sequence[str],
        general: Sequence[str],
        by_kind: Mapping[str, Sequence[str]],
    ) -> None:
        """Add the test of the orders."""
        settings = runner.settings
        splits = [runner.split()] if settings.test is not None else runner.folds()
        orders: dict[str, dict[str, Any]] = {}
        learned = ""
        permuted = itertools.permutations(given) if len(given) <= MOST_PERMUTED else [given, general, general[::-1]]
        for order in dict.fromkeys(map(tuple, permuted)):
            names = [n for n, of in (("file", given), ("learned", general)) if list(order) == list(of)]
            name = ARROW.join(order) + (f" ({', '.join(names)})" if names else "")
            orders[name] = {"priority": list(order), "per_kind": {}}
            learned = name if "learned" in names else learned
        if by_kind:
            orders["learned, by kind"] = {"priority": list(general), "per_kind": {k: [*o] for k, o in by_kind.items()}}
        outcomes: dict[str, list[JobOutcome]] = runner.run_groups(
            {
                name: [runner.test(system, *split, parameters=order, owner="resolver") for split in splits]
                for name, order in orders.items()
            }
        )
        where = settings.test or f"{len(splits)} folds of {runner.plan.train}"
        table = systems_table(outcomes, settings, f"{system}: orders of priority, on {where}")
        result.tables.append(Table(table.title, ["order", *table.columns[1:]], table.rows, table.note))
        for name, many in outcomes.items():
            result.records += records([o.scores for o in many], settings, system=system, part="orders", order=name)
        last = list(outcomes)[-1] if by_kind else learned
        result.tables.append(kinds_table(f"{system}, {last}, on {where}", outcomes[last], settings, CONVENTION))


def _configured(plan: Plan, system: str) -> list[str]:
    """Return the members in the order of the file: that of its resolver, else that of `of`."""
    members = plan.models[system].members
    resolver = next((s.step for s in system_steps(plan.models, system) if s.step.name == RESOLVER), None)
    given = [str(name) for name in (resolver.given.get("priority") or [])] if resolver else []
    return [m for m in given if m in members] + [m for m in members if m not in given]


def _summed(many: Sequence[Scores]) -> Scores:
    """Return the sums of counts over folds."""
    keys = dict.fromkeys(key for scores in many for key in scores.counts)
    return Scores({key: sum((s.counts.get(key, Counts()) for s in many), Counts()) for key in keys})


def _flow(names: Sequence[str]) -> str:
    return f"[{', '.join(names)}]"
