"""Documents as one sparse matrix of attributes, for training without sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .extraction import OUT_AFTER, OUT_BEFORE, AttributeTable, DocumentFeatures, FeatureSet

TOGETHER = 20_000
"""Tokens whose rows are made in one go."""


def design_matrix(
    features: FeatureSet, documents: Sequence[DocumentFeatures], min_count: int = 1
) -> tuple[Any, list[str]]:
    """Return all tokens of all documents as rows, attributes as columns; the names of the columns.

    A `scipy.sparse.csr_matrix` of doubles. Attributes that occur fewer than `min_count` times are left out. Numbers of
    attributes are looked up once for each form and distance, not once for each token.
    """
    from scipy.sparse import csr_matrix, hstack

    numbers = {f"{d}:{OUT_BEFORE if d < 0 else OUT_AFTER}": i for i, d in enumerate(d for d in features.offsets if d)}
    spread = AttributeTable(features, lambda name: numbers.setdefault(name, len(numbers)))
    flat, lengths, some = [np.zeros(0, np.int32)], [0], list[DocumentFeatures]()
    for i, columns in enumerate(documents, 1):
        some.append(columns)
        if i == len(documents) or sum(len(c.forms) for c in some) >= TOGETHER:
            _number(spread, some)
            rows = [row for c in some for row in spread.rows(c)]
            flat.append(np.fromiter((n for row in rows for n in row), np.int32))
            lengths += map(len, rows)
            some = []
    indices, ends = np.concatenate(flat), np.cumsum(lengths)
    matrix = csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(ends) - 1, len(numbers)))
    matrix.sum_duplicates()
    names = list(numbers)
    if features.of_value:
        dense = np.concatenate([np.zeros((0, len(_dense_names(features)))), *(_dense(features, c) for c in documents)])
        matrix, names = csr_matrix(hstack([matrix, csr_matrix(dense)], format="csr")), names + _dense_names(features)
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    kept = np.flatnonzero(counts >= max(min_count, 1))
    if len(kept) < len(names):
        matrix, names = csr_matrix(matrix[:, kept]), [names[i] for i in kept]
    matrix.sort_indices()
    return matrix, names


def _number(spread: AttributeTable, documents: Sequence[DocumentFeatures]) -> None:
    """Give attributes their numbers: those of forms first, then those of one group of values after the other."""
    for form in dict.fromkeys(form for c in documents for form in c.forms):
        _ = spread.forms[form]
    for column in zip(*(c.values for c in documents), strict=True):
        for bases in dict.fromkeys(bases for values in column for bases in values):
            _ = spread.values[bases]


def _dense_names(features: FeatureSet) -> list[str]:
    return [f"{d}:{f.label}" for f in features.of_value for d in features.window_of(f)]


def _dense(features: FeatureSet, columns: DocumentFeatures) -> Any:
    """Return values of the features that are numbers, for each distance: shape (tokens, `_dense_names`)."""
    values = np.zeros((len(columns.forms), len(_dense_names(features))))
    at = 0
    for row, feature in enumerate(features.of_value):
        for d in features.window_of(feature):
            for first, last in columns.sequences:
                a, b = max(first, first - d), min(last, last - d)
                if a < b:
                    values[a:b, at] = columns.numbers[row, a + d : b + d]
            at += 1
    return values
