"""The options of every kind of experiment: what is trained and tested on, folds, seed, criteria."""

from __future__ import annotations

import dataclasses
from typing import Literal

Level = Literal["kind", "top", "vigibase", "i2b2-2014", "i2b2-2014-sub", "meddocan"]
Measure = Literal["precision", "recall", "f1"]

CRITERIA = ("strict", "covering", "overlapping")


@dataclasses.dataclass(kw_only=True)
class Settings:
    """The plain keys at the top of an experiment's file."""

    title: str = ""
    """Heading of the report; the name of the file if omitted."""
    source: str = ""
    """Part of a publication that this repeats: `Fig. 17`."""
    note: str = ""
    """A sentence or two for the reader of the report."""
    train: str | None = None
    """Name of the corpus that models are trained on; may be omitted if there is only one."""
    test: str | None = None
    """Name of the corpus that models are applied to. Without one, experiments that need a test part hold back a share of
    the training corpus (`holdout`), and the others use folds."""
    holdout: float = 0.25
    """Share of the training corpus (0 to 1, in documents) used for tests if no `test` corpus is named."""
    folds: int = 5
    """Parts of a cross-validation. Documents, and documents of one group, are never split."""
    seed: int = 1
    """Everything random follows from it: folds, subsets, samples."""
    criteria: list[str] = dataclasses.field(default_factory=lambda: list(CRITERIA))
    """When something counts as found: `strict`, `covering`, `overlapping`, or another criterion of `caspipe evaluate`."""
    level: Level = "kind"
    """At which level kinds are compared: as they are, at the first level (`top`), or as the categories of a scheme."""
    schemes: list[str] = dataclasses.field(default_factory=list)
    """Shared tasks whose official figures the tables of results add: `meddocan`, `i2b2-2014`, `conll`."""
    limit: int | None = None
    """Use at most this many documents of each corpus, drawn by the seed."""
    keep_models: bool = False
    """True if trained models stay in the folder `bundles` once they have been tested."""

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds: expected 2 or more, got {self.folds}")
        if not 0 < self.holdout < 1:
            raise ValueError(f"holdout: expected a share between 0 and 1, got {self.holdout:g}")
        if self.limit is not None and self.limit < 2:
            raise ValueError(f"limit: expected 2 or more, got {self.limit}")
        if not self.criteria:
            raise ValueError("criteria: expected at least one")
        self.criteria = list(dict.fromkeys(self.criteria))
