"""How to set a system that must not miss: the most precise value of a parameter whose recall reaches a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .....consumers.scoring.operating import Measured, choose, measured
from ....assembly.config import Step
from ....contract.component import part
from ....errors import CaspipeError, nearest
from ....storage.yaml_source import Keys
from .. import folds
from ..experiment import Experiment
from ..model_steps import faults_in, faults_of
from ..plan import RESOLVER, Plan, pieces
from ..result import Cell, Figure, Result, Table, shown
from ..runner import ExperimentRunner, JobOutcome

THRESHOLD = "threshold"
"""The parameter that does not belong to an annotator: the resolver's least confidence."""
_COLUMNS = [f"{m}|{c}" for m in ("recall", "precision") for c in ("value", "by document", "Wilson")]
_NOTE = (
    "Each document is measured at the value chosen without it, so that choosing does not flatter. Intervals: 95 %, by document "
    "(bootstrap), and taking what is counted for independent (Wilson)."
)


@part("operating_point")
class OperatingPoint(Experiment):
    """Tries values of a parameter, says which is the most precise with a recall of at least `target_recall`, and what to
    expect of it on documents it was not chosen on. Tested are the test corpus or the folds.
    """

    target_recall: float = 0.995
    """Recall to be reached, 0 to 1."""
    parameter: str = "outside_bias"
    """A parameter of the annotator (`outside_bias`), or `threshold`: the resolver's least confidence."""
    values: list[float] = dataclasses.field(default_factory=lambda: [n / 4 for n in range(-2, 17)])
    """The values tried."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems; all of the file's if empty."""
    tune: str = ""
    """Owner of the parameter, if it is not the annotator of the system itself: a model that it is made of, or a component among
    its engines (`crf` for `engines: [{crf: {model: es-phi-crf}}]`), so that nothing need be trained."""
    criterion: str = "token-binary"
    """Criterion of recall and precision: `token-binary` or `characters` for what is masked, `strict` for whole spans; the first
    of the experiment's criteria if it is not among them."""
    per_kind: bool = False
    """With `threshold`: a value for each kind, whose own recall must reach the target."""
    sure: float = 0.0
    """Level (as 0.95) of the interval of recall whose lower end must reach the target; 0: recall itself must."""
    parts: int = 2
    """Parts of the documents: chosen is on all but one, measured on that one, each in turn."""
    draws: int = 1000
    """Resamples for intervals."""

    def __post_init__(self) -> None:
        if not 0 < self.target_recall <= 1:
            raise ValueError(f"target_recall: expected a share above 0 and up to 1, got {self.target_recall:g}")
        if not self.values:
            raise ValueError("values: expected at least one")
        if self.parameter == THRESHOLD and not all(0 <= value <= 1 for value in self.values):
            raise ValueError("values: expected confidences from 0 to 1 for a threshold")
        if self.per_kind and self.parameter != THRESHOLD:
            raise ValueError(f"per_kind: only a threshold can differ from kind to kind, not {self.parameter}")
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
                f"a resolver knows no kinds of the level {plan.settings.level}: expected level: kind or top",
            )
        if self.per_kind and self._criterion(plan).endswith("-binary"):
            yield ("per_kind",), f"{self._criterion(plan)} tells no kinds apart: expected another criterion"
        if self.parameter == THRESHOLD:
            return
        for model in plan.chosen():
            tuned = self.tune or model
            step = self._tuned(plan, model)
            tries = [{self.parameter: value} for value in self.values]
            if step is not None:
                yield from faults_in(step, "annotator", tries, model)
            elif tuned in plan.models:
                yield from faults_of(plan, tuned, "annotator", tries)
            else:
                names = [*plan.models, *(_called(p.step) for p in pieces(plan.models, model))]
                yield ("tune",), f"{model} has no model or component called {tuned!r}{nearest(tuned, names)}"

    def _tuned(self, plan: Plan, model: str) -> Step | None:
        """Return the step whose parameter it is; None if there is none."""
        if (self.tune or model) in plan.trainable:
            return plan.models[self.tune or model].annotator
        return next((p.step for p in pieces(plan.models, model) if _called(p.step) == self.tune), None)

    def _criterion(self, plan: Plan) -> str:
        criteria = plan.settings.criteria
        return self.criterion if self.criterion in criteria else criteria[0]

    def run(self, runner: ExperimentRunner) -> Result:
        result, criterion = Result(), self._criterion(runner.plan)
        splits, chosen = runner.splits(), runner.plan.chosen()
        curves: dict[str, list[tuple[float, float]]] = {}
        ringed: dict[str, tuple[float, float]] = {}
        settings: list[list[Cell]] = []
        for system in chosen:
            if self.parameter == THRESHOLD:
                jobs = [[runner.test(system, a, b, thresholds=self.values, each=True)] for a, b in splits]
            else:
                tuned: list[dict[str, Any]] = [{"given": {self.parameter: v}, "to": self.tune} for v in self.values]
                jobs = [[runner.test(system, a, b, on="annotator", each=True, **t) for t in tuned] for a, b in splits]
            outcomes = list(runner.run_groups(dict(enumerate(jobs))).values())
            if any(o.failed for many in outcomes for o in many):
                raise CaspipeError(next(o.failed for many in outcomes for o in many if o.failed))
            groups = [(name, runner.corpora[name].groups[i]) for _, test in splits for name, i in test]
            table = counted([_tables(many, criterion) for many in outcomes], groups)
            curves[system] = self._curve(system, table, criterion, result)
            point = self._point(runner, system, table, criterion, result, settings)
            if point is not None:
                ringed[system] = point
        columns = ["system", "reached", self.parameter, "on the command line", "in the file"]
        result.tables.insert(
            0, Table(f"What to set for a {criterion} recall of {self.target_recall:g}", columns, settings)
        )
        caption = (
            f"Precision against recall, {criterion}, over {self.parameter}; ringed: chosen for {self.target_recall:g}."
        )
        options = {"chosen": ringed, "title": f"Precision and recall over {self.parameter}"}
        result.figures.append(Figure("operating-point", caption, "precision_recall", (curves,), options))
        return result

    def _curve(self, system: str, table: Counted, criterion: str, result: Result) -> list[tuple[float, float]]:
        """Return the table of all values, over all documents; (recall, precision) of each, by rising recall."""
        rows: list[list[Cell]] = []
        points = []
        for value, units in zip(self.values, table.overall, strict=True):
            recall, precision = self._measured(units)
            rows.append([f"{value:g}", precision.value, recall.value, _ends(recall.bootstrap or recall.wilson)])
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
        table: Counted,
        criterion: str,
        result: Result,
        settings: list[list[Cell]],
    ) -> tuple[float, float] | None:
        """Chooses, tells what to expect, and adds the tables; (recall, precision) at the choice on all documents."""
        parts = folds.parts(range(table.units), self.parts, runner.settings.seed)
        choice = chosen_for(table, parts, self.target_recall, self.per_kind, self.sure, self.draws)
        if choice is None:
            result.findings.append(f"{system}: nothing is to be found in these documents: no recall to choose by.")
            return None
        recall, precision = self._measured(choice.counts)
        honest_recall, honest_precision = self._measured(choice.left_out)
        values = {kind: self.values[n] for kind, n in choice.settings.items()}
        rows: list[list[Cell]] = [
            ["chosen on all documents, measured on the same", _values_text(values), *_cells(recall, precision)],
            ["all parts together", "", *_cells(honest_recall, honest_precision)],
        ]
        for n, (one, units) in enumerate(choice.each, 1):
            setting = _values_text({kind: self.values[i] for kind, i in one.items()})
            rows.insert(n, [f"chosen without part {n}, measured on it", setting, *_cells(*self._measured(units))])
        columns = ["", self.parameter, *_COLUMNS]
        result.tables.append(Table(f"{system}: what to expect", columns, rows, _NOTE))
        for what, r, p in (("chosen", recall, precision), ("left out", honest_recall, honest_precision)):
            record: dict[str, Cell] = {"system": system, "criterion": criterion, "part": what}
            record |= {self.parameter: _values_text(values), "precision": p.value, "recall": r.value}
            result.records.append(record | {"target": self.target_recall})
        if self.parameter == THRESHOLD:
            result.tables.append(self._as_configured(runner, system, values, criterion))
        line, text = self._lines(runner.plan, system, values)
        settings.append([system, "yes" if choice.reached else "no", _values_text(values), line, text])
        result.findings.append(
            self._finding(system, criterion, choice.reached, values, recall, honest_recall, honest_precision)
        )
        if choice.reached:
            result.findings.append(f"{system}: caspipe run PIPELINE {line}")
        if recall.value is None or precision.value is None:
            return None
        return recall.value, precision.value

    def _as_configured(self, runner: ExperimentRunner, system: str, values: dict[str, float], criterion: str) -> Table:
        """Return the effect of the threshold in the resolver: if it leaves a candidate out, another may win."""
        given = {THRESHOLD: values.get(ALL, values)}
        splits = runner.splits()
        outcomes = runner.run([runner.test(system, a, b, given=given, on="resolver", each=True) for a, b in splits])
        groups = [(name, runner.corpora[name].groups[i]) for _, test in splits for name, i in test]
        table = counted([_tables([o], criterion) for o in outcomes if not o.failed], groups)
        row = [_values_text(values), *_cells(*self._measured(table.overall[0]))]
        note = "Above, final spans with less confidence are left out; here the resolver leaves candidates out before it decides."
        return Table(
            f"{system}: as a pipeline with this threshold does, on all documents",
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
        honest_recall: Measured,
        honest_precision: Measured,
    ) -> str:
        target, point = f"{self.target_recall:g}", f"{self.parameter} = {_values_text(values)}"
        if not reached and not self.per_kind:
            return (
                f"{system}: none of the values reaches a {criterion} recall of {target}"
                f"{f' with {self.sure:.0%} certainty' if self.sure else ''}; the highest is {shown(recall.value, 4)}, at {point}."
            )
        ends = _ends(honest_recall.bootstrap or honest_recall.wilson)
        expect = f"recall {shown(honest_recall.value, 4)} ({ends}), precision {shown(honest_precision.value, 4)}"
        start = f"{system}: {point} for a {criterion} recall of {target}"
        if not reached:
            start += ", which some kinds do not reach with any value"
        text = f"{start}; on documents it was not chosen on: {expect}."
        if honest_recall.value is not None and honest_recall.value < self.target_recall:
            text += " That is below the target: what is chosen on few documents promises more than it keeps."
        return text

    def _lines(self, plan: Plan, system: str, values: dict[str, float]) -> tuple[str, str]:
        """Return the value as `--set` and as YAML."""
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


