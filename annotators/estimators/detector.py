"""`PhiDetector`: finds spans in texts by engines and a trained model, as an estimator of scikit-learn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

from sklearn.base import BaseEstimator

from ...pipeline.errors import CaspipeError, nearest
from ...pipeline.pipeline import Pipeline
from ...typesystem import GOLD_VIEW, Cas, ListHit, MedicalTerm, Phi, PhiKind
from ..sequence.crf_trainer import CrfTrainer
from ..sequence.extraction import FeatureSet
from ..sequence.labels import Span
from ..sequence.model_files import update_description
from ..sequence.model_trainer import DEFAULT_FEATURES, declared_features
from ..sequence.svm_trainer import SvmTrainer
from ..sequence.training import Trainer
from .checking import Column, check_fitted, check_given, check_spans, check_texts, check_window, column
from .kept_model import KeptModel, as_declared, assembled
from .scoring import SpanScorer

TRAINERS: dict[str, type[Trainer]] = {"crf": CrfTrainer, "svm": SvmTrainer}
PROVIDERS: dict[Any, Any] = {
    ListHit: "lists",
    MedicalTerm: {"terms": {"lexicon": "medical"}},
    "Token:pos": "tagger",
}
"""The engine that creates what features need, if `engines` is None."""
_TRAINED = ("features", "window", "encoding", "min_count", "algorithm", "c1", "c2", "C", "max_iterations")
"""Parameters of the trainer that are parameters of the detector under the same name."""
_NOT_OPTIONS = {
    **dict.fromkeys(_TRAINED, "the parameter of the detector"),
    **dict.fromkeys(("kinds", "first_level", "complete", "optional"), "a y with other kinds"),
    **dict.fromkeys(("model", "gold", "tokenization"), "none: the detector sets it"),
    "seed": "random_state",
}
"""Parameters of the trainer that `options` must not have, and what to use instead."""


class PhiDetector(BaseEstimator):
    """Finds spans in texts: runs engines, computes features of tokens, and labels the tokens by a CRF or by SVMs.

    X is a list of texts: a list, a NumPy array or a pandas Series of str. y is, for each text, a list of disjoint spans
    `(begin, end, kind)`, with offsets in code points and names of PHI kinds. `predict` returns an array of such lists.

        detector = PhiDetector(features=["lower", "shape"], max_iterations=50)
        detector.fit(["Seen by Dr. Smith."], [[(12, 17, "PERSON")]])
        detector.predict(["Seen by Dr. Jones."])

    `save` writes a model that a YAML pipeline applies with the same result.

    - `learner`: `crf`, a linear-chain CRF that sklearn-crfsuite trains (the component `crf_trainer`), or `svm`, linear SVMs that
      LIBLINEAR trains (`svm_trainer`).
    - `engines`: the engines before the model, declared as in YAML. None: the segmenter, and `lists`, `terms` and `tagger` if
      features need them.
    - `features`, `window`, `encoding`, `min_count`, `algorithm`, `c1`, `c2`, `C`, `max_iterations`: those of the trainer; None:
      its default. `C` has two meanings: strength of regularization for `crf`, cost of errors for `svm`.
    - `options`: further parameters of the trainer by name, such as `{"early_stop": 0.1, "language": "en"}`. To learn fewer or
      coarser kinds, change `y`.
    - `outside_bias`, `threshold`: those of the annotator, for more recall. They need no new `fit`.
    - `scoring`: the criterion of `score`: `strict`, `covering`, `overlapping`, or one of these with `-binary` to ignore kinds.
    - `random_state`: the seed of the trainer, a whole number.

    After `fit`: `kinds_`, the kinds that the model marks, and `model_`, which holds its files.
    """

    def __init__(
        self,
        *,
        learner: str = "crf",
        engines: Sequence[Any] | None = None,
        features: Sequence[Any] | None = None,
        window: tuple[int, int] = (-3, 3),
        encoding: str = "iob2",
        min_count: int = 1,
        algorithm: str | None = None,
        c1: float | None = None,
        c2: float | None = None,
        C: float | None = None,
        max_iterations: int | None = None,
        options: Mapping[str, Any] | None = None,
        outside_bias: float = 0.0,
        threshold: float | None = None,
        scoring: str = "strict",
        random_state: int = 1,
    ) -> None:
        self.learner = learner
        self.engines = engines
        self.features = features
        self.window = window
        self.encoding = encoding
        self.min_count = min_count
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.C = C
        self.max_iterations = max_iterations
        self.options = options
        self.outside_bias = outside_bias
        self.threshold = threshold
        self.scoring = scoring
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train. Raises ValueError for X and y that are not as described, ConfigError for wrong parameters, and ConsumerError if
        there is nothing to learn from."""
        check_given("PhiDetector.fit", y)
        texts = check_texts("PhiDetector.fit", X)
        spans = check_spans("PhiDetector.fit", y, texts)
        with tempfile.TemporaryDirectory() as folder:
            engines = self._engines()
            consumer = {f"{self._learner()}_trainer": {"model": "model", **self._trainer_parameters()}}
            with assembled(engines, consumers=[consumer], run={"output": folder}) as pipeline:
                _train(pipeline, texts, spans)
            self._take(KeptModel.read(str(Path(folder) / "model"), engines))
        return self

    def predict(self, X: Any) -> Column:
        """Return the spans of each text, in text order: an array of lists."""
        return column([(p.begin, p.end, p.kind.name) for p in found] for found in self._found("PhiDetector.predict", X))

    def predict_confidence(self, X: Any) -> Column:
        """Return the confidence of each span of `predict`, 0 to 1: an array of lists."""
        return column([p.confidence for p in found] for found in self._found("PhiDetector.predict_confidence", X))

    def score(self, X: Any, y: Any) -> float:
        """Return F1 over all spans of all texts under the criterion `scoring`; NaN if there was nothing to find and nothing was
        found."""
        check_given("PhiDetector.score", y)
        return SpanScorer(self.scoring)(self, X, y)

    def save(self, path: str | Path) -> None:
        """Write the model as `crf_trainer` or `svm_trainer` does: a folder, or a file that ends in `.zip`, of plain data.

        A YAML pipeline with the same engines and `crf: {model: path}` finds the same spans. Raises ResourceError if the path has
        something other than a model, ConsumerError if it cannot be written.
        """
        check_fitted(self, "model_")
        self.model_.write(Path(path))

    @classmethod
    def load(cls, name: str | Path, **parameters: Any) -> Self:
        """Return a fitted detector with a trained model: a folder, a zip, or a name that `caspipe model list` shows.

        `engines` are, unless they are given, those that ran before its training. Raises ResourceError if the model is missing,
        damaged or of another type.
        """
        kept = KeptModel.read(str(name), parameters.get("engines"))
        meta = kept.meta
        if meta["type"] not in TRAINERS:
            raise ValueError(
                f"{cls.__name__}.load: {name}: expected a model of type {' or '.join(TRAINERS)}, found {meta['type']}"
            )
        known = {**meta, **meta["training"]["parameters"]}
        given = {name: known[name] for name in _TRAINED if known.get(name) is not None}
        given |= {"learner": meta["type"], "engines": kept.engines, "window": tuple(meta["window"])}
        detector = cls(**{**given, "random_state": known.get("seed", 1), **parameters})
        detector._take(kept)
        return detector

    def _take(self, kept: KeptModel) -> None:
        self.model_ = kept
        self.kinds_ = list(kept.meta["training"]["spans"])

    def _found(self, where: str, X: Any) -> list[list[Phi]]:
        """Return the final spans of each text."""
        check_fitted(self, "model_")
        texts = check_texts(where, X)
        given: dict[str, Any] = {"outside_bias": as_declared(self.outside_bias)}
        if self.threshold is not None:
            given["threshold"] = as_declared(self.threshold)
        pipeline, result = self.model_.pipeline(**given), []
        for i, text in enumerate(texts):
            with _noted(where, i):
                result.append(list(pipeline.process(Cas(text)).select(Phi)))
        return result

    def _learner(self) -> str:
        if self.learner not in TRAINERS:
            hint = nearest(str(self.learner), TRAINERS) or f"; expected one of {', '.join(TRAINERS)}"
            raise ValueError(f"PhiDetector: learner: unknown value {self.learner!r}{hint}")
        return self.learner

    def _engines(self) -> list[Any]:
        """Return the engines before the model, as in YAML."""
        if self.engines is not None:
            return list(as_declared(self.engines))
        features = declared_features(as_declared(DEFAULT_FEATURES if self.features is None else self.features))
        needs = FeatureSet(features, check_window("PhiDetector", self.window)).needs()
        return ["segmenter", *(PROVIDERS[need] for need in needs if need in PROVIDERS)]

    def _trainer_parameters(self) -> dict[str, Any]:
        """Return the parameters of the trainer. Raise ValueError for options that the detector does not pass on."""
        options = dict(self.options or {})
        for name in options:
            if name in _NOT_OPTIONS:
                raise ValueError(f"PhiDetector: options: {name}: expected {_NOT_OPTIONS[name]}")
        known = {field.name for field in fields(TRAINERS[self.learner])}
        given = {name: getattr(self, name) for name in _TRAINED if getattr(self, name) is not None}
        for name in given:
            if name not in known:
                raise ValueError(f"PhiDetector: {name}: not a parameter of learner {self.learner}")
        return {**given, "seed": self.random_state, **options}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


def _train(pipeline: Pipeline, texts: list[str], spans: list[list[Span]]) -> None:
    """Pass texts through the engines to the trainer, and write the model."""
    trainer = pipeline.consumers[0]
    assert isinstance(trainer, Trainer)
    trainer.open()
    for i, (text, marked) in enumerate(zip(texts, spans, strict=True)):
        cas = Cas(text, id=str(i))
        gold = cas.create_view(GOLD_VIEW, text)
        gold.add_all([Phi(begin, end, kind=PhiKind.of(kind)) for begin, end, kind in marked])
        with _noted("PhiDetector.fit", i):
            trainer.process(pipeline.process(cas))
    trainer.close()
    update_description(trainer.output / trainer.model, {"preprocessing": pipeline.describe()["engines"]})


@contextmanager
def _noted(where: str, number: int) -> Iterator[None]:
    """Add to an error of a component the number of the text."""
    try:
        yield
    except CaspipeError as error:
        error.add_note(f"{where}: X[{number}]")
        raise
