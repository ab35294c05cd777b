"""Feature ablation: removes each family of features from the full set, or adds it to a base."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .....annotators.sequence.plain_data import plain
from ....contract import params, registry
from ....contract.component import part
from ....storage.yaml_source import Keys, text_of
from ..experiment import Experiment
from ..model_steps import model_faults
from ..plan import Measure, Plan
from ..result import Cell, Figure, Result, Table, plus_minus
from ..runner import ExperimentRunner, JobOutcome, successful_scores
from ..scores import LONG, OVERALL, SHORT, averaged, spread
from ..tables import active_features, records, rounded

FEATURES = "features"
"""The parameter of trainers that lists features."""
WHOLE, BARE = "all features", "base alone"


@part("ablation")
class Ablation(Experiment):
    """Removes one family of features at a time, or adds one at a time to a base, and reports the difference.

    A family is the part of a feature's name before the colon (`list` for `list:countries`), or an entry of `families`.
    """

    models: list[str] = dataclasses.field(default_factory=list)
    """Models; by default all trainable ones."""
    modes: list[Literal["drop", "add"]] = dataclasses.field(default_factory=lambda: ["drop", "add"])
    """`drop`: all families but one. `add`: the base and one."""
    base: list[str] = dataclasses.field(default_factory=lambda: ["token"])
    """Families that `add` starts from."""
    families: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    """Features of additional families, by name. Features that are not listed belong to the family of their name."""
    measure: Measure = "f1"
    """The measure of the differences."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for model in self.models or plan.trainable:
            yield from model_faults(plan, model, "trainer", [{}])
            trainer = plan.models[model].trainer
            if trainer is None:
                continue
            found = self._families(features_of(plan, model))
            if not found and FEATURES not in trainer.given:
                yield ("models",), f"the trainer of {model} has no parameter {FEATURES}"
            elif found and "add" in self.modes and not set(self.base) & set(found):
                yield ("base",), f"none of {', '.join(self.base)} is a family of {model}: {', '.join(found)}"
            for name, members in self.families.items():
                for member in members:
                    if member not in {_name(f) for f in features_of(plan, model)}:
                        yield ("families", name), f"{model} has no feature {member!r}"

    def run(self, runner: ExperimentRunner) -> Result:
        splits, result = runner.splits(), Result()
        models = self.models or runner.plan.trainable
        variants = {model: self._variants(runner.plan, model) for model in models}
        jobs = {
            (model, variant): [runner.test(model, *split, parameters={FEATURES: features}) for split in splits]
            for model in models
            for variant, features in variants[model].items()
        }
        outcomes = runner.run_groups(jobs)
        for model in models:
            found = {variant: outcomes[model, variant] for variant in variants[model]}
            for (mode, family), many in found.items():
                labels: dict[str, Cell] = {"system": model, "mode": mode, "family": family}
                labels["active_features"] = active_features(runner, many)
                result.records += records([o.scores for o in many], runner.settings, **labels)
            for mode in self.modes:
                self._of_mode(runner, model, mode, found, result)
        return result

    def _families(self, features: list[Any]) -> dict[str, list[Any]]:
        """Return the features by family, in order of first appearance."""
        own = {member: name for name, members in self.families.items() for member in members}
        families: dict[str, list[Any]] = {}
        for feature in features:
            name = _name(feature)
            families.setdefault(own.get(name, name.partition(":")[0]), []).append(feature)
        return families

    def _variants(self, plan: Plan, model: str) -> dict[tuple[str, str], list[Any]]:
        families = self._families(features_of(plan, model))
        variants: dict[tuple[str, str], list[Any]] = {}
        if "drop" in self.modes:
            variants["drop", WHOLE] = [f for members in families.values() for f in members]
            for family in families:
                rest = [f for name, members in families.items() if name != family for f in members]
                if rest:
                    variants["drop", family] = rest
        if "add" in self.modes:
            variants["add", BARE] = [f for name, members in families.items() if name in self.base for f in members]
            for family in (name for name in families if name not in self.base):
                added = {family, *self.base}
                variants["add", family] = [f for name, members in families.items() if name in added for f in members]
        return variants

    def _of_mode(
        self,
        runner: ExperimentRunner,
        model: str,
        mode: str,
        found: Mapping[tuple[str, str], list[JobOutcome]],
        result: Result,
    ) -> None:
        criteria, start = runner.settings.criteria, WHOLE if mode == "drop" else BARE
        here = {family: successful_scores(many) for (m, family), many in found.items() if m == mode}
        rows: list[list[Cell]] = []
        for family, scores in here.items():
            cells: list[Cell] = []
            for c in criteria:
                value = averaged(scores, c, OVERALL, self.measure)
                first = averaged(here[start], c, OVERALL, self.measure)
                change = value - first if value is not None and first is not None else None
                cells += [
                    plus_minus(value, spread(scores, c, OVERALL, self.measure)),
                    "" if family == start else None if change is None else f"{change:+.3f}",
                ]
            rows.append([family, *cells, rounded(active_features(runner, found[mode, family]))])
        what = "left out" if mode == "drop" else f"added to {', '.join(self.base)}"
        columns = [f"family {what}", *(f"{c}|{x}" for c in criteria for x in (SHORT[self.measure], "change"))]
        result.tables.append(Table(f"{model}: one family {what}", [*columns, "active features"], rows))
        c = criteria[0]
        values = {family: averaged(scores, c, OVERALL, self.measure) for family, scores in here.items()}
        first = values.pop(start)
        changes = {family: v - first for family, v in values.items() if v is not None and first is not None}
        ranked = sorted(changes.items(), key=lambda item: (item[1], item[0]) if mode == "drop" else (-item[1], item[0]))
        options = {
            "xlabel": f"Change of {c} {SHORT[self.measure]}",
            "title": f"{model}: one family {what}",
            "digits": 3,
        }
        caption = f"{model}: change of {c} {LONG[self.measure]} with one family of features {what}."
        result.figures.append(Figure(f"{model}-{mode}", caption, "bars", (ranked,), options))


def features_of(plan: Plan, model: str) -> list[Any]:
    """Return the features of a model's trainer as in YAML: the configured ones, else its defaults."""
    step = plan.models[model].trainer
    if step is None:
        return []
    if FEATURES in step.given:
        given = text_of(step.given[FEATURES])
        return [f for f in given if _is_feature(f)] if isinstance(given, list) else []  # others are reported elsewhere

    cls = registry.find(step.name, "consumer")
    default = next((p.default for p in params.parameters(cls) if p.name == FEATURES), None) or []
    return [f if isinstance(f, str | dict) else plain(f) for f in default]


def _is_feature(item: Any) -> bool:
    """Return whether a value has the form of a feature: a name, or a name with a mapping of parameters."""
    if isinstance(item, dict):
        return len(item) == 1 and all(isinstance(given, dict | None) for given in item.values())
    return isinstance(item, str)


def _name(feature: Any) -> str:
    """Return the name of a feature: `list:countries`, or its name with a colon and its first parameter."""
    if isinstance(feature, str):
        return feature
    name, given = next(iter(feature.items()))
    first = next(iter((given or {}).values()), None)
    return f"{name}:{first}" if isinstance(first, str) else str(name)