def _called(step: Step) -> str:
    return step.id.rpartition("/")[2]


def _tables(outcomes: Sequence[JobOutcome], criterion: str) -> tuple[int, list[list[list[object]]]]:
    """Documents of a split, and for every value the rows of one criterion."""
    documents = int(outcomes[0].data["documents"])
    if "each_threshold" in outcomes[0].data:
        return documents, [found[criterion] for _, found in outcomes[0].data["each_threshold"]]
    return documents, [o.data["each"][criterion] for o in outcomes]


def _values_text(values: dict[str, float]) -> str:
    return ", ".join(f"{kind} {value:g}".strip() for kind, value in values.items())


def _ends(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.4f}–{interval[1]:.4f}"


def _cells(recall: Measured, precision: Measured) -> list[Cell]:
    return [cell for m in (recall, precision) for cell in (shown(m.value, 4), _ends(m.bootstrap), _ends(m.wilson))]


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MICRO, MACRO = "micro", "macro"
ALL = ""
"""The name of all kinds together in settings by kind."""


@dataclass(slots=True)
class Counted:
    """Counts by setting, unit and kind; a unit is a document, or the documents of one group."""

    kinds: list[str]
    by_kind: Array
    """Shape (settings, units, kinds, 4): gold, found, marked, right."""
    overall: Array
    """Shape (settings, units, 4)."""

    @property
    def units(self) -> int:
        return int(self.overall.shape[1])


