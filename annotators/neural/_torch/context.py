"""Encoders, which compute contextual token vectors. `keep` of shape (B, T) marks the tokens that need one; None: all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .lstm import BiLstm


class StackedLstm(nn.Module):
    """Stacked bidirectional LSTMs: (B, T, size) -> (B, T, 2 width)."""

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
    """Iterated dilated convolutions with shared weights: (B, T, size) -> (B, T, filters). Strubell et al. 2017."""

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
        inside = mask[:, None, :]
        y = torch.relu(self.entry((x * mask[:, :, None]).transpose(1, 2))) * inside
        for _ in range(self.repeats):
            for convolution in self.block:
                y = torch.relu(convolution(y)) * inside
            y = self.dropout(y)
        return y.transpose(1, 2)


class WindowLstm(nn.Module):
    """A bidirectional LSTM over the window around each token, and dense layers: (B, T, size) -> (B, T, last dense width).

    The states of both directions at the middle token are the input of the dense layers (Anonimatik, 3.4). Tokens outside of the
    sequence are zeros.
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
        b, t, size = x.shape
        half = self.window // 2
        padded = nn.functional.pad(x * mask[:, :, None], (0, 0, half, half))
        windows = torch.stack([padded[:, k : k + t] for k in range(self.window)], dim=2)  # (B, T, window, size)
        if torch.onnx.is_in_onnx_export():  # shapes that depend on values cannot be exported
            return self._encode(windows.reshape(b * t, self.window, size)).reshape(b, t, self.size)
        needed = mask if keep is None else mask & keep
        chosen = windows[needed]
        vectors = x.new_zeros(b, t, self.size)
        if len(chosen):
            vectors[needed] = self._encode(chosen)
        return vectors

    def _encode(self, windows: Tensor) -> Tensor:
        """(N, window, size) -> (N, last dense width)."""
        lengths = torch.full((windows.shape[0],), self.window, dtype=torch.int64, device=windows.device)
        y = self.dropout(self.lstm(windows, lengths)[:, self.window // 2])
        for layer in self.dense:
            y = torch.relu(layer(y))
        return y
