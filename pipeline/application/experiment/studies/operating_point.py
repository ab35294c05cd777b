"""The operating point of a system: the value of a parameter with the highest precision whose recall reaches a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .....annotators.sequence import folds
from .....consumers.scoring.operating import Measured, choose, measured
from ....assembly.steps import Step
from ....contract.component import part
from ....errors import CaspipeError, nearest
from ....storage.yaml_source import Keys
from ..experiment import Experiment
from ..model_steps import model_faults, step_faults
from ..plan import RESOLVER, Plan, system_steps
from ..result import Cell, Figure, Result, Table, shown
from ..runner import ExperimentRunner, JobOutcome

THRESHOLD = "threshold"
"""The only parameter that is not one of an annotator: the minimum confidence of the resolver."""
_COLUMNS = [f"{m}|{c}" for m in ("recall", "precision") for c in ("value", "by document", "Wilson")]
_NOTE = (
    "Each document is scored with the value chosen without it, which avoids optimistic results. Intervals: 95 %, with documents "
    "(bootstrap) or counts (Wilson) as independent observations."
)


@part("operating_point")
class OperatingPoint(Experiment):
    """Chooses the value of a parameter with the highest precision and a recall of at least `target_recall`, and estimates both on
    documents that were not used for the choice. The documents are those of the test corpus or the folds.
    """

    target_recall: float = 0.995
    """Required recall (0 to 1)."""
    parameter: str = "outside_bias"
    """A parameter of the annotator (`outside_bias`), or `threshold`: the minimum confidence of the resolver."""
    values: list[float] = dataclasses.field(default_factory=lambda: [n / 4 for n in range(-2, 17)])
    """The values to try."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems; by default all."""
    tune: str = ""
    """Owner of the parameter if it is not the annotator of the system: one of its models, or one of its engines (`crf` for
    `engines: [{crf: {model: es-phi-crf}}]`), which needs no training."""
    criterion: str = "token-binary"
    """Criterion of recall and precision: `token-binary` or `characters` for masking, `strict` for complete spans. If the
    experiment does not use it, its first criterion."""
    per_kind: bool = False
    """True to choose a `threshold` for each kind, whose recall must reach the target."""
    sure: float = 0.0
    """Confidence level (such as 0.95) of the interval of recall whose lower bound must reach the target; 0: recall itself."""
    parts: int = 2
    """Number of parts of the documents. A value is chosen without each part in turn and scored on it."""
    draws: int = 1000
    """Number of bootstrap resamples for intervals."""

    def __post_init__(self) -> None:
        if not 0 < self.target_recall <= 1:
            raise ValueError(f"target_recall: expected a share above 0 and up to 1, got {self.target_recall:g}")
        if not self.values:
            raise ValueError("values: expected at least one")
        if self.parameter == THRESHOLD and not all(0 <= value <= 1 for value in self.values):
            raise ValueError("values: expected confidences from 0 to 1 for a threshold")
        if self.per_kind and self.parameter != THRESHOLD:
            raise ValueError(f"per_kind: expected the parameter {THRESHOLD}, got {self.parameter}")
        if not 0 <= self.sure < 1:
            raise ValueError(f"sure: expected 0 or a level below 1, got {self.sure:g}")
        if self.parts < 2:
            raise ValueError(f"parts: expected 2 or more, got {self.parts}")
        if self.draws < 1:
            raise ValueError(f"draws: expected 1 or more, got {self.draws}")
        self.values = sorted({0.0, *self.values} if self.parameter == THRESHOLD else set(self.values))

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        if self.per_kind and plan.settings.level not in ("kind", "top"):
            yield (
                ("per_kind",),
                f"a resolver does not support the level {plan.settings.level}: expected level: kind or top",
            )
        if self.per_kind and self._criterion(plan).endswith("-binary"):
            yield ("per_kind",), f"{self._criterion(plan)} does not distinguish kinds: expected another criterion"
        if self.parameter == THRESHOLD:
            return
        for model in plan.chosen():
            tuned = self.tune or model
            step = self._tuned(plan, model)
            variants = [{self.parameter: value} for value in self.values]
            if step is not None:
                yield from step_faults(step, "annotator", variants, model)
            elif tuned in plan.models:
                yield from model_faults(plan, tuned, "annotator", variants)
            else:
                names = [*plan.models, *(_short_id(p.step) for p in system_steps(plan.models, model))]
                yield ("tune",), f"{model} has no model or component called {tuned!r}{nearest(tuned, names)}"

    def _tuned(self, plan: Plan, model: str) -> Step | None:
        """Return the step that has the parameter; None if there is none."""
        if (self.tune or model) in plan.trainable:
            return plan.models[self.tune or model].annotator
        return next((p.step for p in system_steps(plan.models, model) if _short_id(p.step) == self.tune), None)

    def _criterion(self, plan: Plan) -> str:
        criteria = plan.settings.criteria
        return self.criterion if self.criterion in criteria else criteria[0]

    def run(self, runner: ExperimentRunner) -> Result:
        result, criterion = Result(), self._criterion(runner.plan)
        splits, chosen = runner.splits(), runner.plan.chosen()
        curves: dict[str, list[tuple[float, float]]] = {}
        chosen_points: dict[str, tuple[float, float]] = {}
        settings: list[list[Cell]] = []
        for system in chosen:
            if self.parameter == THRESHOLD:
                jobs = [[runner.test(system, a, b, thresholds=self.values, per_document=True)] for a, b in splits]
            else:
                options: Any = {"owner": "annotator", "member": self.tune, "per_document": True}
                tuned = [{self.parameter: value} for value in self.values]
                jobs = [[runner.test(system, *s, parameters=p, **options) for p in tuned] for s in splits]
            outcomes = list(runner.run_groups(dict(enumerate(jobs))).values())
            if any(o.failed for many in outcomes for o in many):
                raise CaspipeError(next(o.failed for many in outcomes for o in many if o.failed))
            groups = [(name, runner.corpora[name].groups[i]) for _, test in splits for name, i in test]
            table = unit_counts([_tables(many, criterion) for many in outcomes], groups)
            curves[system] = self._curve(system, table, criterion, result)
            point = self._point(runner, system, table, criterion, result, settings)
            if point is not None:
                chosen_points[system] = point
        columns = ["system", "reached", self.parameter, "on the command line", "in the file"]
        result.tables.insert(
            0, Table(f"What to set for a {criterion} recall of {self.target_recall:g}", columns, settings)
        )
        caption = (
            f"Precision against recall, {criterion}, over {self.parameter}; circle: chosen for {self.target_recall:g}."
        )
        drawing = {"chosen": chosen_points, "title": f"Precision and recall over {self.parameter}"}
        result.figures.append(Figure("operating-point", caption, "precision_recall", (curves,), drawing))
        return result

    def _curve(self, system: str, table: UnitCounts, criterion: str, result: Result) -> list[tuple[float, float]]:
        """Add the table of all values on all documents, and return their (recall, precision), sorted by recall."""
        rows: list[list[Cell]] = []
        points = []
        for value, units in zip(self.values, table.overall, strict=True):
            recall, precision = self._measured(units)
            rows.append([f"{value:g}", precision.value, recall.value, _interval(recall.bootstrap or recall.wilson)])
            record: dict[str, Cell] = {"system": system, "criterion": criterion, "part": "all", self.parameter: value}
            result.records.append({**record, "precision": precision.value, "recall": recall.value})
            if recall.value is not None and precision.value is not None:
                points.append((recall.value, precision.value))
        columns = [self.parameter, f"{criterion}|P", f"{criterion}|R", f"{criterion}|R, 95 %"]
        result.tables.append(Table(f"{system}: every value, on all documents", columns, rows))
        return sorted(points, key=lambda p: (p[0], -p[1]))

    def _measured(self, units: object) -> tuple[Measured, Measured]:
        recall, precision = (measured(units, name, draws=self.draws) for name in ("recall", "precision"))  # type: ignore[arg-type]
        return recall, precision

    def _point(
        self,
        runner: ExperimentRunner,
        system: str,
        table: UnitCounts,
        criterion: str,
        result: Result,
        settings: list[list[Cell]],
    ) -> tuple[float, float] | None:
        """Choose a value, add its tables and findings, and return its (recall, precision) on all documents."""
        parts = folds.parts(range(table.units), self.parts, runner.settings.seed)
        choice = choose_settings(table, parts, self.target_recall, self.per_kind, self.sure, self.draws)
        if choice is None:
            result.findings.append(f"{system}: recall is undefined, because the documents have no reference spans.")
            return None
        recall, precision = self._measured(choice.counts)
        held_out_recall, held_out_precision = self._measured(choice.held_out)
        values = {kind: self.values[n] for kind, n in choice.settings.items()}
        rows: list[list[Cell]] = [
            ["chosen on all documents, measured on the same", _values_text(values), *_cells(recall, precision)],
            ["all parts together", "", *_cells(held_out_recall, held_out_precision)],
        ]
        for n, (without, units) in enumerate(choice.by_part, 1):
            setting = _values_text({kind: self.values[i] for kind, i in without.items()})
            rows.insert(n, [f"chosen without part {n}, measured on it", setting, *_cells(*self._measured(units))])
        columns = ["", self.parameter, *_COLUMNS]
        result.tables.append(Table(f"{system}: what to expect", columns, rows, _NOTE))
        for what, r, p in (("chosen", recall, precision), ("left out", held_out_recall, held_out_precision)):
            record: dict[str, Cell] = {"system": system, "criterion": criterion, "part": what}
            record |= {self.parameter: _values_text(values), "precision": p.value, "recall": r.value}
            result.records.append(record | {"target": self.target_recall})
        if self.parameter == THRESHOLD:
            result.tables.append(self._as_configured(runner, system, values, criterion))
        line, text = self._lines(runner.plan, system, values)
        settings.append([system, "yes" if choice.reached else "no", _values_text(values), line, text])
        result.findings.append(
            self._finding(system, criterion, choice.reached, values, recall, held_out_recall, held_out_precision)
        )
        if choice.reached:
            result.findings.append(f"{system}: caspipe run PIPELINE {line}")
        if recall.value is None or precision.value is None:
            return None
        return recall.value, precision.value

    def _as_configured(self, runner: ExperimentRunner, system: str, values: dict[str, float], criterion: str) -> Table:
        """Return the table of a resolver with the threshold. If it drops a candidate, another candidate may be chosen."""
        parameters = {THRESHOLD: values.get(ALL, values)}
        splits = runner.splits()
        tests = [runner.test(system, *s, parameters=parameters, owner="resolver", per_document=True) for s in splits]
        outcomes = runner.run(tests)
        groups = [(name, runner.corpora[name].groups[i]) for _, test in splits for name, i in test]
        table = unit_counts([_tables([o], criterion) for o in outcomes if not o.failed], groups)
        row = [_values_text(values), *_cells(*self._measured(table.overall[0]))]
        note = (
            "Above, final spans with less confidence are dropped; here the resolver drops candidates before it chooses."
        )
        return Table(
            f"{system}: a pipeline with this threshold, on all documents",
            [self.parameter, *_COLUMNS],
            [row],
            note,
        )

    def _finding(
        self,
        system: str,
        criterion: str,
        reached: bool,
        values: dict[str, float],
        recall: Measured,
        held_out_recall: Measured,
        held_out_precision: Measured,
    ) -> str:
        target, point = f"{self.target_recall:g}", f"{self.parameter} = {_values_text(values)}"
        if not reached and not self.per_kind:
            return (
                f"{system}: none of the values reaches a {criterion} recall of {target}"
                f"{f' with {self.sure:.0%} certainty' if self.sure else ''}; the highest is {shown(recall.value, 4)}, at {point}."
            )
        interval = _interval(held_out_recall.bootstrap or held_out_recall.wilson)
        expect = (
            f"recall {shown(held_out_recall.value, 4)} ({interval}), precision {shown(held_out_precision.value, 4)}"
        )
        start = f"{system}: {point} for a {criterion} recall of {target}"
        if not reached:
            start += ", which some kinds do not reach with any of the values"
        text = f"{start}; on documents not used for the choice: {expect}."
        if held_out_recall.value is not None and held_out_recall.value < self.target_recall:
            text += " This is below the target: a choice on few documents is optimistic."
        return text

    def _lines(self, plan: Plan, system: str, values: dict[str, float]) -> tuple[str, str]:
        """Return the setting as `--set` and as YAML."""
        if self.parameter == THRESHOLD:
            at = RESOLVER
            value = (
                f"{values[ALL]:g}" if ALL in values else "{" + ", ".join(f"{k}: {v:g}" for k, v in values.items()) + "}"
            )
        else:
            step = self._tuned(plan, system)
            at, value = (step.name if step is not None else system), f"{values[ALL]:g}"
        quote = "'" if " " in value else ""
        return f"--set {quote}{at}.{self.parameter}={value}{quote}", f"{at}: {{{self.parameter}: {value}}}"


