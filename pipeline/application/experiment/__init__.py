"""Experiments with models, such as cross-validations, sweeps and learning curves, configured in YAML.

    plan = read_plan(Path("configs/experiments/synthetic-comparison.yaml"))
    summary = run_experiment(plan, Path("out/comparison"), workers=2)

A kind of experiment is a part (`Experiment`). Plug-ins add kinds with the entry point `caspipe.components`.
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
