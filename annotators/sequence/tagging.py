"""The base classes of annotators with a trained model, which label tokens and convert labels to candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from ...pipeline.contract.component import Annotator
from ...pipeline.errors import ResourceError, nearest
from ...typesystem import Annotation, FeatureStructure, PhiCandidate, PhiKind, Sentence, Token, View
from .calibration import Curve
from .extraction import Floats
from .feature import Words
from .labels import OUTSIDE, decode, labeled_ranges
from .linear_model import LinearModel, TokenModel, check_type, features_of
from .scoring import LabelScorer
from .tokenization import TokenCheck

_SEPARATORS = frozenset(",;:、，；：،؛")
"""Separators, which are removed from the ends of spans."""


class ScoredBlock(NamedTuple):
    """Scores of labels of consecutive tokens, of shape (tokens, labels), and the ranges whose labels depend on each other.

    The ranges are relative to the token `first`.
    """

    first: int
    scores: Floats
    sequences: list[tuple[int, int]]


@dataclass(kw_only=True, eq=False, repr=False)
class SequenceTagger(Annotator):
    """An annotator with a trained model of any type that scores labels for tokens."""

    outside_bias: float = 0.0
    """Subtracted from the score of `O`: values above 0 increase recall and decrease precision. In units of scores (natural
    logarithms of odds for a CRF or a network, margins for an SVM). Confidences are not affected."""
    kinds: list[PhiKind] = field(default_factory=list)
    """Mark only these kinds and the kinds below them; empty: all kinds of the model."""
    labels: dict[str, PhiKind | None] = field(default_factory=dict)
    """PHI kinds of the model's labels, without the prefixes `B-` and `I-`: `{GPE: LOCATION, MONEY: null}`; null: not marked.
    Other labels keep their own kind."""
    confidence: bool = True
    """Compute the confidence of each span. If false, every candidate has 1."""

    trained_as: ClassVar[str] = ""

    @property
    def _model(self) -> Any:
        """The parameter `model`: loaded, or still a name."""
        return getattr(self, "model")  # noqa: B009  (each sort of tagger declares its own sort of model)

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return tokens, sentences, and the types that the model's features need."""
        return tuple(dict.fromkeys((Token, Sentence, *features_of(self._model).needs())))

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        """Return the features of the model that need an earlier component; empty if the annotator itself does."""
        users = [f.label for f in features_of(self._model).features if need in (*f.inputs, *f.sets)]
        name = self._model.place if isinstance(self._model, TokenModel) else self._model
        return f"feature {', '.join(users)} of model {name}" if users else ""

    def open(self) -> None:
        super().open()
        check_type(self._model, self.trained_as, self.name)
        known = sorted({kind.name for kind in self._model.kinds.values()})
        unknown = [name for name in self.labels if name not in known]
        if unknown:
            hint = nearest(unknown[0], known)
            raise ResourceError(
                f"{self.name}: labels: model {self._model.place} has no label {unknown[0]}{hint}; "
                f"its labels are {', '.join(known)}"
            )

    def kind_of(self, label: str) -> PhiKind | None:
        """Return the kind of a label of the model with its prefix, as `labels` maps it; None if it is not to be marked."""
        kind: PhiKind = self._model.kinds[label]
        return self.labels.get(kind.name, kind)

    @cached_property
    def _wanted(self) -> dict[str, PhiKind]:
        """The kinds that are marked, by their name in labels."""
        mapped = {self._model.kinds[label].name: self.kind_of(label) for label in self._model.kinds}
        found = {name: kind for name, kind in mapped.items() if kind is not None}
        if not self.kinds:
            return found
        return {
            name: k for name, k in found.items() if k in self.kinds or (k.parent is not None and k.parent in self.kinds)
        }

    @cached_property
    def _curve(self) -> Curve | None:
        return Curve.of(self._model.meta)

    @cached_property
    def token_check(self) -> TokenCheck:
        """The comparison of tokens with those that the model was trained on."""
        return TokenCheck(self._model.meta, self._model.place)

    def scored(self, words: Words) -> Iterator[ScoredBlock]:
        """Yield the scores of consecutive blocks of tokens that hold every token."""
        raise TypeError(f"{type(self).__name__} must define scored(words)")

    def annotate(self, view: View) -> Iterator[Annotation]:
        words = Words(view)
        if not len(words):
            return
        self.token_check.check(view)
        yield from self.marked(words, self.scored(words))

    def marked(self, words: Words, blocks: Iterable[ScoredBlock]) -> Iterator[PhiCandidate]:
        """Yield the best labels as candidates."""
        for block in blocks:
            yield from self._best_of(words, block)

    def _best_of(self, words: Words, block: ScoredBlock) -> Iterator[PhiCandidate]:
        scores, sequences = block.scores, block.sequences
        decided = scores
        labels = self._model.labels
        if self.outside_bias and OUTSIDE in labels:
            decided = scores.copy()
            decided[:, labels.index(OUTSIDE)] -= self.outside_bias
        path = self.best(decided, sequences)
        yield from self.spans_of(words, block, path, lambda spans: self.confidences(scores, path, spans, sequences))

    def spans_of(
        self,
        words: Words,
        block: ScoredBlock,
        path: list[int],
        confidences: Callable[[list[Any]], list[float]],
        pieces: Callable[[tuple[int, int, str]], Iterable[tuple[int, int, str]]] = lambda span: (span,),
    ) -> Iterator[PhiCandidate]:
        """Yield the labels of `path` as candidates. `confidences` returns those of spans of the block (first, last + 1, kind);
        `pieces` divides a span."""
        labels, sequences = self._model.labels, block.sequences
        busy = labeled_ranges(path, labels.index(OUTSIDE), sequences) if OUTSIDE in labels else sequences
        if not busy:
            return
        named = [labels[i] for i in path]
        decoded = (s for s in decode(named, busy, self._model.meta["encoding"]) if s[2] in self._wanted)
        found = [piece for span in decoded for piece in pieces(span)]
        sure = confidences(found) if self.confidence else [1.0] * len(found)
        if self.confidence and self._curve is not None:
            sure = self._curve.apply(sure)
        for (first, last, kind), confidence in zip(found, sure, strict=True):
            first, last = _within(words.forms, block.first + first, block.first + last)
            if not any(c.isalnum() for form in words.forms[first:last] for c in form):
                continue
            yield PhiCandidate(
                words.begins[first],
                words.ends[last - 1],
                kind=self._wanted[kind],
                confidence=confidence,
                rule=self._model.name,
            )

    def best(self, scores: Floats, sentences: list[tuple[int, int]]) -> list[int]:
        """Return the label number of every token."""
        raise TypeError(f"{type(self).__name__} must define best(scores, sentences)")

    def confidences(
        self, scores: Floats, path: list[int], spans: list[Any], sentences: list[tuple[int, int]]
    ) -> list[float]:
        """Return the confidence of each span, 0 to 1."""
        raise TypeError(f"{type(self).__name__} must define confidences(...)")


@dataclass(kw_only=True, eq=False, repr=False)
class LinearTagger(SequenceTagger):
    """An annotator with a linear model over token attributes."""

    model: LinearModel
    """The trained model: a folder, a zip, or a name that `caspipe model list` shows."""

    @cached_property
    def _scorer(self) -> LabelScorer:
        return LabelScorer(self.model.features, self.model.weights)

    def scored(self, words: Words) -> Iterator[ScoredBlock]:
        columns = self._scorer.features.columns(words)
        for block in columns.blocks():
            scores = self._scorer.scores(columns, block)
            if self.model.weights.bias is not None:
                scores += self.model.weights.bias
            yield ScoredBlock(block.first, scores, block.sentences)


def _within(forms: list[str], first: int, last: int) -> tuple[int, int]:
    """Return the span without separators at its ends; at least one token remains."""
    while first < last - 1 and forms[first] in _SEPARATORS:
        first += 1
    while first < last - 1 and forms[last - 1] in _SEPARATORS:
        last -= 1
    return first, last