def counted(tables: Sequence[tuple[int, Sequence[Sequence[Sequence[Any]]]]], groups: Sequence[object]) -> Counted:
    """From the jobs of each split: how many documents it has, and for every setting rows of document, kind and four counts.

    `groups` says who each document belongs to, over all splits in order.
    """
    import numpy as np

    numbers: dict[object, int] = {}
    unit = [numbers.setdefault(group, len(numbers)) for group in groups]
    every = {str(row[1]) for _, settings in tables for rows in settings for row in rows}
    kinds = sorted(every - {MICRO, MACRO})
    place = {kind: n for n, kind in enumerate(kinds)}
    size = len(tables[0][1])
    by_kind, overall = np.zeros((size, len(numbers), len(kinds), 4)), np.zeros((size, len(numbers), 4))
    first = 0
    for documents, settings in tables:
        for setting, rows in enumerate(settings):
            for document, kind, *four in rows:
                at = unit[first + document]
                if kind in place:
                    by_kind[setting, at, place[kind]] += four
                if kind == MICRO:
                    overall[setting, at] += four
        first += documents
    return Counted(kinds, by_kind, overall if MICRO in every else by_kind.sum(axis=2))


@dataclass(slots=True)
class Point:
    """A choice, and its results."""

    settings: dict[str, int]
    """The setting chosen on all units: of `ALL`, or of each kind there is something to find of."""
    reached: bool
    counts: Array
    """Shape (units, 4): at these settings."""
    left_out: Array
    """Shape (units, 4): every unit at what was chosen without it."""
    each: list[tuple[dict[str, int], Array]] = field(default_factory=list)
    """For each part what was chosen without it, and the part's counts at that: shape (units of the part, 4)."""


