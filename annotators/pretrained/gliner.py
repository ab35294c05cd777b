"""The `gliner` annotator: marks what labels in plain words describe, without training, by a GLiNER model in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import ResourceError
from ...typesystem import PhiCandidate, PhiKind, View
from .aggregation import token_columns, widened
from .gliner_folder import GlinerFolder
from .gliner_input import Prompt, WordPieces
from .gliner_spans import Scored, apart, in_spans, in_tokens
from .networks import Device
from .windows import Floats, Window, context, merged

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
"""Default labels of kinds: 17, fewer than the 25 that GLiNER models are trained with."""


@component("gliner", outputs=[PhiCandidate])
class GlinerAnnotator(Annotator):
    """Marks PHI by a GLiNER model (Zaratiana et al. 2023) from a folder on disk: each kind is asked for in plain words.

    The folder is what `export_to_onnx` of the gliner library writes. Long documents are read in overlapping windows; of
    spans that overlap the likelier one stays; spans are widened to whole tokens. Nothing is ever downloaded. Needs the extra
    `gliner`.
    """

    model: GlinerFolder
    """The model's folder: gliner_config.json, tokenizer.json, and model.onnx or onnx/model.onnx."""
    kinds: dict[PhiKind, str | list[str]] = field(default_factory=lambda: dict(PROMPTS))
    """The words that each kind is asked for in, one label or several; the model does better with its training's words."""
    threshold: float = 0.3
    """Spans less likely than this are left out (0 to 1). The library's own is 0.5; less finds more, with more false hits."""
    window: int | None = None
    """Words read at a time; none: as many as the model was trained with. Less where their pieces do not fit."""
    stride: int | None = None
    """Words that neighboring windows share; none: a quarter of the window, at least the longest span."""
    file: str = ""
    """The graph inside the folder, if it is not in one of the usual places: `onnx/model_quantized.onnx`."""
    device: Device = "auto"
    """Device it runs on; auto: a GPU if ONNX Runtime can use one."""
    threads: int = 0
    """CPU threads for one document; 0: the library's own choice."""
    batch: int = 8
    """Windows read together."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise ValueError(f"threshold must be between 0 and 1, got {self.threshold:g}")
        for name, least in (("batch", 1), ("threads", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}")
        if self.window is not None and self.window < 2:
            raise ValueError(f"window must be 2 or more, got {self.window}")
        if self.stride is not None and self.stride < 0:
            raise ValueError(f"stride must be 0 or more, got {self.stride}")
        labels = [label for label, _ in self._asked()]
        if not labels:
            raise ValueError("kinds is empty: expected a label for at least one kind")
        twice = [label for i, label in enumerate(labels) if not label.strip() or label in labels[:i]]
        if twice:
            raise ValueError(f"kinds: expected different labels that are not empty, got {twice[0]!r}")

    def _asked(self) -> list[tuple[str, PhiKind]]:
        return [
            (label, kind)
            for kind, labels in self.kinds.items()
            for label in ([labels] if isinstance(labels, str) else labels)
        ]

    def may_fork(self) -> bool:
        return False

    def open(self) -> None:
        """Loads the model. Raises ResourceError: a missing extra, a damaged folder, another form of GLiNER, too many labels."""
        super().open()
        who = f"gliner {self.model.place}"
        reading = self.model.reading
        tokenizer = self.model.tokenizer(who)
        try:
            self._prompt = Prompt(tokenizer, reading, [label for label, _ in self._asked()])
        except ValueError as error:
            raise ResourceError(f"{who}: {error}") from None
        if self.window is not None and self.window > reading.words:
            raise ResourceError(f"{who}: window {self.window}: the model takes {reading.words} words at most")
        self._room = self.window or reading.words
        self._overlap = max(self._room // 4, reading.widest) if self.stride is None else self.stride
        if self._overlap >= self._room and self.stride is not None:
            raise ResourceError(f"{who}: stride {self.stride}: must be below the window, {self._room} words")
        self._overlap = min(self._overlap, self._room - 1)
        self._session, self._by_spans = self.model.graph(self.file, self.device, self.threads, who)
        if self._by_spans and self.stride is not None and self.stride < reading.widest - 1:
            raise ResourceError(
                f"{who}: stride {self.stride}: must be {reading.widest - 1} or more, or spans of {reading.widest} words get lost"
            )

    def close(self) -> None:
        self.__dict__.pop("_session", None)

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        words = self._prompt.words(view.text)
        if not len(words):
            return
        begins, ends = token_columns(view)
        asked = self._asked()
        latest: dict[str, PhiCandidate] = {}
        kept: list[PhiCandidate] = []
        for first, last, label, chance in apart(self.candidates(words)):
            name, kind = asked[label]
            begin, end = widened(words.begins[first], words.ends[last], begins, ends)
            before = latest.get(name)
            if before is not None and begin < before.end:  # both are in one token: one span
                kept.remove(before)
                begin, end, chance = before.begin, max(end, before.end), max(chance, before.confidence)
            candidate = PhiCandidate(begin, end, kind=kind, confidence=chance, rule=name)
            latest[name] = candidate
            kept.append(candidate)
        yield from kept

    def candidates(self, words: WordPieces) -> list[Scored]:
        """Every span above the threshold, overlapping ones too, as (first word, last word, number of the label, probability)."""
        windows = self._prompt.windows(words, self._room, self._overlap)
        decode = in_spans if self._by_spans else in_tokens
        return decode(merged(self._read(words, windows), "weighted"), self.threshold)

    def _read(self, words: WordPieces, windows: list[Window]) -> Iterator[tuple[Window, Floats, Floats]]:
        """Yield the scores of one window after the other, with the weight of each."""
        for at in range(0, len(windows), self.batch):
            some = windows[at : at + self.batch]
            found = self._session.run(["logits"], self._prompt.feed(words, some, self._by_spans))[0]
            self._check(found.shape)
            for window, scores in zip(some, found, strict=True):
                n = window[1] - window[0]
                near = context(window, len(words))
                if self._by_spans:
                    near = _of_spans(near, self.model.reading.widest)
                else:
                    near = np.repeat(near[:, None], scores.shape[1], axis=1)
                yield window, np.asarray(scores[:n], dtype=np.float32), near

    def _check(self, shape: tuple[int, ...]) -> None:
        wanted = (self.model.reading.widest, self._prompt.classes) if self._by_spans else (self._prompt.classes, 3)
        if len(shape) != 4 or shape[2:] != wanted:
            raise ResourceError(
                f"gliner {self.model.place}: the graph gives an array of shape {shape}: expected (rows, words, "
                f"{', '.join(map(str, wanted))}); was it exported for a fixed number of labels?"
            )


def _of_spans(near: Floats, widest: int) -> Floats:
    """Return the context of each span, (words, widths): that of its worse end, 0 if it runs out of the window."""
    n = len(near)
    found = np.zeros((n, widest), dtype=np.float32)
    for width in range(min(widest, n)):
        found[: n - width, width] = np.minimum(near[: n - width], near[width:])
    return found
