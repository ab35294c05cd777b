"""Trains linear support vector machines with LIBLINEAR at the end of a pipeline run."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Literal, get_args

import numpy as np

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import Phi, Sentence, Token
from .extraction import FeatureSet, Floats
from .folds import held_out
from .labels import OUTSIDE, Encoding, decode, follows
from .linear import logistic, seed_c_library
from .matrix import design_matrix
from .scoring import LabelScorer
from .training import Example, Trainer, log
from .viterbi import viterbi
from .weights import Weights

STRENGTHS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Candidate factors for the logarithms of label pairs; small, since the margins of SVMs are small."""
NEVER = -1e4
"""Score of an invalid pair of labels."""

Solver = Literal[
    "l2-hinge",
    "l2-squared-hinge-dual",
    "l2-squared-hinge",
    "crammer-singer",
    "l1-squared-hinge",
    "l2-logistic",
    "l1-logistic",
]
SOLVERS = dict(zip(get_args(Solver), (3, 1, 2, 4, 5, 0, 6), strict=True))
"""LIBLINEAR's `-s`. `l2-hinge` is the problem of the seed system's eq. 10 (L2R_L1LOSS_DUAL)."""


@component("svm_trainer", inputs=[Token, Sentence, Phi])
class SvmTrainer(Trainer):
    """Trains linear SVMs (LIBLINEAR, Fan et al. 2008), one for each label against the rest, on the gold view.

    `C` is LIBLINEAR's: the cost of errors, so a larger one means *less* regularization, the inverse of the `C` that a CRF
    takes (seed system, eq. 10 and 31).
    """

    solver: Solver = "l2-hinge"
    """The problem solved: `l2-hinge` as in the VigiBase system; `crammer-singer` learns all labels at once and is several times
    quicker with many labels; the `l1` ones make small models."""
    C: float = 0.1
    """Cost of errors (LIBLINEAR's -c)."""
    tolerance: float | None = None
    """Ends when the problem is solved this well (LIBLINEAR's -e); its default."""
    class_weights: dict[str, float] = field(default_factory=dict)
    """Factors on `C` by label (`O: 0.5`) or by kind (`PERSON: 2`)."""
    outside_share: float = 1.0
    """Share of the tokens labeled `O` that is kept, drawn at random (`seed`)."""
    calibration_share: float = 0.2
    """Share of documents held out once to fit confidences on; the model itself learns from all. 0: no confidences."""
    label_order: Literal["free", "legal", "learned"] = "free"
    """Allowed neighboring labels: `free` as in the VigiBase system, each token for itself; `legal` only what spans can
    make (no `I-` after `O`); `learned` also weighs pairs of labels by how often training has them, as strongly as serves the
    documents held out for calibration best. The last two decode whole sentences (Viterbi)."""
    prune: float = 0.0
    """Weights not larger than this are dropped: smaller models, and scores that differ by as much."""

    trained_as = "svm"
    libraries = ("liblinear-official", "scikit-learn", "scipy")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.C < float("inf"):
            raise ValueError(f"C: expected a finite number above 0, got {self.C}")
        if not 0 < self.outside_share <= 1:
            raise ValueError(f"outside_share: expected a share above 0 up to 1, got {self.outside_share}")
        if not 0 <= self.calibration_share < 1:
            raise ValueError(f"calibration_share: expected a share from 0 up to 1, got {self.calibration_share}")
        if self.prune < 0:
            raise ValueError(f"prune: expected 0 or more, got {self.prune}")
        for label, factor in self.class_weights.items():
            if not 0 < factor < float("inf"):
                raise ValueError(f"class_weights {label}: expected a finite number above 0, got {factor}")

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        calibration, strength = None, 1.0
        held = self._held_out(examples)
        if held:
            trial = self._fit([e for i, e in enumerate(examples) if i not in held])
            seen = [examples[i] for i in sorted(held)]
            calibration = logistic(*_margins(self.feature_set, trial, seen))
            strength = self._strength(trial, examples, seen)
        weights = self._fit(examples)
        weights.transitions = self._transitions(weights.labels, examples, strength)
        facts = {"calibration": calibration, "solver": self.solver, "C": self.C, "label_order": self.label_order}
        return weights, facts | ({"label_strength": strength} if self.label_order == "learned" else {}), None

    def _held_out(self, examples: list[Example]) -> set[int]:
        """Return the numbers of the documents on which confidences and the strength of label pairs are fitted."""
        sources = [e.source for e in examples]
        held = held_out(sources, self.calibration_share, f"{self.seed}/calibration", least=0)
        rest = {label for i, e in enumerate(examples) if i not in held for label in e.labels}
        return held if len(rest) > 1 else set()

    def _transitions(self, labels: list[str], examples: list[Example], strength: float) -> Floats | None:
        """Return the score of each pair of labels; None if tokens are independent."""
        if self.label_order == "free":
            return None
        return label_pairs(labels, examples, self.encoding, strength if self.label_order == "learned" else 0.0)

    def _strength(self, trial: Weights, examples: list[Example], held: list[Example]) -> float:
        """Return the factor on the logarithms of label pairs with which most held-out tokens of spans get the right label."""
        if self.label_order != "learned":
            return 0.0
        scorer = LabelScorer(self.feature_set, trial)
        scored = [(scorer.scores(e.columns), e) for e in held if e.labels]

        def right(strength: float) -> int:
            pairs = label_pairs(trial.labels, examples, self.encoding, strength)
            found = 0
            for scores, e in scored:
                named = [trial.labels[i] for i in viterbi(scores, e.columns.sentences, pairs)]
                spans = set(decode(e.labels, e.columns.sentences, self.encoding))
                marked = set(decode(named, e.columns.sentences, self.encoding))
                found += 2 * len(spans & marked) - len(marked)
            return found

        return max(STRENGTHS, key=right)

    def _fit(self, examples: list[Example]) -> Weights:
        """Return weights trained on documents. The order of labels is that in which LIBLINEAR breaks ties."""
        from liblinear.liblinear import parameter, problem
        from liblinear.liblinearutil import train

        matrix, attributes = design_matrix(self.feature_set, [e.columns for e in examples], self.min_count)
        named = [label for e in examples for label in e.labels]
        labels = sorted(set(named))
        number = {label: i for i, label in enumerate(labels)}
        y = np.array([number[label] for label in named], dtype=np.float64)
        if self.outside_share < 1 and OUTSIDE in number:
            chance = np.random.default_rng(self.seed)
            kept = (y != number[OUTSIDE]) | (chance.random(len(y)) < self.outside_share)
            matrix, y = matrix[kept], y[kept]
            if number[OUTSIDE] not in y:
                raise ConsumerError(
                    f"{self.name}: outside_share {self.outside_share:g} leaves no token labeled {OUTSIDE}"
                )
        log.info("matrix", extra={"tokens": matrix.shape[0], "attributes": matrix.shape[1]})
        options = f"-s {SOLVERS[self.solver]} -c {self.C!r} -q"
        if self.tolerance is not None:
            options += f" -e {self.tolerance!r}"
        for label, factor in sorted(self.class_weights.items()):
            chosen = [i for i, name in enumerate(labels) if label in (name, name.partition("-")[2])]
            if not chosen:
                raise ConsumerError(f"{self.name}: class_weights: no label {label} occurs; labels: {', '.join(labels)}")
            options += "".join(f" -w{i} {factor!r}" for i in chosen)
        wanted = parameter(options)
        with _logged(wanted, 0 if self.solver == "crammer-singer" else len(labels)):
            fitted = train(problem(y, matrix), wanted)
        order = fitted.get_labels() if len(labels) > 2 else fitted.get_labels()[::-1]  # of two, the second takes ties
        dense = _dense(fitted, len(labels), len(attributes))[:, order]
        return Weights.of_matrix([labels[i] for i in order], attributes, dense, self.prune)