def chosen_for(
    table: Counted, parts: Sequence[Sequence[int]], target: float, per_kind: bool, level: float, draws: int
) -> Point | None:
    """Return the most precise settings whose recall reaches the target, as `consumers/scoring/operating.py` chooses.

    None if nothing is to be found. Raises ConsumerError as `choose`.
    """
    import numpy as np

    def chosen(units: Sequence[int]) -> tuple[dict[str, int], bool]:
        layers = {k: table.by_kind[:, units, n] for n, k in enumerate(table.kinds)} if per_kind else {}
        layers = layers or {ALL: table.overall[:, units]}
        found = {kind: choose(counts, target, level=level, draws=draws) for kind, counts in layers.items()}
        known = {kind: choice for kind, choice in found.items() if choice is not None}
        return {kind: choice.setting for kind, choice in known.items()}, all(c.reached for c in known.values())

    def at(settings: dict[str, int], units: Sequence[int]) -> Array:
        if ALL in settings:
            chosen_counts: Array = table.overall[settings[ALL]][list(units)]
            return chosen_counts
        layers = [table.by_kind[settings.get(kind, 0), list(units), n] for n, kind in enumerate(table.kinds)]
        summed: Array = np.sum(layers, axis=0)
        return summed

    everything = list(range(table.units))
    settings, reached = chosen(everything)
    if not settings:
        return None
    point = Point(settings, reached, at(settings, everything), np.zeros((table.units, 4)))
    for number, own in enumerate(parts):
        others = [unit for n, other in enumerate(parts) if n != number for unit in other]
        without, _ = chosen(others)
        counts = at(without, own) if without else np.zeros((len(own), 4))
        point.each.append((without, counts))
        point.left_out[list(own)] = counts
    return point
