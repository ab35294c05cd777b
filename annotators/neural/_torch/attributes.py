"""The feed-forward network for the features of tokens."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class AttributeNetwork(nn.Module):
    """A feed-forward network: (B, T, K) attribute indexes and (B, T, V) numbers -> (B, T, last width).

    The input is a sparse binary vector, so the first layer is the sum of the rows of its attributes.
    """

    def __init__(self, attributes: int, numbers: int, widths: Sequence[int], dropout: float) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.empty(attributes, widths[0]).normal_(0.0, 0.1))
        self.numbers = nn.Linear(numbers, widths[0], bias=False) if numbers else None
        self.bias = nn.Parameter(torch.zeros(widths[0]))
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(widths))
        self.dropout = dropout
        self.size = widths[-1]

    def forward(self, attributes: Tensor, numbers: Tensor) -> Tensor:
        b, t, k = attributes.shape
        if self.training and self.dropout:
            attributes = attributes * (torch.rand(attributes.shape, device=attributes.device) >= self.dropout)
        if torch.onnx.is_in_onnx_export():  # the exporter does not support padding in embedding_bag
            x = (functional.embedding(attributes, self.rows) * (attributes != 0).unsqueeze(-1)).sum(dim=2)
        else:
            x = functional.embedding_bag(attributes.reshape(b * t, k), self.rows, mode="sum", padding_idx=0)
            x = x.view(b, t, -1)
        x = x + self.bias
        if self.numbers is not None:
            x = x + self.numbers(numbers)
        x = torch.relu(x)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x
