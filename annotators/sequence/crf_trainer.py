"""Trains a linear-chain CRF with CRFsuite at the end of a pipeline run.

`sklearn_crfsuite.CRF` is the trainer: it takes the parameters, the sequences and the held-out sequences. Its `trainer_cls` is
ours, so that the progress goes to the log.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import Phi, Sentence, Token
from . import crfsuite_file
from .extraction import FeatureSet
from .folds import held_out
from .labels import OUTSIDE
from .linear import seed_c_library
from .model_files import CRFSUITE
from .training import Example, Trainer, log
from .weights import Weights

Algorithm = Literal["lbfgs", "l2sgd", "ap", "pa", "arow"]
LineSearch = Literal["MoreThuente", "Backtracking", "StrongBacktracking"]
Sequence_ = tuple[list[Any], list[str]]

_OPTIONS: dict[str, tuple[str, ...]] = {
    "lbfgs": (
        "c1",
        "c2",
        "max_iterations",
        "epsilon",
        "delta",
        "period",
        "linesearch",
        "max_linesearch",
        "num_memories",
    ),
    "l2sgd": ("c2", "max_iterations", "delta", "period"),
    "ap": ("max_iterations", "epsilon"),
    "pa": ("max_iterations", "epsilon"),
    "arow": ("max_iterations", "epsilon"),
}
_CRF_NAMES = {"feature.possible_transitions": "all_possible_transitions"}
"""Parameters that have another name in `sklearn_crfsuite.CRF` than in CRFsuite."""


@component("crf_trainer", inputs=[Token, Sentence, Phi])
class CrfTrainer(Trainer):
    """Trains a linear-chain CRF (CRFsuite, Okazaki 2007) on the gold view and writes a model.

    The strength of regularization is given either as CRFsuite's own `c1` (L1) and `c2` (L2), or as `C` and `alpha` of the
    VigiBase system (seed system, eq. 31 and 32): c1 = n C alpha, c2 = n C (1 - alpha) / 2, n being the number of
    training sequences.
    """

    algorithm: Algorithm = "lbfgs"
    """lbfgs: limited-memory BFGS with L1 and L2; l2sgd: stochastic gradient with L2; ap: averaged perceptron; pa: passive
    aggressive; arow: adaptive regularization of weights."""
    c1: float | None = None
    """Coefficient of L1 regularization (lbfgs); default 0.05. A larger one makes smaller models."""
    c2: float | None = None
    """Coefficient of L2 regularization (lbfgs, l2sgd); default 0.01."""
    C: float | None = None
    """Strength of regularization of the average loss, instead of c1 and c2."""
    alpha: float = 0.0
    """Share of L1 in `C`, from 0 (L2 alone) to 1 (L1 alone)."""
    max_iterations: int = 100
    """Iterations (lbfgs) or passes over the data (others) at most."""
    epsilon: float | None = None
    """Ends when the gradient (lbfgs) or the loss (ap, pa, arow) is this small; CRFsuite's default."""
    delta: float | None = None
    """Ends when the loss improved less than this share in `period` iterations; CRFsuite's default."""
    period: int | None = None
    """Iterations over which `delta` looks back; CRFsuite's default (10)."""
    linesearch: LineSearch | None = None
    """Line search of lbfgs (seed system, §8): by More and Thuente, CRFsuite's default, or by steps that become smaller until the
    regular (`Backtracking`) or strong Wolfe condition holds. With L1, CRFsuite always uses `Backtracking`."""
    max_linesearch: int | None = None
    """Maximum number of trials of a line search (lbfgs); CRFsuite's default (20)."""
    num_memories: int | None = None
    """Number of earlier steps from which lbfgs approximates the inverse Hessian matrix; CRFsuite's default (6)."""
    early_stop: float = 0.0
    """Share of documents held out to choose the number of iterations by; the model is then trained on everything with that
    number. 0: no early stop."""
    possible_transitions: bool = False
    """Also learn weights for label pairs that never occur in training."""
    outside_share: float = 1.0
    """Share of sentences without any span that is kept, drawn at random (`seed`)."""
    temperature: float = 1.0
    """All weights are divided by it: labels stay as they are, confidences become less extreme. For ap, pa and arow, whose scores
    are not logarithms of odds; after Guo et al. 2017 (ICML), "On Calibration of Modern Neural Networks".
    Not with `keep_crfsuite`."""
    keep_crfsuite: bool = True
    """Also put the model in CRFsuite's own format into the folder."""

    trained_as = "crf"
    libraries = ("python-crfsuite", "sklearn-crfsuite")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.C is not None and (self.c1 is not None or self.c2 is not None):
            raise ValueError("C: expected either C (with alpha) or c1 and c2, got both")
        check_crfsuite(self.max_iterations, c1=self.c1, c2=self.c2, C=self.C)
        self._check_lbfgs()
        for name in ("alpha", "early_stop", "outside_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a share from 0 to 1, got {getattr(self, name)}")
        if not 0 < self.temperature < float("inf"):
            raise ValueError(f"temperature: expected a finite number above 0, got {self.temperature}")
        if self.temperature != 1 and self.keep_crfsuite:
            raise ValueError("temperature: expected 1 with keep_crfsuite: the kept model would have other weights")

    def _check_lbfgs(self) -> None:
        """Raise ValueError for parameters of the line search that CRFsuite would ignore or not take."""
        for name in ("linesearch", "max_linesearch", "num_memories"):
            value = getattr(self, name)
            if value is not None and self.algorithm != "lbfgs":
                raise ValueError(f"{name}: expected algorithm lbfgs, got {self.algorithm}")
            if isinstance(value, int) and value < 1:
                raise ValueError(f"{name}: expected 1 or more, got {value}")
        if self.linesearch not in (None, *get_args(LineSearch)):  # CRFsuite would take its default
            raise ValueError(f"linesearch: expected one of {', '.join(get_args(LineSearch))}, got {self.linesearch!r}")
        l1 = self.alpha > 0 and self.C != 0 if self.C is not None else self.c1 != 0
        if l1 and self.linesearch not in (None, "Backtracking"):
            raise ValueError(
                f"linesearch: expected Backtracking, or no L1 (c1: 0; with C, alpha: 0), got {self.linesearch}: "
                "with L1, CRFsuite uses no other"
            )

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        documents = [self._sequences(e, random.Random(f"{self.seed}/{i}")) for i, e in enumerate(examples)]
        if self.min_count > 1:
            documents = frequent(documents, self.min_count)
        options = self._options(sum(map(len, documents)))
        facts: dict[str, Any] = {"sequences": sum(map(len, documents)), "options": options}
        if self.early_stop and self.algorithm == "lbfgs":
            sources = [e.source for e in examples]
            options["max_iterations"] = facts["best_iteration"] = self._best_iteration(documents, sources, options)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / CRFSUITE
            trace = self._fit(documents, [], options, file)
            facts.update(trace[-1] if trace else {})
            raw = file.read_bytes()
            weights = crfsuite_file.parse(raw)
        if self.temperature != 1:
            weights.values = weights.values / self.temperature
            if weights.transitions is not None:
                weights.transitions = weights.transitions / self.temperature
        return weights, {"crfsuite": facts}, raw if self.keep_crfsuite else None

    def _sequences(self, example: Example, chance: random.Random) -> list[Sequence_]:
        """Return attributes and labels by sentence; those without any span only as often as `outside_share` says."""
        return [
            (attributes, labels)
            for attributes, labels in by_sentence(self.feature_set, example)
            if self.outside_share == 1 or any(x != OUTSIDE for x in labels) or chance.random() < self.outside_share
        ]

    def _options(self, sequences: int) -> dict[str, Any]:
        """CRFsuite's parameters."""
        c1, c2 = self.c1, self.c2
        if self.C is not None:
            c1, c2 = sequences * self.C * self.alpha, sequences * self.C * (1 - self.alpha) / 2
        names = ("epsilon", "delta", "period", "linesearch", "max_linesearch", "num_memories")
        more = {name: getattr(self, name) for name in names}
        chosen = crfsuite_options(self.algorithm, c1=c1, c2=c2, max_iterations=self.max_iterations, **more)
        if self.algorithm in ("lbfgs", "l2sgd") and self.possible_transitions:
            chosen["feature.possible_transitions"] = True
        return chosen

    def _best_iteration(self, documents: list[list[Sequence_]], sources: Sequence[str], options: dict[str, Any]) -> int:
        """Return the iteration after which the held-out documents scored best. A document and its copies have one source."""
        held = held_out(sources, self.early_stop, f"{self.seed}/early stop")
        if len(held) == len(documents):
            raise ConsumerError(f"{self.name}: early_stop holds out every document: {len(documents)} are too few")
        with tempfile.TemporaryDirectory() as folder:
            trace = self._fit(
                [d for i, d in enumerate(documents) if i not in held],
                [d for i, d in enumerate(documents) if i in held],
                options,
                Path(folder) / CRFSUITE,
            )
        best = max(trace, key=lambda t: (t.get("accuracy", 0.0), -t["iteration"]), default=None)
        return int(best["iteration"]) if best else self.max_iterations

    def _fit(
        self, documents: list[list[Sequence_]], held: list[list[Sequence_]], options: dict[str, Any], file: Path
    ) -> list[dict[str, Any]]:
        """Train into a file; return what CRFsuite reported of each iteration."""
        from sklearn_crfsuite import CRF

        given = {_CRF_NAMES.get(name, name): value for name, value in options.items()}
        crf = CRF(algorithm=self.algorithm, model_filename=str(file), trainer_cls=logging_trainer, **given)
        seed_c_library(self.seed)
        crf.fit(*_columns(documents), *(_columns(held) if held else ()))
        if not file.exists() or file.stat().st_size == 0:
            raise ConsumerError(f"{self.name}: CRFsuite wrote no model: it has no features, or its options do not fit")
        return [iteration_facts(iteration) for iteration in crf.training_log_.iterations]


