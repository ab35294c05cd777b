"""A trained network as a resource: description, weights, vocabularies. Loading cannot run code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ...pipeline.errors import ResourceError
from ...pipeline.storage.files import write_atomic
from ..sequence.arrays import Array, pack, unpack
from ..sequence.card import model_card
from ..sequence.feature import Words
from ..sequence.linear_model import TokenModel
from ..sequence.model_files import locate_model, read_checked, read_description, update_description, write_model
from .extras import torch_module
from .inputs import FIRST, IndexedDocument, Indexer, Vocabulary, gaps_of
from .plan import Plan
from .quantization import dequantize, quantize

NETWORK, ONNX = "network.npz", "model.onnx"
VOCABULARIES = ("words", "characters", "attributes")


@dataclass(eq=False)
class NeuralModel(TokenModel):
    """A network that labels tokens, and its vocabularies."""

    meta: dict[str, Any]
    plan: Plan
    arrays: Mapping[str, Array]
    """Weights by their PyTorch names."""
    vocabularies: Mapping[str, list[str]]
    onnx: bytes | None = None
    """The ONNX graph of the network, if any."""
    place: str = ""

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a model. Raise ResourceError if it is missing, damaged, of another type or in a newer format."""
        path, meta = locate_model(name), read_description(name)
        if meta["type"] != "neural":
            raise ResourceError(f"model {path}: trained as {meta['type']}; the component {meta['type']} applies it")
        plan = Plan.of(meta, str(path))
        try:
            packed, strings = unpack(read_checked(path, meta, NETWORK))
            arrays = dequantize(packed)
        except ValueError as error:
            raise ResourceError(f"model {path}: {error}") from None
        onnx = read_checked(path, meta, ONNX) if ONNX in meta["files"] else None
        model = cls(meta, plan, arrays, strings, onnx, str(path))
        model.verify()
        return model

    def verify(self) -> None:
        """Raise ResourceError if the sizes of the vocabularies differ from the plan."""
        for name in VOCABULARIES:
            entries = self.vocabularies.get(name)
            expected = self.plan.sizes[name]
            if entries is None or (len(entries) + FIRST != expected and not (expected == 0 and not entries)):
                raise ResourceError(
                    f"model {self.place}: its vocabulary of {name} is not the one of its training: damaged"
                )

    @cached_property
    def indexer(self) -> Indexer:
        """The indexer that converts documents to arrays."""
        plan, vocabularies = self.plan, {name: Vocabulary(self.vocabularies[name]) for name in VOCABULARIES}
        return Indexer(
            self.features,
            vocabularies["words"],
            vocabularies["characters"],
            vocabularies["attributes"],
            lower=plan.tokens is not None and plan.tokens.lower,
            lower_characters=plan.characters is not None and plan.characters.lower,
            post_space=plan.characters.post_space if plan.characters is not None else 0,
            sequence=self.meta.get("sequence", "sentence"),
            max_length=int(self.meta.get("max_length", 256)),
        )

    def index(self, words: Words) -> IndexedDocument:
        """Return the arrays of a document."""
        gaps = gaps_of(words, self.indexer.post_space) if self.indexer.post_space else None
        return self.indexer.index(self.features.columns(words), gaps)


def add_onnx_graph(name: str) -> int:
    """Write the ONNX graph of a model into its folder. Return its size in bytes.

    Raises ResourceError if the model is not a network or is a zip, or if PyTorch or `onnx` is not installed.
    """
    model, path = NeuralModel.load(name), locate_model(name)
    if not path.is_dir():
        raise ResourceError(f"model {path}: expected a folder, not a zip: unpack it first")
    graph: bytes = torch_module("onnx_export", "export-onnx").export_onnx(model.plan, model.arrays, "export-onnx")
    write_atomic(path / ONNX, graph)
    update_description(path, {"files": {**model.meta["files"], ONNX: hashlib.sha256(graph).hexdigest()}})
    return len(graph)


def quantize_model(name: str) -> int:
    """Store the weights of a model as 8-bit integers. Return the size of their file in bytes.

    Its ONNX graph, which has the former weights, is deleted. Raises ResourceError if the model is not a network.
    """
    model, path = NeuralModel.load(name), locate_model(name)
    kept = {file: read_checked(path, model.meta, file) for file in model.meta["files"] if file not in (NETWORK, ONNX)}
    raw = pack(quantize(model.arrays), model.vocabularies)
    meta = {**model.meta, "quantize": "int8"}
    write_model(path, meta, {NETWORK: raw, **kept}, model_card(meta))
    return len(raw)
