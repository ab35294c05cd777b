"""Learns word vectors at the end of a pipeline run, from the tokens of any documents; no annotations are needed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ....pipeline.contract.component import CasConsumer, Scope, component
from ....pipeline.errors import ConsumerError
from ....typesystem import INITIAL_VIEW, Cas, CaspipeWarning, FeatureStructure, Sentence, Token, View
from ...sequence.model_trainer import interruptible
from .cooccurrence import MOST_PAIRS, count_pairs
from .factorising import SMOOTHING, factorised, positive_information
from .reading import MOST_DIMENSIONS
from .token_stream import MOST_FORMS, TokenStream
from .word_vectors import WordVectors, refuse_foreign

log = logging.getLogger("caspipe.training")


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """What a training made."""

    path: Path
    words: int
    dim: int
    documents: int
    tokens: int
    covered: int
    """Tokens whose form has a vector."""
    pairs: int
    """Different pairs of words that stand near one another."""
    size: int
    """Bytes on disk."""


@component("vectors_trainer", inputs=[Token, Sentence])
class VectorsTrainer(CasConsumer):
    """Learns vectors of words from the tokens of all documents and writes them when the run ends.

    Positive pointwise mutual information of words in a window, factorised (`factorising`): the same documents give the same
    vectors, whatever their order. Token numbers wait on disk; memory is that of the vocabulary and of at most 30 million
    pairs. The file holds every word that occurs often enough, names too: keep it where the texts are kept, or learn from
    masked text (`view: deidentified`).
    """

    vectors: Path
    """Where they go: caspipe's own format, or word2vec's text for other tools (see `format`)."""
    dim: int = 100
    """Numbers in a vector. There must be more words than that."""
    window: int = 5
    """Words to either side that count as near; the nearest counts `window` times as much as the farthest."""
    min_count: int = 3
    """Words that occur less often get no vector."""
    max_words: int = 50_000
    """The most frequent words that get one."""
    lower: bool = True
    """Learn on lower case."""
    digits: bool = True
    """Learn on 0 in place of any digit: `12.5 mg` and `37.5 mg` are then the same."""
    context: Literal["sentence", "document"] = "sentence"
    """Where a window ends."""
    view: str = INITIAL_VIEW
    """The view whose tokens are learnt from; `deidentified`: those of the masked text, outside of what was masked."""
    format: Literal["auto", "npz", "word2vec"] = "auto"
    """`auto`: caspipe's own where the name ends in .npz, else word2vec's text."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        for name, most in (("dim", MOST_DIMENSIONS), ("window", 100), ("min_count", None), ("max_words", 1_000_000)):
            value = getattr(self, name)
            if value < 1 or (most is not None and value > most):
                expected = f"1 to {most:,}" if most is not None else "1 or more"
                raise ValueError(f"{name}: expected {expected}, got {value:,}")
        self.made: TrainedVectors | None = None

    @property
    def path(self) -> Path:
        """Where the vectors go."""
        return self.output / self.vectors

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return (Token, Sentence) if self.context == "sentence" else (Token,)

    def open(self) -> None:
        super().open()
        refuse_foreign(self.path)  # now, not after an hour of reading
        self.made = None
        self._stream = TokenStream(self.lower, self.digits)
        self._latest: str | None = None

    def process(self, cas: Cas) -> None:
        """Takes one document in. Raises CasError where it has no such view."""
        self._latest = None
        self._stream.add(self._segments(cas.view(self.view)))
        self._latest = cas.id

    def _segments(self, view: View) -> Iterator[list[str]]:
        tokens = view.tokens
        if self.context == "document":
            yield tokens.forms
            return
        done = 0
        for begin, end in zip(*view.spans(Sentence), strict=True):
            first, last = max(tokens.at(begin), done), tokens.at(end)
            yield tokens.forms[done:first]  # outside any sentence
            yield tokens.forms[first : max(last, first)]
            done = max(last, first)
        yield tokens.forms[done:]

    def rollback(self, document_id: str) -> None:
        if self._latest == document_id:
            self._stream.rollback()
            self._latest = None

    def abort(self) -> None:
        """A run that broke down leaves no vectors."""
        self._stream.close()
        self._latest = None

    def close(self) -> None:
        """Learns and writes. Raises ConsumerError where there is too little to learn from."""
        self._latest = None
        try:
            with interruptible():
                self._learn()
        finally:
            self._stream.close()

    def _learn(self) -> None:
        stream = self._stream
        found = stream.vocabulary(self.min_count, self.max_words)
        documents = stream.documents
        words = len(found.words)
        if words <= self.dim:
            times = "time" if self.min_count == 1 else "times"
            raise ConsumerError(
                f"{self.name}: too little to learn from: {words:,} words occur {self.min_count} {times} or more in "
                f"{documents:,} documents, and {self.dim} dimensions need more than {self.dim}: give a smaller dim or "
                "min_count, or more text"
            )
        log.info("matrix", extra={"tokens": found.tokens, "attributes": words})
        counts, dropped = count_pairs(stream.words(found), words, self.window)
        pairs = int(counts.nnz)
        if not pairs:
            raise ConsumerError(f"{self.name}: nothing to learn from: no two words stand near one another")
        if stream.overflow:
            self._warn(f"more than {MOST_FORMS:,} different words: those that came up after these have no vector")
        if dropped:
            self._warn(f"more than {MOST_PAIRS:,} different pairs of words: the rarest were left out")
        information = positive_information(counts)
        del counts
        covered = int(found.counts.sum())
        matrix = factorised(information, self.dim)
        trained = {"documents": documents, "tokens": found.tokens, "covered": covered, "pairs": pairs}
        made = WordVectors(found.words, matrix, meta=self._meta(trained))
        made.write(self.path, self._format)
        size = self.path.stat().st_size
        self.made = TrainedVectors(self.path, words, self.dim, documents, found.tokens, covered, pairs, size)
        log.info("written", extra={"path": str(self.path), "words": words})

    @property
    def _format(self) -> Literal["npz", "word2vec"]:
        if self.format != "auto":
            return self.format
        return "npz" if self.vectors.suffix == ".npz" else "word2vec"

    def _meta(self, trained: dict[str, Any]) -> dict[str, Any]:
        told = ("window", "min_count", "max_words", "context", "view")
        return {
            "lower": self.lower,
            "digits": self.digits,
            "method": "positive pointwise mutual information, truncated singular value decomposition",
            "smoothing": SMOOTHING,
            "training": {**trained, "parameters": {name: getattr(self, name) for name in told}},
        }

    def _warn(self, what: str) -> None:
        warnings.warn(f"{self.name}: {what}", CaspipeWarning, stacklevel=3)