def _short_id(step: Step) -> str:
    return step.id.rpartition("/")[2]


def _tables(outcomes: Sequence[JobOutcome], criterion: str) -> tuple[int, list[list[list[object]]]]:
    """Return the number of documents of a split, and for each value the rows of a criterion."""
    documents = int(outcomes[0].data["documents"])
    if "each_threshold" in outcomes[0].data:
        return documents, [found[criterion] for _, found in outcomes[0].data["each_threshold"]]
    return documents, [o.data["each"][criterion] for o in outcomes]


def _values_text(values: dict[str, float]) -> str:
    return ", ".join(f"{kind} {value:g}".strip() for kind, value in values.items())


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.4f}–{interval[1]:.4f}"


def _cells(recall: Measured, precision: Measured) -> list[Cell]:
    return [
        cell for m in (recall, precision) for cell in (shown(m.value, 4), _interval(m.bootstrap), _interval(m.wilson))
    ]


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MICRO, MACRO = "micro", "macro"
ALL = ""
"""The key of all kinds together in settings by kind."""


@dataclass(slots=True)
class UnitCounts:
    """Counts by setting, unit and kind. A unit is a document, or the documents of one group."""

    kinds: list[str]
    by_kind: Array
    """Gold, found, marked, right. Shape: (settings, units, kinds, 4)."""
    overall: Array
    """The same for all kinds together. Shape: (settings, units, 4)."""

    @property
    def units(self) -> int:
        return int(self.overall.shape[1])


