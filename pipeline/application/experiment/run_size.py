"""How large a run was beside the source's: what the first line of every report says."""

from __future__ import annotations

import shlex

from ...contract import params
from .experiment import experiment_of
from .plan import Plan
from .runner import ExperimentRunner
from .settings import Settings

SMALLER = ("repetitions", "limit", "folds")
"""Parameters that make a run shorter; the command for the full run leaves them out."""


def shortfalls(runner: ExperimentRunner) -> list[str]:
    """`3 of 100 repetitions`, `40 of 500 documents of meddocan`: what was less than the whole; empty for a full run."""
    experiment, settings = experiment_of(runner.plan), runner.settings
    numbers = [p for p in params.parameters(type(experiment)) if p.name in experiment.full]
    found = [
        f"{getattr(experiment, p.name)} of {p.default} {p.name}"
        for p in numbers
        if getattr(experiment, p.name) < p.default
    ]
    full = next(p.default for p in params.parameters(Settings) if p.name == "folds")
    if runner.folded and settings.folds < full:
        found.append(f"{settings.folds} of {full} folds")
    return found + [
        f"{len(c.documents):,} of {c.whole:,} documents of {c.name}"
        for c in runner.corpora.values()
        if len(c.documents) < c.whole
    ]


def first_line(runner: ExperimentRunner) -> str:
    """Return one sentence on the size of the run."""
    short = shortfalls(runner)
    if short:
        return f"A short run: {', '.join(short)}."
    documents = ", ".join(f"{c.whole:,} documents of {c.name}" for c in runner.corpora.values())
    experiment = experiment_of(runner.plan)
    numbers = [f"{getattr(experiment, name)} {name}" for name in experiment.full]
    numbers += [f"{runner.settings.folds} folds"] if runner.folded else []
    return f"A full run: {', '.join([documents, *numbers])}."


def command(plan: Plan, full: bool = False) -> str:
    """Return the command that makes the report; `full`: without what made the run shorter."""
    kept = [o for o in plan.overrides if not (full and o.partition("=")[0].rpartition(".")[2] in SMALLER)]
    sets = "".join(f" --set {shlex.quote(o)}" for o in kept)
    return f"caspipe experiment {shlex.quote(plan.given or plan.file)}{sets}"
