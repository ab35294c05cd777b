"""A trained network as a resource: description, weights, vocabularies. Loading one cannot run code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ...pipeline.errors import ResourceError
from ..sequence.arrays import Array, unpack
from ..sequence.feature import Words
from ..sequence.linear_model import TokenModel
from ..sequence.model_files import locate_model, read_checked, read_description
from .inputs import FIRST, Indexer, Seen, Vocabulary, gaps_of
from .plan import Plan

NETWORK, ONNX = "network.npz", "model.onnx"
VOCABULARIES = ("words", "characters", "attributes")


@dataclass(eq=False)
class NeuralModel(TokenModel):
    """A network that labels tokens, with the vocabularies that turn tokens into numbers."""

    meta: dict[str, Any]
    plan: Plan
    arrays: Mapping[str, Array]
    """The weights by name, as PyTorch names them."""
    vocabularies: Mapping[str, list[str]]
    onnx: bytes | None = None
    """The same network as an ONNX graph, if the model has one."""
    place: str = ""

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a model. Raise ResourceError if it is missing, damaged, foreign or in a newer format."""
        path, meta = locate_model(name), read_description(name)
        if meta["type"] != "neural":
            raise ResourceError(f"model {path}: trained as {meta['type']}; the component {meta['type']} applies it")
        plan = Plan.of(meta, str(path))
        try:
            arrays, strings = unpack(read_checked(path, meta, NETWORK))
        except ValueError as error:
            raise ResourceError(f"model {path}: {error}") from None
        onnx = read_checked(path, meta, ONNX) if ONNX in meta["files"] else None
        model = cls(meta, plan, arrays, strings, onnx, str(path))
        model.verify()
        return model

    def verify(self) -> None:
        """Raise ResourceError if the sizes of vocabularies are not those of the plan."""
        for name in VOCABULARIES:
            entries = self.vocabularies.get(name)
            expected = self.plan.sizes[name]
            if entries is None or (len(entries) + FIRST != expected and not (expected == 0 and not entries)):
                raise ResourceError(
                    f"model {self.place}: its vocabulary of {name} is not the one it was trained with: damaged"
                )

    @cached_property
    def indexer(self) -> Indexer:
        """Turns documents into numbers."""
        plan, vocabularies = self.plan, {name: Vocabulary(self.vocabularies[name]) for name in VOCABULARIES}
        return Indexer(
            self.features,
            vocabularies["words"],
            vocabularies["characters"],
            vocabularies["attributes"],
            lower=plan.tokens is not None and plan.tokens.lower,
            post_space=plan.characters is not None and plan.characters.post_space,
            sequence=self.meta.get("sequence", "sentence"),
            max_length=int(self.meta.get("max_length", 256)),
        )

    def seen(self, words: Words) -> Seen:
        """Return a document as numbers."""
        indexer = self.indexer
        return indexer.seen(self.features.columns(words), gaps_of(words) if indexer.post_space else None)