def unit_counts(
    tables: Sequence[tuple[int, Sequence[Sequence[Sequence[Any]]]]], groups: Sequence[object]
) -> UnitCounts:
    """Return the counts of units.

    `tables`: for each split its number of documents, and for each setting rows of document, kind and four counts. `groups`: the
    group of each document of all splits.
    """
    import numpy as np

    numbers: dict[object, int] = {}
    unit = [numbers.setdefault(group, len(numbers)) for group in groups]
    names = {str(row[1]) for _, settings in tables for rows in settings for row in rows}
    kinds = sorted(names - {MICRO, MACRO})
    index = {kind: n for n, kind in enumerate(kinds)}
    size = len(tables[0][1])
    by_kind, overall = np.zeros((size, len(numbers), len(kinds), 4)), np.zeros((size, len(numbers), 4))
    first = 0
    for documents, settings in tables:
        for setting, rows in enumerate(settings):
            for document, kind, *four in rows:
                at = unit[first + document]
                if kind in index:
                    by_kind[setting, at, index[kind]] += four
                if kind == MICRO:
                    overall[setting, at] += four
        first += documents
    return UnitCounts(kinds, by_kind, overall if MICRO in names else by_kind.sum(axis=2))


@dataclass(slots=True)
class Choice:
    """The chosen settings and their results."""

    settings: dict[str, int]
    """The settings chosen on all units: of `ALL`, or of each kind with reference spans."""
    reached: bool
    counts: Array
    """Counts with these settings. Shape: (units, 4)."""
    held_out: Array
    """Counts of each unit with the settings chosen without it. Shape: (units, 4)."""
    by_part: list[tuple[dict[str, int], Array]] = field(default_factory=list)
    """For each part, the settings chosen without it and its counts with them. Shape: (units of the part, 4)."""


