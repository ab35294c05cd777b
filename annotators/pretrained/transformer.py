"""The `transformer` annotator: applies a Hugging Face token-classification model from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

import numpy as np

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, PhiKind, View
from .aggregation import Aggregation, group_pieces, label_spans, softmax, token_offsets, word_probabilities
from .label_names import Unmapped, map_labels
from .networks import Device, Network
from .pieces import Pieces, PieceTokenizer
from .transformer_folder import Backend, TransformerFolder
from .windows import (
    Floats,
    Merge,
    Window,
    check_window_parameters,
    edge_distance,
    merge_windows,
    pad_rows,
    split_windows,
)

DEFAULT_WINDOW = 512
"""Default number of pieces in a window: the training length of most models, even if they accept more."""


@component("transformer", outputs=[PhiCandidate])
class TransformerAnnotator(Annotator):
    """Marks PHI with a pretrained transformer for token classification (BERT, RoBERTa, DeBERTa ...) from a folder on disk.

    Long documents are divided into overlapping windows whose scores are merged; spans are widened to whole tokens. Nothing
    is ever downloaded. Needs the extra `transformers`, or `onnx` for folders with an exported graph.
    """

    model: TransformerFolder
    """The model's folder: config.json, tokenizer.json, and weights: model.onnx, model.safetensors or pytorch_model.bin."""
    labels: dict[str, PhiKind | None] = field(default_factory=dict)
    """PHI kinds of the model's labels, without the prefixes `B-` and `I-`; null: not PHI. Well-known labels need no entry."""
    unmapped: Unmapped = "error"
    """Handling of labels without a kind: `error` lists them and stops, `ignore` drops their spans, `other` marks them OTHER."""
    aggregation: Aggregation = "first"
    """Score of a word: of its first piece, the average, or of its most confident piece (`max`); `simple`: pieces are words."""
    window: int | None = None
    """Pieces in a window, including special ones; default: the maximum of the model, at most 512."""
    stride: int | None = None
    """Pieces that neighboring windows share, as in Hugging Face; default: a quarter of the window."""
    merge: Merge = "weighted"
    """Scores if windows overlap: the mean weighted by the distance from the edges, or the scores of the most central window."""
    confidence: Literal["mean", "min"] = "mean"
    """Confidence of a span: the mean or the minimum of its words."""
    min_confidence: float = 0.0
    """Minimum confidence of a span (0 to 1)."""
    outside_bias: float = 0.0
    """Subtracted from the scores of labels that are not PHI, in natural logarithms of odds: values above 0 raise recall and lower
    precision. Confidences do not change."""
    backend: Backend = "auto"
    """Library that runs the model; auto: ONNX Runtime if it is installed and the folder has a graph, else PyTorch."""
    file: str = ""
    """Path of the ONNX graph in the folder, if it is not a default one: `onnx/model_quantized.onnx`."""
    device: Device = "auto"
    """Device for the model; auto: a GPU if available."""
    threads: int = 0
    """CPU threads for one document; 0: the library's default."""
    batch: int = 8
    """Windows in a batch."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence must be between 0 and 1, got {self.min_confidence:g}")
        check_window_parameters(4, batch=self.batch, threads=self.threads, window=self.window, stride=self.stride)

    def may_fork(self) -> bool:
        return False

    def open(self) -> None:
        """Load the model. Raises ResourceError for a missing extra, a damaged folder, unmapped labels, a too long window."""
        super().open()
        folder = self.model
        who = f"transformer {folder.path}"
        self._kinds = map_labels(folder.labels, self.labels, self.unmapped, who)
        graph = folder.graph(self.backend, self.file)
        self._tokenizer: PieceTokenizer = folder.tokenizer(who, "transformers" if graph is None else "onnx")
        self._capacity, self._overlap = self._window_sizes(folder)
        self._network: Network = folder.network(graph, self.device, self.threads, who)
        self._outside = [i for i, name in enumerate(folder.labels.types) if name not in self._kinds]
        self._columns = {name: folder.labels.of_type(name) for name in self._kinds}

    def close(self) -> None:
        self.__dict__.pop("_network", None)
        self.__dict__.pop("_tokenizer", None)

    def _window_sizes(self, folder: TransformerFolder) -> tuple[int, int]:
        """Return the number of text pieces in a window, and the number that neighboring windows share."""
        limit = folder.limit()
        window = self.window or min(limit or DEFAULT_WINDOW, DEFAULT_WINDOW)
        if limit is not None and window > limit:
            raise ResourceError(f"transformer {folder.path}: window {window}: the model takes {limit} pieces at most")
        capacity = window - len(self._tokenizer.before) - len(self._tokenizer.after)
        overlap = capacity // 4 if self.stride is None else self.stride
        if overlap >= capacity:
            raise ResourceError(
                f"transformer {folder.path}: stride {overlap}: must be below {capacity}, "
                f"the pieces of text in a window of {window}"
            )
        return capacity, overlap

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        pieces = self._tokenizer.pieces(view.text)
        if not len(pieces):
            return
        begins, ends = token_offsets(view)
        words = group_pieces(pieces, ends, separate=self.aggregation == "simple")
        if not len(words):
            return
        scores = self.scores(pieces)
        unbiased = biased = softmax(scores)
        if self.outside_bias and self._outside:
            scores[:, self._outside] -= self.outside_bias
            biased = softmax(scores)
        best = word_probabilities(words, biased, biased, self.aggregation).argmax(axis=1)
        probabilities = word_probabilities(words, unbiased, biased, self.aggregation)
        for span in label_spans(words, best, self.model.labels, begins, ends):
            kind = self._kinds.get(span.type)
            if kind is None:
                continue
            by_word = probabilities[span.first : span.last, self._columns[span.type]].sum(axis=1)
            confidence = min(float(by_word.mean() if self.confidence == "mean" else by_word.min()), 1.0)
            if confidence >= self.min_confidence:
                yield PhiCandidate(span.begin, span.end, kind=kind, confidence=confidence, rule=span.type)

    def scores(self, pieces: Pieces) -> Floats:
        """Return the score of each label for each piece, with windows merged. Shape: (pieces, labels)."""
        windows = split_windows(len(pieces), self._capacity, self._overlap)
        return np.concatenate([scores for _, scores in merge_windows(self._score(pieces, windows), self.merge)])

    def _score(self, pieces: Pieces, windows: list[Window]) -> Iterator[tuple[Window, Floats, Floats]]:
        """Yield each window with its scores and their weights."""
        before, after = self._tokenizer.before, self._tokenizer.after
        for start in range(0, len(windows), self.batch):
            batch = windows[start : start + self.batch]
            rows = [[*before, *pieces.ids[first:last], *after] for first, last in batch]
            logits = self._network.logits(*pad_rows(rows, self._tokenizer.pad))
            for window, scores in zip(batch, logits, strict=True):
                n = window[1] - window[0]
                yield window, scores[len(before) : len(before) + n], edge_distance(window, len(pieces))
