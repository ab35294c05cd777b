"""Trains a part-of-speech tagger at the end of a pipeline run, from the tags of the reference view's tokens."""

from __future__ import annotations

import random
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import GOLD_VIEW, Cas, CaspipeWarning, Sentence, Token
from . import crfsuite_file
from .card import tagger_card
from .crf_trainer import Algorithm, by_sentence, check_crfsuite, crfsuite_options, frequent, logging_trainer
from .extraction import DocumentFeatures
from .feature import Feature, Words
from .labels import EncodingErrors
from .linear import seed_c_library
from .linear_model import LinearModel, write_linear_model
from .model_features import attached_files
from .model_files import CRFSUITE, FORMAT, read_member
from .model_trainer import CollectingTrainer, declared_features, interruptible, library_version
from .plain_data import as_data, plain
from .realign import TransferredTags, transfer_tags
from .tokenization import Tokenization, TrainingTokens
from .training import Example
from .weights import Weights, mean, slim

_FEATURES: tuple[Any, ...] = (
    "token",
    {"lower": {"window": [-2, 2]}},
    *({name: {"lower": True, "window": [-1, 1]}} for name in ("suffix2", "suffix3")),
    {"suffix": {"length": 1, "lower": True}},
    {"suffix4": {"lower": True}},
    {"suffix": {"length": 5, "lower": True}},
    {"prefix": {"length": 1}},
    *({name: {"lower": True}} for name in ("prefix2", "prefix3", "prefix4")),
    "shape",
    *({name: {"window": [-1, 1]}} for name in ("short_shape", "capital_type")),
    "hyphen",
)


def tagger_features() -> list[Feature]:
    """Return the features of the shipped tagger: words up to two away, endings and shapes (Ratnaparkhi 1996, EMNLP)."""
    return declared_features(_FEATURES)


@dataclass(slots=True)
class _Document:
    """The features of a document, with the words, tags and tokens of which its labels are made."""

    columns: DocumentFeatures
    text: str
    words: tuple[list[int], list[int]]
    tags: list[str]
    tokens: tuple[list[int], list[int]]
    reference: Example | None
    """The reference sentences with tokens other than those of the initial view; None if there are none."""


