"""The last step of a search: report the best parameters, train with them on the whole corpus and test once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from .result import Result, shown
from .runner import ExperimentRunner
from .scores import SHORT
from .tables import CONVENTION, of_kinds, official, records


def optimum(
    result: Result,
    model: str,
    given: Mapping[str, Any],
    value: float | None,
    criterion: str,
    measure: str,
) -> None:
    """Add the sentence that tells the best parameters."""
    told = ", ".join(f"{name} = {number:g}" for name, number in given.items())
    result.findings.append(f"{model}: best {criterion} {SHORT[measure]} {shown(value)} at {told}.")


def tested(
    runner: ExperimentRunner,
    result: Result,
    chosen: Mapping[str, Mapping[str, Any]],
    on: Literal["trainer", "annotator"],
) -> None:
    """Test each model with its best parameters where the file names a test corpus, as the source does for Tables 11 to 15.

    `on`: whether the parameters are the trainer's or the annotator's.
    """
    if runner.settings.test is None or not chosen:
        return
    train, test = runner.split()
    outcomes = runner.run([runner.test(model, train, test, given=given, on=on) for model, given in chosen.items()])
    for (model, given), outcome in zip(chosen.items(), outcomes, strict=True):
        told = ", ".join(f"{name} = {value:g}" for name, value in given.items())
        title = f"{model} with {told}: trained on {runner.plan.train}, tested on {runner.settings.test}"
        result.tables.append(of_kinds(title, [outcome], runner.settings, CONVENTION))
        result.tables += official({model: [outcome]}, runner.settings)
        result.records += records([outcome], runner.settings, system=model, part="test", **given)
