"""Trains a network of named parts, and writes it as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError, ResourceError
from ...typesystem import FeatureStructure, PhiKind, Sentence, Token, TokenVerdict
from ..sequence.arrays import pack
from ..sequence.card import model_card
from ..sequence.extraction import Context
from ..sequence.feature import Feature, Words
from ..sequence.labels import OUTSIDE
from ..sequence.model_features import attached_files
from ..sequence.model_files import write_model
from ..sequence.model_trainer import log
from ..sequence.training import Example, Trainer
from .adaptive_rule import verdicts_of
from .backends import select_device
from .checkpoint import Checkpoint, fingerprint
from .examples import (
    Document,
    More,
    Options,
    TrainingResult,
    build_indexer,
    class_weights,
    held_out_documents,
    to_documents,
    unknown_shares,
)
from .extras import need, torch_module
from .inputs import Indexer, SequenceOf, gaps_of
from .network_model import NETWORK, ONNX, VOCABULARIES, NeuralModel
from .optimizers import Adam, Optimizer
from .parts import (
    AttributeEncoder,
    CharacterEncoder,
    CharLstm,
    Crf,
    Decoder,
    Encoder,
    FeedForward,
    LstmEncoder,
    RandomEmbedding,
    TokenEmbedding,
)
from .plan import Plan
from .quantization import Quantize, dequantize, quantize
from .selecting import OF_HIPAA, Select, check_choice, check_criterion, check_reference


@component("neural_trainer", inputs=[Token, Sentence])
class NeuralTrainer(Trainer):
    """Trains a neural network on the spans of the gold view. It consists of vectors of words, characters and features, an encoder
    of the context, and a decoder.

    Needs PyTorch (extra `neural`). An interrupted training resumes after its last complete epoch if it is started again with
    the same documents and parameters. The output is reproducible for the same machine and number of threads.
    """

    features: list[Feature] = field(default_factory=list)
    """Features of tokens for the part `attributes`, by name or `name: {parameters}`; empty: none."""
    window: tuple[int, int] = (0, 0)
    """First and last token whose features are used, relative to the token. The encoder uses more context."""
    context: Context = "document"
    """Boundary of the window."""
    tokens: TokenEmbedding | None = field(default_factory=RandomEmbedding)
    """Vectors of words; null: none."""
    characters: CharacterEncoder | None = field(default_factory=CharLstm)
    """Vectors of forms from their characters; null: none."""
    attributes: AttributeEncoder | None = field(default_factory=FeedForward)
    """Vectors of features, if there are any."""
    encoder: Encoder = field(default_factory=LstmEncoder)
    """Encoder of the context of a token."""
    decoder: Decoder = field(default_factory=Crf)
    """Method that chooses labels."""
    dropout: float = 0.5
    """Share of each token vector, and of the encoder's output, that is set to 0 at random in training."""
    optimizer: Optimizer = field(default_factory=Adam)
    """Method that updates weights."""
    batch: int = 16
    """Sequences in a batch."""
    clip: float = 5.0
    """Maximum norm of the gradient; larger ones are scaled down. 0: no limit."""
    epochs: int = 30
    """Maximum number of passes over the documents."""
    patience: int = 5
    """Number of epochs without improvement after which training stops; 0: never."""
    held_out: float = 0.1
    """Share of the documents that are used to choose the best epoch and not for training, with all copies made from them; 0: the
    last epoch is used."""
    select: Select = "f1"
    """Criterion for the best epoch: the F1 of exact spans (`f1`), the recall of tokens as PHI or not at `precision_floor`
    (`recall`), or the same two for tokens of HIPAA kinds (`hipaa_f1` by token, `hipaa_recall`). `masking_recall`: the share of
    tokens of HIPAA kinds that lists and network mask together by `thresholds`; needs `safe_lists` before."""
    precision_floor: float = 0.0
    """Minimum precision of tokens of an epoch that is chosen by recall (0 to 1). If no epoch reaches it, the most precise one is
    chosen, with a warning. An epoch that labels every token as PHI is never chosen."""
    thresholds: tuple[float, float] = (0.8, 0.9)
    """Low and high threshold of `adaptive_threshold` by which `masking_recall` is computed (0 to 1; §4.3.6 of the inverse
    hybrid system)."""
    cool_down: int = 0
    """Number of last epochs in which the learning rate falls in equal steps to a tenth. `patience` should be 0 then."""
    average: int = 1
    """Number of most recent epochs whose weights are averaged (Izmailov et al. 2018)."""
    class_weights: dict[str, float] | Literal["balanced"] | None = None
    """Weight of an error on a token, by kind (`O` for none); `balanced`: inversely proportional to the frequency of the kind.
    Decoder `softmax` only."""
    balance: float | None = None
    """Number of randomly chosen tokens that are not PHI to learn from per token that is; null: all. Decoder `softmax` only."""
    binary: bool = False
    """Learn only if a token is PHI: all kinds become OTHER."""
    sequence: SequenceOf = "sentence"
    """Input of the network: a sentence, or as many sentences of the document as `max_length` allows."""
    max_length: int = 256
    """Maximum number of tokens in a sequence; longer ones are divided, at sentence ends if possible."""
    start_from: NeuralModel | None = None
    """A trained model to fine-tune: its words, characters, features and parts are kept, and its weights except those of labels
    that it does not have."""
    checkpoint: bool = True
    """Write the state after each epoch next to the model, so that training can resume."""
    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`; `auto`: a GPU if available."""
    threads: int = 1
    """Threads of PyTorch on a CPU; 0: its default. More than one helps only on an otherwise idle machine, since threads wait for
    each other in every small step."""
    onnx: bool = False
    """Add an ONNX graph, so that other programs can apply the model."""
    quantize: Quantize | None = None
    """`int8`: store the weights as 8-bit integers with a scale for each row, a quarter of the size. The labels of a few tokens in
    a thousand change."""

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
        if min(self.patience, self.clip, self.threads, self.cool_down) < 0:
            raise ValueError("patience, clip, threads, cool_down: expected 0 or more")
        if self.balance is not None and self.balance <= 0:
            raise ValueError(f"balance: expected a number above 0, got {self.balance:g}")
        if self.decoder.chain and (self.balance is not None or self.class_weights is not None):
            raise ValueError("balance and class_weights need the decoder softmax: a chain is trained as a whole")
        check_criterion(self.select, self.precision_floor, self.thresholds)
        if self.binary and self.select in OF_HIPAA:
            raise ValueError(f"select: {self.select} needs the kinds of tokens, but binary replaces them by OTHER")
        if self.tokens is None and self.characters is None and not self.features and self.start_from is None:
            raise ValueError("a network needs an input: tokens, characters, or features")
        self._new_feature_set()

    def needs(self) -> tuple[Any, ...]:
        model = self.start_from
        inherited = model.features.needs() if isinstance(model, NeuralModel) else ()
        verdicts = (TokenVerdict,) if self.select == "masking_recall" else ()
        return tuple(dict.fromkeys((*super().needs(), *inherited, *verdicts)))

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        return "select masking_recall" if need is TokenVerdict else super().explain_need(need)

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

    def more(self, words: Words) -> More:
        longest = self.characters.post_space if self.characters is not None else 0
        verdicts = verdicts_of(words) if self.select == "masking_recall" else None
        return More(gaps_of(words, longest) if longest else None, verdicts)

    def learn(self, examples: list[Example], training: dict[str, Any]) -> None:
        if self.min_count > 1:
            raise ConsumerError(f"{self.name}: min_count: set it in the parts (tokens, characters, attributes) instead")
        held = held_out_documents([e.source for e in examples], self.held_out, self.seed, self.name)
        learned = [e for i, e in enumerate(examples) if i not in held]
        labels = sorted({OUTSIDE, *(x for e in examples for x in e.labels)}, key=lambda x: (x != OUTSIDE, x))
        parts = (self.tokens, self.characters, self.attributes)
        base = self.start_from
        indexer = (
            base.indexer
            if base is not None
            else build_indexer(learned, self.feature_set, *parts, self.sequence, self.max_length)
        )
        plan = self._plan(labels, indexer)
        train = to_documents(learned, indexer, labels, self.seed, self.balance)
        dev = to_documents([examples[i] for i in sorted(held)], indexer, labels, self.seed)
        check_reference((d.names for d in dev), self.select, self.encoding, self.name)
        log.info("matrix", extra={"tokens": training["tokens"], "attributes": len(indexer.attributes.entries)})
        shares = unknown_shares(learned, indexer, self.tokens if base is None else None)
        self._write(plan, indexer, self._fit(plan, indexer, train, dev, shares), training)

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
        parts = (self.tokens, self.characters, self.attributes, self.encoder, self.decoder)
        return Plan(*parts, dropout=self.dropout, labels=tuple(labels), encoding=self.encoding, sizes=sizes)

    def _fit(
        self,
        plan: Plan,
        indexer: Indexer,
        train: Sequence[Document],
        dev: Sequence[Document],
        unknown: npt.NDArray[np.float64],
    ) -> TrainingResult:
        torch, base = need("torch", "neural", self.name), self.start_from
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            network = torch_module("network").Network(plan)
        if base is not None:
            _copy_weights(torch, network, plan, base)
        elif self.tokens is not None:
            vectors = self.tokens.start(indexer.words.entries)
            network.set_word_vectors({indexer.words.index_of(w): v for w, v in vectors.items()}, self.tokens.train)
        options = Options(
            **{f.name: getattr(self, f.name) for f in fields(Options) if f.name != "device"},
            device=select_device(torch, self.device),
        )
        checkpoint = self._checkpoint(plan, indexer, options, [*train, *dev])
        loop = torch_module("fitting").TrainingLoop(
            network,
            indexer,
            options,
            checkpoint,
            weights=class_weights(self.class_weights, plan.labels, train, self.name),
            unknown=unknown,
            report=lambda row: log.info("epoch", extra={**row, "iteration": row["epoch"]}),
        )
        result: TrainingResult = loop.run(train, dev)
        check_choice(result.best, result.epoch, self.select, self.precision_floor, self.name)
        checkpoint.clear()
        return result

    def _checkpoint(self, plan: Plan, indexer: Indexer, options: Options, documents: Sequence[Document]) -> Checkpoint:
        """Return the checkpoint next to the model, valid for the same documents and parameters."""
        settings = {
            "plan": plan.as_data(),
            "options": repr(options),
            "labels": plan.labels,
            "base": self.start_from.meta["files"] if self.start_from else None,
            "weights": self.class_weights,
            "vocabularies": list(_vocabularies(indexer).values()),
        }
        inputs = (some for d in documents for some in (d.indexed.words.tobytes(), b"/".join(d.indexed.attributes)))
        identity = fingerprint(settings, (d.names for d in documents), inputs)
        return Checkpoint(self.output / self.model, identity, self.checkpoint)

    def _write(self, plan: Plan, indexer: Indexer, result: TrainingResult, training: dict[str, Any]) -> None:
        arrays = {name: value.numpy() for name, value in result.arrays.items()}
        stored = arrays if self.quantize is None else quantize(arrays)
        contents = {NETWORK: pack(stored, _vocabularies(indexer))}
        arrays = dequantize(stored)
        if self.onnx:
            contents[ONNX] = torch_module("onnx_export").export_onnx(plan, arrays, self.name)
        facts = {
            "encoding": self.encoding,
            "network": plan.as_data(),
            "sequence": indexer.sequence,
            "max_length": indexer.max_length,
            "epoch": result.epoch,
            "history": result.history,
            **({} if self.quantize is None else {"quantize": self.quantize}),
        }
        active = sum(int(a.size) for a in arrays.values())
        meta = self.describe(list(plan.labels), active, training, facts)
        contents |= {name: file.read_bytes() for name, file in attached_files(self.features).items()}
        write_model(self.output / self.model, meta, contents, model_card(meta))
        self.written(meta)


def _vocabularies(indexer: Indexer) -> dict[str, list[str]]:
    return {name: getattr(indexer, name).entries for name in VOCABULARIES}


def _copy_weights(torch: Any, network: Any, plan: Plan, base: NeuralModel) -> None:
    """Copy the weights of a trained model into a network, including those of the labels that both have."""
    old = {name: torch.from_numpy(np.array(a)) for name, a in base.arrays.items()}
    rows = [(plan.labels.index(x), base.plan.labels.index(x)) for x in plan.labels if x in base.plan.labels]
    weights = network.state_dict()
    try:
        for name, value in weights.items():
            if name == "chain.pairs":
                for i, j in rows:
                    for k, m in rows:
                        value[i, k] = old[name][j, m]
            elif name.startswith(("out.", "chain.")):
                for i, j in rows:
                    value[i] = old[name][j]
            else:
                value.copy_(old[name])
    except (KeyError, RuntimeError, IndexError):
        raise ResourceError(f"model {base.place}: its weights do not fit its description: damaged") from None
    network.load_state_dict(weights)
