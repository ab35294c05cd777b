"""Documents and columns for tests of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from caspipe.annotators.sequence.feature import TokenFeature, Words
from caspipe.typesystem import Annotation, Cas, FeatureStructure, Sentence, Token
from caspipe.typesystem.tokenize import token_spans

MakeWords = Callable[..., Words]
Column = Callable[..., list[tuple[str, object]]]


def make_words(text: str, *things: FeatureStructure, sentences: Sequence[str] = ()) -> Words:
    """The tokens of a text with annotations; each sentence is given by its text, in order."""
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    begin = 0
    for sentence in sentences:
        begin = text.index(sentence, begin)
        view.add(Sentence(begin, begin + len(sentence)))
    view.add_all(things)
    return Words(view)


@pytest.fixture(scope="session")
def words() -> MakeWords:
    return make_words


@pytest.fixture(scope="session")
def column() -> Column:
    """(form, value) of every token that has a value."""

    def held(
        feature: TokenFeature, text: str, *things: Annotation, sentences: Sequence[str] = ()
    ) -> list[tuple[str, object]]:
        made = make_words(text, *things, sentences=sentences)
        return [(f, v) for f, v in zip(made.forms, feature.column(made), strict=True) if v is not None]

    return held
