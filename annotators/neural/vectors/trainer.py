"""Trains word vectors on the tokens of documents. No PHI annotations are needed."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ....pipeline.contract.component import CasConsumer, Scope, component
from ....pipeline.errors import ConsumerError
from ....typesystem import INITIAL_VIEW, Cas, FeatureStructure, Sentence, Token, View
from ...sequence.model_trainer import interruptible
from ..extras import need
from .corpus import Corpus
from .reading import MOST_DIMENSIONS, Floats32
from .word_vectors import WordVectors, refuse_foreign

log = logging.getLogger("caspipe.training")


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """The result of a training."""

    path: Path
    words: int
    dim: int
    documents: int
    tokens: int
    covered: int
    """Number of tokens whose form has a vector."""
    size: int
    """Bytes on disk."""


@component("vectors_trainer", inputs=[Token, Sentence])
class VectorsTrainer(CasConsumer):
    """Trains word vectors on the tokens of all documents and writes them when the run ends.

    Trains a skip-gram model with negative sampling (Mikolov et al. 2013, "Distributed Representations of Words and Phrases
    and their Compositionality") with gensim, extra `vectors`. The output is reproducible for the same documents
    in the same order on the same platform. Tokens are stored on disk; memory depends on the vocabulary. The file contains every
    sufficiently frequent word, including names: protect it like the texts, or train on masked text (`view: deidentified`).
    """

    vectors: Path
    """File to write: caspipe's own format, or word2vec's text for other tools (see `format`)."""
    dim: int = 100
    """Dimensions of a vector."""
    window: int = 5
    """Number of context words on either side; closer ones are sampled more often."""
    min_count: int = 3
    """Minimum frequency of words with a vector."""
    max_words: int = 50_000
    """Maximum number of words with a vector; the most frequent ones."""
    epochs: int = 10
    """Passes over the text."""
    seed: int = 1
    """Seed for initial vectors and negative samples."""
    lower: bool = True
    """Convert words to lower case."""
    digits: bool = True
    """Replace digits by 0: `12.5 mg` and `37.5 mg` become equal."""
    context: Literal["sentence", "document"] = "sentence"
    """Boundary of the window."""
    view: str = INITIAL_VIEW
    """View whose tokens are used; `deidentified`: tokens of the masked text, without the replacements."""
    format: Literal["auto", "npz", "word2vec"] = "auto"
    """`auto`: caspipe's own if the name ends in .npz, else word2vec's text."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        limits = (
            ("dim", MOST_DIMENSIONS),
            ("window", 100),
            ("min_count", None),
            ("max_words", 1_000_000),
            ("epochs", 1_000),
        )
        for name, most in limits:
            value = getattr(self, name)
            if value < 1 or (most is not None and value > most):
                expected = f"1 to {most:,}" if most is not None else "1 or more"
                raise ValueError(f"{name}: expected {expected}, got {value:,}")
        self.trained: TrainedVectors | None = None

    @property
    def path(self) -> Path:
        """The output file."""
        return self.output / self.vectors

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (Token, Sentence) if self.context == "sentence" else (Token,)

    def open(self) -> None:
        super().open()
        need("gensim.models", "vectors", self.name)
        refuse_foreign(self.path)  # before the documents are processed
        self.trained = None
        self._corpus = Corpus(self.lower, self.digits)
        self._latest: str | None = None

    def process(self, cas: Cas) -> None:
        """Add a document. Raise CasError if it lacks the view."""
        self._latest = None
        self._corpus.add(self._segments(cas.view(self.view)))
        self._latest = cas.id

    def _segments(self, view: View) -> Iterator[list[str]]:
        tokens = view.tokens
        if self.context == "document":
            yield tokens.forms
            return
        previous_end = 0
        for begin, end in zip(*view.spans(Sentence), strict=True):
            first, last = max(tokens.at(begin), previous_end), tokens.at(end)
            yield tokens.forms[previous_end:first]  # outside of sentences
            yield tokens.forms[first : max(last, first)]
            previous_end = max(last, first)
        yield tokens.forms[previous_end:]

    def rollback(self, document_id: str) -> None:
        if self._latest == document_id:
            self._corpus.rollback()
            self._latest = None

    def abort(self) -> None:
        """Discard the tokens, because the run failed."""
        self._corpus.close()
        self._latest = None

    def close(self) -> None:
        """Train and write the vectors. Raise ConsumerError if the text does not suffice."""
        self._latest = None
        try:
            with interruptible():
                self._learn()
        finally:
            self._corpus.close()

    def _learn(self) -> None:
        corpus = self._corpus
        corpus.flush()
        counts = corpus.vocabulary(self.min_count, self.max_words)
        if not counts:
            times = "time" if self.min_count == 1 else "times"
            raise ConsumerError(
                f"{self.name}: nothing to learn from: no word occurs {self.min_count} {times} or more in "
                f"{corpus.documents:,} documents: give a smaller min_count, or more text"
            )
        if not any(sum(form in counts for form in segment) > 1 for segment in corpus):
            raise ConsumerError(f"{self.name}: nothing to learn from: no two words occur near each other")
        tokens = corpus.counts.total()
        log.info("matrix", extra={"tokens": tokens, "attributes": len(counts)})
        matrix = self._skip_gram(counts)
        covered = sum(counts.values())
        training = {"documents": corpus.documents, "tokens": tokens, "covered": covered}
        WordVectors(list(counts), matrix, meta=self._meta(training)).write(self.path, self._format)
        size = self.path.stat().st_size
        self.trained = TrainedVectors(self.path, len(counts), self.dim, corpus.documents, tokens, covered, size)
        log.info("written", extra={"path": str(self.path), "words": len(counts)})

    def _skip_gram(self, counts: dict[str, int]) -> Floats32:
        """Return a vector of length 1 for each word, in the order of `counts`; shape (words, dim)."""
        models = need("gensim.models", "vectors", self.name)
        model = models.Word2Vec(
            vector_size=self.dim,
            window=self.window,
            min_count=1,
            sg=1,
            sample=0,
            epochs=self.epochs,
            seed=self.seed,
            workers=1,  # the order of updates from several threads is not reproducible
            hashfxn=_stable_hash,
            sorted_vocab=0,
        )
        model.build_vocab_from_freq(counts)
        total = self._corpus.counts.total()
        for epoch in range(1, self.epochs + 1):
            rates = [self._rate(model, done) for done in (epoch - 1, epoch)]
            model.train(self._corpus, total_words=total, epochs=1, start_alpha=rates[0], end_alpha=rates[1])
            log.info("iteration", extra={"iteration": epoch, "of": self.epochs})
        lengths = np.linalg.norm(model.wv.vectors, axis=1, keepdims=True)
        return np.asarray(model.wv.vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)

    def _rate(self, model: Any, done: int) -> float:
        """Return the learning rate after `done` epochs, which decreases linearly."""
        return float(model.alpha + (model.min_alpha - model.alpha) * done / self.epochs)

    @property
    def _format(self) -> Literal["npz", "word2vec"]:
        if self.format != "auto":
            return self.format
        return "npz" if self.vectors.suffix == ".npz" else "word2vec"

    def _meta(self, training: dict[str, Any]) -> dict[str, Any]:
        names = ("window", "min_count", "max_words", "epochs", "seed", "context", "view")
        return {
            "lower": self.lower,
            "digits": self.digits,
            "method": "skip-gram with negative sampling (gensim)",
            "training": {**training, "parameters": {name: getattr(self, name) for name in names}},
        }


def _stable_hash(word: str) -> int:
    """Return a hash that does not depend on PYTHONHASHSEED."""
    return zlib.crc32(word.encode())
