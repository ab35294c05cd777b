"""Part-of-speech tags of tokens, from a linear model, for chunks, rules and models that need them."""

from __future__ import annotations

from functools import cached_property
from typing import cast

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import ResourceError
from ...typesystem import INITIAL_VIEW, Cas, FeatureStructure, Sentence, Token, View
from ..sequence.extraction import Floats
from ..sequence.feature import Words
from ..sequence.linear_model import LinearModel, check_type, features_of
from ..sequence.scoring import LabelScorer
from ..sequence.tokenization import TokenCheck
from ..sequence.viterbi import viterbi

SHIPPED = "en-tagger"
TRAINED_AS = "tagger"
FIXED = 1e6
"""Subtracted from the scores of all other tags if a tag is given; far greater than the weights of any model."""


@component("tagger", inputs=[Token, Sentence], sets=["Token:pos"])
class Tagger(AnalysisEngine):
    """Gives every token a part-of-speech tag: the best sequence of tags for each sentence under a linear-chain model.

    The shipped model `en-tagger` knows the tags of the Penn Treebank and the further ones of the English Web Treebank.
    `caspipe train tagger` makes models for other languages and texts. Tags serve features (`pos`), the `chunker` and rules;
    a pipeline that asks for none of these runs faster without a tagger.
    """

    model: LinearModel = cast(LinearModel, SHIPPED)  # a name until `open` loads it
    """The trained model: a folder, a zip, or a name that `caspipe model list` shows."""
    keep: bool = False
    """Keep existing tags from a reader or another tagger; the other tokens are tagged consistently with them."""
    view: str = INITIAL_VIEW
    """The view whose tokens are tagged."""

    @property
    def input_view(self) -> str:
        return self.view

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return tokens, sentences, and the types that the model's features need."""
        return tuple(dict.fromkeys((Token, Sentence, *features_of(self.model).needs())))

    def open(self) -> None:
        super().open()
        check_type(self.model, TRAINED_AS, self.name)

    def process(self, cas: Cas) -> None:
        view = cas.view(self.view)
        if view.count(Token):
            self._token_check.check(view)
            view.set_feature(Token, "pos", self.tags(view))

    def tags(self, view: View) -> list[str]:
        """Return the tags of a view's tokens in order, without changing the view."""
        words = Words(view)
        if not len(words):
            return []
        columns = self._scorer.features.columns(words)
        given = words.pos if self.keep else []
        labels, tags = self._scorer.labels, list[str]()
        for block in columns.blocks():
            scores = self._scorer.scores(columns, block)
            if any(given):
                self._fix(scores, given[block.first : block.last])
            tags += [labels[i] for i in viterbi(scores, block.sentences, self._transitions)]
        return [old or new for old, new in zip(given, tags, strict=True)] if given else tags

    def _fix(self, scores: Floats, given: list[str]) -> None:
        """Make existing tags the only possible ones of their tokens, if the model knows them."""
        numbers = {label: i for i, label in enumerate(self._scorer.labels)}
        for i, tag in enumerate(given):
            number = numbers.get(tag)
            if number is not None:
                own = scores[i, number]
                scores[i] -= FIXED
                scores[i, number] = own

    @cached_property
    def _token_check(self) -> TokenCheck:
        return TokenCheck(self.model.meta, self.model.place)

    @cached_property
    def _scorer(self) -> LabelScorer:
        return LabelScorer(self.model.features, self.model.weights)

    @cached_property
    def _transitions(self) -> Floats:
        transitions = self.model.weights.transitions
        if transitions is None:
            raise ResourceError(f"model {self.model.place}: a tagger without transitions: damaged")
        return transitions
