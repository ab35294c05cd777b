"""The linear-chain CRF and its loss. Decoding is in annotators/sequence/viterbi.py."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Chain(nn.Module):
    """Scores of label pairs, first labels and last labels (Lafferty, McCallum and Pereira 2001).

    `forbidden` of shape (labels + 1, labels + 1) is added to the scores of pairs: 0 for valid pairs, otherwise a large negative
    number. The last row and column are the ends of the sequence.
    """

    def __init__(self, labels: int, forbidden: Tensor) -> None:
        super().__init__()
        self.pairs = nn.Parameter(torch.zeros(labels, labels))
        self.starts = nn.Parameter(torch.zeros(labels))
        self.ends = nn.Parameter(torch.zeros(labels))
        self.register_buffer("forbidden", forbidden, persistent=False)

    def scores(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the scores of label pairs (labels, labels), first labels (labels,) and last labels (labels,)."""
        n = len(self.starts)
        forbidden: Tensor = self.forbidden
        return self.pairs + forbidden[:n, :n], self.starts + forbidden[n, :n], self.ends + forbidden[:n, n]

    def loss(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Return the negative log-likelihood of the labels, summed over sequences: (B, T, L), (B, T), (B, T) -> ().

        The sums are of probabilities, as doubles scaled by the maximum of each step: exact, and much faster than logarithms of
        sums.
        """
        pairs, starts, ends = (x.double() for x in self.scores())
        emissions = emissions.double()
        b, t, _ = emissions.shape
        rows = torch.arange(b, device=emissions.device)
        steps = pairs.exp()
        alpha = starts + emissions[:, 0]
        gold = starts[labels[:, 0]] + emissions[rows, 0, labels[:, 0]]
        for i in range(1, t):
            largest = alpha.amax(dim=1, keepdim=True).detach()
            following = ((alpha - largest).exp() @ steps).clamp_min(1e-290).log() + largest + emissions[:, i]
            inside = mask[:, i]
            alpha = torch.where(inside[:, None], following, alpha)
            gold = gold + inside * (pairs[labels[:, i - 1], labels[:, i]] + emissions[rows, i, labels[:, i]])
        last = labels[rows, mask.sum(dim=1) - 1]
        return (torch.logsumexp(alpha + ends, dim=1) - gold - ends[last]).sum().float()
