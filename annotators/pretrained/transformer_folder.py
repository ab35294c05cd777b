"""The folder of a token-classification model, as Hugging Face's `save_pretrained` and ONNX exporters write it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ...pipeline.errors import ResourceError
from ..neural.extras import installed
from .folder import PretrainedFolder, onnx_file, read_json
from .label_names import Labels, read_labels
from .networks import Device, Network, OnnxNetwork, TorchNetwork
from .pieces import PieceTokenizer, load_tokenizer, max_length_of

Backend = Literal["auto", "torch", "onnx"]

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")

_OFFSET_POSITIONS = frozenset(
    "roberta xlm-roberta xlm-roberta-xl camembert longformer mpnet roberta-prelayernorm data2vec-text xmod lilt luke "
    "bigbird_roberta mluke".split()
)
"""Model types whose positions begin after the padding id, so that some of `max_position_embeddings` are never used."""


@dataclass(eq=False, kw_only=True)
class TransformerFolder(PretrainedFolder):
    """A model folder and its configuration. Networks and the tokenizer are loaded on first use."""

    kind = "token-classification model"
    required = ("config.json",)

    config: dict[str, Any]
    labels: Labels

    @classmethod
    def load(cls, name: str) -> Self:
        """Read config.json. Raises ResourceError for a missing or damaged folder, Python code, another head, missing labels."""
        folder = cls.existing_folder(name)
        config = read_json(folder / "config.json")
        if "auto_map" in config:
            raise ResourceError(f"{folder}: contains Python code (auto_map in config.json), which is never run")
        heads = config.get("architectures")
        if isinstance(heads, list) and heads and not any(str(h).endswith("ForTokenClassification") for h in heads):
            raise ResourceError(
                f"{folder}: model for another task ({', '.join(map(str, heads))}): "
                "expected an architecture ...ForTokenClassification"
            )
        return cls(path=folder, config=config, labels=_labels(folder, config))

    def tokenizer(self, who: str, extra: str) -> PieceTokenizer:
        """Return the tokenizer. Raise ResourceError if it does not belong to the model."""
        return self.cached(("tokenizer",), lambda: self._load_tokenizer(who, extra))

    def _load_tokenizer(self, who: str, extra: str) -> PieceTokenizer:
        pad, expected = self.config.get("pad_token_id"), self.config.get("vocab_size")
        loaded = load_tokenizer(self.path, who, extra)
        tokenizer = PieceTokenizer(loaded, self.path, pad if isinstance(pad, int) else 0)
        size = tokenizer.vocabulary_size()  # without added pieces: some folders list unused ones
        if isinstance(expected, int) and size > expected:
            raise ResourceError(
                f"{self.path}: the tokenizer has {size} pieces, the model {expected}: files of different models"
            )
        return tokenizer

    def graph(self, backend: Backend, file: str) -> Path | None:
        """Return the ONNX graph to use, None for PyTorch. Raises ResourceError if the folder lacks the file for `backend`."""
        path = onnx_file(self.path, file) if backend != "torch" else None
        weights = any((self.path / name).is_file() for name in WEIGHTS)
        if backend == "onnx" and path is None:
            raise ResourceError(f"{self.path}: has no model.onnx or onnx/model.onnx: expected an exported graph")
        if path is None and not weights:
            graphs = "" if backend == "torch" else ", model.onnx or onnx/model.onnx"
            raise ResourceError(f"{self.path}: has no weights: expected {WEIGHTS[0]}, {WEIGHTS[2]}{graphs}")
        if backend == "auto" and path is not None and weights and not file and not installed("onnxruntime"):
            return None
        return path

    def network(self, graph: Path | None, device: Device, threads: int, who: str) -> Network:
        """Return the network, run by ONNX Runtime if `graph` is set, otherwise by PyTorch."""
        n = len(self.labels.names)

        def load() -> Network:
            if graph is None:
                return TorchNetwork(self.path, n, device, threads, who)
            return OnnxNetwork(graph, n, device, threads, who)

        return self.cached(("network", graph, device, threads), load)

    def limit(self) -> int | None:
        """Return the maximum sequence length, including special pieces; None if the model sets none."""
        configured = self.config.get("max_position_embeddings")
        positions = int(configured) if isinstance(configured, int) and configured > 0 else None
        if positions is not None and self.config.get("model_type") in _OFFSET_POSITIONS:
            pad = self.config.get("pad_token_id")
            positions -= (pad if isinstance(pad, int) else 1) + 1
        limits = [n for n in (positions, max_length_of(self.path)) if n]
        return min(limits) if limits else None


def _labels(folder: Path, config: dict[str, Any]) -> Labels:
    names = config.get("id2label")
    if not isinstance(names, dict) or not names:
        raise ResourceError(f"{folder}: config.json has no labels: expected id2label")
    try:
        numbered = {int(key): str(value) for key, value in names.items()}
    except ValueError:
        numbered = {}
    if sorted(numbered) != list(range(len(names))):
        raise ResourceError(f"{folder}: config.json: expected id2label with labels numbered from 0")
    return read_labels([numbered[i] for i in range(len(numbered))])
