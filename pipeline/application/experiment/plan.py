"""The content of an experiment's file: corpora, models, the settings of every kind of experiment, and its kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...assembly import config
from ...contract.component import Part

RESOLVER = "resolver"
"""The component that decides between candidates: a system has one."""


@dataclass(slots=True)
class CorpusPlan:
    """The reader of a corpus, the engines that prepare it, and the metadata that groups its documents."""

    name: str
    config: config.Config
    group: str = ""


@dataclass(slots=True)
class Model:
    """A system under test: what it is made of and what must be trained for it."""

    name: str
    trainer: config.Step | None = None
    annotator: config.Step | None = None
    of: list[str] = field(default_factory=list)
    """Models whose findings this one uses. If it has a trainer, that learns from their findings in documents that were left
    out of their training."""
    engines: list[config.Step] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """Everything the file says."""

    file: str
    name: str
    experiment: Part
    """An `Experiment`, see `experiment_of`."""
    settings: Settings
    corpora: dict[str, CorpusPlan]
    models: dict[str, Model]
    text: str = ""
    """The file as it was written, with the names of environment variables: for reports."""
    overrides: list[str] = field(default_factory=list)
    """The overrides of `--set`."""
    given: str = ""
    """The file as given on the command line: its path, or the name of a shipped experiment."""

    @property
    def train(self) -> str:
        """The corpus that models are trained on; empty if there is none."""
        return self.settings.train or next(iter(self.corpora), "")

    @property
    def trainable(self) -> list[str]:
        return [m.name for m in self.models.values() if m.trainer is not None]

    def chosen(self) -> list[str]:
        """Return the models the experiment is about."""
        return list(getattr(self.experiment, "models", [])) or list(self.models)


@dataclass(frozen=True, slots=True)
class Piece:
    """A step of a system; `trained` names the model whose bundle its annotator takes, empty if there is none."""

    step: config.Step
    trained: str = ""


def pieces(models: Mapping[str, Model], name: str) -> list[Piece]:
    """Return the steps of a system in order: the models it is made of, its own annotator, its own engines.

    An annotator that is a resolver (with a strategy that is trained) comes last. Of a model that is part of another, the
    resolver is left out: the one of the whole decides.
    """
    model = models[name]
    found = finders(models, model)
    own = [] if model.annotator is None else [Piece(model.annotator, name)]
    engines = [Piece(step) for step in model.engines]
    decides = model.annotator is not None and model.annotator.name == RESOLVER
    return [*found, *engines, *own] if decides else [*found, *own, *engines]


def finders(models: Mapping[str, Model], model: Model) -> list[Piece]:
    """Return the steps of the models that a model is made of."""
    return [p for other in model.of for p in pieces(models, other) if p.step.name != RESOLVER]


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
    the training corpus (`holdout`), and the rest use folds."""
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
