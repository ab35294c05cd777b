"""Part-of-speech tags of tokens, from a linear model: grammar for chunks, rules and models that ask for it."""

from __future__ import annotations

from functools import cached_property
from typing import cast

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import ResourceError
from ...typesystem import Cas, FeatureStructure, Sentence, Token, View
from ..sequence.extraction import Floats
from ..sequence.feature import Words
from ..sequence.linear_model import LinearModel
from ..sequence.model_features import feature_set
from ..sequence.model_files import read_description
from ..sequence.scoring import LabelScorer
from ..sequence.viterbi import viterbi

SHIPPED = "en-tagger"
TRAINED_AS = "tagger"
FIXED = 1e6
"""Taken from the scores of all other tags where a tag is given: no model's weights come near it."""


@component("tagger", inputs=[Token, Sentence], sets=["Token:pos"])
class Tagger(AnalysisEngine):
    """Gives every token a part-of-speech tag: the best tags of each sentence as a whole under a linear-chain model.

    The shipped model `en-tagger` knows the tags of the Penn Treebank and the further ones of the English Web Treebank.
    `caspipe train tagger` makes models for other languages and texts. Tags serve features (`pos`), the `chunker` and rules;
    a pipeline that asks for none of these runs faster without a tagger.
    """

    model: LinearModel = cast(LinearModel, SHIPPED)  # a name until `open` loads it
    """The trained model: a folder, a zip, or a name that `caspipe model list` shows."""
    keep: bool = False
    """Keep the tags that tokens have already, from a reader or another tagger; tokens without one are tagged to fit them."""

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Tokens and sentences, and what the model's features look at."""
        if isinstance(self.model, LinearModel):
            asked = self.model.features.needs()
        else:
            asked = feature_set(read_description(self.model), self.model).needs()
        return tuple(dict.fromkeys((Token, Sentence, *asked)))

    def open(self) -> None:
        super().open()
        found = self.model.meta["type"]
        if found != TRAINED_AS:
            raise ResourceError(
                f"model {self.model.place}: trained as {found}; the component {found} applies it, not {self.name}"
            )

    def process(self, cas: Cas) -> None:
        view = cas.view()
        if view.count(Token):
            view.set_feature(Token, "pos", self.tags(view))

    def tags(self, view: View) -> list[str]:
        """The tags of a view's tokens, in order; nothing is changed."""
        words = Words(view)
        if not len(words):
            return []
        columns = self._scorer.features.columns(words)
        scores = self._scorer.scores(columns)
        given = words.pos if self.keep else []
        if any(given):
            self._fix(scores, given)
        labels = self._scorer.labels
        found = [labels[i] for i in viterbi(scores, columns.sentences, self._transitions)]
        return [old or new for old, new in zip(given, found, strict=True)] if given else found

    def _fix(self, scores: Floats, given: list[str]) -> None:
        """Makes the tags that are there the only way through their tokens, as far as the model knows them."""
        numbers = {label: i for i, label in enumerate(self._scorer.labels)}
        for i, tag in enumerate(given):
            number = numbers.get(tag)
            if number is not None:
                own = scores[i, number]
                scores[i] -= FIXED
                scores[i, number] = own

    @cached_property
    def _scorer(self) -> LabelScorer:
        return LabelScorer(self.model.features, self.model.weights)

    @cached_property
    def _transitions(self) -> Floats:
        transitions = self.model.weights.transitions
        if transitions is None:
            raise ResourceError(f"model {self.model.place}: a tagger without transitions: damaged")
        return transitions
