"""Weights drawn at random without PyTorch, and the LSTM as in the literature, one element after the other, to compare with."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from caspipe.annotators.neural.arrays.network import ArrayNetwork
from caspipe.annotators.neural.arrays.weights import Weights
from caspipe.annotators.neural.inputs import FIRST, Batch, IndexedDocument
from caspipe.annotators.neural.network_model import NETWORK, VOCABULARIES
from caspipe.annotators.neural.plan import Plan
from caspipe.annotators.sequence.arrays import pack
from caspipe.annotators.sequence.model_files import write_model

Arrays = dict[str, Any]


class Drawn(Weights):
    """Weights that are drawn when they are taken."""

    def take(self, name: str, *shape: int) -> Any:
        full = self._prefix + name
        chance = np.random.default_rng([sum(map(ord, full)), *shape])
        self._arrays.setdefault(full, chance.normal(0.0, 0.4, shape).astype(np.float32))  # type: ignore[attr-defined]
        return super().take(name, *shape)


def drawn(plan: Plan) -> Arrays:
    """Return weights for a plan."""
    arrays: Arrays = {}
    ArrayNetwork(plan, Drawn(arrays))
    n = len(plan.labels)
    chance = np.random.default_rng(1)
    return arrays | {
        f"chain.{name}": chance.normal(0.0, 0.4, shape).astype(np.float32)
        for name, shape in (("pairs", (n, n)), ("starts", (n,)), ("ends", (n,)))
        if plan.decoder.chain
    }


def document(given: Batch) -> IndexedDocument:
    """Return the sequences of a batch as those of a document."""
    inside = given.mask
    spellings = [given.characters[i, : given.sizes[i]].tobytes() for i in given.forms[inside]]
    attributes = [row.tobytes() for row in given.attributes[inside]]
    ends = np.cumsum([0, *given.lengths]).tolist()
    return IndexedDocument(given.words[inside], spellings, attributes, given.numbers[inside], list(pairwise(ends)))


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def lstm(arrays: Arrays, prefix: str, x: Any) -> Any:
    """Return the states of one direction (Hochreiter and Schmidhuber 1997, gates in PyTorch's order)."""
    weights = [np.asarray(arrays[f"{prefix}.{n}_l0"], float) for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    state = cell = np.zeros(weights[1].shape[1])
    states = []
    for element in x:
        i, f, g, o = np.split(weights[0] @ element + weights[2] + weights[1] @ state + weights[3], 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        states.append(state)
    return np.array(states)


def bilstm(arrays: Arrays, prefix: str, x: Any) -> tuple[Any, Any]:
    """Return the states of both directions, each in its order of reading."""
    return lstm(arrays, f"{prefix}.forwards", x), lstm(arrays, f"{prefix}.backwards", x[::-1])


def expected_scores(arrays: Arrays, given: IndexedDocument, layers: int) -> Any:
    """Return the scores of a network of word vectors, char_lstm, two layers of feed_forward and lstm: token by token."""
    tokens = []
    for word, spelling, attributes, numbers in zip(
        given.words, given.spellings, given.attributes, given.numbers, strict=True
    ):
        ends = bilstm(arrays, "characters.lstm", arrays["characters.vectors.weight"][np.frombuffer(spelling, np.int64)])
        active = [i for i in np.frombuffer(attributes, np.int64) if i]
        hidden = arrays["attributes.rows"][active].sum(axis=0) + arrays["attributes.bias"]
        hidden = np.maximum(hidden + arrays["attributes.numbers.weight"] @ numbers, 0.0)
        hidden = np.maximum(arrays["attributes.layers.0.weight"] @ hidden + arrays["attributes.layers.0.bias"], 0.0)
        tokens.append(np.concatenate([arrays["words.weight"][word], ends[0][-1], ends[1][-1], hidden]))
    scores = []
    for first, last in given.sequences:
        x = np.array(tokens[first:last])
        for layer in range(layers):
            forwards, backwards = bilstm(arrays, f"encoder.layers.{layer}", x)
            x = np.concatenate([forwards, backwards[::-1]], axis=1)
        scores.append(x @ arrays["out.weight"].T + arrays["out.bias"])
    return np.concatenate(scores)


def write(path: Path, plan: Plan, arrays: Arrays, **more: Any) -> None:
    """Write a model with these weights. Its words are `words0` ..., its characters those of the alphabet."""
    names: dict[str, list[str]] = {
        name: [f"{name}{n}" for n in range(plan.sizes[name] - FIRST)] for name in VOCABULARIES
    }
    names["characters"] = list("abcdefghijklmnopqr")
    meta = {
        **dict.fromkeys(("title", "language", "licence", "limits"), ""),
        "format": 1,
        "name": "drawn",
        "type": "neural",
        "labels": list(plan.labels),
        "encoding": "iob2",
        "kinds": {},
        "features": [],
        "window": [0, 0],
        "context": "document",
        "active_features": 1,
        "network": plan.as_data(),
        "max_length": 64,
        "training": {"documents": 1, "tokens": 1, "spans": {}, "corpora": []},
    }
    write_model(path, meta | more, {NETWORK: pack(arrays, names)}, "# A network\n")
