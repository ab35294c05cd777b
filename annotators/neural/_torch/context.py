"""What a token's vector becomes when the tokens around are looked at. `keep` says where an answer is wanted, (B, T) or None."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .lstm import BiLstm


class StackedLstm(nn.Module):
    """(B, T, size) -> (B, T, 2 width)."""

    def __init__(self, size: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(BiLstm(size if i == 0 else 2 * width, width) for i in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.size = 2 * width

    def forward(self, x: Tensor, lengths: Tensor, mask: Tensor, keep: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = self.dropout(layer(x, lengths))
        return x


class IteratedCnn(nn.Module):
    """(B, T, size) -> (B, T, filters). Strubell, Verga, Belanger and McCallum 2017; the block shares its weights."""

    def __init__(
        self, size: int, filters: int, width: int, dilations: Sequence[int], repeats: int, dropout: float
    ) -> None:
        super().__init__()
        self.entry = nn.Conv1d(size, filters, width, padding=width // 2)
        self.block = nn.ModuleList(
            nn.Conv1d(filters, filters, width, padding=d * (width // 2), dilation=d) for d in dilations
        )
        for convolution in self.block:
            nn.init.xavier_uniform_(convolution.weight)
            nn.init.zeros_(convolution.bias)
        self.repeats = repeats
        self.dropout = nn.Dropout(dropout)
        self.size = filters

    def forward(self, x: Tensor, lengths: Tensor, mask: Tensor, keep: Tensor | None = None) -> Tensor:
        there = mask[:, None, :]
        y = torch.relu(self.entry((x * mask[:, :, None]).transpose(1, 2))) * there
        for _ in range(self.repeats):
            for convolution in self.block:
                y = torch.relu(convolution(y)) * there
            y = self.dropout(y)
        return y.transpose(1, 2)


class Windows(nn.Module):
    """(B, T, size) -> (B, T, last dense width): each token from the window around it alone; places outside are zeros.

    What each direction knows when it has read the token in the middle goes on to the dense layers (Anonimatik, 3.4).
    """

    def __init__(self, size: int, window: int, width: int, dense: Sequence[int], dropout: float) -> None:
        super().__init__()
        self.window = window
        self.lstm = BiLstm(size, width)
        sizes = [self.lstm.size, *dense]
        self.dense = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.dropout = nn.Dropout(dropout)
        self.size = sizes[-1]

    def forward(self, x: Tensor, lengths: Tensor, mask: Tensor, keep: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        half = self.window // 2
        padded = nn.functional.pad(x * mask[:, :, None], (0, 0, half, half))
        windows = padded.unfold(1, self.window, 1)  # (B, T, size, window)
        wanted = mask if keep is None else mask & keep
        chosen = windows[wanted].transpose(1, 2)
        found = x.new_zeros(b, t, self.size)
        if len(chosen):
            full = torch.full((len(chosen),), self.window, device=x.device)
            y = self.dropout(self.lstm(chosen, full)[:, self.window // 2])
            for layer in self.dense:
                y = torch.relu(layer(y))
            found[wanted] = y
        return found
