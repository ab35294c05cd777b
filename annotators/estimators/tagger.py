"""`PhiTagger`: a linear-chain CRF over tokens or feature dicts, as an estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import sklearn_crfsuite
from sklearn.base import BaseEstimator

from ...pipeline.errors import nearest
from ...typesystem import Cas, Sentence, Token
from ..sequence import crfsuite_file
from ..sequence.crf_trainer import logging_trainer
from ..sequence.extraction import FeatureSet
from ..sequence.feature import Words
from ..sequence.linear import seed_c_library
from ..sequence.model_trainer import declared_features
from .checking import (
    Column,
    check_fitted,
    check_given,
    check_items,
    check_labels,
    check_sequences,
    check_window,
    column,
)
from .items import Item, ItemScorer, ordered

DEFAULT_FEATURES = (
    *("token", "lower", "capital_type", "numeric_type", "hyphen", "suffix2", "suffix3", "shape", "sentence_position"),
)
"""Features of tokens by default: those of the VigiBase de-identifier that need a sentence and no document."""

CHOICES = {
    "algorithm": ("lbfgs", "l2sgd", "ap", "pa", "arow"),
    "linesearch": ("MoreThuente", "Backtracking", "StrongBacktracking"),
}
_OWN = ("features", "window", "random_state")


class PhiTagger(BaseEstimator):
    """Labels sequences by a linear-chain CRF: `sklearn_crfsuite.CRF` trains it, caspipe applies it.

    X is a list of sequences. A sequence is a list of tokens (str), of which `features` are computed, or a list of items as
    `sklearn_crfsuite.CRF` takes them: feature dicts or lists of names. y is a list of label sequences, in any encoding.

        tagger = PhiTagger(c1=0.1, c2=0.01, max_iterations=50)
        tagger.fit([["Dr.", "Smith", "came"]], [["O", "B-PERSON", "O"]])
        tagger.predict([["Dr.", "Jones", "left"]])

    The labels are those that CRFsuite gives. `from_crfsuite` and `to_crfsuite` exchange trained models with `sklearn_crfsuite`.
    To find spans in texts, use `PhiDetector`.

    Parameters other than these have the names, the meaning and the defaults (None) of `sklearn_crfsuite.CRF`:

    - `features`: features of tokens, declared as in YAML: `["lower", {"suffix": {"length": 3}}]`. None: `DEFAULT_FEATURES`.
      Features that need more than tokens and sentences are refused. Not used for items.
    - `window`: first and last token whose features a token has, relative to the token itself.
    - `random_state`: seed of the order in which `l2sgd`, `ap`, `pa` and `arow` learn, a whole number.

    After `fit`: `classes_`, the labels in order of their first occurrence, and `crfsuite_`, the model file of CRFsuite (bytes).
    """

    def __init__(
        self,
        *,
        features: Sequence[Any] | None = None,
        window: tuple[int, int] = (-2, 2),
        random_state: int = 1,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: float | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
    ) -> None:
        self.features = features
        self.window = window
        self.random_state = random_state
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma

    def fit(self, X: Any, y: Any) -> Self:
        """Train. Raises ValueError for parameters that CRFsuite does not take, and for X and y that are not as described."""
        where = "PhiTagger.fit"
        check_given(where, y)
        sequences, tokens = check_sequences(where, X)
        labels = check_labels(where, y, sequences)
        if not any(labels):
            raise ValueError(f"{where}: X: expected at least one token, found none in {len(sequences)} sequences")
        crf = self._crf()
        items = self._items(where, sequences) if tokens else [[ordered(item) for item in s] for s in sequences]
        check_items(where, items)
        seed_c_library(self.random_state)
        crf.fit(items, labels)
        self._take(Path(crf.modelfile.name).read_bytes(), tokens)
        return self

    def predict(self, X: Any) -> Column:
        """Return the labels of each sequence, the best ones of the sequence as a whole: an array of lists."""
        return column(self._applied("PhiTagger.predict", X, ItemScorer.best))

    def predict_proba(self, X: Any) -> Column:
        """Return the probability of each label at each token: an array of arrays of shape (tokens, `classes_`)."""
        return column(self._applied("PhiTagger.predict_proba", X, ItemScorer.marginals))

    def predict_marginals(self, X: Any) -> Column:
        """Return the same as `sklearn_crfsuite.CRF.predict_marginals` does: for each token a dict by label."""
        return column(
            [dict(zip(self.classes_, row, strict=True)) for row in sequence.tolist()]
            for sequence in self.predict_proba(X)
        )

    def score(self, X: Any, y: Any) -> float:
        """Return the share of tokens with the right label, as `sklearn_crfsuite.CRF.score` does."""
        check_given("PhiTagger.score", y)
        sequences, _ = check_sequences("PhiTagger.score", X)
        labels = check_labels("PhiTagger.score", y, sequences)
        pairs = [
            pair for found in zip(labels, self.predict(sequences), strict=True) for pair in zip(*found, strict=True)
        ]
        if not pairs:
            raise ValueError(
                f"PhiTagger.score: X: expected at least one token, found none in {len(sequences)} sequences"
            )
        return float(sum(label == found for label, found in pairs) / len(pairs))

    def attributes(self, X: Any) -> list[list[Item]]:
        """Return sequences of tokens as items for `sklearn_crfsuite.CRF`: the same model learns the same from them.

        An item is a list of names, or a dict if a feature is a number. Needs no `fit`.
        """
        where = "PhiTagger.attributes"
        sequences, tokens = check_sequences(where, X)
        return self._items(where, sequences) if tokens else [list(sequence) for sequence in sequences]

    @classmethod
    def from_crfsuite(cls, crf: Any, **parameters: Any) -> Self:
        """Return a fitted tagger with a model that `sklearn_crfsuite` or CRFsuite trained.

        `crf`: a fitted `sklearn_crfsuite.CRF`, whose parameters are kept, or the path of a model file of CRFsuite. The tagger
        takes the items that the model was trained on. For a model trained on what `attributes` returned, pass the same `features`
        and `window`; it then takes tokens, too. Raises ValueError for a CRF without a model, and for a file that is not a model.
        """
        given = {}
        file = crf
        if isinstance(crf, sklearn_crfsuite.CRF):
            own = cls().get_params()
            given = {name: value for name, value in crf.get_params().items() if name in own}
            file = crf.modelfile.name
            if file is None:
                raise ValueError(
                    f"{cls.__name__}.from_crfsuite: expected a fitted CRF, found one without a model: call its fit"
                )
        tagger = cls(**{**given, **parameters})
        try:
            tagger._take(Path(file).read_bytes(), "features" in parameters)
        except ValueError as error:
            raise ValueError(f"{cls.__name__}.from_crfsuite: {file}: {error}") from None
        return tagger

    def to_crfsuite(self) -> sklearn_crfsuite.CRF:
        """Return a fitted `sklearn_crfsuite.CRF` with this model and its parameters. It takes items (`attributes`)."""
        check_fitted(self, "crfsuite_")
        crf = sklearn_crfsuite.CRF(**self._parameters())
        crf.modelfile.refresh()
        Path(crf.modelfile.name).write_bytes(self.crfsuite_)
        return crf

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of `sklearn_crfsuite.CRF`."""
        return {name: value for name, value in self.get_params().items() if name not in _OWN}

    def _crf(self) -> sklearn_crfsuite.CRF:
        """Return the trainer. Raise ValueError for parameters that it does not take."""
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                hint = nearest(str(value), choices) or f"; expected one of {', '.join(choices)}"
                raise ValueError(f"PhiTagger: {name}: unknown value {value!r}{hint}")
        given = self._parameters()
        for name, value in given.items():
            if name not in CHOICES and value is not None and not (isinstance(value, Real) and 0 <= float(value) < inf):
                raise ValueError(f"PhiTagger: {name}: expected a finite number of 0 or more, found {value!r}")
        if isinstance(self.random_state, bool) or not isinstance(self.random_state, Integral):
            raise ValueError(f"PhiTagger: random_state: expected a whole number, found {self.random_state!r}")
        return sklearn_crfsuite.CRF(**given, trainer_cls=_trainer)

    def _take(self, model: bytes, tokens: bool) -> None:
        """Adopt a model file of CRFsuite. Raise ValueError if it is damaged."""
        weights = crfsuite_file.parse(model)
        self.classes_ = weights.labels
        self.crfsuite_ = model
        self._scorer = ItemScorer(weights)
        self._takes_tokens = tokens

    def _applied(self, where: str, X: Any, method: Callable[[ItemScorer, list[list[Item]]], list[Any]]) -> list[Any]:
        """Return what a method of the scorer finds. Raise NotFittedError without a model, ValueError for wrong sequences."""
        check_fitted(self, "crfsuite_")
        sequences, tokens = check_sequences(where, X)
        if tokens and not self._takes_tokens:
            raise ValueError(f"{where}: X: expected feature dicts, on which the model was trained, found tokens (str)")
        items = self._items(where, sequences) if tokens else sequences
        try:
            return method(self._scorer, items)
        except (TypeError, ValueError):
            check_items(where, items)  # finds the item
            raise

    def _items(self, where: str, sequences: list[list[str]]) -> list[list[Item]]:
        """Return the attributes of tokens. Raise ValueError for features that need more than tokens and sentences."""
        declared = declared_features(DEFAULT_FEATURES if self.features is None else self.features)
        features = FeatureSet(declared, check_window("PhiTagger", self.window))
        needs = [need if isinstance(need, str) else need.__name__ for need in features.needs()]
        if needs:
            raise ValueError(
                f"{where}: features need {', '.join(needs)}: expected features of tokens alone; see PhiDetector"
            )
        features.open()
        return [_attributes(features, tokens) for tokens in sequences]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the tables that `_take` makes of the model."""
        return {name: value for name, value in super().__getstate__().items() if name != "_scorer"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "crfsuite_" in state:
            self._take(self.crfsuite_, self._takes_tokens)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = tags.input_tags.dict = True
        tags.target_tags.required = True
        return tags


def _trainer(algorithm: str | None, params: dict[str, Any], verbose: bool = False) -> Any:
    """Return the trainer. Raise ValueError for a parameter that the algorithm does not have."""
    try:
        return logging_trainer(algorithm, params, verbose)
    except ValueError as error:
        raise ValueError(f"PhiTagger: algorithm {algorithm or 'lbfgs'}: {error}") from None


def _attributes(features: FeatureSet, tokens: list[str]) -> list[Item]:
    """Return the attributes of the tokens of a sentence."""
    ends, end = [], -1
    for token in tokens:
        end += 1 + len(token)
        ends.append(end)
    view = Cas(" ".join(tokens)).view()
    view.add_spans(Token, [end - len(token) for end, token in zip(ends, tokens, strict=True)], ends)
    if tokens:
        view.add(Sentence(0, ends[-1]))
    return list(features.attributes(features.columns(Words(view))))
