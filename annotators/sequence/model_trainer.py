"""The base classes of trainers, which collect documents during a pipeline run and write a model at its end."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from ...pipeline.contract.component import CasConsumer, Scope
from ...pipeline.contract.params import convert
from ...pipeline.errors import CasError, ConsumerError
from ...typesystem import GOLD_VIEW, Cas, FeatureStructure, PhiKind, Sentence, Token, View
from .card import model_card
from .extraction import Context, FeatureSet
from .feature import Feature
from .linear_model import write_linear_model
from .model_features import attached_files
from .model_files import FORMAT, refuse_foreign, update_description
from .plain_data import as_data, plain
from .weights import Weights

log = logging.getLogger("caspipe.training")

DEFAULT_FEATURES = (
    *("token", "lower", "capital_type", "numeric_type", "hyphen", "suffix2", "suffix3", "char_pattern", "length"),
    *("has_xyz", "sentence_position", "document_position", "sentence_in_document"),
)
_CARD = ("title", "licence", "language", "corpora", "limits")


def default_features() -> list[Feature]:
    """Return the features of the VigiBase de-identifier (seed system, Table 8) that need only tokens."""
    return declared_features(DEFAULT_FEATURES)


def declared_features(declarations: Iterable[Any]) -> list[Feature]:
    """Return features declared as in YAML. Raises ValueError for unknown features and wrong parameters."""
    faults: list[str] = []
    features = [convert(Feature, item, lambda _, fault: faults.append(fault), ()) for item in declarations]
    if faults:
        raise ValueError("; ".join(faults))
    return features


@dataclass(kw_only=True, eq=False, repr=False)
class CollectingTrainer(CasConsumer):
    """Collects an example of every document. Subclasses train and write a model when they are closed."""

    model: Path
    """Folder, or file that ends in `.zip`."""
    gold: str
    features: list[Feature]
    """Features of the model, by name or `name: {parameters}`."""
    window: tuple[int, int]
    min_count: int
    title: str = ""
    """Purpose of the model in one sentence: the first line of its card."""
    licence: str = ""
    """Licence of the trained model."""
    language: str = ""
    """Language of the texts, ISO 639-1."""
    corpora: list[str] = field(default_factory=list)
    """Training corpora with licences: lines of the model card."""
    limits: str = ""
    """Limits of the model: a paragraph of the model card."""

    scope = Scope.COLLECTION
    trained_as: ClassVar[str] = ""
    bare: ClassVar[bool] = False
    """True if the model can be trained without features."""

    def __post_init__(self) -> None:
        low, high = self.window
        if not -20 <= low <= 0 <= high <= 20:
            raise ValueError(f"window: expected [from, to] with from in -20..0 and to in 0..20, got [{low}, {high}]")
        if self.min_count < 1:
            raise ValueError(f"min_count: expected 1 or more, got {self.min_count}")
        if not self.features and not self.bare:
            raise ValueError("features: expected at least one")
        self._new_feature_set()

    def _new_feature_set(self) -> FeatureSet:
        return FeatureSet(self.features, self.window)

    @cached_property
    def feature_set(self) -> FeatureSet:
        """The features, opened."""
        features = self._new_feature_set()
        features.open()
        return features

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return tuple(dict.fromkeys((Token, Sentence, *self._new_feature_set().needs())))

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        """Return the features that need an earlier component."""
        users = [f.label for f in self.features if need in (*f.inputs, *f.sets)]
        return f"feature {', '.join(users)}" if users else ""

    def open(self) -> None:
        super().open()
        refuse_foreign(self.output / self.model)  # before the training, which may take hours
        files = attached_files(self.feature_set.features)
        if files and self.model.suffix == ".zip":
            raise ConsumerError(
                f"{self.name}: model: expected a folder, not a zip: it contains files of its features ({', '.join(files)})"
            )
        self._examples: list[Any] = []
        self._latest: str | None = None
        self._written: dict[str, Any] | None = None

    def views_of(self, cas: Cas) -> tuple[View, View]:
        """Return the initial and the gold view. Raise CasError if the gold view is missing or has another text."""
        self._latest = None
        gold, view = cas.view(self.gold), cas.view()
        if gold.text != view.text:
            raise CasError(f"view {self.gold} has another text than the initial view: its spans have other offsets")
        return view, gold

    def collect(self, cas: Cas, example: Any) -> None:
        """Add the example of a document."""
        self._examples.append(example)
        self._latest = cas.id

    def take_examples(self) -> list[Any]:
        """Return the collected examples and release them."""
        examples, self._examples, self._latest = self._examples, [], None
        return examples

    def rollback(self, document_id: str) -> None:
        if self._latest == document_id:
            self._examples.pop()
            self._latest = None

    def abort(self) -> None:
        """Discard the examples: a failed run writes no model."""
        self.take_examples()

    def written(self, meta: dict[str, Any]) -> None:
        """Store the description of the written model for `finish`."""
        self._written = meta
        log.info("written", extra={"path": str(self.output / self.model), "active_features": meta["active_features"]})

    def finish(self, report: Any) -> None:
        """Add the engines of the run, which added the tokens and features, to the description of the model."""
        if self._written is not None:
            update_description(self.output / self.model, {**self._written, "preprocessing": report.config["engines"]})


@dataclass(kw_only=True, eq=False, repr=False)
class ModelTrainer(CollectingTrainer):
    """Collects documents with reference annotations and writes a model when the run ends."""

    gold: str = GOLD_VIEW
    """View with the reference annotations (Phi)."""
    features: list[Feature] = field(default_factory=default_features)
    window: tuple[int, int] = (-3, 3)
    """First and last token of the window, relative to the token itself."""
    context: Context = "sentence"
    """Limit of the window: the sentence or the document."""
    kinds: list[PhiKind] = field(default_factory=list)
    """Learn only these kinds and the kinds below them; empty: all that occur."""
    min_count: int = 1
    """Minimum number of occurrences of an attribute in training."""
    seed: int = 1
    """Seed of all random choices: down-sampling, shuffling, held-out documents."""

    libraries: ClassVar[tuple[str, ...]] = ()

    def _new_feature_set(self) -> FeatureSet:
        return FeatureSet(self.features, self.window, self.context)

    def wants(self, kind: PhiKind) -> bool:
        """Return whether a kind is to be learned."""
        return not self.kinds or kind in self.kinds or kind.parent in self.kinds

    def write(
        self, weights: Weights, training: dict[str, Any], facts: dict[str, Any], crfsuite: bytes | None = None
    ) -> None:
        """Write the model. `training` describes the training data, `facts` are further entries of the description."""
        weights.verify()
        meta = self.describe(weights.labels, weights.active, training, facts)
        path = self.output / self.model
        write_linear_model(path, meta, weights, model_card(meta), crfsuite, attached_files(self.features))
        self.written(meta)

    def describe(
        self, labels: list[str], active: int, training: dict[str, Any], facts: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the description of the model: the content of model.json without checksums."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        omitted = ("features", "window", "context", "encoding", "model", *_CARD)
        return {
            "format": FORMAT,
            "name": self.model.stem if self.model.suffix == ".zip" else self.model.name,
            "type": self.trained_as,
            **{name: own[name] for name in _CARD if name != "corpora"},
            "caspipe": library_version("caspipe"),
            "labels": labels,
            "kinds": kind_definitions(training["spans"]),
            "features": [plain(f) for f in self.features],
            "window": list(self.window),
            "context": self.context,
            "active_features": active,
            "training": {
                "corpora": self.corpora,
                **training,
                "parameters": {k: as_data(v) for k, v in own.items() if k not in omitted},
            },
            "versions": {name: library_version(name) for name in ("numpy", *self.libraries)},
            **facts,
        }


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C stop a training immediately (KeyboardInterrupt). Otherwise a run stops only after the current document."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def counted(spans: Counter[str]) -> dict[str, int]:
    """Return the number of spans by kind, sorted by name."""
    return dict(sorted(spans.items()))


def library_version(package: str) -> str:
    """Return the version of an installed package, `absent` if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def kind_definitions(names: dict[str, int]) -> dict[str, Any]:
    """Return the definitions of the kinds, for processes in which they are not defined."""
    definitions: dict[str, dict[str, Any]] = {}
    for name in sorted(names):
        kind = PhiKind.of(name)
        if kind.own:
            definitions[name] = {"own": True}
        elif kind.parent is not None:
            if kind.parent.own:
                definitions[kind.parent.name] = {"own": True}
            definitions[name] = {
                "parent": kind.parent.name,
                "hipaa": kind.hipaa,
                "direct": kind.direct,
                "description": kind.description,
                "schemes": dict(kind.schemes),
            }
    return definitions
