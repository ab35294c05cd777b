"""Training data of a network: vocabularies, arrays of documents, class weights. NumPy only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...pipeline.errors import ConsumerError
from ..sequence.extraction import FeatureSet
from ..sequence.folds import held_out
from ..sequence.labels import OUTSIDE
from ..sequence.training import Example
from .adaptive_rule import Verdicts
from .inputs import FIRST, IndexedDocument, Indexer, Ints, SequenceOf, Vocabulary, attribute_counts, characters_of
from .optimizers import Optimizer
from .parts import AttributeEncoder, CharacterEncoder, TokenEmbedding
from .selecting import Scores, Select

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class More:
    """Further data of an example: the text after each token, and the verdicts of the lists, if they are needed."""

    gaps: list[str] | None = None
    verdicts: Verdicts | None = None


@dataclass(slots=True)
class Document:
    """A labeled document for training or evaluation, with the index and the name of the label of each token.

    `keep` of shape (tokens,) marks the tokens to learn from; None: all. `verdicts`: those of the lists, if an epoch is chosen
    by lists and network together.
    """

    indexed: IndexedDocument
    labels: Ints
    names: Sequence[str]
    keep: Bools | None = None
    verdicts: Verdicts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Parameters of the training; see `NeuralTrainer`."""

    optimizer: Optimizer
    epochs: int
    cool_down: int
    patience: int
    batch: int
    clip: float
    select: Select
    precision_floor: float
    thresholds: tuple[float, float]
    average: int
    seed: int
    device: str
    threads: int

    def rate_of(self, epoch: int) -> float:
        """Return the share of the learning rate in an epoch, counted from 1: 1, falling to 0.1 in the last `cool_down` ones."""
        cooling = max(0, epoch - (self.epochs - self.cool_down))
        return 1.0 - 0.9 * cooling / self.cool_down if cooling else 1.0


@dataclass(slots=True)
class TrainingResult:
    """The weights of the best epoch, and the metrics of each epoch."""

    arrays: dict[str, Any]
    epoch: int
    history: list[dict[str, Any]] = field(default_factory=list)
    best: Scores | None = None


def held_out_documents(sources: Sequence[str], share: float, seed: int, who: str) -> set[int]:
    """Return the indexes of randomly chosen documents for evaluation. Raise ConsumerError if none is left for training.

    `sources` has the same entry for a document and the copies made from it: they are chosen together.
    """
    held = held_out(sources, share, f"{seed}/held out")
    if sources and len(held) == len(sources):
        documents = len(set(sources))
        copies = "copies of " if len(sources) > documents else ""
        raise ConsumerError(f"{who}: held_out leaves no document for training: {copies}{documents} are too few")
    return held


def word_counts(examples: Iterable[Example], lower: bool) -> Counter[str]:
    """Return how often each form occurs. Of a document and its changed copies, the largest number counts.

    If copies were added up, every word would be frequent; the unknown words of the training would only be names that were put in,
    and all unknown words would look like names.
    """
    by_source: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for number, example in enumerate(examples):
        counts = Counter(f.lower() if lower else f for f in example.columns.forms)
        known = by_source.setdefault(example.source or str(number), Counter())
        for form, n in counts.items():
            if n > known[form]:
                total[form] += n - known[form]
                known[form] = n
    return total


def build_indexer(
    examples: Sequence[Example],
    features: FeatureSet,
    tokens: TokenEmbedding | None,
    characters: CharacterEncoder | None,
    attributes: AttributeEncoder | None,
    sequence: SequenceOf,
    max_length: int,
) -> Indexer:
    """Return an indexer with the vocabularies of the training documents."""
    words: list[str] = []
    lower = tokens is not None and tokens.lower
    if tokens is not None:
        words = tokens.words(word_counts(examples, lower))
    alphabet: list[str] = []
    if characters is not None:
        counts: Counter[str] = Counter()
        for e in examples:
            for i, form in enumerate(e.columns.forms):
                key = form if e.more.gaps is None else f"{form}\0{e.more.gaps[i]}"
                counts.update(characters_of(key, characters.lower))
        alphabet = sorted(c for c, n in counts.items() if n >= characters.min_count)
    names: list[str] = []
    if attributes is not None and features.features:
        occurrences = attribute_counts(features, (e.columns for e in examples))
        names = sorted(a for a, n in occurrences.items() if n >= attributes.min_count)
    return Indexer(
        features,
        Vocabulary(words),
        Vocabulary(alphabet),
        Vocabulary(names),
        lower=lower,
        lower_characters=characters is not None and characters.lower,
        post_space=characters.post_space if characters is not None else 0,
        sequence=sequence,
        max_length=max_length,
    )


def unknown_shares(
    examples: Iterable[Example], indexer: Indexer, tokens: TokenEmbedding | None
) -> npt.NDArray[np.float64]:
    """Return, for each index of a word, the probability of replacing it by the unknown word in training. Shape (words,)."""
    shares = np.zeros(max(1, len(indexer.words)))
    if tokens is not None:
        for word, count in word_counts(examples, tokens.lower).items():
            shares[indexer.words.index_of(word)] = tokens.unknown_share(count)
        shares[:FIRST] = 0
    return shares


def to_documents(
    examples: Iterable[Example], indexer: Indexer, labels: Sequence[str], seed: int, balance: float | None = None
) -> list[Document]:
    """Return labeled documents. `balance`: the number of tokens that are not PHI to learn from per token that is."""
    index_of = {label: i for i, label in enumerate(labels)}
    documents = []
    draws = np.random.default_rng([seed, 7])
    for e in examples:
        gold = np.array([index_of[x] for x in e.labels], dtype=np.int64)
        keep = None
        if balance is not None:
            keep = gold != 0
            outside = np.flatnonzero(gold == 0)
            n = min(len(outside), round(float(keep.sum()) * balance))
            keep[draws.choice(outside, n, replace=False)] = True
        documents.append(Document(indexer.index(e.columns, e.more.gaps), gold, e.labels, keep, e.more.verdicts))
    return documents


def class_weights(
    configured: Mapping[str, float] | Literal["balanced"] | None,
    labels: Sequence[str],
    documents: Iterable[Document],
    who: str,
) -> npt.NDArray[np.float64] | None:
    """Return the weight of each label, None for equal weights. Raise ConsumerError for kinds that do not occur."""
    if configured is None:
        return None
    kinds = [OUTSIDE if x == OUTSIDE else x.partition("-")[2] or x for x in labels]
    if configured == "balanced":
        counts: Counter[str] = Counter()
        for d in documents:
            kept = d.labels if d.keep is None else d.labels[d.keep]
            counts.update(kinds[i] for i in kept.tolist())
        total = sum(counts.values())
        return np.array([total / (len(counts) * max(1, counts[k])) for k in kinds])
    weights: Mapping[str, float] = configured
    unknown = [k for k in weights if k not in kinds]
    if unknown:
        raise ConsumerError(f"{who}: class_weights: {', '.join(unknown)} do not occur in training")
    return np.array([weights.get(k, 1.0) for k in kinds])
