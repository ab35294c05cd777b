"""From counts of pairs to vectors: positive pointwise mutual information, factorised; no chance in it but a fixed start.

After Levy, Goldberg and Dagan 2015, "Improving Distributional Similarity with Lessons Learned from Word Embeddings" (TACL 3),
who find such vectors as good as those of skip-gram and GloVe once these settings are the same: counts of contexts smoothed by
the power 0.75 (section 3.2), no shift, the singular values to the power 0.5 (section 3.3), rows of length 1 (section 3.4).
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .reading import Floats32

log = logging.getLogger("caspipe.training")

SMOOTHING = 0.75
_DENSE = 1_000
"""Up to this many words the whole matrix is taken apart, which is exact and quick."""
_TOLERANCE = 1e-4
_TOLD = 10


def positive_information(counts: Any, smoothing: float = SMOOTHING) -> Any:
    """Positive pointwise mutual information of a symmetric sparse matrix of counts: the same shape, 32-bit floats.

    max(0, log(n(w, c) / n(w)) - log(n(c)^s / sum of n(c')^s)).
    """
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    powers = totals**smoothing
    with np.errstate(divide="ignore"):
        of_word, of_context = np.log(totals), np.log(powers) - np.log(powers.sum())
    made = counts.astype(np.float64)
    lengths = np.diff(made.indptr)
    made.data = np.log(made.data)
    made.data -= np.repeat(of_word, lengths)
    made.data -= of_context[made.indices]
    np.maximum(made.data, 0, out=made.data)
    made.eliminate_zeros()
    return made.astype(np.float32)


def factorised(information: Any, dim: int) -> Floats32:
    """Vectors of shape (words, dim) from a sparse matrix, rows of length 1 (0 for words that are near no other).

    Truncated singular value decomposition by ARPACK from a fixed start; of each dimension the number farthest from 0 is
    positive. `dim` must be less than the number of words.
    """
    words = information.shape[0]
    if words <= _DENSE:
        left, values, _ = np.linalg.svd(information.toarray().astype(np.float64))
        left, values = left[:, :dim], values[:dim]
    else:
        left, values = _truncated(information, dim)
    values = np.where(values > values[0] * 1e-6, values, 0.0)  # what is left beyond the rank is noise
    farthest = np.abs(left).argmax(axis=0)
    left = left * np.where(left[farthest, np.arange(dim)] < 0, -1.0, 1.0)
    made = left * np.sqrt(values)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / np.where(lengths > 1e-12, lengths, 1.0), dtype=np.float32)


def _truncated(information: Any, dim: int) -> tuple[Any, Any]:
    from scipy.sparse.linalg import LinearOperator, svds

    transposed = information.T.tocsr()
    done = 0

    def forward(vector: Any) -> Any:
        nonlocal done
        done += 1
        if done % _TOLD == 0:
            log.info("iteration", extra={"iteration": done})
        return information @ vector

    told = LinearOperator(
        information.shape,
        matvec=forward,
        rmatvec=lambda vector: transposed @ vector,
        matmat=lambda vectors: information @ vectors,
        dtype=information.dtype,
    )
    start = np.random.default_rng(1).random(information.shape[0], dtype=np.float32) - np.float32(0.5)
    left, values, _ = svds(told, k=dim, v0=start, tol=_TOLERANCE)
    order = np.argsort(-values, kind="stable")
    return left[:, order].astype(np.float64), values[order].astype(np.float64)