def check_crfsuite(max_iterations: int, **coefficients: float | None) -> None:
    """Raise ValueError for parameters that CRFsuite does not take."""
    for name, value in coefficients.items():
        if value is not None and not 0 <= value < float("inf"):
            raise ValueError(f"{name}: expected a finite number of 0 or more, got {value}")
    if max_iterations < 1:
        raise ValueError(f"max_iterations: expected 1 or more, got {max_iterations}")


def crfsuite_options(
    algorithm: Algorithm, *, c1: float | None, c2: float | None, **given: float | str | None
) -> dict[str, Any]:
    """Return those of the parameters that the algorithm takes; None means the default."""
    given = {"c1": 0.05 if c1 is None else c1, "c2": 0.01 if c2 is None else c2, **given}
    return {k: v for k, v in given.items() if v is not None and k in _OPTIONS[algorithm]}


def by_sentence(features: FeatureSet, example: Example) -> list[Sequence_]:
    """Return attributes and labels of each sentence."""
    attributes = list(features.attributes(example.columns))
    return [(attributes[first:last], example.labels[first:last]) for first, last in example.columns.sentences]


def _columns(documents: list[list[Sequence_]]) -> tuple[list[Any], list[list[str]]]:
    """Return the attributes of all sequences, and their labels."""
    sequences = [sequence for document in documents for sequence in document]
    return [attributes for attributes, _ in sequences], [labels for _, labels in sequences]


