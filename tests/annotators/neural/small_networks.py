"""Small networks with weights drawn at random, and batches for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from caspipe.annotators.neural.inputs import Batch
from caspipe.annotators.neural.parts import (
    CharCnn,
    CharLstm,
    Crf,
    FeedForward,
    IdCnnEncoder,
    LstmEncoder,
    RandomEmbedding,
    Softmax,
    WindowEncoder,
)
from caspipe.annotators.neural.plan import Plan

SIZES = {"words": 30, "dim": 6, "characters": 20, "attributes": 15, "numbers": 2}
LABELS = ("O", "B-PERSON", "I-PERSON", "B-DATE", "I-DATE")
ENCODERS = {
    "lstm": LstmEncoder(width=5, layers=2),
    "id_cnn": IdCnnEncoder(filters=6, repeats=2),
    "window": WindowEncoder(size=5, width=4, dense=[6, 5]),
    "window without dense layers": WindowEncoder(size=1, width=4, dense=[]),
}
CHARACTERS = {
    "char_lstm": CharLstm(dim=4, width=3),
    "char_cnn": CharCnn(dim=4, filters=3, widths=[3, 5]),
    "no characters": None,
}


def plan(
    encoder: str = "lstm",
    characters: str = "char_lstm",
    decoder: Any = None,
    labels: tuple[str, ...] = LABELS,
    **more: Any,
) -> Plan:
    given = {
        "tokens": RandomEmbedding(dim=6),
        "characters": CHARACTERS[characters],
        "attributes": FeedForward(widths=[4, 3]),
        "encoder": ENCODERS[encoder],
        "decoder": decoder or Crf(),
        "dropout": 0.5,
        "labels": labels,
        "encoding": "iob2",
        "sizes": SIZES,
    }
    return Plan(**(given | more))


def network(made: Plan, seed: int = 1) -> Any:
    import torch

    from caspipe.annotators.neural._torch.network import Network

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = Network(made)
        for value in found.parameters():
            torch.nn.init.normal_(value, 0.0, 0.4)
    return found.eval()


def arrays(found: Any) -> dict[str, Any]:
    return {name: value.detach().numpy() for name, value in found.state_dict().items()}


def batch(lengths: list[int], seed: int = 1, filling: int = 0, most: int = 3) -> Batch:
    """Sequences of given lengths; the same sequences with more filling for a larger `filling`."""
    chance = np.random.default_rng(seed)
    b, t, u = len(lengths), max(lengths) + filling, 8
    words, forms = np.zeros((b, t), np.int64), np.zeros((b, t), np.int64)
    attributes, numbers = np.zeros((b, t, most + filling), np.int64), np.zeros((b, t, SIZES["numbers"]), np.float32)
    sizes = chance.integers(1, 7, u)
    characters = np.zeros((u, 7 + filling), np.int64)
    for i, n in enumerate(sizes):
        characters[i, :n] = chance.integers(1, SIZES["characters"], n)
    for i, n in enumerate(lengths):
        words[i, :n] = chance.integers(1, SIZES["words"], n)
        forms[i, :n] = chance.integers(0, u, n)
        attributes[i, :n, :most] = chance.integers(0, SIZES["attributes"], (n, most))
        numbers[i, :n] = chance.normal(size=(n, SIZES["numbers"]))
    if filling:  # what stands in the filling must not matter either
        for i, n in enumerate(lengths):
            forms[i, n:] = 3
    return Batch(words, characters, sizes, forms, attributes, numbers, np.array(lengths))


__all__ = ["CHARACTERS", "ENCODERS", "LABELS", "SIZES", "Softmax", "arrays", "batch", "network", "plan"]
