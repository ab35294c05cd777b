"""The training loop: batches of similar length, early stopping, selection of the best epoch, resumption."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from ...sequence.extraction import Floats
from ...sequence.labels import OUTSIDE
from ...sequence.lattice import lattice
from ...sequence.viterbi import viterbi
from ..adaptive_rule import masking
from ..checkpoint import Checkpoint
from ..examples import Bools, Document, Options, TrainingResult
from ..inputs import UNKNOWN, Batch, Indexer, Ints, batch_by_length
from ..selecting import Scores, rank, scores
from ..token_counts import TokenCounts, count_tokens
from .network import Network, Tensors

SORTED_BATCHES = 30
"""Number of batches whose sequences are sorted by length together, to reduce padding."""
BATCH_TOKENS = 8_192
"""Maximum number of tokens that are scored in a batch, including padding."""


class TrainingLoop:
    """Trains a network in place, and keeps the weights of the best epoch.

    `weights` of shape (labels,) are the class weights. In training, words are replaced by the unknown word with the
    probability in `unknown`, of shape (words,). `report` receives the metrics of each epoch.
    """

    def __init__(
        self,
        network: Network,
        indexer: Indexer,
        options: Options,
        checkpoint: Checkpoint,
        *,
        weights: Any = None,
        unknown: Floats | None = None,
        report: Callable[[dict[str, Any]], None],
    ) -> None:
        self.network = network.to(options.device)
        self.indexer, self.options, self.checkpoint, self.report = indexer, options, checkpoint, report
        self.unknown = unknown
        self._weights = (
            None if weights is None else torch.as_tensor(weights, dtype=torch.float32, device=options.device)
        )
        self._parameters = [p for p in network.parameters() if p.requires_grad]
        self._optimizer = options.optimizer.build(self._parameters)
        self._result = TrainingResult({}, 0)
        self._epochs = 0
        self._since_best = 0
        self._latest: list[dict[str, Any]] = []
        self._best_rank: tuple[Any, ...] | None = None

    def run(self, train: Sequence[Document], dev: Sequence[Document]) -> TrainingResult:
        """Train, and return the weights of the best epoch. PyTorch's random state and number of threads are restored."""
        threads, options = torch.get_num_threads(), self.options
        with torch.random.fork_rng(devices=[]):
            if options.threads:
                torch.set_num_threads(options.threads)
            try:
                self._resume()
                items = [
                    (d, span)
                    for d in train
                    for span in d.indexed.sequences
                    if d.keep is None or d.keep[slice(*span)].any()
                ]
                while self._epochs < options.epochs and not 0 < options.patience <= self._since_best:
                    self._epochs += 1
                    self._train_epoch(items, dev)
            finally:
                torch.set_num_threads(threads)
        return self._result

    def _train_epoch(self, items: Sequence[tuple[Document, tuple[int, int]]], dev: Sequence[Document]) -> None:
        """Train for an epoch, score it, keep its weights if it is the best, and write the checkpoint."""
        began, options, result = time.perf_counter(), self.options, self._result
        for group in self._optimizer.param_groups:
            group["lr"] = options.optimizer.rate * options.rate_of(self._epochs)
        row: dict[str, Any] = {"epoch": self._epochs, "loss": round(self._pass(items), 5)}
        arrays = self.network.state()
        if options.average > 1:
            self._latest = [*self._latest, arrays][-options.average :]
            arrays = {name: torch.stack([a[name] for a in self._latest]).mean(0) for name in arrays}
        better = True
        if dev:
            current, tokens = self._score(dev, arrays if options.average > 1 else None)
            row |= current.as_dict() | tokens.as_dict()
            current_rank = rank(current, options.select, options.precision_floor)
            better = self._best_rank is None or current_rank > self._best_rank
            if better:
                self._best_rank, result.best = current_rank, current
            self._since_best = 0 if better else self._since_best + 1
        if better:
            result.arrays, result.epoch = arrays, self._epochs
        row["seconds"] = round(time.perf_counter() - began, 2)
        result.history.append(row)
        self.report({**row, "of": options.epochs})
        self._save()

    def _pass(self, items: Sequence[tuple[Document, tuple[int, int]]]) -> float:
        """Train on all sequences once. Return the mean loss."""
        options = self.options
        random = np.random.default_rng([options.seed, self._epochs])
        torch.manual_seed(int(random.integers(2**62)))
        self.network.train()
        total, divisor = 0.0, 0.0
        for indexes in shuffled_batches([last - first for _, (first, last) in items], options.batch, random):
            chosen = [items[i] for i in indexes]
            batch = self.indexer.batch([(d.indexed, span) for d, span in chosen])
            if self.unknown is not None:
                batch.words[random.random(batch.words.shape) < self.unknown[batch.words]] = UNKNOWN
            labels, keep = _gold_labels(chosen, batch)
            loss, n = self.network.loss(
                Tensors.of(batch, options.device),
                torch.from_numpy(labels).to(options.device),
                self._weights,
                None if keep is None else torch.from_numpy(keep).to(options.device),
            )
            self._optimizer.zero_grad(set_to_none=True)
            (loss / n).backward()
            if options.clip:
                torch.nn.utils.clip_grad_norm_(self._parameters, options.clip)
            self._optimizer.step()
            total, divisor = total + float(loss.detach()), divisor + n
        return total / divisor if divisor else 0.0

    def _score(self, dev: Sequence[Document], arrays: dict[str, Any] | None) -> tuple[Scores, TokenCounts]:
        """Return scores and counts of tokens on held-out documents, with the weights `arrays` or, if None, the current ones."""
        current = self.network.state() if arrays is not None else None
        if arrays is not None:
            self.network.load_state_dict(arrays)
        emitted = emissions(self.network, self.indexer, dev, self.options.device)
        pairs = self.network.chain_scores()[0]
        if current is not None:
            self.network.load_state_dict(current)
        plan = self.network.plan
        paths = [
            best_path(e, d.indexed.sequences, pairs, plan.decoder.chain) for e, d in zip(emitted, dev, strict=True)
        ]
        found = [[plan.labels[i] for i in path] for path in paths]
        tokens = count_tokens((d.names, f) for d, f in zip(dev, found, strict=True))
        scored = scores(
            ((d.names, f, d.indexed.sequences) for d, f in zip(dev, found, strict=True)),
            plan.encoding,
        )
        if self.options.select != "masking_recall":
            return scored, tokens
        outside = plan.labels.index(OUTSIDE)
        decided = (
            (d.names, d.verdicts, 1.0 - label_probabilities(e, d.indexed.sequences, pairs)[:, outside])
            for e, d in zip(emitted, dev, strict=True)
            if d.verdicts is not None
        )
        return scored.with_masking(masking(decided, self.options.thresholds, plan.encoding)), tokens

    def _save(self) -> None:
        result = self._result
        self.checkpoint.save(
            {
                "network": self.network.state_dict(),
                "optimizer": self._optimizer.state_dict(),
                "arrays": result.arrays,
                "best_epoch": result.epoch,
                "history": result.history,
                "epoch": self._epochs,
                "since": self._since_best,
                "last": self._latest,
                "top": list(self._best_rank) if self._best_rank is not None else None,
                "best": asdict(result.best) if result.best else None,
            }
        )

    def _resume(self) -> None:
        """Continue after the last epoch of a valid checkpoint of this training, if any."""
        saved = self.checkpoint.load()
        if saved is None:
            return
        self.network.load_state_dict(saved["network"])
        self._optimizer.load_state_dict(saved["optimizer"])
        best = Scores(**saved["best"]) if saved["best"] else None
        self._result = TrainingResult(saved["arrays"], saved["best_epoch"], saved["history"], best)
        self._epochs, self._since_best, self._latest = saved["epoch"], saved["since"], saved["last"]
        self._best_rank = tuple(saved["top"]) if saved["top"] is not None else None


