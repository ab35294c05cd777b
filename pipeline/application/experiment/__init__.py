"""Experiments: cross-validation, sweeps, learning curves and comparisons of models, each one command from a YAML file.

    plan = read_plan(Path("configs/experiments/synthetic-comparison.yaml"))
    summary = run_experiment(plan, Path("out/comparison"), workers=2)

A kind of experiment is a part (`Experiment`); packages of others add theirs under the entry point `caspipe.components`.
"""

from .experiment import Experiment, experiment_of
from .plan import Plan
from .reading import read_plan
from .result import Figure, Result, Table
from .run import Summary, run_experiment
from .runner import ExperimentRunner, JobOutcome
from .scores import Counts, Scores

__all__ = [
    "Counts",
    "Experiment",
    "ExperimentRunner",
    "Figure",
    "JobOutcome",
    "Plan",
    "Result",
    "Scores",
    "Summary",
    "Table",
    "experiment_of",
    "read_plan",
    "run_experiment",
]
