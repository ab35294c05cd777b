"""The structure of a network: its parts, vocabulary sizes and labels. Stored in model.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...pipeline.contract.component import Part
from ...pipeline.contract.params import convert
from ...pipeline.errors import ResourceError
from ..sequence.labels import Encoding, follows
from ..sequence.labels import parts as label_parts
from ..sequence.plain_data import plain
from .parts import AttributeEncoder, CharacterEncoder, Decoder, Encoder, RandomEmbedding, TokenEmbedding

NEVER = -200.0
"""Added to the score of invalid label pairs: excludes them from the best path, and its exponential is still a double."""

_FAMILIES: dict[str, Any] = {
    "tokens": TokenEmbedding,
    "characters": CharacterEncoder,
    "attributes": AttributeEncoder,
    "encoder": Encoder,
    "decoder": Decoder,
}
SIZES = ("words", "dim", "characters", "attributes", "numbers")


@dataclass(frozen=True, slots=True)
class Plan:
    """The structure of a network, which determines the shapes of its weights."""

    tokens: TokenEmbedding | None
    characters: CharacterEncoder | None
    attributes: AttributeEncoder | None
    encoder: Encoder
    decoder: Decoder
    dropout: float
    labels: tuple[str, ...]
    encoding: Encoding
    sizes: Mapping[str, int]
    """Vocabulary sizes with padding and unknown, length of word vectors (`dim`), number of real-valued features."""

    def forbidden(self) -> npt.NDArray[np.float32]:
        """Return the penalty of each label pair. Shape: (labels + 1, labels + 1); the last row and column are the ends."""
        n = len(self.labels)
        scores = np.zeros((n + 1, n + 1), dtype=np.float32)
        if not self.decoder.constrained:
            return scores
        for i, a in enumerate(self.labels):
            for j, b in enumerate(self.labels):
                scores[i, j] = 0.0 if follows(a, b, self.encoding) else NEVER
            scores[n, i] = 0.0 if follows("O", a, self.encoding) else NEVER
            open_ = self.encoding == "bilou" and label_parts(a, self.encoding)[0] in ("B", "I")
            scores[i, n] = NEVER if open_ else 0.0
        return scores

    def runs_on_arrays(self) -> bool:
        """Return whether every part can be applied with NumPy. Those of plug-ins may need PyTorch."""
        families = ((self.characters, CharacterEncoder), (self.attributes, AttributeEncoder), (self.encoder, Encoder))
        return all(one is None or type(one).in_arrays is not family.in_arrays for one, family in families)

    def as_data(self) -> dict[str, Any]:
        """Return the content for model.json. Pretrained vectors become `random` ones, since the model contains their values."""
        tokens = self.tokens
        if tokens is not None and not isinstance(tokens, RandomEmbedding):
            tokens = RandomEmbedding(dim=self.sizes["dim"], lower=tokens.lower, min_count=tokens.min_count)
        parts: dict[str, Part | None] = {"tokens": tokens, "characters": self.characters, "attributes": self.attributes}
        parts |= {"encoder": self.encoder, "decoder": self.decoder}
        data: dict[str, Any] = {name: None if p is None else plain(p) for name, p in parts.items()}
        return {**data, "dropout": self.dropout, "sizes": dict(self.sizes)}

    @staticmethod
    def of(meta: Mapping[str, Any], place: str) -> Plan:
        """Read a plan from model.json. Raise ResourceError if it does not describe a network."""
        data, faults = meta.get("network"), []
        if not isinstance(data, dict) or not isinstance(data.get("sizes"), dict):
            raise ResourceError(f"model {place}: its description has no network: damaged, or another type of model")
        sizes, dropout = data["sizes"], data.get("dropout")
        if any(not isinstance(sizes.get(s), int) or not 0 <= sizes[s] < 2**31 for s in SIZES):
            raise ResourceError(
                f"model {place}: network: sizes: expected whole numbers for {', '.join(SIZES)}: damaged"
            )
        if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
            raise ResourceError(f"model {place}: network: dropout: expected a number from 0 to below 1: damaged")
        parts: dict[str, Any] = {}
        for name, family in _FAMILIES.items():
            value = data.get(name)
            if value is None and name not in ("encoder", "decoder"):
                parts[name] = None
                continue
            parts[name] = convert(family, value, lambda _, fault, name=name: faults.append(f"{name}: {fault}"), ())  # type: ignore[misc]
        if faults:
            raise ResourceError(f"model {place}: its network cannot be built: {'; '.join(faults)}")
        return Plan(**parts, dropout=dropout, labels=tuple(meta["labels"]), encoding=meta["encoding"], sizes=sizes)
