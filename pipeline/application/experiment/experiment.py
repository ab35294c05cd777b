"""The family of experiments: a kind of experiment is one small class, registered as a part; third parties add theirs alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from ...contract.component import Part
from ...storage.yaml_source import Keys

if TYPE_CHECKING:
    from .bench import Bench
    from .plan import Plan
    from .result import Result


class Experiment(Part):
    """A kind of experiment. Its fields are what stands under `experiment:` in YAML.

    A field `models` holds names of the models it is about, all or all trainable ones where it is empty.
    """

    full: ClassVar[tuple[str, ...]] = ()
    """Parameters whose default is the source's number (repetitions): a report with fewer says so in its first line."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        """Faults that the file as a whole shows: (keys below `experiment`, what is wrong). Touches no data."""
        yield from ()

    def run(self, bench: Bench) -> Result:
        """Asks the bench for trainings and tests and makes tables and figures of what comes back.

        The same documents give the same result, whatever the order in which jobs end.
        """
        raise TypeError(f"{type(self).__name__} must define run(bench)")