@contextlib.contextmanager
def _logged(wanted: Any, problems: int) -> Iterator[None]:
    """Seeds LIBLINEAR, which draws from the C library's global generator, and sends its progress to the log.

    Its iterations are those of the one problem, or problems solved if there is one for each label. An interrupt takes
    effect when LIBLINEAR is done, since it cannot be stopped.
    """
    from liblinear import liblinear

    seed_c_library(1)
    done, raised = 0, []

    def receive(message: bytes) -> None:
        nonlocal done
        try:
            one = (
                b"optimization finished" in message or message.startswith(b"iter  1 ") if problems else message == b"."
            )
            if one:
                done += 1 if problems else 10
                log.info("iteration", extra={"iteration": done, "of": problems, "loss": None})
        except BaseException as error:  # ctypes would drop it
            raised.append(error)

    wanted.print_func = liblinear.PRINT_STRING_FUN(receive)
    try:
        yield
    finally:
        liblinear.liblinear.set_print_string_function(liblinear.ctypes_print_null)
    if raised:
        raise raised[0]


def label_pairs(labels: list[str], examples: list[Example], encoding: Encoding, strength: float) -> Floats:
    """Return the score of each pair of labels: `strength` times the logarithm of how often the second follows the first.

    Shape (labels, labels). Pairs that no span can make get `NEVER`; unseen ones count as seen half a time.
    """
    number = {label: i for i, label in enumerate(labels)}
    counts = np.full((len(labels), len(labels)), 0.5)
    for example in examples:
        for first, last in example.columns.sentences:
            for a, b in itertools.pairwise(example.labels[first:last]):
                if a in number and b in number:
                    counts[number[a], number[b]] += 1
    pairs: Floats = strength * np.log(counts / counts.sum(axis=1, keepdims=True))
    for a in labels:
        for b in labels:
            if not follows(a, b, encoding):
                pairs[number[a], number[b]] = NEVER
    return pairs


def _dense(fitted: Any, labels: int, attributes: int) -> Floats:
    """Return the weights of LIBLINEAR in the shape (attributes, labels), labels in the order of their numbers."""
    order = fitted.get_labels()
    columns = 1 if len(order) == 2 and fitted.param.solver_type != SOLVERS["crammer-singer"] else len(order)
    flat = np.ctypeslib.as_array(fitted.w, (fitted.nr_feature * columns,)).reshape(fitted.nr_feature, columns)
    found = np.zeros((attributes, labels))
    if columns == 1:  # two labels share one vector: positive for the first
        found[: len(flat), order[0]] = flat[:, 0] / 2
        found[: len(flat), order[1]] = -flat[:, 0] / 2
        return found
    for column, label in enumerate(order):
        found[: len(flat), label] = flat[:, column]
    return found


def _margins(features: FeatureSet, weights: Weights, examples: list[Example]) -> tuple[Floats, Any]:
    """Return the margin to the second-best label, and whether the label is correct, for all tokens labeled as PHI."""
    scorer = LabelScorer(features, weights)
    outside = weights.labels.index(OUTSIDE) if OUTSIDE in weights.labels else -1
    margins, right = [], []
    for example in examples:
        scores = scorer.scores(example.columns)
        if not len(scores):
            continue
        best = scores.argmax(axis=1)
        ordered = np.sort(scores, axis=1)
        for i in np.flatnonzero(best != outside):
            margins.append(float(ordered[i, -1] - ordered[i, -2]))
            right.append(weights.labels[best[i]] == example.labels[i])
    return np.array(margins), np.array(right, dtype=bool)