@component("tagger_trainer", inputs=[Token, Sentence])
class TaggerTrainer(CollectingTrainer):
    """Trains a linear-chain model on the tags (`Token.pos`) of the reference view and writes a model for `tagger`.

    The model is trained on the tokens and sentences of the initial view, to which it will be applied; tags are transferred
    from the reference tokens (`realign.transfer_tags`). Sentences in which the two differ are learned in both tokenizations if
    all features are form features: this mainly improves the tags of hyphenated words, and supports other tokenizers. The
    default, an averaged perceptron (Collins 2002, EMNLP), takes a minute for 200,000 tokens; `lbfgs` (a CRF) takes several
    times as long.
    """

    gold: str = GOLD_VIEW
    """View whose tokens have the reference tags."""
    features: list[Feature] = field(default_factory=tagger_features)
    window: tuple[int, int] = (0, 0)
    """First and last token of the window, relative to the token itself, for features without their own window."""
    algorithm: Algorithm = "ap"
    """ap: averaged perceptron; lbfgs: CRF by limited-memory BFGS; l2sgd, pa, arow: as in `crf_trainer`."""
    c1: float | None = None
    """Coefficient of L1 regularization (lbfgs); default 0.05. A larger one makes smaller models."""
    c2: float | None = None
    """Coefficient of L2 regularization (lbfgs, l2sgd); default 0.01."""
    max_iterations: int = 10
    """Passes over the data (ap, pa, arow, l2sgd) or iterations (lbfgs, which needs 60 or more) at most."""
    runs: int = 1
    """Number of trainings with different orders of the sentences, whose weights are averaged. More trainings take proportionally
    longer and are slightly more accurate. Not for lbfgs, which does not depend on the order."""
    min_count: int = 2
    """Minimum number of occurrences of an attribute in training."""
    prune: float = 0.0
    """Weights of attributes with a smaller or equal absolute value are removed from the model."""
    keep_crfsuite: bool = False
    """Add the model of a single training in CRFsuite's format, without pruning."""
    seed: int = 1
    """Seed of the order of the sentences."""
    tokenization: Tokenization = "segmenter"
    """Tokens to learn from. `segmenter`: those that the segmenter makes of raw text; other tokens of the initial view are
    replaced for the training. `given`: the tokens of the initial view; the model then needs such tokens wherever it is used."""
    command: str = ""
    """The command that trains the model: a line of the model card."""

    trained_as = "tagger"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_crfsuite(self.max_iterations, c1=self.c1, c2=self.c2)
        if self.prune < 0 or self.prune == float("inf") or self.prune != self.prune:
            raise ValueError(f"prune: expected a finite number of 0 or more, got {self.prune}")
        if self.runs < 1 or (self.runs > 1 and self.algorithm == "lbfgs"):
            raise ValueError(f"runs: expected 1 or more, and 1 for lbfgs, got {self.runs}")
        if self.keep_crfsuite and self.runs > 1:
            raise ValueError(
                "keep_crfsuite: expected a single training (runs: 1): the mean of several is not CRFsuite's"
            )

    def open(self) -> None:
        super().open()
        self._training_tokens = TrainingTokens(self.tokenization, self.needs())

    def process(self, cas: Cas) -> None:
        """Add a document. Raise CasError if it has no gold view, or if its text differs."""
        _, gold = self.views_of(cas)
        view = self._training_tokens.of(cas)
        words = Words(view)
        columns = self.feature_set.columns(words)
        tags = [tag or "" for tag in gold.feature(Token, "pos")]
        tokens = words.begins, words.ends
        reference = self._differing(Words(gold), tags, set(zip(*tokens, strict=True)))
        self.collect(cas, _Document(columns, view.text, gold.spans(Token), tags, tokens, reference))

    def _differing(self, words: Words, tags: list[str], tokens: set[tuple[int, int]]) -> Example | None:
        """Return the reference sentences with a token that the initial view does not have; None if there are none."""
        if len(self.feature_set.of_form) < len(self.features):
            return None  # the annotations that other features need exist in the initial view only
        forms: list[str] = []
        labels: list[str] = []
        sentences: list[tuple[int, int]] = []
        for first, last in words.sentences:
            spans = zip(words.begins[first:last], words.ends[first:last], strict=True)
            if not tokens.issuperset(spans):
                sentences.append((len(forms), len(forms) + last - first))
                forms += words.forms[first:last]
                labels += tags[first:last]
        columns = DocumentFeatures(forms, [], np.zeros((0, len(forms))), sentences, "sentence")
        return Example(columns, labels, EncodingErrors(), Counter()) if forms else None

    def close(self) -> None:
        """Train and write the model. Raise ConsumerError if there is nothing to learn from."""
        documents: list[_Document] = self.take_examples()
        tagset = frozenset(tag for d in documents for tag in d.tags if tag)
        if not tagset:
            raise ConsumerError(
                f"{self.name}: nothing to learn: no tags on tokens in {len(documents)} documents (view {self.gold})"
            )
        if len(tagset) == 1:
            raise ConsumerError(f"{self.name}: only one tag occurs in training, expected at least two")
        carried = [transfer_tags(d.text, d.words, d.tags, d.tokens, tagset) for d in documents]
        untagged = sum(c.untagged for c in carried)
        if untagged:
            warnings.warn(
                f"{self.name}: {untagged} tokens without a reference tag; their sentences are skipped",
                CaspipeWarning,
                stacklevel=2,
            )
        examples = [
            Example(d.columns, c.tags, EncodingErrors(), Counter()) for d, c in zip(documents, carried, strict=True)
        ]
        examples += [d.reference for d in documents if d.reference is not None]
        weights, facts, raw = self._train(examples)
        weights = slim(weights, self.prune)
        weights.verify()
        meta = self._meta(weights, carried, facts)
        write_linear_model(
            self.output / self.model, meta, weights, tagger_card(meta), raw, attached_files(self.features)
        )
        self.written(meta)

    def _train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        """Return the weights, facts for model.json, and with `keep_crfsuite` the model in CRFsuite's format.

        Sentences with a token without a tag are skipped.
        """
        documents = []
        for i, example in enumerate(examples):
            found = [s for s in by_sentence(self.feature_set, example) if "" not in s[1]]
            random.Random(f"{self.seed}/{i}").shuffle(found)
            documents.append(found)
        if self.min_count > 1:
            documents = frequent(documents, self.min_count)
        options = crfsuite_options(self.algorithm, c1=self.c1, c2=self.c2, max_iterations=self.max_iterations)
        trainer = logging_trainer(self.algorithm, options)
        for document in documents:
            for attributes, tags in document:
                trainer.append(attributes, tags)
        seed_c_library(self.seed)
        models = []
        with tempfile.TemporaryDirectory() as folder, interruptible():
            for run in range(self.runs):
                file = Path(folder) / f"{run}.crfsuite"
                trainer.train(str(file))
                if not file.exists() or not file.stat().st_size:
                    raise ConsumerError(f"{self.name}: CRFsuite wrote no model: expected features and sentences")
                raw = file.read_bytes()
                models.append(crfsuite_file.parse(raw))
        facts = {"sequences": sum(map(len, documents)), "options": options, "runs": self.runs}
        weights = mean(models) if self.runs > 1 else models[0]
        return weights, {"crfsuite": facts}, raw if self.keep_crfsuite else None

    def _meta(self, weights: Weights, carried: list[TransferredTags], facts: dict[str, Any]) -> dict[str, Any]:
        tags = Counter(tag for c in carried for tag in c.tags if tag)
        names = ("algorithm", "c1", "c2", "max_iterations", "runs", "min_count", "prune", "seed", "gold")
        return {
            "format": FORMAT,
            "name": self.model.stem if self.model.suffix == ".zip" else self.model.name,
            "type": self.trained_as,
            "title": self.title,
            "language": self.language,
            "licence": self.licence,
            "caspipe": library_version("caspipe"),
            "labels": weights.labels,
            "encoding": "io",
            "features": [plain(f) for f in self.features],
            "window": list(self.window),
            "context": "sentence",
            "active_features": weights.active,
            "training": {
                "corpora": self.corpora,
                "command": self.command,
                "documents": len(carried),
                "tokens": tags.total(),
                "tokenization": self._training_tokens.description(),
                "tags": dict(sorted(tags.items())),
                "carried": {
                    name: sum(getattr(c, name) for c in carried)
                    for name in ("same", "cut", "joined", "crossed", "untagged")
                },
                "parameters": {name: as_data(getattr(self, name)) for name in names},
            },
            "limits": self.limits,
            "versions": {name: library_version(name) for name in ("numpy", "python-crfsuite")},
            **facts,
        }


def record_scores(path: Path, scores: list[dict[str, Any]]) -> None:
    """Adds measured accuracy (`tag_scores.TagScores.row`) to the model at `path`, description and card."""
    model = LinearModel.load(str(path))
    meta = {**model.meta, "scores": scores}
    raw = read_member(path, CRFSUITE) if CRFSUITE in meta["files"] else None
    write_linear_model(path, meta, model.weights, tagger_card(meta), raw)
