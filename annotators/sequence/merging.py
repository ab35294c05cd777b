"""Weights made smaller and steadier: single precision, small ones left out, several trainings averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .weights import Weights


def mean(models: Sequence[Weights]) -> Weights:
    """Return the mean of linear models over the same labels: a model whose scores are the means of theirs.

    Averaged perceptrons that saw the sentences in other orders make other mistakes; their mean makes fewer. Raises ValueError
    where the labels differ.
    """
    labels = sorted(models[0].labels)
    places: dict[str, int] = {}
    keys, values = [], []
    transitions = None
    for model in models:
        if sorted(model.labels) != labels:
            raise ValueError("weights: models with different labels have no mean")
        numbers = np.array([labels.index(label) for label in model.labels], dtype=np.int64)
        names = np.array([places.setdefault(a, len(places)) for a in model.attributes], dtype=np.int64)
        keys.append(names[model.rows] * len(labels) + numbers[model.columns])
        values.append(model.values / len(models))
        if model.transitions is not None:
            share = np.zeros((len(labels), len(labels)))
            share[np.ix_(numbers, numbers)] = model.transitions / len(models)
            transitions = share if transitions is None else transitions + share
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    summed = np.bincount(inverse, np.concatenate(values), len(unique)).astype(np.float64)
    return Weights(labels, list(places), unique // len(labels), unique % len(labels), summed, transitions)


def slim(weights: Weights, prune: float) -> Weights:
    """Return weights in single precision, those of attributes not larger than `prune` left out, attributes in sorted order."""
    values = weights.values.astype(np.float32).astype(np.float64)
    kept = (np.abs(values) > prune).nonzero()[0]
    order = sorted(np.unique(weights.rows[kept]).tolist(), key=lambda row: weights.attributes[row])
    place = np.zeros(len(weights.attributes), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows, columns = place[weights.rows[kept]], weights.columns[kept]
    by_row = np.lexsort((columns, rows))
    transitions = weights.transitions
    if transitions is not None:
        transitions = transitions.astype(np.float32).astype(np.float64)
    names = [weights.attributes[row] for row in order]
    return Weights(weights.labels, names, rows[by_row], columns[by_row], values[kept][by_row], transitions)
