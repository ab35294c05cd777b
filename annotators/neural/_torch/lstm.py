"""A bidirectional LSTM that ignores padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BiLstm(nn.Module):
    """A bidirectional LSTM (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005).

    The backward direction is a forward LSTM over the reversed sequences without padding, which is three times as fast as packed
    sequences on a CPU.
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
                lstm.bias_ih_l0[width : 2 * width] = 1.0  # forget gates are open initially (Jozefowicz et al. 2015)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the states of each element: (B, T, size) and (B,) -> (B, T, 2 width)."""
        forwards, backwards, reversal = self._directions(x, lengths)
        return torch.cat([forwards, _gather(backwards, reversal)], dim=2)

    def last(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the final state of each direction: (B, T, size) and (B,) -> (B, 2 width)."""
        forwards, backwards, _ = self._directions(x, lengths)
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, forwards.shape[2])
        return torch.cat([forwards.gather(1, last), backwards.gather(1, last)], dim=2).squeeze(1)

    def _directions(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the forward states, the backward states in reverse order, and the positions that reverse each sequence."""
        positions = torch.arange(x.shape[1], device=lengths.device)[None, :]
        reversal = lengths[:, None] - 1 - positions
        reversal = torch.where(reversal >= 0, reversal, positions)
        return self.forwards(x)[0], self.backwards(_gather(x, reversal))[0], reversal


def _gather(x: Tensor, positions: Tensor) -> Tensor:
    return x.gather(1, positions[:, :, None].expand(-1, -1, x.shape[2]))
