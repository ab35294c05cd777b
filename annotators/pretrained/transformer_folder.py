"""A token-classification model as Hugging Face's `save_pretrained` and ONNX exporters write it: what is in the folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ...pipeline.errors import ResourceError
from ..neural.extras import installed
from .folder import PretrainedFolder, onnx_file, read_json
from .label_names import Labels, read_labels
from .networks import Device, Network, OnnxNetwork, TorchNetwork
from .pieces import PieceTokenizer, load_tokenizer, longest

Backend = Literal["auto", "torch", "onnx"]

WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")

_OFFSET = frozenset(
    "roberta xlm-roberta xlm-roberta-xl camembert longformer mpnet roberta-prelayernorm data2vec-text xmod lilt luke "
    "bigbird_roberta mluke".split()
)
"""Model types whose positions begin after the padding id: two of `max_position_embeddings` are never used."""


@dataclass(eq=False, kw_only=True)
class TransformerFolder(PretrainedFolder):
    """A model folder whose config.json was read. Networks and the tokenizer are loaded on first use."""

    kind = "token-classification model"
    required = ("config.json",)

    config: dict[str, Any]
    labels: Labels

    @classmethod
    def load(cls, name: str) -> Self:
        """Read config.json. Raises ResourceError: no folder, damaged, code of its own, another head, no label names."""
        folder = cls.existing(name)
        config = read_json(folder / "config.json")
        if "auto_map" in config:
            raise ResourceError(
                f"{folder}: brings Python code of its own (auto_map in config.json), which is never run"
            )
        heads = config.get("architectures")
        if isinstance(heads, list) and heads and not any(str(h).endswith("ForTokenClassification") for h in heads):
            raise ResourceError(
                f"{folder}: is a model for another task ({', '.join(map(str, heads))}): "
                "expected an architecture ...ForTokenClassification"
            )
        return cls(place=folder, config=config, labels=_labels(folder, config))

    def tokenizer(self, who: str, extra: str) -> PieceTokenizer:
        """Return the tokenizer. Raise ResourceError if it does not belong to the model."""
        return self.once(("tokenizer",), lambda: self._load_tokenizer(who, extra))

    def _load_tokenizer(self, who: str, extra: str) -> PieceTokenizer:
        pad, known = self.config.get("pad_token_id"), self.config.get("vocab_size")
        loaded = load_tokenizer(self.place, who, extra)
        tokenizer = PieceTokenizer(loaded, str(self.place), pad if isinstance(pad, int) else 0)
        size = tokenizer.size()  # without added pieces: some folders list more than are used
        if isinstance(known, int) and size > known:
            raise ResourceError(f"{self.place}: the tokenizer has {size} pieces, the model {known}: not of one model")
        return tokenizer

    def graph(self, backend: Backend, file: str) -> Path | None:
        """Return the ONNX graph to use, None for PyTorch. Raises ResourceError if the folder lacks what `backend` asks for."""
        path = onnx_file(self.place, file) if backend != "torch" else None
        weights = any((self.place / name).is_file() for name in WEIGHTS)
        if backend == "onnx" and path is None:
            raise ResourceError(f"{self.place}: has no model.onnx or onnx/model.onnx: expected an exported graph")
        if path is None and not weights:
            there = "" if backend == "torch" else ", model.onnx or onnx/model.onnx"
            raise ResourceError(f"{self.place}: has no weights: expected {WEIGHTS[0]}, {WEIGHTS[2]}{there}")
        if backend == "auto" and path is not None and weights and not file and not installed("onnxruntime"):
            return None
        return path

    def network(self, graph: Path | None, device: Device, threads: int, who: str) -> Network:
        """Return the network: that of the ONNX graph, or of PyTorch without one."""
        n = len(self.labels.names)

        def load() -> Network:
            if graph is None:
                return TorchNetwork(self.place, n, device, threads, who)
            return OnnxNetwork(graph, n, device, threads, who)

        return self.once(("network", graph, device, threads), load)

    def limit(self) -> int | None:
        """Return the longest sequence the model takes, special pieces included; None if it sets no limit."""
        given = self.config.get("max_position_embeddings")
        positions = int(given) if isinstance(given, int) and given > 0 else None
        if positions is not None and self.config.get("model_type") in _OFFSET:
            pad = self.config.get("pad_token_id")
            positions -= (pad if isinstance(pad, int) else 1) + 1
        limits = [n for n in (positions, longest(self.place)) if n]
        return min(limits) if limits else None


def _labels(folder: Path, config: dict[str, Any]) -> Labels:
    given = config.get("id2label")
    if not isinstance(given, dict) or not given:
        raise ResourceError(f"{folder}: config.json names no labels: expected id2label")
    try:
        numbered = {int(key): str(value) for key, value in given.items()}
    except ValueError:
        numbered = {}
    if sorted(numbered) != list(range(len(given))):
        raise ResourceError(f"{folder}: config.json: expected id2label to number the labels from 0 on")
    return read_labels([numbered[i] for i in range(len(numbered))])