def shuffled_batches(lengths: Sequence[int], size: int, random: np.random.Generator) -> list[list[int]]:
    """Return batches of sequence indexes in random order, each of similar length."""
    order = random.permutation(len(lengths)).tolist()
    batches: list[list[int]] = []
    for i in range(0, len(order), size * SORTED_BATCHES):
        by_length = sorted(order[i : i + size * SORTED_BATCHES], key=lambda j: lengths[j])
        batches += [by_length[j : j + size] for j in range(0, len(by_length), size)]
    return [batches[i] for i in random.permutation(len(batches)).tolist()]


def _gold_labels(chosen: Sequence[tuple[Document, tuple[int, int]]], batch: Batch) -> tuple[Ints, Bools | None]:
    labels = np.zeros(batch.words.shape, dtype=np.int64)
    keep = None if all(d.keep is None for d, _ in chosen) else np.zeros(batch.words.shape, dtype=np.bool_)
    for row, (d, (first, last)) in enumerate(chosen):
        labels[row, : last - first] = d.labels[first:last]
        if keep is not None:
            keep[row, : last - first] = True if d.keep is None else d.keep[first:last]
    return labels, keep


def emissions(network: Network, indexer: Indexer, documents: Sequence[Document], device: str) -> list[Floats]:
    """Return the label scores of the tokens of each document, with those of the first and last label of a sequence."""
    network.eval()
    labels = len(network.plan.labels)
    _, starts, ends = network.chain_scores()
    items = [(n, span) for n, d in enumerate(documents) for span in d.indexed.sequences]
    emitted: list[Floats] = [np.zeros((len(d.indexed), labels)) for d in documents]
    for indexes in batch_by_length([last - first for _, (first, last) in items], BATCH_TOKENS):
        batch = indexer.batch([(documents[items[i][0]].indexed, items[i][1]) for i in indexes])
        with torch.inference_mode():
            found = network(Tensors.of(batch, device)).cpu().numpy()
        for row, i in enumerate(indexes):
            n, (first, last) = items[i]
            emitted[n][first:last] = found[row, : last - first]
            emitted[n][first] += starts
            emitted[n][last - 1] += ends
    return emitted


def best_path(emitted: Floats, sequences: Sequence[tuple[int, int]], pairs: Floats, chain: bool) -> list[int]:
    """Return the label indexes of the best path of a document."""
    return viterbi(emitted, sequences, pairs) if chain else emitted.argmax(axis=1).tolist()


def label_probabilities(emitted: Floats, sequences: Sequence[tuple[int, int]], pairs: Floats) -> Floats:
    """Return the probability of each label at each token: shape (tokens, labels)."""
    found: Floats = np.zeros_like(emitted)
    for first, last in sequences:
        found[first:last] = lattice(np.ascontiguousarray(emitted[first:last]), pairs).marginals()
    return found
