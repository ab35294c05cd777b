"""The content of an experiment file: the experiment, its settings, corpora and models."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...assembly.steps import Config, Step
from ...contract.component import Part

RESOLVER = "resolver"
"""The component that chooses between candidates. A system has at most one."""


@dataclass(slots=True)
class CorpusPlan:
    """The reader of a corpus, the engines that prepare its documents, and how folds divide them."""

    name: str
    config: Config
    group: str = ""
    """Metadata with the patient or other group of a document; a group is never divided. Empty: each document by itself."""
    stratify: str = ""
    """Metadata (a genre, an institution) whose values all folds have in the same proportion, or `kinds` for the rarest PHI kind
    of each document. Empty: no strata."""


@dataclass(slots=True)
class Model:
    """A system under test: its components, and the trainer of its annotator."""

    name: str
    trainer: Step | None = None
    annotator: Step | None = None
    members: list[str] = field(default_factory=list)
    """Models whose candidates this one uses. Its trainer, if any, learns from their candidates in documents that are not part
    of their training data."""
    engines: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """The content of an experiment file."""

    file: str
    name: str
    experiment: Part
    """An `Experiment`; see `experiment_of`."""
    settings: Settings
    corpora: dict[str, CorpusPlan]
    models: dict[str, Model]
    text: str = ""
    """The text of the file, with unresolved environment variables, for reports."""
    overrides: list[str] = field(default_factory=list)
    """The values of `--set`."""
    given: str = ""
    """The argument of the command line: the path of the file, or the name of a shipped experiment."""

    @property
    def train(self) -> str:
        """The training corpus; empty if the file has no corpora."""
        return self.settings.train or next(iter(self.corpora), "")

    @property
    def trainable(self) -> list[str]:
        return [m.name for m in self.models.values() if m.trainer is not None]

    def chosen(self) -> list[str]:
        """Return the models of the experiment; by default all."""
        return list(getattr(self.experiment, "models", [])) or list(self.models)


@dataclass(frozen=True, slots=True)
class SystemStep:
    """A step of a system. `trained`: the model whose bundle its annotator uses; empty if there is none."""

    step: Step
    trained: str = ""


def system_steps(models: Mapping[str, Model], name: str) -> list[SystemStep]:
    """Return the steps of a system in order: those of its members without their resolvers, its annotator, its engines.

    An annotator that is a resolver (with a trained strategy) comes last.
    """
    model = models[name]
    members = member_steps(models, model)
    engines = [SystemStep(step) for step in model.engines]
    if model.annotator is None:
        return [*members, *engines]
    annotator = SystemStep(model.annotator, name)
    return [*members, *engines, annotator] if annotator.step.name == RESOLVER else [*members, annotator, *engines]


def member_steps(models: Mapping[str, Model], model: Model) -> list[SystemStep]:
    """Return the steps of the members of a model, without resolvers."""
    return [s for member in model.members for s in system_steps(models, member) if s.step.name != RESOLVER]


Level = Literal["kind", "top", "vigibase", "i2b2-2014", "i2b2-2014-sub", "meddocan"]
Measure = Literal["precision", "recall", "f1"]

CRITERIA = ("strict", "covering", "overlapping")


@dataclasses.dataclass(kw_only=True)
class Settings:
    """The top-level settings of an experiment file."""

    title: str = ""
    """Heading of the report; by default the name of the file."""
    source: str = ""
    """Part of a publication that the experiment reproduces, such as `Fig. 17`."""
    note: str = ""
    """An introduction for the reader of the report."""
    train: str | None = None
    """Name of the training corpus; by default the first corpus."""
    test: str | None = None
    """Name of the test corpus. Without it, experiments with a single test set use a share of the training corpus (`holdout`),
    and the others use folds."""
    holdout: float = 0.25
    """Share of documents of the training corpus (0 to 1) used for tests if there is no `test` corpus."""
    folds: int = 5
    """Number of folds of a cross-validation. Documents of one group are always in the same fold."""
    seed: int = 1
    """Seed of all random choices: folds, subsets, samples."""
    criteria: list[str] = dataclasses.field(default_factory=lambda: list(CRITERIA))
    """Matching criteria: `strict`, `covering`, `overlapping`, or another criterion of `caspipe evaluate`."""
    level: Level = "kind"
    """Level at which kinds are compared: unchanged (`kind`), at the first level (`top`), or as categories of a scheme."""
    schemes: list[str] = dataclasses.field(default_factory=list)
    """Shared tasks whose official metrics are added to the result tables: `meddocan`, `i2b2-2014`, `conll`."""
    limit: int | None = None
    """Maximum number of documents of each corpus, sampled with the seed."""
    keep_models: bool = False
    """True to keep trained models in the folder `bundles` after their test."""

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
