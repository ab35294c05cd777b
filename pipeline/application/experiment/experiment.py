"""The base class of experiments. Each kind is a registered part; plug-ins can add more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...contract.component import Part
from ...storage.yaml_source import Keys
from .plan import Plan
from .result import Result
from .runner import ExperimentRunner


class Experiment(Part):
    """A kind of experiment. Its fields are the parameters under `experiment:` in YAML.

    A field `models` contains the names of the models to use; if it is empty, all models or all trainable models.
    """

    full: ClassVar[tuple[str, ...]] = ()
    """Parameters with the default of the source, such as `repetitions`. The first line of a report tells if a run used less."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        """Yield faults that depend on the complete file: (keys below `experiment`, message). No documents are read."""
        yield from ()

    def run(self, runner: ExperimentRunner) -> Result:
        """Run trainings and tests, and return tables and figures of their results.

        The result must not depend on the order in which jobs end.
        """
        raise TypeError(f"{type(self).__name__} must define run(runner)")


def experiment_of(plan: Plan) -> Experiment:
    """Return the experiment of a plan."""
    assert isinstance(plan.experiment, Experiment)
    return plan.experiment
