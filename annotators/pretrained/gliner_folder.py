"""The folder of a GLiNER model that was exported to ONNX: its configuration, tokenizer and graph.

The format is that of the library (`GLiNER.export_to_onnx`, version 0.2.29). Inputs of both variants: `input_ids`,
`attention_mask` and `words_mask` of shape (rows, pieces), and `text_lengths` of shape (rows, 1). `words_mask` numbers words
from 1 at the piece that represents them and is 0 elsewhere; `text_lengths` are in words. The span variant also takes `span_idx`
of shape (rows, words x max_span, 2), the first and last word of each span, and `span_mask`, true for spans within the text; its
`logits` have the shape (rows, words, max_span, classes). The `logits` of the token variant have the shape (rows, words,
classes, 3), with scores for begin, end and inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ...pipeline.errors import ResourceError
from .folder import ONNX_FILES, PretrainedFolder, onnx_file, read_json
from .networks import Device, session
from .pieces import load_tokenizer, max_length_of

_COMMON = ("input_ids", "attention_mask", "words_mask", "text_lengths")
_SPANS = ("span_idx", "span_mask")
_UNSUPPORTED = {
    "labels_encoder": "a bi-encoder",
    "labels_decoder": "a generative model",
    "relations_layer": "a relation extractor",
}
_POOLINGS = ("first", "last", "mean", "max")

CONFIG = "gliner_config.json"


@dataclass(frozen=True, slots=True)
class GlinerConfig:
    """The values of gliner_config.json that determine the input of the graph."""

    max_span: int
    """Maximum number of words in a span (span variant)."""
    max_words: int
    """Maximum number of words in a text."""
    max_pieces: int
    """Maximum number of pieces in a sequence, including the prompt."""
    entity_token: str
    separator_token: str
    pooling: Literal["first", "last", "mean", "max"]


@dataclass(eq=False, kw_only=True)
class GlinerFolder(PretrainedFolder):
    """A folder with gliner_config.json, tokenizer.json and model.onnx. The tokenizer and graphs are loaded on first use."""

    kind = "GLiNER model"
    required = (CONFIG, "tokenizer.json")

    config: GlinerConfig
    class_token: int | None

    @classmethod
    def load(cls, name: str) -> Self:
        """Read gliner_config.json. Raises ResourceError if the folder is missing or damaged, or the variant is not supported."""
        folder = cls.existing_folder(name)
        where = folder / CONFIG
        config = read_json(where)
        for key, variant in _UNSUPPORTED.items():
            if config.get(key) is not None:
                raise ResourceError(f"{where}: {variant} ({key}): expected GLiNER with one encoder for text and labels")
        if config.get("model_type") == "gliner_streaming_span" or config.get("precomputed_prompts_mode"):
            raise ResourceError(f"{where}: a streaming model or one with labels built in: expected plain GLiNER")
        splitter = config.get("words_splitter_type", "whitespace")
        if splitter != "whitespace":
            raise ResourceError(f"{where}: words_splitter_type {splitter!r}: only whitespace is supported")
        pooling = config.get("subtoken_pooling", "first")
        if pooling not in _POOLINGS:
            raise ResourceError(f"{where}: subtoken_pooling {pooling!r}: expected one of {', '.join(_POOLINGS)}")
        checked = GlinerConfig(
            max_span=_positive_int(config, "max_width", 12, where),
            max_words=_positive_int(config, "max_len", 384, where),
            max_pieces=_max_pieces(folder, config),
            entity_token=str(config.get("ent_token", "<<ENT>>")),
            separator_token=str(config.get("sep_token", "<<SEP>>")),
            pooling=pooling,
        )
        token = config.get("class_token_index")
        index = token if isinstance(token, int) and token >= 0 else None
        return cls(path=folder, config=checked, class_token=index)

    def tokenizer(self, who: str) -> Any:
        """Return the tokenizer. Raise ResourceError if it lacks the entity or the separator token."""
        return self.cached(("tokenizer",), lambda: self._load_tokenizer(who))

    def _load_tokenizer(self, who: str) -> Any:
        tokenizer = load_tokenizer(self.path, who, "gliner")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        entity = self.config.entity_token
        ids = {token: tokenizer.token_to_id(token) for token in (entity, self.config.separator_token)}
        missing = [token for token, number in ids.items() if number is None]
        if missing or (self.class_token is not None and ids[entity] != self.class_token):
            raise ResourceError(
                f"{self.path}: tokenizer.json and {CONFIG} do not belong together: "
                + (f"no piece {missing[0]}" if missing else f"{entity} is not piece {self.class_token}")
            )
        from tokenizers import pre_tokenizers

        before = tokenizer.pre_tokenizer
        if isinstance(before, pre_tokenizers.ByteLevel):  # needs a space before each word, as transformers adds it
            before.add_prefix_space = True
            tokenizer.pre_tokenizer = before
        return tokenizer

    def graph(self, file: str, device: Device, threads: int, who: str) -> tuple[Any, bool]:
        """Return the session of the graph, and whether the graph scores spans (otherwise tokens)."""
        return self.cached(("graph", file, device, threads), lambda: self._load_graph(file, device, threads, who))

    def _load_graph(self, file: str, device: Device, threads: int, who: str) -> tuple[Any, bool]:
        path = onnx_file(self.path, file)
        if path is None:
            raise ResourceError(
                f"{self.path}: has no {' or '.join(ONNX_FILES)}: export the model first "
                "(see docs/how-to/pretrained-models.md)"
            )
        graph = session(path, device, threads, who, "gliner")
        names = [i.name for i in graph.get_inputs()]
        if sorted(names) not in (sorted(_COMMON), sorted(_COMMON + _SPANS)):
            raise ResourceError(
                f"{path}: takes {', '.join(names)}: expected {', '.join(_COMMON)} and optionally {', '.join(_SPANS)}"
            )
        if "logits" not in [o.name for o in graph.get_outputs()]:
            raise ResourceError(f"{path}: has no output logits: expected a graph exported by the gliner library")
        return graph, _SPANS[0] in names


def _positive_int(config: dict[str, Any], key: str, default: int, where: Path) -> int:
    value = config.get(key, default)
    if not isinstance(value, int) or value < 1:
        raise ResourceError(f"{where}: {key}: expected a whole number above 0")
    return value


def _max_pieces(folder: Path, config: dict[str, Any]) -> int:
    """Return the maximum sequence length: the smaller one of the tokenizer and the encoder, or 512 if both are missing."""
    encoder = config.get("encoder_config")
    positions = encoder.get("max_position_embeddings") if isinstance(encoder, dict) else None
    limits = [n for n in (max_length_of(folder), positions) if isinstance(n, int) and n > 0]
    return min(limits) if limits else 512
