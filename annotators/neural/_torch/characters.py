"""A vector for each form from its characters."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .lstm import BiLstm


class CharacterLstm(nn.Module):
    """(U, C) characters, (U,) sizes -> (U, 2 width)."""

    def __init__(self, characters: int, dim: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(characters, dim, padding_idx=0)
        nn.init.uniform_(self.vectors.weight, -((3 / dim) ** 0.5), (3 / dim) ** 0.5)
        self.lstm = BiLstm(dim, width)
        self.size = self.lstm.size

    def forward(self, characters: Tensor, sizes: Tensor) -> Tensor:
        return self.lstm.last(self.vectors(characters), sizes)


class CharacterCnn(nn.Module):
    """(U, C) characters, (U,) sizes -> (U, filters x widths). Filters read padding as zeros; outputs there are ignored."""

    def __init__(self, characters: int, dim: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.vectors = nn.Embedding(characters, dim, padding_idx=0)
        nn.init.uniform_(self.vectors.weight, -((3 / dim) ** 0.5), (3 / dim) ** 0.5)
        self.convolutions = nn.ModuleList(nn.Conv1d(dim, filters, w, padding=w // 2) for w in widths)
        self.size = filters * len(widths)

    def forward(self, characters: Tensor, sizes: Tensor) -> Tensor:
        inside = torch.arange(characters.shape[1], device=sizes.device)[None, :] < sizes[:, None]
        x = (self.vectors(characters) * inside[:, :, None]).transpose(1, 2)
        padding = ~inside[:, None, :]
        outputs = [torch.relu(c(x)).masked_fill(padding, 0.0).amax(dim=2) for c in self.convolutions]
        return torch.cat(outputs, dim=1)
