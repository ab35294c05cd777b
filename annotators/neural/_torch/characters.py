"""Character-level networks, which compute a vector for each form."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .lstm import BiLstm

FEW_FORMS = 64
"""Number of forms below which all are padded to the longest."""
CHUNKS = 5
"""Number of groups of forms of similar length, each padded to its longest form."""


def uniform_embedding(entries: int, dim: int) -> nn.Embedding:
    """Return an embedding with uniformly distributed weights, with padding at index 0."""
    embedding = nn.Embedding(entries, dim, padding_idx=0)
    nn.init.uniform_(embedding.weight, -((3 / dim) ** 0.5), (3 / dim) ** 0.5)
    return embedding


class CharacterLstm(nn.Module):
    """A bidirectional LSTM: (U, C) characters, (U,) sizes -> (U, 2 width)."""

    def __init__(self, characters: int, dim: int, width: int) -> None:
        super().__init__()
        self.vectors = uniform_embedding(characters, dim)
        self.lstm = BiLstm(dim, width)
        self.size = self.lstm.size

    def forward(self, characters: Tensor, sizes: Tensor) -> Tensor:
        if torch.onnx.is_in_onnx_export() or len(sizes) < FEW_FORMS:
            return self.lstm.last(self.vectors(characters), sizes)
        order = torch.argsort(sizes)  # forms of similar length together: most are a fifth as long as the longest
        chunks = [
            self.lstm.last(self.vectors(characters[rows, : int(sizes[rows[-1]])]), sizes[rows])
            for rows in order.chunk(CHUNKS)
        ]
        return torch.cat(chunks)[torch.argsort(order)]


class CharacterCnn(nn.Module):
    """Convolutions: (U, C) characters, (U,) sizes -> (U, filters x widths). Padding is zeros, and its outputs are ignored."""

    def __init__(self, characters: int, dim: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.vectors = uniform_embedding(characters, dim)
        self.convolutions = nn.ModuleList(nn.Conv1d(dim, filters, w, padding=w // 2) for w in widths)
        self.size = filters * len(widths)

    def forward(self, characters: Tensor, sizes: Tensor) -> Tensor:
        inside = torch.arange(characters.shape[1], device=sizes.device)[None, :] < sizes[:, None]
        x = (self.vectors(characters) * inside[:, :, None]).transpose(1, 2)
        padding = ~inside[:, None, :]
        outputs = [torch.relu(c(x)).masked_fill(padding, 0.0).amax(dim=2) for c in self.convolutions]
        return torch.cat(outputs, dim=1)
