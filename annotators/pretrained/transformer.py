"""The `transformer` annotator: applies a Hugging Face token-classification model from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Literal

import numpy as np

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, PhiKind, View
from .aggregation import Strategy, of_words, softmax, spans, token_columns, words_of
from .label_names import Unmapped, map_labels
from .networks import Device, Network
from .pieces import Pieces, PieceTokenizer
from .transformer_folder import Backend, TransformerFolder
from .windows import Floats, Merge, Window, context, cut, merged, padded

USUAL = 512
"""Default number of pieces in a window: the length most models were trained with, even if they accept more."""


@component("transformer", outputs=[PhiCandidate])
class TransformerAnnotator(Annotator):
    """Marks PHI by a pretrained transformer for token classification (BERT, RoBERTa, DeBERTa ...) from a folder on disk.

    Long documents are read in overlapping windows whose scores are merged; spans are widened to whole tokens. Nothing is
    ever downloaded. Needs the extra `transformers`, or `onnx` for folders with an exported graph.
    """

    model: TransformerFolder
    """The model's folder: config.json, tokenizer.json, and weights: model.onnx, model.safetensors or pytorch_model.bin."""
    labels: dict[str, PhiKind | None] = field(default_factory=dict)
    """PHI kind of the model's labels, written without `B-` and `I-`; null: no PHI. Well-known labels need no entry."""
    unmapped: Unmapped = "error"
    """Handling of labels without a kind: refuse the model and list them, leave their spans out, or mark them OTHER."""
    aggregation: Strategy = "first"
    """Score of a word: that of its first piece, the average, or the surest piece (max); simple: every piece on its own."""
    window: int | None = None
    """Pieces read at a time, with the special ones; none: as many as the model takes, at most 512."""
    stride: int | None = None
    """Pieces that neighboring windows share, as in Hugging Face; none: a quarter of the window."""
    merge: Merge = "weighted"
    """Scores where windows overlap: the mean weighted by distance to the edges, or those of the most central window."""
    confidence: Literal["mean", "min"] = "mean"
    """A span's confidence from those of its words: the average, or the least sure one."""
    min_confidence: float = 0.0
    """Spans less sure than this are left out (0 to 1)."""
    outside_bias: float = 0.0
    """Taken from the score of labels that mark no PHI before deciding, in natural logarithms of odds: above 0 more is found,
    with more false hits. Confidences stay those of the model itself."""
    backend: Backend = "auto"
    """Library that runs the model; auto: an ONNX graph if there is one and ONNX Runtime is installed, else PyTorch."""
    file: str = ""
    """The ONNX graph inside the folder, if it is not in one of the usual places: `onnx/model_quantized.onnx`."""
    device: Device = "auto"
    """Device it runs on; auto: a GPU if there is one."""
    threads: int = 0
    """CPU threads for one document; 0: the library's own choice."""
    batch: int = 8
    """Windows read together."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence must be between 0 and 1, got {self.min_confidence:g}")
        for name, least in (("batch", 1), ("threads", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}")
        if self.window is not None and self.window < 4:
            raise ValueError(f"window must be 4 or more, got {self.window}")
        if self.stride is not None and self.stride < 0:
            raise ValueError(f"stride must be 0 or more, got {self.stride}")

    def may_fork(self) -> bool:
        return False

    def open(self) -> None:
        """Loads the model. Raises ResourceError: a missing extra, a damaged folder, labels without a kind, a window too long."""
        super().open()
        folder = self.model
        who = f"transformer {folder.place}"
        self._kinds = map_labels(folder.labels, self.labels, self.unmapped, who)
        graph = folder.graph(self.backend, self.file)
        self._tokenizer: PieceTokenizer = folder.tokenizer(who, "transformers" if graph is None else "onnx")
        self._room, self._overlap = self._sizes(folder)
        self._network: Network = folder.network(graph, self.device, self.threads, who)
        self._silent = [i for i, name in enumerate(folder.labels.types) if name not in self._kinds]
        self._same = {name: folder.labels.of_type(name) for name in self._kinds}

    def close(self) -> None:
        self.__dict__.pop("_network", None)
        self.__dict__.pop("_tokenizer", None)

    def _sizes(self, folder: TransformerFolder) -> tuple[int, int]:
        """Return pieces of the text in a window, and how many of them two windows share."""
        limit = folder.limit()
        window = self.window or min(limit or USUAL, USUAL)
        if limit is not None and window > limit:
            raise ResourceError(f"transformer {folder.place}: window {window}: the model takes {limit} pieces at most")
        room = window - len(self._tokenizer.before) - len(self._tokenizer.after)
        overlap = room // 4 if self.stride is None else self.stride
        if overlap >= room:
            raise ResourceError(
                f"transformer {folder.place}: stride {overlap}: must be below {room}, the pieces of text in a window of {window}"
            )
        return room, overlap

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        pieces = self._tokenizer.pieces(view.text)
        if not len(pieces):
            return
        begins, ends = token_columns(view)
        words = words_of(pieces, ends, self.aggregation == "simple")
        if not len(words):
            return
        scores = self.scores(pieces)
        plain = softmax(scores)
        biased = plain
        if self.outside_bias and self._silent:
            scores[:, self._silent] -= self.outside_bias
            biased = softmax(scores)
        best = of_words(words, biased, biased, self.aggregation).argmax(axis=1)
        sure = of_words(words, plain, biased, self.aggregation)
        for found in spans(words, best, self.model.labels, begins, ends):
            kind = self._kinds.get(found.type)
            if kind is None:
                continue
            chances = sure[found.first : found.last, self._same[found.type]].sum(axis=1)
            confidence = min(float(chances.mean() if self.confidence == "mean" else chances.min()), 1.0)
            if confidence >= self.min_confidence:
                yield PhiCandidate(found.begin, found.end, kind=kind, confidence=confidence, rule=found.type)

    def scores(self, pieces: Pieces) -> Floats:
        """Return the model's score of each label at each piece, windows merged; shape (pieces, labels)."""
        windows = cut(len(pieces), self._room, self._overlap)
        stretches = [scores for _, scores in merged(self._read(pieces, windows), self.merge)]
        return np.concatenate(stretches)

    def _read(self, pieces: Pieces, windows: list[Window]) -> Iterator[tuple[Window, Floats, Any]]:
        """Yield the scores of one window after the other, with the weight of each place."""
        before, after = self._tokenizer.before, self._tokenizer.after
        for at in range(0, len(windows), self.batch):
            some = windows[at : at + self.batch]
            rows = [[*before, *pieces.ids[first:last], *after] for first, last in some]
            found = self._network.logits(*padded(rows, self._tokenizer.pad))
            for window, scores in zip(some, found, strict=True):
                n = window[1] - window[0]
                yield window, scores[len(before) : len(before) + n], context(window, len(pieces))
