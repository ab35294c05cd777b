"""The family of experiments: each kind is a small class, registered as a part; plug-ins add their own in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...contract.component import Part
from ...storage.yaml_source import Keys
from .plan import Plan
from .result import Result
from .runner import ExperimentRunner


class Experiment(Part):
    """A kind of experiment. Its fields are the keys under `experiment:` in YAML.

    A field `models` holds the names of the models it is about; if it is empty, all models or all trainable ones.
    """

    full: ClassVar[tuple[str, ...]] = ()
    """Parameters whose default is the source's number (repetitions): the first line of a report says if a run used fewer."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        """Yield faults that only the file as a whole shows: (keys below `experiment`, message). Reads no data."""
        yield from ()

    def run(self, runner: ExperimentRunner) -> Result:
        """Run trainings and tests, and return tables and figures of their results.

        The same documents give the same result, independent of the order in which jobs end.
        """
        raise TypeError(f"{type(self).__name__} must define run(runner)")


def experiment_of(plan: Plan) -> Experiment:
    """Return the experiment of a plan."""
    assert isinstance(plan.experiment, Experiment)
    return plan.experiment
