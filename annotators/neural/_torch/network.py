"""The complete network, which scores the labels of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..inputs import Batch
from ..plan import Plan
from .chain import Chain
from .characters import uniform_embedding


class Network(nn.Module):
    """Concatenated token vectors, dropout, a context encoder, and a linear layer that scores labels."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        size = 0
        self.words = None
        if plan.tokens is not None:
            self.words = uniform_embedding(plan.sizes["words"], plan.sizes["dim"])
            size += plan.sizes["dim"]
        self.characters = plan.characters.build(plan.sizes["characters"]) if plan.characters is not None else None
        size += int(self.characters.size) if self.characters is not None else 0
        self.attributes = None
        if plan.attributes is not None and plan.sizes["attributes"] + plan.sizes["numbers"]:
            self.attributes = plan.attributes.build(plan.sizes["attributes"], plan.sizes["numbers"])
            size += int(self.attributes.size)
        self.dropout = nn.Dropout(plan.dropout)
        self.encoder = plan.encoder.build(size, plan.dropout)
        self.out = nn.Linear(int(self.encoder.size), len(plan.labels))
        self.chain = Chain(len(plan.labels), torch.from_numpy(plan.forbidden())) if plan.decoder.chain else None

    def forward(self, batch: Tensors, keep: Tensor | None = None) -> Tensor:
        """Return the label scores: (B, T, L). `keep` of shape (B, T) marks the tokens whose scores are needed; None: all."""
        parts = []
        if self.words is not None:
            parts.append(self.words(batch.words))
        if self.characters is not None:
            vectors = self.characters(batch.characters, batch.sizes)
            parts.append(functional.embedding(batch.forms, vectors))
        if self.attributes is not None:
            parts.append(self.attributes(batch.attributes, batch.numbers))
        x = self.dropout(torch.cat(parts, dim=2))
        return self.out(self.encoder(x, batch.lengths, batch.mask, keep))

    def loss(
        self, batch: Tensors, labels: Tensor, weights: Tensor | None = None, keep: Tensor | None = None
    ) -> tuple[Tensor, int]:
        """Return the summed loss and its divisor, the number of sequences (chain) or of tokens by weight (softmax)."""
        emissions = self(batch, keep)
        if self.chain is not None:
            return self.chain.loss(emissions, labels, batch.mask), len(labels)
        needed = batch.mask if keep is None else batch.mask & keep
        chosen, gold = emissions[needed], labels[needed]
        summed = functional.cross_entropy(chosen, gold, weight=weights, reduction="sum")
        divisor = len(gold) if weights is None else float(weights[gold].sum())
        return summed, max(divisor, 1e-9)  # type: ignore[return-value]

    def set_word_vectors(self, vectors: Mapping[int, Any], train: bool) -> None:
        """Set the initial word vectors by index. `train`: whether training changes them."""
        if self.words is None:
            return
        with torch.no_grad():
            for index, vector in vectors.items():
                self.words.weight[index] = torch.as_tensor(vector)
        self.words.weight.requires_grad_(train)

    def state(self) -> dict[str, Tensor]:
        """Return a copy of all weights, on the CPU."""
        return {name: value.detach().cpu().clone() for name, value in self.state_dict().items()}

    def chain_scores(self) -> tuple[Any, Any, Any]:
        """Return the scores of label pairs, first labels and last labels as arrays of doubles; zeros without a chain."""
        n = len(self.plan.labels)
        if self.chain is None:
            return np.zeros((n, n)), np.zeros(n), np.zeros(n)
        pairs, starts, ends = (x.detach().cpu().double().numpy() for x in self.chain.scores())
        return pairs, starts, ends


@dataclass(slots=True)
class Tensors:
    """A batch as tensors on a device; see `Batch` for the shapes."""

    words: Tensor
    characters: Tensor
    sizes: Tensor
    forms: Tensor
    attributes: Tensor
    numbers: Tensor
    lengths: Tensor
    mask: Tensor

    @classmethod
    def of(cls, batch: Batch, device: str | torch.device = "cpu") -> Tensors:
        return cls(**{name: torch.from_numpy(getattr(batch, name)).to(device) for name in cls.__slots__})
