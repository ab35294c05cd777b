"""Tables and tests that several experiments share: the layout of the source's Tables 10 to 15, records of every
number in them, and the test of the best parameters at the end of a search.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import yaml

from ....consumers.scoring import CRITERIA
from ....consumers.scoring.counts import MICRO, figures_of
from ...storage.yaml_source import text_of
from .plan import Measure, Settings
from .result import Cell, Result, Table, plus_minus, shown
from .runner import ExperimentRunner, JobOutcome, successful_scores
from .scores import MEASURES, OVERALL, SHORT, Scores, averaged, kinds_of, mean, spread

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")

CONVENTION = (
    "Undefined: precision and F1 if nothing was found; the source prints P as 1.000. In averages, such a precision is left out, "
    "and such an F1 counts 0."
)

TRAINING_TIMES = (
    "Processor time of all threads, with features and vocabularies; tokens a second: tokens of all training documents times "
    "epochs. These numbers differ from run to run; compare those of one run on one machine."
)


def defines(criterion: str, kind: str, measure: Measure) -> bool:
    """Return whether a criterion has a metric for a kind: masking recall exists by kind, its precision over all kinds only."""
    return measure in figures_of(CRITERIA[criterion], MICRO if kind == OVERALL else kind)


def defined_figures(settings: Settings) -> list[tuple[str, Measure]]:
    """Return (criterion, measure) for the metrics that each criterion defines over all kinds together.

    A share, such as that of clean documents, is the only metric of its criterion and stands as its recall.
    """
    found: list[tuple[str, Measure]] = []
    for criterion in settings.criteria:
        found += [(criterion, m) for m in MEASURES if defines(criterion, OVERALL, m)] or [(criterion, "recall")]
    return found


def figure_columns(settings: Settings) -> list[str]:
    """Return the headings of the metrics of each criterion."""
    return [f"{c}|{SHORT[m] if defines(c, OVERALL, m) else 'share'}" for c, m in defined_figures(settings)]


def figure_cells(many: Sequence[Scores], settings: Settings) -> list[Cell]:
    """Return mean ± standard deviation of each of `figure_columns`, over all kinds together."""
    return [
        plus_minus(averaged(many, c, OVERALL, m), spread(many, c, OVERALL, m)) for c, m in defined_figures(settings)
    ]


def rounded(value: float | None) -> int | None:
    """Return a mean of counts as a whole number."""
    return None if value is None else round(value)


def kind_criteria(outcomes: Iterable[Sequence[JobOutcome]], settings: Settings) -> list[str]:
    """Return the criteria that distinguish kinds; `token-binary` counts all kinds together. All criteria if none does."""
    counted = {c for many in outcomes for s in successful_scores(many) for c, kind in s.counts if kind != OVERALL}
    return [c for c in settings.criteria if c in counted] or settings.criteria


def kinds_table(title: str, outcomes: Sequence[JobOutcome], settings: Settings, note: str = "", runs: int = 1) -> Table:
    """Return precision, recall and F1 by kind and criterion, all kinds together first. Over folds: means of defined values.

    `runs`: the number of trainings on the same documents; if there are several, means ± standard deviations.
    """
    many = successful_scores(outcomes)
    kinds, criteria = kinds_of(many), kind_criteria([outcomes], settings)
    columns = ["kind", *(f"{c}|{SHORT[m]}" for c in criteria for m in MEASURES), "spans"]
    defined = [(c, m) for c in criteria for m in MEASURES]
    rows: list[list[Cell]] = []
    for kind in kinds:
        figures = [
            (averaged(many, c, kind, m), spread(many, c, kind, m)) if defines(c, kind, m) else (None, None)
            for c, m in defined
        ]
        cells: list[Cell] = [plus_minus(*figure) if runs > 1 else figure[0] for figure in figures]
        spans = sum(scores.counts[criteria[0], kind].gold for scores in many if (criteria[0], kind) in scores.counts)
        rows.append([kind, *cells, round(spans * len(outcomes) / (runs * max(1, len(many))))])
    return Table(title, columns, rows, note)


def systems_table(by_system: Mapping[str, Sequence[JobOutcome]], settings: Settings, title: str) -> Table:
    """Return a table of systems by criterion, over all kinds together. Over folds: mean ± standard deviation."""
    rows: list[list[Cell]] = []
    for system, outcomes in by_system.items():
        many = successful_scores(outcomes)
        single = [averaged(many, c, OVERALL, m) for c, m in defined_figures(settings)]
        rows.append([system, *(single if len(many) < 2 else figure_cells(many, settings))])
    return Table(title, ["system", *figure_columns(settings)], rows)


def kinds_by_system(by_system: Mapping[str, Sequence[JobOutcome]], criterion: str, measure: str) -> Table:
    """Return a table of kinds by system under one criterion."""
    each = {system: successful_scores(outcomes) for system, outcomes in by_system.items()}
    kinds = kinds_of(s for many in each.values() for s in many)
    rows: list[list[Cell]] = [
        [kind, *(averaged(many, criterion, kind, measure) for many in each.values())] for kind in kinds
    ]
    return Table(f"{SHORT[measure]} by kind and system, {criterion}", ["kind", *each], rows, highest=True)


def official_tables(by_system: Mapping[str, Sequence[JobOutcome]], settings: Settings) -> list[Table]:
    """Return a table for each requested shared task, with the figures of its script."""
    tables = []
    for scheme in settings.schemes:
        rows: list[list[Cell]] = []
        for system, outcomes in by_system.items():
            found: dict[tuple[str, str], list[list[Any]]] = {}
            for outcome in outcomes:
                for criterion, row, *values in outcome.official.get(scheme, []):
                    found.setdefault((criterion, row), []).append(values)
            for (criterion, row), many in found.items():
                rows.append([system, criterion, row, *map(_over_folds, zip(*many, strict=True))])
        columns = ["system", "criterion", "over kinds", "P", "R", "F1", "score"]
        note = "As the official script counts; a criterion has precision, recall and F1, or one score."
        tables.append(Table(f"{scheme}: official figures", columns, rows, note))
    return tables


def _over_folds(values: Sequence[float | str | None]) -> Cell:
    """Return the mean of the defined values; an empty cell for a figure that the criterion does not have."""
    return "" if "" in values else mean(v for v in values if not isinstance(v, str))


def records(many: Sequence[Scores], settings: Settings, **labels: Cell) -> list[dict[str, Cell]]:
    """Return a record for each fold, criterion and kind: labels, `fold` from 1, counts (`marked`: system spans), metrics."""
    rows: list[dict[str, Cell]] = []
    for number, scores in enumerate(many, 1):
        for kind in [OVERALL, *scores.kinds]:
            for criterion in settings.criteria:
                counts = scores.counts.get((criterion, kind))
                if counts is None:
                    continue
                sums: dict[str, Cell] = dict(
                    zip(("gold", "found", "marked", "right"), dataclasses.astuple(counts), strict=True)
                )
                figures: dict[str, Cell] = {m: counts.value(m) for m in MEASURES}
                rows.append({**labels, "fold": number, "criterion": criterion, "kind": kind, **sums, **figures})
    return rows


def plain_values(values: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter, with texts that are numbers as numbers: YAML reads `1e-6` as a text.

    Other texts still know their file: relative paths among them are relative to it, and files are part of the keys of jobs.
    """
    return [float(v) if isinstance(v, str) and _NUMBER.fullmatch(v) else v for v in values]


