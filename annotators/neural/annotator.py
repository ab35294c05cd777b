"""The neural annotator: applies a trained network."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ...pipeline.contract.component import component
from ...typesystem import Annotation, PhiCandidate, PhiKind, Sentence, Token, TokenScore, View
from ..sequence.crf import ChainTagger
from ..sequence.extraction import Floats
from ..sequence.feature import Words
from ..sequence.labels import OUTSIDE
from ..sequence.lattice import lattice
from ..sequence.tagging import ScoredBlock
from ..sequence.viterbi import Bools
from .backends import Backend, Scorer, load_scorer, select_backend
from .inputs import IndexedDocument
from .network_model import NeuralModel


@component("neural", inputs=[Token, Sentence], outputs=[PhiCandidate, TokenScore])
class NeuralAnnotator(ChainTagger):
    """Marks PHI with a neural network that `neural_trainer` trained.

    The confidence of a span is its probability under the model. NumPy applies the network; PyTorch (extra `neural`) and, if the
    model has an ONNX graph, ONNX Runtime (extra `onnx`) give the same labels.
    """

    model: NeuralModel
    """The trained model: a folder, a zip, or a name from `caspipe model list`."""
    backend: Backend = "auto"
    """Library that applies the network; `auto`: NumPy, or PyTorch if `device` is a GPU."""
    device: str = "auto"
    """Device for PyTorch: `cpu`, `cuda`, `cuda:1`; `auto`: a GPU if available."""
    threads: int = 1
    """Threads for one document; 0: the library's default. PyTorch applies it to the whole process. NumPy always uses one."""
    token_scores: bool = False
    """Also yield a TokenScore for every token."""

    trained_as = "neural"

    def may_fork(self) -> bool:
        if isinstance(self.model, NeuralModel) and select_backend(self.model, self.backend, self.device) == "numpy":
            return True
        return self.threads == 1 and self.device == "cpu"

    def open(self) -> None:
        super().open()
        self._scorer: Scorer = load_scorer(self.model, self.backend, self.device, self.name, self.threads)

    @cached_property
    def _chain(self) -> tuple[Floats, Floats, Floats]:
        """Return the scores of label pairs, first labels and last labels; zeros without a chain."""
        plan, n = self.model.plan, len(self.model.labels)
        if not plan.decoder.chain:
            return np.zeros((n, n)), np.zeros(n), np.zeros(n)
        forbidden = plan.forbidden().astype(np.float64)
        pairs, starts, ends = (self.model.arrays[f"chain.{x}"].astype(np.float64) for x in ("pairs", "starts", "ends"))
        return pairs + forbidden[:n, :n], starts + forbidden[n, :n], ends + forbidden[:n, n]

    @property
    def transitions(self) -> Floats:
        return self._chain[0]

    def scored(self, words: Words) -> Iterator[ScoredBlock]:
        scores, sequences = self.scored_document(self.model.index(words))
        yield ScoredBlock(0, scores, sequences)

    def scored_document(self, document: IndexedDocument) -> tuple[Floats, list[tuple[int, int]]]:
        """Return the scores of labels, of shape (tokens, labels), and the sequences of a document."""
        scores = self._scorer(document)
        _, starts, ends = self._chain
        for first, last in document.sequences:
            scores[first] += starts
            scores[last - 1] += ends
        return scores, document.sequences

    def best(self, scores: Floats, sentences: list[tuple[int, int]], inside: Bools | None = None) -> list[int]:
        if self.model.plan.decoder.chain:
            return super().best(scores, sentences, inside)
        return scores.argmax(axis=1).tolist()  # type: ignore[no-any-return]

    def annotate(self, view: View) -> Iterator[Annotation]:
        words = Words(view)
        if not len(words):
            return
        self.token_check.check(view)
        blocks = list(self.scored(words))
        yield from self.marked(words, blocks)
        if self.token_scores:
            for block in blocks:
                yield from self._token_scores(words, block)

    def _token_scores(self, words: Words, block: ScoredBlock) -> Iterator[TokenScore]:
        kinds, columns = self._kinds
        for first, last in block.sequences if kinds else ():
            probabilities = lattice(np.ascontiguousarray(block.scores[first:last]), self.transitions).marginals()
            by_kind = np.stack([probabilities[:, c].sum(axis=1) for c in columns], axis=1)
            for i, (probability, kind) in enumerate(
                zip(by_kind.sum(axis=1), by_kind.argmax(axis=1), strict=True), block.first + first
            ):
                score = min(max(float(probability), 0.0), 1.0)
                yield TokenScore(words.begins[i], words.ends[i], score=score, kind=kinds[kind])

    @cached_property
    def _kinds(self) -> tuple[list[PhiKind], list[list[int]]]:
        """Return the kinds that are PHI, and the label indexes of each."""
        labels: dict[PhiKind, list[int]] = {}
        for i, label in enumerate(self.model.labels):
            kind = None if label == OUTSIDE else self.kind_of(label)
            if kind is not None:
                labels.setdefault(kind, []).append(i)
        return list(labels), list(labels.values())