def iteration_facts(iteration: Mapping[str, Any]) -> dict[str, Any]:
    """Return number, loss and, if documents are held out, accuracy of an iteration that CRFsuite reported."""
    facts = {"iteration": iteration["num"], "loss": iteration.get("loss")}
    if "item_accuracy_float" in iteration:
        facts["accuracy"] = iteration["item_accuracy_float"]
    return facts


def logging_trainer(algorithm: str | None, params: dict[str, Any], verbose: bool = False) -> Any:
    """Return a trainer of CRFsuite that logs its progress to `caspipe.training` instead of printing it.

    `sklearn_crfsuite.CRF` takes this function as `trainer_cls`.
    """
    import pycrfsuite

    class LoggingTrainer(pycrfsuite.Trainer):  # type: ignore[misc]
        def message(self, message: str) -> None:
            event = self.logparser.feed(message)
            if event == "iteration":
                found = iteration_facts(self.logparser.last_iteration)
                log.info("iteration", extra={**found, "of": params.get("max_iterations", 0)})

    return LoggingTrainer(algorithm, params, verbose=False)


def frequent(documents: list[list[Sequence_]], least: int) -> list[list[Sequence_]]:
    """Return the same without attributes that occur fewer than `least` times."""
    counts: Counter[str] = Counter()
    for attributes in _tokens(documents):
        counts.update(attributes)

    def kept(attributes: Any) -> Any:
        if isinstance(attributes, dict):
            return {a: v for a, v in attributes.items() if counts[a] >= least}
        return [a for a in attributes if counts[a] >= least]

    return [[([kept(a) for a in sequence], labels) for sequence, labels in document] for document in documents]


def _tokens(documents: list[list[Sequence_]]) -> Iterator[Any]:
    for document in documents:
        for sequence, _ in document:
            yield from sequence
