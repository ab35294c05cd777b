"""Trains a network put together from named parts, and writes it as a bundle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError, ResourceError
from ...typesystem import PhiKind, Sentence, Token
from ..sequence.card import model_card
from ..sequence.extraction import Context
from ..sequence.feature import Feature, Words
from ..sequence.labels import OUTSIDE
from ..sequence.model_features import attached_files
from ..sequence.model_files import write_model
from ..sequence.model_trainer import log
from ..sequence.training import Example, Trainer
from .arrays import pack
from .backends import chosen_device
from .checkpoint import Checkpoint, fingerprint
from .extras import need
from .fitting import Document, Fitted, Options, fit
from .inputs import FIRST, Indexer, SequenceOf, Vocabulary, attribute_counts, gaps_of, spelled
from .network_model import NETWORK, ONNX, NeuralModel
from .parts import (
    Adam,
    AttributeEncoder,
    CharacterEncoder,
    CharLstm,
    Crf,
    Decoder,
    Encoder,
    FeedForward,
    LstmEncoder,
    Optimizer,
    RandomEmbedding,
    TokenEmbedding,
)
from .plan import Plan
from .selecting import Select


@component("neural_trainer", inputs=[Token, Sentence])
class NeuralTrainer(Trainer):
    """Trains a neural network on the spans of the gold view: vectors of words, characters and features, an encoder of the
    context, a decoder.

    Needs PyTorch (extra `neural`). A training that was killed goes on after its last whole epoch when it is started again
    with the same documents and parameters. Same bytes on the same machine with the same number of threads.
    """

    features: list[Feature] = field(default_factory=list)
    """Features of tokens for the part `attributes`, by name or `name: {parameters}`; empty: none."""
    window: tuple[int, int] = (0, 0)
    """First and last token whose features are looked at, relative to the token itself; the encoder looks further anyway."""
    context: Context = "document"
    """Whether the window ends with the sentence, or looks beyond it."""
    tokens: TokenEmbedding | None = field(default_factory=RandomEmbedding)
    """Vectors of words; null: none."""
    characters: CharacterEncoder | None = field(default_factory=CharLstm)
    """Vectors of forms from their characters; null: none."""
    attributes: AttributeEncoder | None = field(default_factory=FeedForward)
    """Vectors of features, where there are any."""
    encoder: Encoder = field(default_factory=LstmEncoder)
    """How the tokens around are looked at."""
    decoder: Decoder = field(default_factory=Crf)
    """How labels are chosen."""
    dropout: float = 0.5
    """Share of every token's vector, and of what the encoder makes of it, that is left out at random in training."""
    optimizer: Optimizer = field(default_factory=Adam)
    """How weights are changed."""
    batch: int = 16
    """Sequences in a batch."""
    clip: float = 5.0
    """Largest length of a gradient; longer ones are shortened. 0: as they are."""
    epochs: int = 30
    """Passes over the documents at most."""
    patience: int = 5
    """Stop after so many epochs without a better one; 0: never."""
    held_out: float = 0.1
    """Share of the documents that are not learnt from, but tell which epoch is best; 0: the last epoch is taken."""
    select: Select = "f1"
    """Which epoch is best: by the F1 of exact spans, or by the recall of tokens at `precision_floor`."""
    precision_floor: float = 0.0
    """Precision of tokens, PHI or not, that an epoch must reach to be chosen by recall (0 to 1)."""
    average: int = 1
    """Take the mean of the weights after the last so many epochs, instead of those of one epoch (Izmailov et al. 2018)."""
    class_weights: dict[str, float] | Literal["balanced"] | None = None
    """How much an error on a token weighs, by kind (`O` for none): `balanced`: in inverse proportion to how often the kind
    occurs. Decoder `softmax` only."""
    balance: float | None = None
    """Learn from so many tokens that are no PHI for each that is, drawn at random; null: from all. Decoder `softmax` only."""
    binary: bool = False
    """Learn whether a token is PHI and not what kind: all kinds become OTHER."""
    sequence: SequenceOf = "sentence"
    """What goes through the network at once: a sentence, or as much of the document as `max_length` allows."""
    max_length: int = 256
    """Tokens in a sequence; longer ones are cut, at sentence ends where there are any."""
    start_from: NeuralModel | None = None
    """A trained model to go on from (fine-tuning): its words, characters, features and parts are kept, and its weights, as
    far as labels are the same."""
    checkpoint: bool = True
    """Whether to write the state after each epoch beside the model, to go on from."""
    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`; `auto`: a GPU if there is one."""
    threads: int = 1
    """Threads of PyTorch on a CPU; 0: as it likes. More than one pays only on a machine that does nothing else: threads wait for
    each other in every small step, and on busy cores that takes many times as long."""
    onnx: bool = False
    """Whether the bundle gets an ONNX graph, too, to be applied without PyTorch."""

    trained_as = "neural"
    libraries = ("torch",)

    def __post_init__(self) -> None:
        low, high = self.window
        if not -20 <= low <= 0 <= high <= 20:
            raise ValueError(f"window: expected [from, to] with from in -20..0 and to in 0..20, got [{low}, {high}]")
        for name in ("batch", "epochs", "average", "max_length", "min_count"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected 1 or more, got {getattr(self, name)}")
        for name in ("dropout", "held_out"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}: expected a number from 0 to below 1, got {getattr(self, name)}")
        if not 0 <= self.precision_floor <= 1:
            raise ValueError(f"precision_floor: expected a number from 0 to 1, got {self.precision_floor}")
        if self.patience < 0 or self.clip < 0 or self.threads < 0:
            raise ValueError("patience, clip, threads: expected 0 or more")
        if self.balance is not None and self.balance <= 0:
            raise ValueError(f"balance: expected a number above 0, got {self.balance:g}")
        if self.decoder.chain and (self.balance is not None or self.class_weights is not None):
            raise ValueError("balance and class_weights need the decoder softmax: a chain is learnt as a whole")
        if self.tokens is None and self.characters is None and not self.features and self.start_from is None:
            raise ValueError("a network needs something to see: tokens, characters, or features")
        self._set()

    def needs(self) -> tuple[Any, ...]:
        found = self.start_from
        more = found.features.needs() if isinstance(found, NeuralModel) else ()
        return tuple(dict.fromkeys((*super().needs(), *more)))

    def open(self) -> None:
        need("torch", "neural", self.name)
        super().open()
        base = self.start_from
        if base is not None:
            self.features, self.window = base.features.features, base.features.window
            self.context, self.encoding = base.features.context, base.meta["encoding"]
            self.__dict__.pop("feature_set", None)
            plan = base.plan
            self.tokens, self.characters, self.attributes = plan.tokens, plan.characters, plan.attributes
            self.encoder, self.decoder = plan.encoder, plan.decoder

    def _name_of(self, kind: PhiKind) -> str:
        return PhiKind.of("OTHER").name if self.binary else super()._name_of(kind)

    def more(self, words: Words) -> list[str] | None:
        return gaps_of(words) if self.characters is not None and self.characters.post_space else None

    def learn(self, examples: list[Example], training: dict[str, Any]) -> None:
        examples = self._told_apart(examples)
        held = self._held(len(examples))
        learnt = [e for i, e in enumerate(examples) if i not in held]
        labels = sorted({OUTSIDE, *(x for e in examples for x in e.labels)}, key=lambda x: (x != OUTSIDE, x))
        indexer = self._indexer(learnt)
        plan = self._plan(labels, indexer)
        train, dev = self._documents(learnt, indexer, labels), []
        if held:
            dev = self._documents([examples[i] for i in sorted(held)], indexer, labels, balanced=False)
        log.info("matrix", extra={"tokens": training["tokens"], "attributes": len(indexer.attributes.entries)})
        fitted = self._fit(plan, indexer, train, dev)
        self._write(plan, indexer, fitted, training)

    def _told_apart(self, examples: list[Example]) -> list[Example]:
        if self.min_count > 1:
            raise ConsumerError(f"{self.name}: min_count: say it of the parts (tokens, characters, attributes) instead")
        return examples

    def _held(self, documents: int) -> set[int]:
        """The documents that tell which epoch is best."""
        if not self.held_out:
            return set()
        order = list(range(documents))
        random.Random(f"{self.seed}/held out").shuffle(order)
        held = set(order[: max(1, round(documents * self.held_out))])
        if len(held) == documents:
            raise ConsumerError(f"{self.name}: held_out holds out every document: {documents} are too few")
        return held

    def _indexer(self, examples: Sequence[Example]) -> Indexer:
        base = self.start_from
        if base is not None:
            return base.indexer
        words: list[str] = []
        lower = self.tokens is not None and self.tokens.lower
        if self.tokens is not None:
            counts = Counter(f.lower() if lower else f for e in examples for f in e.columns.forms)
            words = self.tokens.words(counts)
        characters: list[str] = []
        if self.characters is not None:
            seen: Counter[str] = Counter()
            for e in examples:
                for i, form in enumerate(e.columns.forms):
                    seen.update(spelled(form if e.more is None else f"{form}\0{e.more[i]}"))
            characters = sorted(c for c, n in seen.items() if n >= self.characters.min_count)
        attributes: list[str] = []
        if self.attributes is not None and self.features:
            found = attribute_counts(self.feature_set, (e.columns for e in examples))
            attributes = sorted(a for a, n in found.items() if n >= self.attributes.min_count)
        return Indexer(
            self.feature_set,
            Vocabulary(words),
            Vocabulary(characters),
            Vocabulary(attributes),
            lower=lower,
            post_space=self.characters is not None and self.characters.post_space,
            sequence=self.sequence,
            max_length=self.max_length,
        )

    def _plan(self, labels: Sequence[str], indexer: Indexer) -> Plan:
        base = self.start_from
        sizes = {
            "words": len(indexer.words),
            "dim": base.plan.sizes["dim"] if base else self.tokens.dim if self.tokens is not None else 0,
            "characters": len(indexer.characters),
            "attributes": len(indexer.attributes),
            "numbers": len(self.feature_set.of_value) if self.attributes is not None else 0,
        }
        if not indexer.attributes.entries and not sizes["numbers"]:
            sizes["attributes"] = 0
        dropout, encoding = self.dropout, self.encoding
        parts = (self.tokens, self.characters, self.attributes, self.encoder, self.decoder)
        return Plan(*parts, dropout=dropout, labels=tuple(labels), encoding=encoding, sizes=sizes)

    def _documents(
        self, examples: Sequence[Example], indexer: Indexer, labels: Sequence[str], balanced: bool = True
    ) -> list[Document]:
        number = {label: i for i, label in enumerate(labels)}
        made = []
        chance = np.random.default_rng([self.seed, 7])
        for e in examples:
            gold = np.array([number[x] for x in e.labels], dtype=np.int64)
            keep = None
            if balanced and self.balance is not None:
                keep = gold != 0
                outside = np.flatnonzero(gold == 0)
                n = min(len(outside), round(float(keep.sum()) * self.balance))
                keep[chance.choice(outside, n, replace=False)] = True
            made.append(Document(indexer.seen(e.columns, e.more), gold, e.labels, keep))
        return made

    def _fit(self, plan: Plan, indexer: Indexer, train: Sequence[Document], dev: Sequence[Document]) -> Fitted:
        import torch

        from ._torch.network import Network

        device = chosen_device(torch, self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            network = Network(plan)
        self._start(network, plan, indexer)
        occurs = Counter(int(w) for d in train for w in d.seen.words)
        singles = np.array([occurs[i] == 1 and i >= FIRST for i in range(max(1, plan.sizes["words"]))])
        options = Options(
            **{f.name: getattr(self, f.name) for f in fields(Options) if f.name != "device"}, device=device
        )
        settings = {
            "plan": plan.as_data(),
            "options": repr(options),
            "labels": plan.labels,
            "base": self.start_from.meta["files"] if self.start_from else None,
            "weights": self.class_weights,
            "vocabularies": [indexer.words.entries, indexer.characters.entries, indexer.attributes.entries],
        }
        documents = [*train, *dev]
        mark = fingerprint(
            settings, (d.names for d in documents), (a for d in documents for a in (d.seen.words, d.seen.attributes))
        )
        kept = Checkpoint(self.output / self.model, mark, self.checkpoint)
        fitted = fit(
            network,
            indexer,
            train,
            dev,
            options,
            weights=self._class_weights(plan, train),
            singles=singles,
            unknown=getattr(self.tokens, "unknown", 0.0) if self.start_from is None else 0.0,
            checkpoint=kept,
            tell=lambda row: log.info("epoch", extra={**row, "iteration": row["epoch"]}),
        )
        kept.clear()
        return fitted

    def _start(self, network: Any, plan: Plan, indexer: Indexer) -> None:
        """First values: vectors of words from a file, or the weights of the model that is gone on from."""
        import torch

        base = self.start_from
        if base is None:
            if self.tokens is not None:
                given = self.tokens.start(indexer.words.entries)
                network.start({indexer.words.of(w): v for w, v in given.items()}, getattr(self.tokens, "train", True))
            return
        old = {name: torch.from_numpy(np.array(a)) for name, a in base.arrays.items()}
        rows = [(plan.labels.index(x), base.plan.labels.index(x)) for x in plan.labels if x in base.plan.labels]
        now = network.state_dict()
        try:
            for name, value in now.items():
                if name.startswith(("out.", "chain.")):
                    for i, j in rows:
                        if name == "chain.pairs":
                            for k, m in rows:
                                value[i, k] = old[name][j, m]
                        else:
                            value[i] = old[name][j]
                else:
                    value.copy_(old[name])
        except (KeyError, RuntimeError, IndexError):
            raise ResourceError(f"model {base.place}: its weights do not fit its description: damaged") from None
        network.load_state_dict(now)

    def _class_weights(self, plan: Plan, train: Sequence[Document]) -> Any:
        if self.class_weights is None:
            return None
        kinds = [OUTSIDE if x == OUTSIDE else x.partition("-")[2] or x for x in plan.labels]
        if self.class_weights == "balanced":
            counts: Counter[str] = Counter()
            for d in train:
                kept = d.labels if d.keep is None else d.labels[d.keep]
                counts.update(kinds[i] for i in kept.tolist())
            total = sum(counts.values())
            return np.array([total / (len(counts) * max(1, counts[k])) for k in kinds])
        given = cast(Mapping[str, float], self.class_weights)
        strange = [k for k in given if k not in kinds]
        if strange:
            raise ConsumerError(f"{self.name}: class_weights: {', '.join(strange)} do not occur in training")
        return np.array([given.get(k, 1.0) for k in kinds])

    def _write(self, plan: Plan, indexer: Indexer, fitted: Fitted, training: dict[str, Any]) -> None:
        arrays = {name: value.numpy() for name, value in fitted.arrays.items()}
        vocabularies = {
            "words": indexer.words.entries,
            "characters": indexer.characters.entries,
            "attributes": indexer.attributes.entries,
        }
        contents = {NETWORK: pack(arrays, vocabularies)}
        if self.onnx:
            from .onnx_graph import graph_of

            contents[ONNX] = graph_of(plan, arrays, self.name)
        facts = {
            "encoding": self.encoding,
            "network": plan.as_data(),
            "sequence": indexer.sequence,
            "max_length": indexer.max_length,
            "epoch": fitted.epoch,
            "history": fitted.history,
        }
        active = sum(int(a.size) for a in arrays.values())
        meta = self.describe(list(plan.labels), active, training, facts)
        brought: dict[str, Path] = attached_files(self.features)
        contents |= {name: file.read_bytes() for name, file in brought.items()}
        write_model(self.output / self.model, meta, contents, model_card(meta))
        self.written(meta)