def is_number(value: Any) -> bool:
    """Return whether a value of a parameter is a number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_text(value: Any) -> str:
    """Return the value of a parameter as it is written in YAML, on one line: `0.1`, `adam`, `{sgd: {rate: 0.1}}`."""
    if is_number(value):
        return f"{value:g}"
    text = yaml.safe_dump(text_of(value), default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("...\n").strip()


def value_cell(value: Any) -> Cell:
    """Return the value of a parameter as a cell: a number, or its text."""
    return value if is_number(value) else value_text(value)


def active_features(runner: ExperimentRunner, outcomes: Sequence[JobOutcome]) -> float | None:
    """Return the mean number of features with nonzero weight in the models of some tests."""
    return mean(data.get("active_features") for o in outcomes for data in runner.trained(o))


def training_table(runner: ExperimentRunner, by_system: Mapping[str, Sequence[JobOutcome]]) -> Table:
    """Return the processor time of the training of each model that was trained for a system of the same name.

    Over folds: means. `times faster`: tokens per second, divided by those of the slowest network.
    """
    found: dict[str, list[float | None]] = {}
    for system in (s for s in by_system if s in runner.plan.trainable):
        mine = [d for o in by_system[system] for d in runner.trained(o, system)]
        names = ("documents", "tokens", "epochs", "processor_seconds")
        found[system] = [mean(d.get(name) for d in mine) for name in names]
    speeds = {s: t * e / p for s, (_, t, e, p) in found.items() if t and e and p}
    rows: list[list[Cell]] = []
    for system, (documents, tokens, epochs, seconds) in found.items():
        speed = speeds.get(system)
        rows.append([system, rounded(documents), rounded(tokens), rounded(epochs) if epochs else "", seconds])
        rows[-1] += [seconds / epochs if seconds and epochs else "", rounded(speed) if speed else ""]
        rows[-1] += [speed / min(speeds.values()) if speed else ""]
    columns = [
        "model",
        "documents",
        "tokens",
        "epochs",
        "processor seconds",
        "an epoch",
        "tokens a second",
        "times faster",
    ]
    return Table("Training", columns, rows, TRAINING_TIMES)


def report_best(
    result: Result,
    model: str,
    given: Mapping[str, Any],
    value: float | None,
    criterion: str,
    measure: str,
) -> None:
    """Add a finding with the best parameters."""
    parameters = ", ".join(f"{name} = {value_text(v)}" for name, v in given.items())
    result.findings.append(f"{model}: best {criterion} {SHORT[measure]} {shown(value)} at {parameters}.")


def add_final_tests(
    runner: ExperimentRunner,
    result: Result,
    chosen: Mapping[str, Mapping[str, Any]],
    on: Literal["trainer", "annotator"],
) -> None:
    """Test each model with its best parameters if the file names a test corpus, as the source does for Tables 11 to 15.

    `on`: whether the parameters are the trainer's or the annotator's.
    """
    if runner.settings.test is None or not chosen:
        return
    train, test = runner.split()
    outcomes = runner.run(
        [runner.test(model, train, test, parameters=given, owner=on) for model, given in chosen.items()]
    )
    for (model, given), outcome in zip(chosen.items(), outcomes, strict=True):
        parameters = ", ".join(f"{name} = {value_text(value)}" for name, value in given.items())
        title = f"{model} with {parameters}: trained on {runner.plan.train}, tested on {runner.settings.test}"
        result.tables.append(kinds_table(title, [outcome], runner.settings, CONVENTION))
        result.tables += official_tables({model: [outcome]}, runner.settings)
        cells = {name: value_cell(value) for name, value in given.items()}
        result.records += records([outcome.scores], runner.settings, system=model, part="test", **cells)
