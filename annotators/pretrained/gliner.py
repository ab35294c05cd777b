"""The `gliner` annotator: zero-shot recognition of PHI with a GLiNER model. Labels are descriptions in plain English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, PhiKind, View
from .aggregation import token_offsets, widen_to_tokens
from .gliner_folder import GlinerFolder
from .gliner_input import Prompt, WordPieces
from .gliner_spans import ScoredSpan, decode_span_scores, decode_token_scores, select_disjoint
from .networks import Device
from .windows import Floats, Window, check_window_parameters, edge_distance, merge_windows

PROMPTS: dict[PhiKind, str | list[str]] = {
    PhiKind.PERSON: "person name",
    PhiKind.PERSON_USERNAME: "username",
    PhiKind.DATE: "date",
    PhiKind.AGE: "age",
    PhiKind.LOCATION: "location",
    PhiKind.LOCATION_STREET: "street address",
    PhiKind.LOCATION_ZIP: "postal code",
    PhiKind.LOCATION_HOSPITAL: "hospital",
    PhiKind.ORGANIZATION: "organization",
    PhiKind.PROFESSION: "profession",
    PhiKind.ID: "identification number",
    PhiKind.ID_MEDICAL_RECORD: "medical record number",
    PhiKind.ID_SSN: "social security number",
    PhiKind.PHONE: "phone number",
    PhiKind.FAX: "fax number",
    PhiKind.EMAIL: "email address",
    PhiKind.URL: "website",
}
"""Default labels of kinds: 17, below the maximum of 25 in the training of GLiNER models."""


@component("gliner", outputs=[PhiCandidate])
class GlinerAnnotator(Annotator):
    """Marks PHI with a GLiNER model (Zaratiana et al. 2023) from a folder on disk. Labels in plain English describe the kinds.

    `export_to_onnx` of the gliner library writes such folders. Long documents are divided into overlapping windows. Of spans
    that overlap, the most probable one is kept; spans are widened to whole tokens. Nothing is ever downloaded. Needs the
    extra `gliner`.
    """

    model: GlinerFolder
    """The model's folder: gliner_config.json, tokenizer.json, and model.onnx or onnx/model.onnx."""
    kinds: dict[PhiKind, str | list[str]] = field(default_factory=lambda: dict(PROMPTS))
    """One or more labels of each kind. The model is more accurate with labels that occur in its training data."""
    threshold: float = 0.3
    """Minimum probability of a span (0 to 1). The library's default is 0.5; lower values raise recall and lower precision."""
    window: int | None = None
    """Words in a window; default: the maximum of the model. Windows are shorter if their pieces exceed its maximum length."""
    stride: int | None = None
    """Words that neighboring windows share; default: a quarter of the window, but at least the longest span."""
    file: str = ""
    """Path of the graph in the folder, if it is not a default one: `onnx/model_quantized.onnx`."""
    device: Device = "auto"
    """Device for the model; auto: a GPU if ONNX Runtime can use one."""
    threads: int = 0
    """CPU threads for one document; 0: the library's default."""
    batch: int = 8
    """Windows in a batch."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise ValueError(f"threshold must be between 0 and 1, got {self.threshold:g}")
        check_window_parameters(2, batch=self.batch, threads=self.threads, window=self.window, stride=self.stride)
        labels = [label for label, _ in self._labels()]
        if not labels:
            raise ValueError("kinds is empty: expected a label for at least one kind")
        faulty = [label for i, label in enumerate(labels) if not label.strip() or label in labels[:i]]
        if faulty:
            raise ValueError(f"kinds: expected different labels that are not empty, got {faulty[0]!r}")

    def _labels(self) -> list[tuple[str, PhiKind]]:
        """Return each label and its kind."""
        return [
            (label, kind)
            for kind, labels in self.kinds.items()
            for label in ([labels] if isinstance(labels, str) else labels)
        ]

    def may_fork(self) -> bool:
        return False

    def open(self) -> None:
        """Load the model. Raises ResourceError for a missing extra, a damaged folder, an unsupported variant, too many labels."""
        super().open()
        who = f"gliner {self.model.path}"
        config = self.model.config
        tokenizer = self.model.tokenizer(who)
        try:
            self._prompt = Prompt(tokenizer, config, [label for label, _ in self._labels()])
        except ValueError as error:
            raise ResourceError(f"{who}: {error}") from None
        if self.window is not None and self.window > config.max_words:
            raise ResourceError(f"{who}: window {self.window}: the model takes {config.max_words} words at most")
        self._window_size = self.window or config.max_words
        self._overlap = max(self._window_size // 4, config.max_span) if self.stride is None else self.stride
        if self._overlap >= self._window_size and self.stride is not None:
            raise ResourceError(f"{who}: stride {self.stride}: must be below the window, {self._window_size} words")
        self._overlap = min(self._overlap, self._window_size - 1)
        self._session, self._by_spans = self.model.graph(self.file, self.device, self.threads, who)
        if self._by_spans and self.stride is not None and self.stride < config.max_span - 1:
            raise ResourceError(
                f"{who}: stride {self.stride}: must be {config.max_span - 1} or more, "
                f"or spans of {config.max_span} words get lost"
            )

    def close(self) -> None:
        self.__dict__.pop("_session", None)

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        words = self._prompt.words(view.text)
        if not len(words):
            return
        begins, ends = token_offsets(view)
        labels = self._labels()
        latest: dict[str, PhiCandidate] = {}
        kept: list[PhiCandidate] = []
        for first, last, label, probability in select_disjoint(self.scored_spans(words)):
            name, kind = labels[label]
            begin, end = widen_to_tokens(words.begins[first], words.ends[last], begins, ends)
            previous = latest.get(name)
            if previous is not None and begin < previous.end:  # both touch one token: one span
                kept.remove(previous)
                begin, end = previous.begin, max(end, previous.end)
                probability = max(probability, previous.confidence)
            candidate = PhiCandidate(begin, end, kind=kind, confidence=probability, rule=name)
            latest[name] = candidate
            kept.append(candidate)
        yield from kept

    def scored_spans(self, words: WordPieces) -> list[ScoredSpan]:
        """Return every span above the threshold. Spans may overlap."""
        windows = self._prompt.windows(words, self._window_size, self._overlap)
        decode = decode_span_scores if self._by_spans else decode_token_scores
        return decode(merge_windows(self._score(words, windows), "weighted"), self.threshold)

    def _score(self, words: WordPieces, windows: list[Window]) -> Iterator[tuple[Window, Floats, Floats]]:
        """Yield each window with its scores and their weights."""
        max_span, classes = self.model.config.max_span, self._prompt.classes
        expected = (max_span, classes) if self._by_spans else (classes, 3)
        for start in range(0, len(windows), self.batch):
            batch = windows[start : start + self.batch]
            logits = self._session.run(["logits"], self._prompt.feed(words, batch, self._by_spans))[0]
            if logits.ndim != 4 or logits.shape[2:] != expected:
                raise ResourceError(
                    f"gliner {self.model.path}: the graph returns an array of shape {logits.shape}: expected (rows, words, "
                    f"{', '.join(map(str, expected))}); was it exported for a fixed number of labels?"
                )
            for window, scores in zip(batch, logits, strict=True):
                distance = edge_distance(window, len(words))
                weights = (
                    _span_weights(distance, max_span) if self._by_spans else distance[:, None].repeat(classes, axis=1)
                )
                yield window, np.asarray(scores[: len(distance)], dtype=np.float32), weights


def _span_weights(distance: Floats, max_span: int) -> Floats:
    """Return the smaller edge distance of the two ends of each span, 0 if the span exceeds the window. Shape: (words, widths)."""
    n = len(distance)
    weights = np.zeros((n, max_span), dtype=np.float32)
    for width in range(min(max_span, n)):
        weights[: n - width, width] = np.minimum(distance[: n - width], distance[width:])
    return weights
