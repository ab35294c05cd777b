"""The content of an experiment's file: corpora, models, settings and the kind of experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...assembly import config
from ...contract.component import Part
from .settings import Settings

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
    """The file as it was written, environment variables as such: for reports."""
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
