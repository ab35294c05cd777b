"""The training loop: batches of like length, early stopping, the best epoch kept, resumed where it was killed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..sequence.viterbi import viterbi
from .checkpoint import Checkpoint
from .inputs import UNKNOWN, Batch, Indexer, Ints, Seen, batches
from .parts import Optimizer
from .plan import Plan
from .selecting import Scores, Select, rank, scores

if TYPE_CHECKING:
    import torch

    from ._torch.network import Network

Bools = npt.NDArray[np.bool_]
NEIGHBOURS = 30
"""Batches that are made at once: so many are shuffled, then sorted by length, so that little filling is needed."""
TOGETHER = 8_192
"""Tokens, with filling, that are scored at once."""


@dataclass(slots=True)
class Document:
    """A document to learn from, or to score on: its tokens, the number of each token's label, and where to look.

    `keep` of shape (tokens,) says from which tokens to learn; None: from all.
    """

    seen: Seen
    labels: Ints
    names: Sequence[str]
    keep: Bools | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to train; see `NeuralTrainer` for what each means."""

    optimizer: Optimizer
    epochs: int
    patience: int
    batch: int
    clip: float
    select: Select
    precision_floor: float
    average: int
    seed: int
    device: str
    threads: int


@dataclass(slots=True)
class Fitted:
    """The weights of the best epoch, and how each epoch went."""

    arrays: dict[str, Any]
    epoch: int
    history: list[dict[str, Any]] = field(default_factory=list)
    best: Scores | None = None


def fit(
    network: Network,
    indexer: Indexer,
    train: Sequence[Document],
    dev: Sequence[Document],
    options: Options,
    *,
    weights: Any = None,
    singles: Bools | None = None,
    unknown: float = 0.0,
    checkpoint: Checkpoint,
    tell: Callable[[dict[str, Any]], None],
) -> Fitted:
    """Trains a network in place and returns the best epoch's weights.

    `weights` of shape (labels,) are those of classes. Words for which `singles` (by index) holds are taken for unknown with
    the probability `unknown`. The global state of PyTorch's random numbers and threads is left as it was.
    """
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        if options.threads:
            torch.set_num_threads(options.threads)
        try:
            return _fit(network, indexer, train, dev, options, weights, singles, unknown, checkpoint, tell)
        finally:
            torch.set_num_threads(threads)


def _fit(
    network: Network,
    indexer: Indexer,
    train: Sequence[Document],
    dev: Sequence[Document],
    options: Options,
    weights: Any,
    singles: Bools | None,
    unknown: float,
    checkpoint: Checkpoint,
    tell: Callable[[dict[str, Any]], None],
) -> Fitted:
    import torch

    network.to(options.device)
    learnt = [p for p in network.parameters() if p.requires_grad]
    optimizer = options.optimizer.build(learnt)
    fitted, first, since, last = Fitted({}, 0), 1, 0, []
    top: tuple[Any, ...] | None = None
    found = checkpoint.load()
    if found is not None:
        network.load_state_dict(found["network"])
        optimizer.load_state_dict(found["optimizer"])
        fitted = Fitted(found["arrays"], found["best_epoch"], found["history"])
        first, since, last = found["epoch"] + 1, found["since"], found["last"]
        top = tuple(found["top"]) if found["top"] is not None else None
        fitted.best = Scores(**found["best"]) if found["best"] else None
    class_weights = None if weights is None else torch.as_tensor(weights, dtype=torch.float32, device=options.device)
    items = [(d, span) for d in train for span in d.seen.sequences if d.keep is None or d.keep[slice(*span)].any()]
    for epoch in range(first, options.epochs + 1):
        if options.patience and since >= options.patience:
            break
        began = time.perf_counter()
        chance = np.random.default_rng([options.seed, epoch])
        torch.manual_seed(int(chance.integers(2**62)))
        loss = _epoch(network, indexer, items, options, optimizer, learnt, class_weights, singles, unknown, chance)
        arrays = _state(network)
        if options.average > 1:
            last = [*last, arrays][-options.average :]
            arrays = {name: torch.stack([a[name] for a in last]).mean(0) for name in arrays}
        row: dict[str, Any] = {"epoch": epoch, "loss": round(loss, 5)}
        if dev:
            now = _scored(network, indexer, dev, options, arrays if options.average > 1 else None)
            row |= now.as_dict()
            here = rank(now, options.select, options.precision_floor)
            better = top is None or here > top
            if better:
                top, fitted.best = here, now
            since = 0 if better else since + 1
        else:
            better = True
        if better:
            fitted.arrays, fitted.epoch = arrays, epoch
        row["seconds"] = round(time.perf_counter() - began, 2)
        fitted.history.append(row)
        tell({**row, "of": options.epochs})
        checkpoint.save(
            {
                "network": network.state_dict(),
                "optimizer": optimizer.state_dict(),
                "arrays": fitted.arrays,
                "best_epoch": fitted.epoch,
                "history": fitted.history,
                "epoch": epoch,
                "since": since,
                "last": last,
                "top": list(top) if top is not None else None,
                "best": fitted.best and {n: getattr(fitted.best, n) for n in fitted.best.__slots__},
            }
        )
    return fitted