def choose_settings(
    table: UnitCounts, parts: Sequence[Sequence[int]], target: float, per_kind: bool, level: float, draws: int
) -> Choice | None:
    """Return the settings with the highest precision whose recall reaches the target, as `choose` of `operating.py`.

    None without reference spans. Raises ConsumerError as `choose`.
    """
    import numpy as np

    def choose_on(units: Sequence[int]) -> tuple[dict[str, int], bool]:
        layers = {k: table.by_kind[:, units, n] for n, k in enumerate(table.kinds)} if per_kind else {}
        layers = layers or {ALL: table.overall[:, units]}
        by_kind = {kind: choose(counts, target, level=level, draws=draws) for kind, counts in layers.items()}
        choices = {kind: choice for kind, choice in by_kind.items() if choice is not None}
        return {kind: choice.setting for kind, choice in choices.items()}, all(c.reached for c in choices.values())

    def at(settings: dict[str, int], units: Sequence[int]) -> Array:
        if ALL in settings:
            selected: Array = table.overall[settings[ALL]][list(units)]
            return selected
        layers = [table.by_kind[settings.get(kind, 0), list(units), n] for n, kind in enumerate(table.kinds)]
        summed: Array = np.sum(layers, axis=0)
        return summed

    units = list(range(table.units))
    settings, reached = choose_on(units)
    if not settings:
        return None
    choice = Choice(settings, reached, at(settings, units), np.zeros((table.units, 4)))
    for number, own in enumerate(parts):
        others = [unit for n, other in enumerate(parts) if n != number for unit in other]
        without, _ = choose_on(others)
        counts = at(without, own) if without else np.zeros((len(own), 4))
        choice.by_part.append((without, counts))
        choice.held_out[list(own)] = counts
    return choice
