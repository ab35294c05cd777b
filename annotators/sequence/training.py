"""What training a CRF and an SVM share: collecting documents in a pipeline run, and writing the bundle at its end."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from ...pipeline.component import CasConsumer
from ...pipeline.errors import CasError, ConsumerError
from ...typesystem import GOLD_VIEW, Cas, CaspipeWarning, FeatureStructure, Phi, PhiKind, Sentence, Token
from . import bundle
from .card import model_card
from .extraction import Columns, Context, FeatureSet
from .feature import Feature, Words
from .labels import OUTSIDE, Encoding, Misfits, encode
from .weights import Weights

log = logging.getLogger("caspipe.training")


@dataclass(slots=True)
class Example:
    """One document for training: what features see of it, the label of each token, and what labels could not say."""

    columns: Columns
    labels: list[str]
    misfits: Misfits
    spans: Counter[str]


def default_features() -> list[Feature]:
    """The features of the VigiBase de-identifier (seed system, Table 8) that need nothing but tokens and lists."""
    from ...pipeline.params import convert

    faults: list[str] = []
    made = [convert(Feature, name, lambda _, what: faults.append(what), ()) for name in DEFAULT_FEATURES]
    if faults:
        raise ConsumerError("; ".join(faults))
    return made


DEFAULT_FEATURES = (
    *("token", "lower", "capital_type", "numeric_type", "hyphen", "suffix2", "suffix3", "char_pattern", "length"),
    *("has_xyz", "sentence_position", "document_position", "sentence_in_document"),
)


@dataclass(kw_only=True, eq=False, repr=False)
class Trainer(CasConsumer):
    """Collects documents with reference annotations and writes a model bundle when the run ends."""

    model: Path
    """Where the bundle goes: a folder, or a file that ends in `.zip`."""
    gold: str = GOLD_VIEW
    """View with the reference annotations (Phi)."""
    features: list[Feature] = field(default_factory=default_features)
    """What the model looks at, by name or `name: {parameters}`."""
    window: tuple[int, int] = (-3, 3)
    """First and last token looked at, relative to the token itself."""
    context: Context = "sentence"
    """Whether the window ends with the sentence, or looks beyond it to the ends of the document."""
    encoding: Encoding = "iob2"
    """How spans become labels of tokens."""
    first_level: bool = False
    """Learn first-level kinds only: PERSON for PERSON_DOCTOR."""
    kinds: list[PhiKind] = field(default_factory=list)
    """Learn these kinds (and those below them) only; empty: all that occur."""
    min_count: int = 1
    """Attributes that occur less often in training are left out."""
    seed: int = 1
    """For everything random: down-sampling, shuffles, held-out documents."""
    title: str = ""
    """One sentence on what the model is for: the first line of its card."""
    licence: str = ""
    """Licence of the trained model."""
    language: str = ""
    """Language of the texts, ISO 639-1."""
    corpora: list[str] = field(default_factory=list)
    """What it was trained on, with licences: lines of the model card."""
    limits: str = ""
    """What the model cannot do: a paragraph of the model card."""

    trained_as: ClassVar[str] = ""
    libraries: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        low, high = self.window
        if not -20 <= low <= 0 <= high <= 20:
            raise ValueError(f"window: expected [from, to] with from in -20..0 and to in 0..20, got [{low}, {high}]")
        if self.min_count < 1:
            raise ValueError(f"min_count: expected 1 or more, got {self.min_count}")
        if not self.features:
            raise ValueError("features: expected at least one")
        self._set()

    def _set(self) -> FeatureSet:
        return FeatureSet(self.features, self.window, self.context)

    @cached_property
    def feature_set(self) -> FeatureSet:
        """The features, opened."""
        made = self._set()
        made.open()
        return made

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return tuple(dict.fromkeys((Token, Sentence, *self._set().needs())))

    def open(self) -> None:
        super().open()
        self._examples: dict[str, Example] = {}
        self._written: dict[str, Any] | None = None

    def process(self, cas: Cas) -> None:
        """Takes one document in. Raises CasError where it has no gold view, or one over another text."""
        gold, view = cas.view(self.gold), cas.view()
        if gold.text != view.text:
            raise CasError(f"view {self.gold} has another text than the initial view: its spans mean other places")
        words = Words(view)
        spans = [(p.begin, p.end, name) for p in gold.select(Phi) if (name := self._name_of(p.kind))]
        columns = self.feature_set.columns(words)
        labels, misfits = encode(words.begins, words.ends, words.sentences, spans, self.encoding)
        self._examples[cas.id or f"#{len(self._examples)}"] = Example(
            columns, labels, misfits, Counter(kind for _, _, kind in spans)
        )

    def _name_of(self, kind: PhiKind) -> str:
        if self.kinds and kind not in self.kinds and kind.parent not in self.kinds:
            return ""
        return kind.top.name if self.first_level else kind.name

    def retract(self, cas: Cas) -> None:
        self._examples.pop(cas.id, None)

    def abandon(self) -> None:
        """A run that broke down leaves no model."""
        self._examples = {}

    def close(self) -> None:
        """Trains and writes the bundle. Raises ConsumerError where there is nothing to learn from."""
        examples = list(self._examples.values())
        self._examples = {}
        found = sorted({label for e in examples for label in e.labels})
        if not any(label != OUTSIDE for label in found):
            raise ConsumerError(
                f"{self.name}: nothing to learn: no gold spans on tokens in {len(examples)} documents (view {self.gold})"
            )
        if OUTSIDE not in found and len(found) < 2:
            raise ConsumerError(f"{self.name}: only one label occurs in training ({found[0]}): nothing to tell apart")
        misfits = Misfits()
        for example in examples:
            misfits.add(example.misfits)
        if misfits:
            told = ", ".join(f"{n} {what}" for what, n in misfits.as_dict().items() if n)
            warnings.warn(f"{self.name}: gold spans that do not fit tokens: {told}", CaspipeWarning, stacklevel=2)
        weights, facts, crfsuite = self.train(examples)
        weights.verify()
        meta = self._meta(examples, weights, misfits, facts)
        path = self.output / self.model
        bundle.write(path, meta, weights, model_card(meta), crfsuite)
        self._written = meta
        log.info("written", extra={"path": str(path), "active_features": weights.active})

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        """Weights, facts for model.json, and the model in CRFsuite's format if there is one."""
        raise TypeError(f"{type(self).__name__} must define train(examples)")

    def _meta(
        self, examples: Iterable[Example], weights: Weights, misfits: Misfits, facts: dict[str, Any]
    ) -> dict[str, Any]:
        examples = list(examples)
        spans: Counter[str] = Counter()
        for example in examples:
            spans.update(example.spans)
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        told = (
            "features",
            "window",
            "context",
            "encoding",
            "model",
            "title",
            "licence",
            "language",
            "corpora",
            "limits",
        )
        return {
            "format": bundle.FORMAT,
            "name": self.model.stem if self.model.suffix == ".zip" else self.model.name,
            "type": self.trained_as,
            "title": self.title,
            "language": self.language,
            "licence": self.licence,
            "caspipe": _version("caspipe"),
            "labels": weights.labels,
            "encoding": self.encoding,
            "kinds": _defined(set(spans)),
            "features": [bundle.plain(f) for f in self.features],
            "window": list(self.window),
            "context": self.context,
            "active_features": weights.active,
            "training": {
                "corpora": self.corpora,
                "documents": len(examples),
                "tokens": sum(len(e.labels) for e in examples),
                "spans": dict(sorted(spans.items())),
                "misfits": misfits.as_dict(),
                "parameters": {k: bundle.as_data(v) for k, v in own.items() if k not in told},
            },
            "limits": self.limits,
            "versions": {name: _version(name) for name in ("numpy", *self.libraries)},
            **facts,
        }

    def finish(self, report: Any) -> None:
        """After a run: the engines that made the tokens and features are part of what the model is."""
        if self._written is not None:
            bundle.amend(self.output / self.model, {**self._written, "preprocessing": report.config["engines"]})


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _defined(names: set[str]) -> dict[str, Any]:
    """How to define the kinds again where a process does not know them."""
    found = {}
    for name in sorted(names):
        kind = PhiKind.of(name)
        if kind.parent is not None:
            found[name] = {
                "parent": kind.parent.name,
                "hipaa": kind.hipaa,
                "direct": kind.direct,
                "description": kind.description,
                "schemes": dict(kind.schemes),
            }
    return found