def _state(network: Network) -> dict[str, Any]:
    return {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}


def _epoch(
    network: Network,
    indexer: Indexer,
    items: Sequence[tuple[Document, tuple[int, int]]],
    options: Options,
    optimizer: torch.optim.Optimizer,
    learnt: Sequence[Any],
    weights: Any,
    singles: Bools | None,
    unknown: float,
    chance: np.random.Generator,
) -> float:
    """One pass over all sequences; the mean loss."""
    import torch

    from ._torch.network import Tensors

    network.train()
    total, share = 0.0, 0.0
    for some in shuffled([last - first for _, (first, last) in items], options.batch, chance):
        chosen = [items[i] for i in some]
        batch = indexer.batch([(d.seen, span) for d, span in chosen])
        if singles is not None and unknown:
            hidden = singles[batch.words] & (chance.random(batch.words.shape) < unknown)
            batch.words[hidden] = UNKNOWN
        labels, keep = _gold(chosen, batch)
        loss, n = network.loss(
            Tensors(batch, options.device),
            torch.from_numpy(labels).to(options.device),
            weights,
            None if keep is None else torch.from_numpy(keep).to(options.device),
        )
        optimizer.zero_grad(set_to_none=True)
        (loss / n).backward()
        if options.clip:
            torch.nn.utils.clip_grad_norm_(learnt, options.clip)
        optimizer.step()
        total, share = total + float(loss.detach()), share + n
    return total / share if share else 0.0


def shuffled(lengths: Sequence[int], size: int, chance: np.random.Generator) -> list[list[int]]:
    """Sequence numbers in batches: shuffled, sequences of like length side by side, batches shuffled again."""
    order = chance.permutation(len(lengths)).tolist()
    made: list[list[int]] = []
    for i in range(0, len(order), size * NEIGHBOURS):
        near = sorted(order[i : i + size * NEIGHBOURS], key=lambda j: lengths[j])
        made += [near[j : j + size] for j in range(0, len(near), size)]
    return [made[i] for i in chance.permutation(len(made)).tolist()]


def _gold(chosen: Sequence[tuple[Document, tuple[int, int]]], batch: Batch) -> tuple[Ints, Bools | None]:
    labels = np.zeros(batch.words.shape, dtype=np.int64)
    keep = None if all(d.keep is None for d, _ in chosen) else np.zeros(batch.words.shape, dtype=np.bool_)
    for row, (d, (first, last)) in enumerate(chosen):
        labels[row, : last - first] = d.labels[first:last]
        if keep is not None:
            keep[row, : last - first] = True if d.keep is None else d.keep[first:last]
    return labels, keep


def _scored(
    network: Network, indexer: Indexer, dev: Sequence[Document], options: Options, arrays: dict[str, Any] | None
) -> Scores:
    """Scores on held-out documents; with other weights than the network's own where they are given."""
    kept = _state(network) if arrays is not None else None
    if arrays is not None:
        network.load_state_dict(arrays)
    found = predicted(network, indexer, dev, options.device)
    if kept is not None:
        network.load_state_dict(kept)
    plan = network.plan
    return scores(
        ((d.names, [plan.labels[i] for i in path], d.seen.sequences) for d, path in zip(dev, found, strict=True)),
        plan.encoding,
    )


def predicted(network: Network, indexer: Indexer, documents: Sequence[Document], device: str) -> list[list[int]]:
    """The best label numbers of all tokens of some documents."""
    import torch

    from ._torch.network import Tensors

    network.eval()
    plan: Plan = network.plan
    pairs, starts, ends = _chain(network)
    items = [(n, span) for n, d in enumerate(documents) for span in d.seen.sequences]
    found = [np.zeros((len(d.seen), len(plan.labels))) for d in documents]
    for some in batches([last - first for _, (first, last) in items], TOGETHER):
        batch = indexer.batch([(documents[items[i][0]].seen, items[i][1]) for i in some])
        with torch.inference_mode():
            emitted = network(Tensors(batch, device)).cpu().numpy()
        for row, i in enumerate(some):
            n, (first, last) = items[i]
            found[n][first:last] = emitted[row, : last - first]
            found[n][first] += starts
            found[n][last - 1] += ends
    if not plan.decoder.chain:
        return [f.argmax(axis=1).tolist() for f in found]
    return [viterbi(f, d.seen.sequences, pairs) for f, d in zip(found, documents, strict=True)]


def _chain(network: Network) -> tuple[Any, Any, Any]:
    n = len(network.plan.labels)
    if network.chain is None:
        return np.zeros((n, n)), np.zeros(n), np.zeros(n)
    return tuple(x.detach().cpu().double().numpy() for x in network.chain.scores())
