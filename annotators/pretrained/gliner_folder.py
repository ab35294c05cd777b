"""A GLiNER model as its library exports it to ONNX: what is in the folder, and what the graph takes and gives.

As in the library's own export (`GLiNER.export_to_onnx`, version 0.2.29). Inputs of both forms: `input_ids`,
`attention_mask` and `words_mask` of shape (rows, pieces), where `words_mask` numbers words from 1 at the piece that represents
them and is 0 elsewhere, and `text_lengths`, (rows, 1), words in each row. The span form takes `span_idx`, (rows, words x widest,
2), first and last word of each span, and `span_mask`, whether it is within the text; `logits` are (rows, words, widest,
classes). The token form gives (rows, words, classes, 3): begins here, ends here, is inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ...pipeline.errors import ResourceError
from .folder import ONNX_FILES, PretrainedFolder, onnx_file, read_json
from .networks import Device, session
from .pieces import load_tokenizer, longest

_COMMON = ("input_ids", "attention_mask", "words_mask", "text_lengths")
_SPANS = ("span_idx", "span_mask")
_OTHER_FORMS = {
    "labels_encoder": "a bi-encoder",
    "labels_decoder": "a generative model",
    "relations_layer": "a relation extractor",
}
_POOLINGS = ("first", "last", "mean", "max")

CONFIG = "gliner_config.json"


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of gliner_config.json that determine the input of the graph."""

    widest: int
    """Words in the longest span (span form)."""
    words: int
    """Words in the longest text."""
    pieces: int
    """Pieces in the longest sequence, prompt included."""
    entity: str
    separator: str
    pooling: Literal["first", "last", "mean", "max"]


@dataclass(eq=False, kw_only=True)
class GlinerFolder(PretrainedFolder):
    """A folder with gliner_config.json, tokenizer.json and model.onnx; the graph is loaded when it is asked for, once."""

    kind = "GLiNER model"
    required = (CONFIG, "tokenizer.json")

    reading: Reading
    class_token: int | None

    @classmethod
    def load(cls, name: str) -> Self:
        """Read gliner_config.json. Raises ResourceError: no folder, damaged, or a form of GLiNER that is not supported."""
        folder = cls.existing(name)
        config = read_json(folder / CONFIG)
        where = folder / CONFIG
        for key, what in _OTHER_FORMS.items():
            if config.get(key) is not None:
                raise ResourceError(f"{where}: {what} ({key}): expected GLiNER with one encoder for text and labels")
        if config.get("model_type") == "gliner_streaming_span" or config.get("precomputed_prompts_mode"):
            raise ResourceError(f"{where}: a streaming model or one with labels built in: expected plain GLiNER")
        splitter = config.get("words_splitter_type", "whitespace")
        if splitter != "whitespace":
            raise ResourceError(f"{where}: words_splitter_type {splitter!r}: only whitespace is supported")
        pooling = config.get("subtoken_pooling", "first")
        if pooling not in _POOLINGS:
            raise ResourceError(f"{where}: subtoken_pooling {pooling!r}: expected one of {', '.join(_POOLINGS)}")
        reading = Reading(
            widest=_count(config, "max_width", 12, where),
            words=_count(config, "max_len", 384, where),
            pieces=_pieces(folder, config),
            entity=str(config.get("ent_token", "<<ENT>>")),
            separator=str(config.get("sep_token", "<<SEP>>")),
            pooling=pooling,
        )
        token = config.get("class_token_index")
        index = token if isinstance(token, int) and token >= 0 else None
        return cls(place=folder, reading=reading, class_token=index)

    def tokenizer(self, who: str) -> Any:
        """Return the tokenizer. Raise ResourceError if it lacks the marks before labels and before the text."""
        return self.once(("tokenizer",), lambda: self._load_tokenizer(who))

    def _load_tokenizer(self, who: str) -> Any:
        tokenizer = load_tokenizer(self.place, who, "gliner")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        marks = {mark: tokenizer.token_to_id(mark) for mark in (self.reading.entity, self.reading.separator)}
        missing = [mark for mark, number in marks.items() if number is None]
        if missing or (self.class_token is not None and marks[self.reading.entity] != self.class_token):
            raise ResourceError(
                f"{self.place}: tokenizer.json and {CONFIG} do not belong together: "
                + (f"no piece {missing[0]}" if missing else f"{self.reading.entity} is not piece {self.class_token}")
            )
        _leading_blank(tokenizer)
        return tokenizer

    def graph(self, file: str, device: Device, threads: int, who: str) -> tuple[Any, bool]:
        """Return the session over the graph, and whether it scores spans (else tokens)."""
        return self.once(("graph", file, device, threads), lambda: self._load_graph(file, device, threads, who))

    def _load_graph(self, file: str, device: Device, threads: int, who: str) -> tuple[Any, bool]:
        path = onnx_file(self.place, file)
        if path is None:
            raise ResourceError(
                f"{self.place}: has no {' or '.join(ONNX_FILES)}: export the model first "
                "(docs/how-to/pretrained-models.md says how)"
            )
        graph = session(path, device, threads, who, "gliner")
        names = [i.name for i in graph.get_inputs()]
        if sorted(names) not in (sorted(_COMMON), sorted(_COMMON + _SPANS)):
            raise ResourceError(
                f"{path}: takes {', '.join(names)}: expected {', '.join(_COMMON)} and perhaps {', '.join(_SPANS)}"
            )
        if "logits" not in [o.name for o in graph.get_outputs()]:
            raise ResourceError(f"{path}: gives no logits: expected a graph exported by the gliner library")
        return graph, _SPANS[0] in names


def _count(config: dict[str, Any], key: str, default: int, where: Path) -> int:
    value = config.get(key, default)
    if not isinstance(value, int) or value < 1:
        raise ResourceError(f"{where}: {key}: expected a whole number above 0")
    return value


def _pieces(folder: Path, config: dict[str, Any]) -> int:
    """Return pieces in the longest sequence: what the tokenizer or the encoder says, else what nearly all encoders take."""
    encoder = config.get("encoder_config")
    positions = encoder.get("max_position_embeddings") if isinstance(encoder, dict) else None
    limits = [n for n in (longest(folder), positions) if isinstance(n, int) and n > 0]
    return min(limits) if limits else 512


def _leading_blank(tokenizer: Any) -> None:
    """Byte-level tokenizers take words one by one only with a blank before each, as transformers gives them."""
    from tokenizers import pre_tokenizers

    before = tokenizer.pre_tokenizer
    if isinstance(before, pre_tokenizers.ByteLevel):
        before.add_prefix_space = True
        tokenizer.pre_tokenizer = before
